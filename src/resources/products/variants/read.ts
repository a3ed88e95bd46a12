import { sql } from 'drizzle-orm'
import type { Json } from '../../../core/json.ts'
import type { Answer, Context, Input } from '../../../core/operation.ts'
import { levelsOf } from '../../categories/index.ts'
import { offerStatement, pricesOf, questionOf } from '../../prices/index.ts'
import { idOf, readProduct, withoutVariants } from '../index.ts'
import { variantStatement } from './aggregate.ts'
import { documentsOf } from './answer.ts'
import type { VariantParts } from './document.ts'
import { variantProblems } from './problems.ts'

/** Reads one variant; archived ones too. */
export async function getVariant(context: Context, { params, query }: Input): Promise<Answer> {
  const { productId, variantId } = params as { productId: string; variantId: string }
  const question = questionOf(query)
  const { product, sequence, more } = await readProduct(
    context.db.read,
    idOf(productId),
    { locale: context.locale, expand: levelsOf(query.expand), room: withoutVariants },
    variantStatement(productId, variantId),
    ...(question ? [offerStatement(sql`select ${variantId}::uuid`, question)] : []),
  )
  const found = (more[0] as VariantParts[])[0]
  if (!product || !found) throw variantProblems.not_found({ id: variantId })
  const price = question
    ? (pricesOf(more[1] as Parameters<typeof pricesOf>[0], question).get(variantId) ?? null)
    : undefined
  return {
    kind: 'item',
    document: documentsOf(product, context)(found, price as Json | undefined),
    version: found.version,
    sequence,
  }
}

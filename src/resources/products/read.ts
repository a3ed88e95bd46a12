import { sql } from 'drizzle-orm'
import type { Answer, Context, Input } from '../../core/operation.ts'
import { levelsOf } from '../categories/index.ts'
import { offerStatement, pricesOf, questionOf } from '../prices/index.ts'
import { askedOfVariants } from './continuation.ts'
import { productDocument } from './document.ts'
import { productProblems } from './problems.ts'
import { onItem } from './room.ts'
import { idOf, readProduct, shownVariants } from './store.ts'

/** Reads one product; archived ones too. */
export async function getProduct(context: Context, { params, query }: Input): Promise<Answer> {
  const id = params.id!
  const question = questionOf(query)
  const room = { ...onItem, priced: question !== null }
  const variantIds = shownVariants(sql`select ${id}::uuid`, room)
  const { product, sequence, more } = await readProduct(
    context.db.read,
    idOf(id),
    { locale: context.locale, expand: levelsOf(query.expand), room },
    ...(question ? [offerStatement(variantIds, question)] : []),
  )
  if (!product) throw productProblems.not_found({ id })
  const prices = question ? pricesOf(more[0] as Parameters<typeof pricesOf>[0], question) : null
  return {
    kind: 'item',
    document: productDocument(product, context.locale, prices, onItem, askedOfVariants(context.url, query)),
    version: product.version,
    sequence,
  }
}

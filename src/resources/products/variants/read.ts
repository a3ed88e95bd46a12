import { sql } from 'drizzle-orm'
import type { Answer, Context, Input } from '../../../core/operation.ts'
import { nothing } from '../../../db/reading.ts'
import { sequenceStatement } from '../../../db/sequence.ts'
import { type expandParameter, levelsOf } from '../../categories/index.ts'
import { type priceParameters, pricesReading, questionOf } from '../../prices/index.ts'
import { idOf, productReading, withoutVariants } from '../index.ts'
import { variantStatement } from './aggregate.ts'
import { documentsOf } from './answer.ts'
import { variantProblems } from './problems.ts'

type Asked = Input<{
  params: 'productId' | 'variantId'
  query: typeof priceParameters & { expand: typeof expandParameter }
}>

/** Reads one variant; archived ones too. */
export async function getVariant(
  context: Context,
  { params: { productId, variantId }, query }: Asked,
): Promise<Answer> {
  const question = questionOf(query)
  const options = { locale: context.locale, expand: levelsOf(query.expand), room: withoutVariants }
  const { clock, product, found, prices } = await context.db.read({
    clock: sequenceStatement,
    product: productReading(idOf(productId), options),
    found: variantStatement(productId, variantId),
    prices: question ? pricesReading(sql`select ${variantId}::uuid`, question) : nothing,
  })
  const [own] = found
  if (!product || !own) throw variantProblems.not_found({ id: variantId })
  const price = prices ? (prices.get(variantId) ?? null) : undefined
  return {
    kind: 'item',
    document: documentsOf(product, context)(own, price),
    version: own.version,
    sequence: clock[0]?.sequence ?? 0,
  }
}

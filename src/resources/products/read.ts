import { sql } from 'drizzle-orm'
import type { Answer, Context, Input } from '../../core/operation.ts'
import { nothing } from '../../db/reading.ts'
import { sequenceStatement } from '../../db/sequence.ts'
import { levelsOf } from '../categories/index.ts'
import { pricesReading, questionOf } from '../prices/index.ts'
import { askedOfVariants } from './continuation.ts'
import { productDocument } from './document.ts'
import type { readParameters } from './parameters.ts'
import { productProblems } from './problems.ts'
import { onItem } from './room.ts'
import { idOf, productReading, shownVariants } from './store.ts'

/** Reads one product; archived ones too. */
export async function getProduct(
  context: Context,
  { params: { id }, query }: Input<{ params: 'id'; query: typeof readParameters }>,
): Promise<Answer> {
  const question = questionOf(query)
  const room = { ...onItem, priced: question !== null }
  const variantIds = shownVariants(sql`select ${id}::uuid`, room)
  const { clock, product, prices } = await context.db.read({
    clock: sequenceStatement,
    product: productReading(idOf(id), { locale: context.locale, expand: levelsOf(query.expand), room }),
    prices: question ? pricesReading(variantIds, question) : nothing,
  })
  if (!product) throw productProblems.not_found({ id })
  return {
    kind: 'item',
    document: productDocument(product, context.locale, prices, onItem, askedOfVariants(context.url, query)),
    version: product.version,
    sequence: clock[0]?.sequence ?? 0,
  }
}

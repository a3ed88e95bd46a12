import { uuidv7 } from 'uuidv7'
import type { Answer, Context, Input } from '../../../core/operation.ts'
import { refuse } from '../../../core/violations.ts'
import { type Plan, write } from '../../../core/write.ts'
import { placeAll } from '../../../db/place.ts'
import { gathered } from '../../../db/reading.ts'
import { insertRows } from '../../../db/rows.ts'
import { type expandParameter, levelsOf } from '../../categories/index.ts'
import { referencesReading } from '../../content/custom-fields/index.ts'
import {
  claimsReading,
  countedOffers,
  saleOfferEvent,
  saleOfferStatements,
  tooManyOffers,
} from '../../prices/sale/index.ts'
import { idOf, productReading, reindexed } from '../index.ts'
import { writeReading } from './aggregate.ts'
import { answer, type Result, slim } from './answer.ts'
import { type Asked, type Decided, decideCreation, writtenOffers } from './decide-creation.ts'
import { changed } from './event.ts'
import { valueLinks } from './links.ts'
import { takenStatement } from './names.ts'
import { variantProblems } from './problems.ts'
import type { variant as shape } from './schema.ts'
import { variantRow } from './store.ts'
import { variantOptionValues, variants } from './table.ts'

type Created = Input<{
  params: 'productId'
  query: { expand: typeof expandParameter }
  body: typeof shape
}>

/** Creates one variant or up to 250 of one product, all or nothing: a combination exists once, also under concurrency. */
export async function createVariants(
  context: Context,
  { params: { productId }, query, bodies, bulk }: Created,
): Promise<Answer> {
  const asked = { productId, written: bodies.map((body) => ({ id: uuidv7(), body })), bulk }
  refuse(tooManyOffers(writtenOffers(asked)))
  const written = await write<Result>(context, 'createVariants', async (read) => {
    const { found } = await read({ found: homeReading(context, asked, levelsOf(query.expand)) })
    return planOf(context, decideCreation(context, found, asked))
  })
  return answer(context, written, { bulk, fresh: true })
}

/** Reads the product of new variants, and what they refer to or conflict with. */
function homeReading({ locale }: Context, asked: Asked, expand: number) {
  const { productId, written } = asked
  const bodies = written.map((each) => each.body)
  return gathered({
    product: productReading(idOf(productId), { ...writeReading, locale, expand }),
    taken: takenStatement(bodies, null),
    references: referencesReading(bodies.map((each) => each.fields)),
    claims: claimsReading(writtenOffers(asked)),
  })
}

function planOf(context: Context, { product, touched, made }: Decided): Plan<Result> {
  const { id: productId, variantsTotal } = product
  // Appended first, then moved: only a position that was asked for costs a renumbering.
  const rows = made.map(({ parts, state, saleOffers }, index) => ({
    ...variantRow(parts, state.values),
    position: variantsTotal + index,
    saleOfferCount: countedOffers(saleOffers),
  }))
  const saleOffers = made.flatMap((each) => each.saleOffers)
  const placed = made.map((each) => each.parts)
  const moves = placed.some((each, index) => each.position !== variantsTotal + index)
  return {
    guard: [touched.guard],
    statements: [
      ...insertRows(variants, rows),
      ...insertRows(variantOptionValues, rows.flatMap(valueLinks)),
      ...saleOfferStatements(saleOffers),
      ...(moves ? [placeAll(variants, productId, placed)] : []),
      ...(rows.some((each) => each.sku || each.barcode) ? reindexed(product, context.tenant) : []),
    ],
    changed: [
      ...made.flatMap((each) => [...each.saleOffers.map(saleOfferEvent), changed('created', null, each)]),
      touched.changed,
    ],
    totals: { sale_offers: countedOffers(saleOffers) },
    result: { product: slim(product), variants: placed },
    refusals: {
      variants_combination: variantProblems.combination_exists(),
      variants_sku: 'again',
      variants_external_id: 'again',
      sale_offers_external_id: 'again',
      variant_option_values_in_use: 'again',
    },
  }
}

import { sql } from 'drizzle-orm'
import { uuidv7 } from 'uuidv7'
import { instantOf } from '../../core/instant.ts'
import type { Answer, Context, Input } from '../../core/operation.ts'
import type { Shape } from '../../core/property.ts'
import { stamped } from '../../core/stamped.ts'
import { type Plan, write } from '../../core/write.ts'
import { uuids } from '../../db/rows.ts'
import { type expandParameter, levelsOf } from '../categories/index.ts'
import {
  creationOf,
  type Offer,
  type OfferParts,
  type OfferValues,
  offerDocument,
  takenReading,
} from '../prices/offers/index.ts'
import { decide, type RequestedOffer } from './decide-creation.ts'
import { externalIdOf, limitOf } from './names.ts'
import type { Offering, OfferKind } from './offering.ts'
import { type CategoryOptions, productCategoriesReading, targetStatement } from './store.ts'
import { archivedMeanwhile, countStatements, demandOfferable } from './target.ts'

/** Creates one offer or up to 250, all or nothing. */
export function createOffers<Own extends Shape, Patch extends Shape, Values extends OfferValues>(
  offering: Offering<Own, Patch, Values>,
) {
  const { shape } = offering
  type Create = Input<{ query: { expand: typeof expandParameter }; body: Own }>
  return async function createOffers(context: Context, { bodies, query, bulk }: Create): Promise<Answer> {
    const { locale, tenant } = context
    const wanted = bodies.map((body, index) => {
      const at = (name: string) => (bulk ? `[${index}].${name}` : name)
      return { id: uuidv7(), at, ...offering.created(body, locale, at) }
    })
    const options = { locale, expand: levelsOf(query.expand), translations: true }
    const { result, stamps, replayed } = await write<readonly OfferParts[]>(
      context,
      `create${shape.type}s`,
      async (read) => {
        const found = await read(readingsOf(offering, wanted, options))
        return planOf(offering, decide(offering, tenant.locales, wanted, found))
      },
    )
    const now = instantOf(context.now)
    const made = result.map((each) => stamped(each, stamps))
    const documents = made.map((each) => offerDocument(each, locale, now))
    const [first] = made
    const [document] = documents
    if (bulk || !first || document === undefined) {
      return { kind: 'collection', members: documents, total: documents.length, replayed }
    }
    const location = `${shape.collection}/${first.id}`
    return { kind: 'item', document, version: first.version, location, replayed }
  }
}

function readingsOf(
  kind: OfferKind,
  wanted: readonly RequestedOffer<OfferValues>[],
  options: CategoryOptions,
) {
  const variantIds = uuids([...new Set(wanted.map(({ variant }) => variant.id))])
  const externalIds = wanted.flatMap(({ values }) => values.externalId ?? [])
  return {
    targets: targetStatement(kind, sql`select unnest(${variantIds})`),
    taken: takenReading(kind.table, externalIds),
    categoriesOf: productCategoriesReading(
      sql`select product_id from variants where tenant_id = current_tenant() and id = any(${variantIds})`,
      options,
    ),
  }
}

function planOf<Own extends Shape, Patch extends Shape, Values extends OfferValues>(
  offering: Offering<Own, Patch, Values>,
  offers: readonly Offer<Values>[],
): Plan<readonly OfferParts[]> {
  const counted = offers
    .filter(({ parts }) => parts.status !== 'ARCHIVED')
    .map(({ parts }) => parts.variantId)
  const moves = new Map([...Map.groupBy(counted, (id) => id)].map(([id, { length }]) => [id, length]))
  const variantIds = [...new Set(offers.map(({ parts }) => parts.variantId))]
  return {
    guard: variantIds.map((id) => ({ kind: 'variants', id, version: null })),
    statements: [
      demandOfferable(variantIds),
      ...countStatements(offering, moves),
      ...offering.insert(offers),
    ],
    changed: offers.map((each) => creationOf(offering, each)),
    totals: { [offering.table]: counted.length },
    result: offers.map(({ parts }) => parts),
    // What was taken, filled or archived between the two trips is found, and named, by reading again.
    refusals: {
      [externalIdOf(offering)]: 'again',
      [limitOf(offering)]: 'again',
      [archivedMeanwhile]: 'again',
    },
  }
}

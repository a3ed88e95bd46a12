import { SQL, sql } from 'drizzle-orm'
import * as z from 'zod'
import { instantOf } from '../../core/instant.ts'
import { idIn, isId } from '../../core/iri.ts'
import { type ListSource, listReading, type Ways } from '../../core/listing.ts'
import type { Answer, Context, Input, Query } from '../../core/operation.ts'
import {
  dateConditions,
  dateParameters,
  followsUpdates,
  type Orders,
  orderParameters,
  pageParameters,
  planPage,
} from '../../core/page.ts'
import { validationProblems } from '../../core/problems/index.ts'
import { violation } from '../../core/violations.ts'
import { rowBytes } from '../../db/columns.ts'
import { sequenced } from '../../db/sequence.ts'
import { expandParameter, levelsOf } from '../categories/index.ts'
import {
  type OfferState,
  offerDocument,
  offerStates,
  offerStatuses,
  stateCondition,
} from '../prices/offers/index.ts'
import { variantCollection } from '../products/variants/iri.ts'
import { externalId, referenceParameter } from '../property-schemas.ts'
import { currencyCode } from '../trade-schemas.ts'
import type { Asked, Filters, OfferKind } from './offering.ts'
import {
  categoriesOf,
  type OfferWithCategories,
  offerOf,
  offerStatement,
  productCategories,
  shownColumns,
} from './store.ts'

const variantReference = z.string().transform((text, check) => {
  const id = isId(text) ? text : idIn(text, variantCollection)
  const expected = `${variantCollection}/{id}`
  if (id === null)
    check.addIssue({ code: 'custom', ...violation(validationProblems.invalid_iri.at('', { expected })) })
  return id ?? ''
})

const orders: Orders = {
  createdAt: { column: sql`created_at`, type: 'timestamptz' },
  updatedAt: { column: sql`updated_at`, type: 'timestamptz' },
  id: { column: sql`id`, type: 'uuid' },
}

const sharedFilters: Filters = {
  variant: { schema: variantReference, condition: (id) => sql`variant_id = ${id}::uuid` },
  product: {
    schema: referenceParameter('/api/products'),
    condition: (id) => sql`product_id = ${id}::uuid`,
  },
  currency: { schema: currencyCode, condition: (currency) => sql`currency = ${currency}` },
  status: { schema: z.enum(offerStatuses), condition: (status) => sql`status = ${status}` },
  state: {
    schema: z.enum(offerStates),
    condition: (state: OfferState, { now }) => stateCondition(state, now),
  },
  externalId: { schema: externalId, condition: (external) => sql`external_id = ${external}` },
}

type Parameters = Query & { readonly expand: typeof expandParameter }

/** The query parameters of a list of offers. */
export function offerListParameters({ filters }: OfferKind): Parameters {
  const filtering = Object.entries({ ...sharedFilters, ...filters }).map(
    ([name, { schema }]) => [name, schema.optional()] as const,
  )
  return {
    ...pageParameters,
    ...orderParameters(orders),
    expand: expandParameter,
    ...Object.fromEntries(filtering),
    ...dateParameters('createdAt'),
    ...dateParameters('updatedAt'),
  }
}

function filtersOf(
  { filters }: OfferKind,
  query: Input<{ query: Parameters }>['query'],
  asked: Asked,
): (SQL | Ways)[] {
  return [
    ...Object.entries({ ...sharedFilters, ...filters }).flatMap(([name, { condition }]) =>
      query[name] === undefined ? [] : [condition(query[name], asked)],
    ),
    ...dateConditions('createdAt', sql`created_at`, query),
    ...dateConditions('updatedAt', sql`updated_at`, query),
  ]
}

/** Rows as they are filtered further in one of several ways, or not at all. */
function sourceOf(rows: SQL, filter: Ways | undefined): Pick<ListSource, 'from' | 'known'> {
  if (!filter) return { from: rows }
  return { known: filter.known, from: filter.ways.map((way) => sql`${rows} and ${way}`) }
}

/** Lists offers: newest first, or by `updatedAt` upwards for those who follow changes. */
export function listOffers(kind: OfferKind) {
  return async function listOffers(
    context: Context,
    { query }: Input<{ query: Parameters }>,
  ): Promise<Answer> {
    const { locale } = context
    const now = instantOf(context.now)
    const options = { locale, expand: levelsOf(query.expand) }
    const page = planPage(query, context.url, orders, [['createdAt', 'desc']])
    // Followers must see removals; others see what is archived only when they ask for it.
    const hides = query.status === undefined && !followsUpdates(query)
    const visible = hides ? [sql`status <> 'ARCHIVED'`] : []
    const archived = !hides && (query.status === undefined || query.status === 'ARCHIVED')
    const filters = filtersOf(kind, query, { now, archived })
    const own = filters.filter((each) => each instanceof SQL)
    const conditions = [sql`tenant_id = current_tenant()`, ...visible, ...own]
    const all = sql`from ${sql.identifier(kind.table)} where ${sql.join(conditions, sql` and `)}`
    const { list } = await context.db.read({
      list: listReading<OfferWithCategories>(page, {
        ...sourceOf(
          all,
          filters.find((each) => 'ways' in each),
        ),
        columns: shownColumns,
        bytes: rowBytes(),
        keptTotal: filters.length > 0 ? null : kind.table,
        // The categories of all, beside the first.
        shown: sql`select page.*, of_products.memberships, of_products.categories from page
          left join (${productCategories(sql`select "productId" from page`, options)}) as of_products on page.nth = 1`,
      }),
    })
    const [first] = list.read
    const categories = first && categoriesOf(first, options)
    return {
      kind: 'collection',
      members: list.rows.map((row) =>
        offerDocument({ ...row, categories: categories?.(row.productId) ?? [] }, locale, now),
      ),
      ...list.paging,
      sequence: list.sequence,
    }
  }
}

/** Reads one offer; archived ones too. */
export function getOffer(kind: OfferKind) {
  type Asked = Input<{ params: 'id'; query: { expand: typeof expandParameter } }>
  return async function getOffer(
    { locale, now, db }: Context,
    { params: { id }, query }: Asked,
  ): Promise<Answer> {
    const options = { locale, expand: levelsOf(query.expand) }
    const { found } = await db.read({ found: sequenced(offerStatement(kind, id, options)) })
    const {
      rows: [own],
      sequence,
    } = found
    if (!own) throw kind.problems.not_found({ id })
    const document = offerDocument(offerOf(own, options), locale, instantOf(now))
    return { kind: 'item', document, version: own.version, sequence }
  }
}

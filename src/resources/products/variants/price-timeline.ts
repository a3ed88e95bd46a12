/** Price timelines: what a variant, or each of a product's, cost and will cost. */
import { sql } from 'drizzle-orm'
import { budgets } from '../../../core/budgets.ts'
import type { Value } from '../../../core/document.ts'
import { listReading } from '../../../core/listing.ts'
import { type Answer, type Context, type Input, operation, type Resource } from '../../../core/operation.ts'
import { type Orders, pageParameters, planPage } from '../../../core/page.ts'
import { queryWith } from '../../../core/view.ts'
import { statement } from '../../../db/client.ts'
import { tenantSequence } from '../../../db/sequence.ts'
import {
  type AskedTimeline,
  basisColumns,
  mostSegments,
  priceTimeline,
  type ShownTimeline,
  type TermLines,
  type TimelineBasis,
  termsOf,
  termsRead,
  timelineAsked,
  timelineBasis,
  timelineMembers,
  timelineParameters,
  timelinesPath,
} from '../../prices/index.ts'
import { productProblems } from '../index.ts'
import { variantIri } from './iri.ts'
import { variantProblems } from './problems.ts'

const room = {
  item: { segments: mostSegments.item, bytes: budgets.item },
  list: { segments: mostSegments.list, bytes: budgets.embedded },
}
/** Terms that are read for one timeline, and for one in a list: more than can apply at once, so that each page goes on. */
const mostTerms = { item: 5000, list: 1500 }

const own = 'tenant_id = current_tenant()'

/** Reads the timeline of one variant; of an archived one too. */
async function getPriceTimeline(
  context: Context,
  {
    params: { productId, variantId },
    query,
  }: Input<{ params: 'productId' | 'variantId'; query: typeof timelineParameters }>,
): Promise<Answer> {
  const asked = timelineAsked(query, context.now)
  const { found } = await context.db.read({
    found: statement<TimelineBasis & { sequence: number; terms: TermLines }>(sql`
      select ${tenantSequence} as sequence, ${basisColumns}, ${termsOf(sql`variants.id`, asked, mostTerms.item)} as terms
        from variants where ${sql.raw(own)} and product_id = ${productId}::uuid and id = ${variantId}::uuid`),
  })
  const [row] = found
  if (!row) throw variantProblems.not_found({ id: variantId })
  const basis = timelineBasis(row, context.now)
  const shown = timelineMembers(asked, termsRead(row.terms, asked, mostTerms.item), basis, room.item)
  const { url } = context
  const link = (changes: Readonly<Record<string, string>>) => `${url.pathname}?${queryWith(url, changes)}`
  const document = documentOf(variantIri(productId, variantId), shown, (next) =>
    link({ from: next, until: asked.span.until }),
  )
  return { kind: 'item', document, version: null, sequence: row.sequence }
}

const orders: Orders = {
  position: { column: sql`position`, type: 'int' },
  id: { column: sql`id`, type: 'uuid' },
}

const listParameters = { ...pageParameters, ...timelineParameters }

/** Lists the timelines of a product's active variants, in their order. */
async function listPriceTimelines(
  context: Context,
  { params: { id }, query }: Input<{ params: 'id'; query: typeof listParameters }>,
): Promise<Answer> {
  const asked = timelineAsked(query, context.now)
  const page = planPage(query, context.url, orders, [['position', 'asc']])
  const { product, list } = await context.db.read({
    product: statement<TimelineBasis>(
      sql`select ${basisColumns} from products where ${sql.raw(own)} and id = ${id}::uuid`,
    ),
    list: listReading<{ id: string; terms: TermLines }>(page, {
      from: sql`from variants where ${sql.raw(own)} and product_id = ${id}::uuid and status = 'ACTIVE'`,
      columns: sql`id, ${termsOf(sql`variants.id`, asked, mostTerms.list)} as terms`,
      bytes: sql`coalesce(octet_length(terms), 0)`,
      keptTotal: null,
    }),
  })
  const [row] = product
  if (!row) throw productProblems.not_found({ id })
  const basis = timelineBasis(row, context.now)
  const members = list.rows.map(({ id: variantId, terms }) => {
    const shown = timelineMembers(asked, termsRead(terms, asked, mostTerms.list), basis, room.list)
    return documentOf(variantIri(id, variantId), shown, (next, iri) => `${iri}?${questionOf(asked, next)}`)
  })
  return { kind: 'collection', members, ...list.paging, sequence: list.sequence }
}

/** The query that asks for the rest of a timeline. */
function questionOf({ shopper, span }: AskedTimeline, from: string): string {
  const query = {
    'resolveContext[channel]': shopper.channel,
    'resolveContext[country]': shopper.country,
    from,
    until: span.until,
  }
  return Object.entries(query)
    .map((pair) => pair.map(encodeURIComponent).join('='))
    .join('&')
}

function documentOf(
  variant: string,
  { members, next }: ShownTimeline,
  linkTo: (from: string, iri: string) => string,
): Value {
  const iri = `${variant}/price_timeline`
  return {
    '@id': iri,
    '@type': priceTimeline.type,
    variant,
    ...members,
    view:
      next === null ? undefined : { '@id': iri, '@type': 'PartialCollectionView', next: linkTo(next, iri) },
  }
}

const common = {
  method: 'GET',
  scope: 'products:read',
  alsoScopes: ['sale_offers:read'],
  shape: priceTimeline,
} as const

const described =
  'At a moment that has passed, the price by the offers as they were recorded then: what applied. At one that is to come, by those that are recorded now.'

export const resource: Resource = {
  shape: priceTimeline,
  problems: [],
  operations: [
    operation({
      ...common,
      name: 'listPriceTimelines',
      summary: "List the price timelines of a product's active variants",
      description: `${described} Each shows its first ${mostSegments.list} segments; \`view\` leads to the rest of it.`,
      path: timelinesPath,
      answers: 'collection',
      notFound: productProblems.not_found,
      query: listParameters,
      run: listPriceTimelines,
    }),
    operation({
      ...common,
      name: 'getPriceTimeline',
      summary: 'Read the price of a variant over a span of time',
      description: `${described} Up to ${mostSegments.item.toLocaleString('en-US')} segments; \`view\` leads to the rest.`,
      path: '/api/products/{productId}/variants/{variantId}/price_timeline',
      answers: 'item',
      notFound: variantProblems.not_found,
      query: timelineParameters,
      run: getPriceTimeline,
    }),
  ],
}

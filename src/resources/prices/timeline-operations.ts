import { sql } from 'drizzle-orm'
import * as z from 'zod'
import { type Members, type SizedDocument, sized, type Value } from '../../core/document.ts'
import { byteLimits } from '../../core/limits.ts'
import { listQuery } from '../../core/list-query.ts'
import { type Answer, type Context, type Input, operation, type Resource } from '../../core/operation.ts'
import { instantParameter, type Orders, pageParameters, planPage } from '../../core/paging.ts'
import { readOnly, type Shape } from '../../core/schema.ts'
import { bytesAtMost } from '../../core/sizes.ts'
import { queryWith } from '../../core/view.ts'
import { statement } from '../../db/query.ts'
import { tenantSequence } from '../../db/sql.ts'
import { productProblems, variantProblems } from '../products/problems.ts'
import {
  countryInAnyCase,
  currencyCode,
  currencyInAnyCase,
  identifier,
  instantText,
  iriText,
  partialView,
  viewOf,
} from '../shared/properties.ts'
import { variantIri } from '../variants/schema.ts'
import { pricingProblems } from './problems.ts'
import { currencyKeywords, currencyName, marketParameters } from './request.ts'
import { type Segment, timelineOf } from './timeline.ts'
import {
  basisColumns,
  basisRow,
  defaultDays,
  maxYears,
  parseTerms,
  type TimelineRequest,
  type TimelineTerms,
  termLines,
  termsExpression,
  timelineBasis,
  timelineContext,
  timelineContextParameters,
  timelineRequestOf,
} from './timeline-read.ts'

/** The size limits of a timeline in one document. */
export type TimelineLimits = { readonly segments: number; readonly bytes: number }

/** A timeline's members, and the start of its next page; null on the last page. */
export type TimelinePage = { readonly members: Members; readonly next: string | null }

/** Builds the members of a timeline's document, with the segments that fit, but at least one. */
export function timelineMembers(
  { shopper, span }: TimelineRequest,
  { recorded, span: readSpan }: TimelineTerms,
  { now, historyFrom }: { readonly now: string; readonly historyFrom: string | null },
  limits: TimelineLimits,
): TimelinePage {
  const timeline = timelineOf(recorded, shopper, readSpan, now, limits.segments)
  const documents = timeline.map(segmentDocument)
  // Measuring all of them at once costs less than each, and a bound costs less than both.
  const isShort = boundOf(timeline, shopper) <= limits.bytes || sized(documents).bytes <= limits.bytes
  const count = isShort ? documents.length : fittingCount(documents.map(sized), limits.bytes)
  const end = timeline[count - 1]?.until ?? span.until
  return {
    members: { ...shopper, ...span, historyFrom, segments: documents.slice(0, count) },
    next: end < span.until ? end : null,
  }
}

/** The maximum bytes of a segment without its channel and quantity breaks, and of a quantity break. */
const maxBytes = { segment: 800, quantityBreak: 200 }

/** An upper bound of the bytes of segments. */
function boundOf(timeline: readonly Segment[], { channel }: TimelineRequest['shopper']): number {
  const breaks = timeline.flatMap(({ resolvedPrice }) => resolvedPrice?.quantityBreaks ?? [])
  const segmentBytes = maxBytes.segment + bytesAtMost(JSON.stringify(channel))
  return timeline.length * segmentBytes + breaks.length * maxBytes.quantityBreak
}

function segmentDocument({ eventId, ...segment }: Segment): Members {
  const event = eventId === null ? null : `/api/events/${eventId}`
  return { '@type': 'PriceSegment', ...segment, event }
}

/** The number of documents that fit into `maxBytes`, but at least one. */
function fittingCount(documents: readonly SizedDocument[], maxBytes: number): number {
  let remainingBytes = maxBytes
  const firstExcess = documents.findIndex(({ bytes }, index) => {
    remainingBytes -= bytes
    return index > 0 && remainingBytes < 0
  })
  return firstExcess < 0 ? documents.length : firstExcess
}

/** The maximum number of segments of a timeline, and of one in a list. A link returns the next page. */
export const maxSegments = { item: 1000, list: 100 }

/** A required parameter. The error for a missing one is that of any price request. */
const requiredParameter = (parameter: string) => ({
  neededBy: timelineContextParameters,
  missing: pricingProblems.resolve_context_incomplete.at(parameter, { parameter }),
})

const timestampFormat = 'an ISO 8601 date-time, in UTC if it has no zone, or a date.'

const timelineParameters = {
  [timelineContextParameters[0]]: identifier.optional().meta({
    ...requiredParameter(timelineContextParameters[0]),
    description: 'The channel of the requested prices.',
  }),
  [timelineContextParameters[1]]: countryInAnyCase.optional().meta({
    ...requiredParameter(timelineContextParameters[1]),
    pattern: '^[A-Za-z]{2}$',
    examples: ['FR'],
    description: 'The ISO 3166-1 alpha-2 code of the country of the requested prices.',
  }),
  [currencyName]: currencyInAnyCase.optional().meta({
    ...currencyKeywords,
    description: 'Only offers in this currency (ISO 4217) compete. If none applies, `resolvedPrice` is null.',
  }),
  market: marketParameters.market,
  from: instantParameter.meta({
    format: 'date-time',
    examples: ['2026-10-01T00:00:00Z'],
    description: `The first moment of the timeline: ${timestampFormat} The default is ${defaultDays} days before now, or before \`until\` if that is earlier.`,
  }),
  until: instantParameter.meta({
    format: 'date-time',
    examples: ['2026-12-01T00:00:00Z'],
    description: `The end of the timeline, exclusive: ${timestampFormat} The default is ${defaultDays} days after now, or after \`from\` if that is later. At most ${maxYears} years after \`from\`.`,
  }),
}

const timelinesPath = '/api/products/{id}/price_timeline'

const cause = z.enum(['WINDOW', 'EDIT'])

const priceSegment: Shape = {
  type: 'PriceSegment',
  description: 'A period in which the price of a variant stays the same.',
  collection: timelinesPath,
  readWith: 'sale_offers:read',
  properties: {
    from: readOnly(instantText, 'The first moment of the period.'),
    until: readOnly(instantText, 'The end of the period, exclusive, at which the next one begins.'),
    resolvedPrice: readOnly(
      z.unknown().nullable(),
      'The price at the first moment of the period, without `nextChangeAt`, which `until` replaces. Null if no offer applies.',
      { objectType: 'ResolvedPrice' },
    ),
    cause: readOnly(
      cause.nullable(),
      'The reason why the period begins. `WINDOW`: an offer began or ended by its own terms. `EDIT`: a write changed the recorded offers. Null if nothing changed, as at the start of the timeline or its page, and now.',
      { example: 'EDIT' },
    ),
    event: readOnly(iriText.nullable(), 'The event of the change, for an `EDIT`.', {
      isLink: true,
      targetType: 'Event',
    }),
  },
}

const priceTimeline = {
  type: 'PriceTimeline',
  description:
    'The price of a variant over a period: past prices as they applied, future prices as recorded now.',
  collection: timelinesPath,
  readWith: 'sale_offers:read',
  properties: {
    variant: readOnly(iriText, 'The variant that has this price.', { isLink: true, targetType: 'Variant' }),
    channel: readOnly(z.string(), 'The requested channel.', { example: 'web' }),
    country: readOnly(z.string(), 'The requested country.', { example: 'FR' }),
    currency: readOnly(currencyCode, 'The requested currency; absent if none was requested.'),
    from: readOnly(instantText, 'The first moment of the requested period.'),
    until: readOnly(instantText, 'The end of the requested period, exclusive.'),
    historyFrom: readOnly(
      instantText.nullable(),
      'The moment of the first event of the tenant, before which no prices exist. Null if the tenant has no event yet.',
    ),
    segments: readOnly(
      z.array(z.unknown()),
      'The periods in order and without gaps. Now, one ends and the next one begins.',
      { objectType: 'PriceSegment' },
    ),
    view: readOnly(partialView, 'The link to the next page; absent on the last page.'),
  },
} satisfies Shape

/** A type without operations. The resource documents it like the others. */
export const segments: Resource = { shape: priceSegment, operations: [], problems: [] }

const limits = {
  item: { segments: maxSegments.item, bytes: byteLimits.item },
  list: { segments: maxSegments.list, bytes: byteLimits.embedded },
}
/**
 * The maximum number of terms that are read for one timeline, and for one in a list.
 * It exceeds the number that can apply at once, so each page advances.
 */
const maxTerms = { item: 5000, list: 1500 }

const tenantCondition = 'tenant_id = current_tenant()'

const timelineRow = { ...basisRow, sequence: z.number(), terms: termLines }

/** Reads the timeline of one variant, also of an archived one. */
async function getPriceTimeline(
  context: Context,
  {
    params: { productId, variantId },
    query,
  }: Input<{ params: 'productId' | 'variantId'; query: typeof timelineParameters }>,
): Promise<Answer> {
  const timelineRequest = timelineRequestOf(query, context.now)
  const timelineQuery = sql`
      select ${tenantSequence} as sequence, ${basisColumns}, ${termsExpression(sql`variants.id`, timelineRequest, maxTerms.item)} as terms
        from variants where ${sql.raw(tenantCondition)} and product_id = ${productId}::uuid and id = ${variantId}::uuid`
  const { rows, request } = await context.db.read({
    rows: statement(timelineQuery, timelineRow),
    request: timelineContext(timelineRequest, context),
  })
  const [row] = rows
  if (!row) throw variantProblems.not_found({ id: variantId })
  const basis = timelineBasis(row, context.now)
  const timeline = timelineMembers(request, parseTerms(row.terms, request, maxTerms.item), basis, limits.item)
  const { url } = context
  const link = (changes: Readonly<Record<string, string>>) => `${url.pathname}?${queryWith(url, changes)}`
  const document = documentOf(variantIri(productId, variantId), timeline, (next) =>
    link({ from: next, until: request.span.until }),
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
  const timelineRequest = timelineRequestOf(query, context.now)
  const page = planPage(query, context.url, orders, [['position', 'asc']])
  const { product, list, request } = await context.db.read({
    request: timelineContext(timelineRequest, context),
    product: statement(
      basisRow,
    )`select ${basisColumns} from products where ${sql.raw(tenantCondition)} and id = ${id}::uuid`,
    list: listQuery(page, {
      row: { id: z.string(), terms: termLines },
      from: sql`from variants where ${sql.raw(tenantCondition)} and product_id = ${id}::uuid and status = 'ACTIVE'`,
      columns: sql`id, ${termsExpression(sql`variants.id`, timelineRequest, maxTerms.list)} as terms`,
      bytes: sql`coalesce(octet_length(terms), 0)`,
      totalName: null,
    }),
  })
  const [row] = product
  if (!row) throw productProblems.not_found({ id })
  const basis = timelineBasis(row, context.now)
  const members = list.rows.map(({ id: variantId, terms }) => {
    const timeline = timelineMembers(request, parseTerms(terms, request, maxTerms.list), basis, limits.list)
    return documentOf(
      variantIri(id, variantId),
      timeline,
      (next, iri) => `${iri}?${timelineQuery(request, next)}`,
    )
  })
  return { kind: 'collection', members, ...list.paging, sequence: list.sequence }
}

/** The query of the next page of a timeline. */
function timelineQuery({ shopper, span }: TimelineRequest, from: string): string {
  const query = {
    'resolveContext[channel]': shopper.channel,
    'resolveContext[country]': shopper.country,
    ...(shopper.currency && { [currencyName]: shopper.currency }),
    from,
    until: span.until,
  }
  return Object.entries(query)
    .map((pair) => pair.map(encodeURIComponent).join('='))
    .join('&')
}

function documentOf(
  variant: string,
  { members, next }: TimelinePage,
  linkTo: (from: string, iri: string) => string,
): Value {
  const iri = `${variant}/price_timeline`
  return {
    '@id': iri,
    '@type': priceTimeline.type,
    variant,
    ...members,
    view: next === null ? undefined : viewOf(iri, linkTo(next, iri)),
  }
}

const common = {
  method: 'GET',
  scope: 'products:read',
  alsoScopes: ['sale_offers:read'],
  shape: priceTimeline,
} as const

const commonDescription =
  'Past prices are resolved from the offers recorded at that moment, so they are the prices that applied. Future prices are resolved from the offers recorded now.'

export const resource: Resource = {
  shape: priceTimeline,
  problems: [],
  operations: [
    operation({
      ...common,
      name: 'listPriceTimelines',
      summary: "List the price timelines of a product's active variants",
      description: `${commonDescription} Each timeline contains its first ${maxSegments.list} segments; \`view\` links to the rest.`,
      path: timelinesPath,
      answers: 'collection',
      notFound: productProblems.not_found,
      query: listParameters,
      run: listPriceTimelines,
    }),
    operation({
      ...common,
      name: 'getPriceTimeline',
      summary: 'Read the price of a variant over a period',
      description: `${commonDescription} The timeline contains up to ${maxSegments.item.toLocaleString('en-US')} segments; \`view\` links to the rest.`,
      path: '/api/products/{productId}/variants/{variantId}/price_timeline',
      answers: 'item',
      notFound: variantProblems.not_found,
      query: timelineParameters,
      run: getPriceTimeline,
    }),
  ],
}

/** Reads a request for a price timeline, and the recorded terms that the timeline is computed from. */
import { getTableColumns, type SQL, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import * as z from 'zod'
import { daysFrom, instantOf } from '../../core/instant.ts'
import type { Context } from '../../core/operation.ts'
import { throwViolations } from '../../core/violations.ts'
import { instantText } from '../../db/columns.ts'
import { type DatabaseQuery, mapQuery, noQuery, type RowOf } from '../../db/query.ts'
import { saleOfferTerms } from '../offers/table.ts'
import { pricingProblems } from './problems.ts'
import { contextValues, currencyName, historyFrom, marketsQuery, priceHistory } from './request.ts'
import type { RecordedTerms, Shopper, Span } from './timeline.ts'

/** The required parameters of a price timeline. */
export const timelineContextParameters = ['resolveContext[channel]', 'resolveContext[country]'] as const
/** The days before and after now that a timeline covers by default. */
export const defaultDays = 90
/** The maximum number of years that a timeline covers. */
export const maxYears = 5

/** A request for a price timeline: the channel and country, and the period. */
export type TimelineRequest = {
  readonly shopper: Shopper
  readonly span: Span
  /** The market whose context `shopper` has; empty until `timelineContext()` returns the request with it. */
  readonly market?: { readonly key: string }
}

type TimelineQuery = {
  readonly [name in
    | (typeof timelineContextParameters)[number]
    | typeof currencyName
    | 'market'
    | 'from'
    | 'until']?: string | undefined
}

/**
 * Reads the request for a timeline from a query that `timelineParameters` have parsed.
 * @throws Problem 422 `pricing.resolve_context_incomplete`, `pricing.timeline_reversed`,
 * `pricing.timeline_too_long`
 */
export function timelineRequestOf(query: TimelineQuery, now: Date): TimelineRequest {
  const [channel, country] = timelineContextParameters.map((name) => query[name])
  const span = spanOf(query, instantOf(now))
  const period = `The period would be from ${span.from} until ${span.until}. Send another from or until.`
  const { market } = query
  const names: readonly (keyof TimelineQuery)[] = [...timelineContextParameters, currencyName]
  const both = names.filter((name) => market !== undefined && query[name] !== undefined)
  const missing = timelineContextParameters.filter(
    (name) => market === undefined && query[name] === undefined,
  )
  throwViolations([
    ...both.map((parameter) => pricingProblems.market_and_context.at(parameter)),
    ...missing.map((parameter) => pricingProblems.resolve_context_incomplete.at(parameter, { parameter })),
    ...(span.from > span.until ? [pricingProblems.timeline_reversed.at('until', {}, period)] : []),
    ...(isTooLong(span) ? [pricingProblems.timeline_too_long.at('until', { years: maxYears }, period)] : []),
  ])
  const currency = query[currencyName]
  return {
    shopper: { channel: channel ?? '', country: country ?? '', ...(currency && { currency }) },
    span,
    ...(market !== undefined && { market: { key: market } }),
  }
}

/** Returns a request in the context of its market. Other requests read nothing. */
export function timelineContext(
  request: TimelineRequest,
  context: Pick<Context, 'access'>,
): DatabaseQuery<TimelineRequest> {
  const { market } = request
  if (!market) return mapQuery(noQuery, () => request)
  return mapQuery(marketsQuery(context), (marketOf) => {
    const { channel, country, currency } = marketOf(market.key)
    return { ...request, shopper: { channel, country, currency } }
  })
}

function spanOf({ from, until }: TimelineQuery, now: string): Span {
  const earliest = until !== undefined && until < now ? until : now
  const latest = from !== undefined && from > now ? from : now
  return { from: from ?? daysFrom(earliest, -defaultDays), until: until ?? daysFrom(latest, defaultDays) }
}

function isTooLong({ from, until }: Span): boolean {
  const year = Number(from.slice(0, 4)) + maxYears
  return year <= 9999 && until > `${String(year).padStart(4, '0')}${from.slice(4)}`
}

/**
 * Recorded terms: one line for each, with tab-separated fields that contain no tabs; null without any. Postgres needs more
 * than twice the time to write 5,000 of them as `term_json()` does.
 */
export type TermLines = z.infer<typeof termLines>
export const termLines = z.string().nullable()

/**
 * Converts a UTC timestamp as Postgres writes it to a canonical one. Postgres omits the zone and the zeros at
 * the end of the fraction.
 */
function canonicalInstant(timestamp: string): string {
  const seconds = `${timestamp.slice(0, 10)}T${timestamp.slice(11, 19)}`
  return `${seconds}.${timestamp.slice(20).padEnd(6, '0')}Z`
}

const instantOrNull = (timestamp: string) =>
  timestamp === '' || timestamp === 'infinity' ? null : canonicalInstant(timestamp)

const splitNames = (text: string) => (text === '' ? [] : text.split(','))

/** The terms that a timeline is computed from, and the period for which they are complete. */
export type TimelineTerms = { readonly recorded: readonly RecordedTerms[]; readonly span: Span }

/** Parses the result of `termsExpression`. */
export function parseTerms(lines: TermLines, { span }: TimelineRequest, limit: number): TimelineTerms {
  const recorded = lines === null ? [] : lines.split('\n').map(parseTermsLine)
  const firstUnread = recorded[limit]
  return {
    recorded: recorded.slice(0, limit),
    span: firstUnread ? { ...span, until: firstUnread.knownFrom } : span,
  }
}

const { tenantId, variantId, status, ...lineColumns } = getTableColumns(saleOfferTerms)

/** The fields of a line: each column's property, its text in Postgres, and the value of that text. Terms of timelines are active. */
const lineFields = Object.entries(lineColumns).map(([property, column]) => ({ property, ...fieldOf(column) }))

function fieldOf(column: PgColumn): {
  readonly text: SQL
  readonly parse: (text: string) => RecordedTerms[keyof RecordedTerms]
} {
  const { name, dataType, notNull } = column
  const value = sql`t.${sql.identifier(name)}`
  // Without the canonical format, which costs more: one read returns thousands of timestamps.
  if (column.getSQLType() === 'timestamptz')
    return { text: sql`(${value}) at time zone 'UTC'`, parse: instantOrNull }
  if (dataType === 'array') return { text: sql`array_to_string(${value}, ',')`, parse: splitNames }
  if (dataType === 'boolean') return { text: value, parse: (text) => text === 't' }
  if (dataType === 'number') return { text: value, parse: Number }
  return { text: value, parse: (text) => (notNull ? text : text || null) }
}

function parseTermsLine(line: string): RecordedTerms
// The fields have the types of their columns.
function parseTermsLine(line: string): object {
  const texts = line.split('\t')
  const terms: Record<string, unknown> = { status: 'ACTIVE' }
  lineFields.forEach(({ property, parse }, index) => {
    terms[property] = parse(texts[index] ?? '')
  })
  return terms
}

/** The values that are read once for all timelines of a request. */
export type TimelineBasis = RowOf<typeof basisRow>
export const basisRow = { history: z.string(), clock: z.string() }

/** The columns of `TimelineBasis`. */
export const basisColumns = sql`${priceHistory} as history,
  (select ${instantText(sql`last_at`)} from tenant_clock where tenant_id = current_tenant()) as clock`

/**
 * The SQL expression for the terms that affect a period, in recorded order: at most `limit` and one more.
 * It includes terms that end at the start of the period, because they decide the cause of the first segment.
 */
export function termsExpression(
  variantId: SQL,
  { shopper, span, market }: TimelineRequest,
  limit: number,
): SQL {
  const { channel, country, currency } = contextValues({ ...shopper, market })
  return sql`(
    select string_agg(concat(${sql.join(
      lineFields.map(({ text }) => text),
      sql`, e'\\t', `,
    )}), e'\\n' order by t.known_from)
      from (
        select * from sale_offer_terms
         where tenant_id = current_tenant() and variant_id = ${variantId} and status = 'ACTIVE'
           and known_until >= ${span.from}::timestamptz and known_from < ${span.until}::timestamptz
           and is_offered_in(channel, countries, ${channel}, ${country})
           and currency = coalesce(${currency}, currency)
           and (valid_until is null or valid_until >= ${span.from}::timestamptz)
           and (valid_from is null or valid_from < ${span.until}::timestamptz)
         order by known_from limit ${limit + 1}
      ) as t)`
}

/** The start of the price history, and the timestamp that counts as now. No recorded timestamp is later. */
export function timelineBasis({ history, clock }: TimelineBasis, requestTime: Date) {
  const requestInstant = instantOf(requestTime)
  return { historyFrom: historyFrom(history), now: clock > requestInstant ? clock : requestInstant }
}

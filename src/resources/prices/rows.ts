import { getTableColumns, type SQL, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import * as z from 'zod'
import { instantOf } from '../../core/instant.ts'
import { instantText, jsonSchemas } from '../../db/columns.ts'
import type { RowOf } from '../../db/query.ts'
import { saleOffers, saleOfferTerms, termNames } from '../sale-offers/table.ts'
import {
  type ExplainedPrice,
  explainedPrice,
  type PriceOffer,
  type ResolvedPrice,
  resolvePrice,
} from './price.ts'
import { type PriorMembers, type PriorTerms, priorMembers } from './prior.ts'
import { historyFrom, type PriceRequest, priceHistory, type TimelineRequest } from './question.ts'
import type { RecordedTerms, Span } from './timeline.ts'

/** An offer as `offer_json()` writes it (migrations/functions/51_prices.sql). A member with its default value is omitted. */
export type StoredOffer = z.infer<typeof storedOffer>
export const storedOffer = z
  .object({ id: z.string(), ...jsonSchemas(saleOffers, termNames) })
  .partial()
  .required({ id: true, currency: true, amount: true })

/** Recorded terms as `term_json()` writes them. */
export type StoredTerms = z.infer<typeof storedTerms>
export const storedTerms = storedOffer.extend({ knownFrom: z.string(), knownUntil: z.string().optional() })

/** The data that the price of a variant is resolved from; `id` is the variant's. */
export type PricedRow = RowOf<typeof priceColumns> & { readonly id: string }
export const priceColumns = {
  /** The offers that match the request now or later. For an explanation: all offers that are not archived. Null for none. */
  offers: z.array(storedOffer).readonly().nullable(),
  /** The recorded terms that its prior price is computed from; null if none were read. */
  terms: z.array(storedTerms).readonly().nullable(),
}

/** Returns a stored offer with all of its members. */
export function offerOf(stored: StoredOffer): PriceOffer {
  return {
    id: stored.id,
    channel: stored.channel ?? null,
    countries: stored.countries ?? [],
    currency: stored.currency,
    amount: stored.amount,
    compareAtAmount: stored.compareAtAmount ?? null,
    validFrom: stored.validFrom ?? null,
    validUntil: stored.validUntil ?? null,
    priority: stored.priority ?? 0,
    minQuantity: stored.minQuantity ?? 1,
    taxIncluded: stored.taxIncluded ?? true,
    status: stored.status ?? 'ACTIVE',
  }
}

/** A price as documents contain it. */
export type Price = (ResolvedPrice | ExplainedPrice) & PriorMembers

/** The table expression `priced` of the offers that prices of variants are resolved from. It has no row for a variant without any. */
export function pricedOffers(variantIds: SQL, request: PriceRequest | null): SQL {
  if (!request) return sql`json_each(null::json) as priced("variantId", offers)`
  const { channel, country, at, explain, knownAt } = request
  const options = JSON.stringify({ channel, country, at, explain, knownAt })
  return sql`json_each(read_offers(${variantIds}, ${options}::jsonb)::json) as priced("variantId", offers)`
}

/** The SQL expression for the number of a variant's offers that were recorded at a timestamp. */
export function recordedOfferCount(variantId: SQL, knownAt: string): SQL {
  return sql`(select count(*) from sale_offer_terms
    where tenant_id = current_tenant() and variant_id = ${variantId} and status <> 'ARCHIVED'
      and known_until > ${knownAt}::timestamptz and known_from <= ${knownAt}::timestamptz)`
}

/**
 * Resolves the price of each variant that has offers, by variant id. Null if no offer applies and no
 * explanation is requested. `history` is the result of `price_history()`; it is undefined if it was not read.
 */
export function pricesOf(
  rows: readonly PricedRow[],
  request: PriceRequest,
  history: string | undefined,
): Map<string, Price | null> {
  return new Map(rows.map((row) => [row.id, priceOf(row, request, history)]))
}

function priceOf(
  { offers, terms }: PricedRow,
  request: PriceRequest,
  history: string | undefined,
): Price | null {
  const { channel, country, at, explain, prior } = request
  const allOffers = (offers ?? []).map(offerOf)
  const context = { channel, country, at }
  const price = explain ? explainedPrice(allOffers, context) : resolvePrice(allOffers, context)
  if (!price || !prior) return price
  const findTerms = history === undefined ? null : () => terms && priorTerms(terms, history)
  return { ...price, ...priorMembers(price, request, findTerms) }
}

/**
 * The maximum number of a variant's terms that are read. If a variant has more, its history starts with the
 * terms that applied last.
 */
export const maxPriorTerms = 5000

/** The recorded terms of a variant, from which its prior price is computed. `historyFrom` is the first recorded moment. */
export function priorTerms(terms: readonly StoredTerms[], historyFrom: string): PriorTerms {
  const recorded = terms.map(toRecordedTerms)
  // One more than the limit was read. The history is complete only after these terms ceased to apply.
  const firstUnread = recorded[maxPriorTerms]
  if (firstUnread === undefined) return { recorded, recordedSince: historyFrom }
  const [endedAt = historyFrom] = [firstUnread.knownUntil, firstUnread.validUntil]
    .flatMap((end) => end ?? [])
    .sort()
  return { recorded: recorded.slice(0, maxPriorTerms), recordedSince: endedAt }
}

/** Terms for prior prices, which need no event ids. */
const toRecordedTerms = (stored: StoredTerms): RecordedTerms => ({
  ...offerOf(stored),
  knownFrom: stored.knownFrom,
  knownUntil: stored.knownUntil ?? null,
  recordedBy: '',
  endedBy: null,
})

/**
 * The SQL expression for the terms of a variant whose price may be reduced. It is null if no price is reduced.
 */
export function priorTermsExpression(variantId: SQL, request: PriceRequest | null): SQL {
  if (!request?.prior) return sql`null::json`
  const { prior, channel, country, at, knownAt = null } = request
  return sql`(select terms::json from read_prior_terms(array[${variantId}], ${channel}, ${country}, ${at}::timestamptz, ${knownAt}::timestamptz,
    ${prior.days}::int, ${maxPriorTerms}::int))`
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
export function termsExpression(variantId: SQL, { shopper, span }: TimelineRequest, limit: number): SQL {
  return sql`(
    select string_agg(concat(${sql.join(
      lineFields.map(({ text }) => text),
      sql`, e'\\t', `,
    )}), e'\\n' order by t.known_from)
      from (
        select * from sale_offer_terms
         where tenant_id = current_tenant() and variant_id = ${variantId} and status = 'ACTIVE'
           and known_until >= ${span.from}::timestamptz and known_from < ${span.until}::timestamptz
           and is_offered_in(channel, countries, ${shopper.channel}, ${shopper.country})
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

/** The recorded terms that a timeline is made of, as they are read. */
import { type SQL, sql } from 'drizzle-orm'
import { instantOf } from '../../core/instant.ts'
import { instantText } from '../../db/columns.ts'
import { historyFrom, priceHistory } from './history.ts'
import type { AskedTimeline } from './timeline-asked.ts'

/** What is read once for all timelines of a request. */
export type TimelineBasis = { readonly history: string; readonly clock: string }

/** Its columns. */
export const basisColumns = sql`${priceHistory} as history,
  (select ${instantText(sql`last_at`)} from tenant_clock where tenant_id = current_tenant()) as clock`

/**
 * The terms that matter to a span, in the order in which they were recorded, at most `most` and one more, as an expression;
 * `variantId` is one. Those that end where the span begins are among them: they tell what began there.
 */
export function termsOf(variantId: SQL, { shopper, span }: AskedTimeline, most: number): SQL {
  return sql`(
    select string_agg(concat(t.sale_offer_id, e'\\t', ${utc(sql`t.known_from`)}, e'\\t', ${utc(sql`nullif(t.known_until, 'infinity')`)},
             e'\\t', t.recorded_by, e'\\t', t.ended_by, e'\\t', t.channel, e'\\t', array_to_string(t.countries, ','), e'\\t', t.currency,
             e'\\t', t.amount, e'\\t', t.compare_at_amount, e'\\t', ${utc(sql`t.valid_from`)}, e'\\t', ${utc(sql`t.valid_until`)},
             e'\\t', t.priority, e'\\t', t.min_quantity, e'\\t', t.tax_included), e'\\n' order by t.known_from)
      from (
        select * from sale_offer_terms
         where tenant_id = current_tenant() and variant_id = ${variantId} and status = 'ACTIVE'
           and known_until >= ${span.from}::timestamptz and known_from < ${span.until}::timestamptz
           and (channel is null or channel = ${shopper.channel}) and (countries = '{}' or ${shopper.country} = any(countries))
           and (valid_until is null or valid_until >= ${span.from}::timestamptz)
           and (valid_from is null or valid_from < ${span.until}::timestamptz)
         order by known_from limit ${most + 1}
      ) as t)`
}

/** A moment as Postgres writes it, which costs less than its canonical text: thousands of them are read at once. */
function utc(column: SQL): SQL {
  return sql`(${column}) at time zone 'UTC'`
}

/** Since when prices are recorded, and the moment that counts as now: no recorded moment is later. */
export function timelineBasis({ history, clock }: TimelineBasis, asked: Date) {
  const present = instantOf(asked)
  return { historyFrom: historyFrom(history), now: clock > present ? clock : present }
}

/** Dry runs: a write that is checked by all rules and by the database, and stored nowhere. */

import type { JsonObject } from '../core/json.ts'
import { amountOfUnits, currencyExponent } from '../core/money.ts'
import { httpProblems } from '../core/problems/http.ts'
import type { DifferingPrice, Session } from '../db/client.ts'
import { typedRows } from '../db/query.ts'
import { sqlTemplate } from '../db/write-steps.ts'
import { auditDocument } from '../resources/events/document.ts'
import { recordedEvents } from '../resources/events/event-sql.ts'
import { productIri } from '../resources/products/schema.ts'
import { variantIri } from '../resources/variants/schema.ts'
import type { DryRun } from './request.ts'
import type { RenderedResponse } from './response-cache.ts'

/** The header of a dry run, in the request and in the response. */
export const dryRunHeader = 'Service-Dry-Run'

/** Whether a request is a dry run. @throws 400 `http.malformed_header` */
export function isDryRun(headers: Headers): boolean {
  const value = headers.get(dryRunHeader)?.trim().toLowerCase() ?? 'false'
  if (value === 'true' || value === 'false') return value === 'true'
  throw httpProblems.malformed_header(
    { header: dryRunHeader },
    { help: `Send ${dryRunHeader}: true, or no such header.` },
  )
}

type AuditRow = Parameters<typeof auditDocument>[0]

/** A dry run on a session: its writes are rehearsed. */
export function dryRunOf(session: Session): DryRun {
  let events: readonly AuditRow[] = []
  let prices: readonly DifferingPrice[] = []
  return {
    session: {
      ...session,
      isDryRun: true,
      followUp: { hasSubscribers: false, hasNearSchedule: false },
      get clock() {
        return session.clock
      },
      announceWrite() {},
      write() {
        throw httpProblems.dry_run_unsupported()
      },
      async apply(write) {
        const report = recordedEvents((write.changes ?? []).flatMap(({ eventId }) => eventId ?? []))
        const applied = await session.apply({ ...write, report: sqlTemplate(report.query) })
        events = typedRows(report, applied.report ?? [])
        prices = applied.prices ?? []
        return { rows: applied.rows, stamps: applied.stamps }
      },
    },
    effects: ({ access }) => ({
      events: events.map((row) => visibleEvent(auditDocument(row, { access }))),
      priceChanges: access.may('sale_offers:read') ? prices.map(priceChange) : [],
    }),
  }
}

/** An event without its identity, which the write would get. */
function visibleEvent(document: ReturnType<typeof auditDocument>): JsonObject {
  const { '@id': _, id: _id, sequence: _sequence, occurredAt: _at, ...event } = document
  return JSON.parse(JSON.stringify(event))
}

function priceChange(price: DifferingPrice): JsonObject {
  const exponent = currencyExponent(price.currency) ?? 0
  const amount = (units: number | null) => (units === null ? null : amountOfUnits(String(units), exponent))
  return {
    market: price.market,
    variant: variantIri(price.product_id, price.variant_id),
    product: productIri(price.product_id),
    effectiveAt: price.at,
    currency: price.currency,
    before: amount(price.amount_before),
    after: amount(price.amount_after),
  }
}

/** The response of a dry run: the document of the write, with the member `dryRun`. */
export function withEffects(response: RenderedResponse, effects: JsonObject): RenderedResponse {
  const text = new TextDecoder().decode(response.body)
  const member = `"dryRun":${JSON.stringify(effects)}}`
  return {
    ...response,
    status: response.status === 204 ? 200 : response.status,
    body: new TextEncoder().encode(text === '' ? `{${member}` : `${text.slice(0, -1)},${member}`),
  }
}

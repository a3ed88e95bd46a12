/** The reductions of a sale that the policies of their countries do not allow as they are. */
import { HttpError } from 'react-admin'
import { call } from '../core/http.ts'
import { forEach } from '../core/lanes.ts'
import { currentShopper } from '../core/settings.ts'
import { offerOfRow, type Row, type Scope } from './plan.ts'

/** A reduction that must not be announced as it is, in one country. Later versions may add problems. */
export type Announcement = {
  readonly country: string
  readonly problem: string
  /** Null if the problem is its absence. */
  readonly priorAmount: string | null
  readonly currency: string
}

type Priced = {
  readonly variant: string
  readonly country: string
  readonly after: {
    readonly saleOffer?: string
    readonly priorPrice?: { readonly amount: string } | null
  } | null
  readonly problems: readonly string[]
}

/** The maximum number of contexts, of offers and of prices in one preview. */
const most = { contexts: 32, offers: 500, prices: 1000 }

/**
 * Reads the announcements of rows by their keys; null if the service refuses a row, which it does again when the sale is sent.
 * A row for every channel or country is checked for that of the current shopper.
 */
export async function readAnnouncements(
  lines: readonly { readonly key: string; readonly row: Row }[],
  scope: Scope,
): Promise<ReadonlyMap<string, readonly Announcement[]> | null> {
  const shopper = currentShopper()
  const found = new Map<string, Announcement[]>()
  const places = Map.groupBy(lines, ({ row: { channel, countries } }) => JSON.stringify([channel, countries]))
  const requests = [...places.values()].flatMap((inPlace) => {
    const [{ row } = { row: null }] = inPlace
    const countries = row?.countries.length ? row.countries.slice(0, most.contexts) : [shopper.country]
    const contexts = countries.map((country) => ({ channel: row?.channel ?? shopper.channel, country }))
    const size = Math.min(most.offers, Math.floor(most.prices / contexts.length))
    return Array.from({ length: Math.ceil(inPlace.length / size) }, (_, at) => ({
      contexts,
      lines: inPlace.slice(at * size, (at + 1) * size),
    }))
  })
  try {
    await forEach(requests, async ({ contexts, lines: inRequest }) => {
      const saleOffers = inRequest.map(({ row }) => offerOfRow(row, row.amount ?? '', scope))
      const body = JSON.stringify({ saleOffers, contexts, moments: [scope.from] })
      const { json } = await call<{ prices: readonly Priced[] }>('/api/price_previews', {
        method: 'POST',
        body,
      })
      for (const { country, after, problems } of json.prices) {
        // The last problem is the severest: a price that is not below the prior price cannot be announced from any.
        const problem = problems.at(-1)
        const line = inRequest[Number(/^#\/saleOffers\/(\d+)$/.exec(after?.saleOffer ?? '')?.[1])]
        if (problem === undefined || line === undefined) continue
        const priorAmount = after?.priorPrice?.amount ?? null
        const announcement = { country, problem, priorAmount, currency: line.row.base.currency }
        found.set(line.key, [...(found.get(line.key) ?? []), announcement])
      }
    })
  } catch (error) {
    if (error instanceof HttpError && error.status === 422) return null
    throw error
  }
  return found
}

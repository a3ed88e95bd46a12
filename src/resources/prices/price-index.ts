import { type SQL, sql } from 'drizzle-orm'
import * as z from 'zod'
import { instantOf } from '../../core/instant.ts'
import {
  columnsOf,
  combineQueries,
  type DatabaseQuery,
  mapQuery,
  noQuery,
  statement,
} from '../../db/query.ts'
import { type IndexPrices, noPrices, type Offer } from '../offers/document.ts'
import type { PriceOffer } from './price.ts'
import { offerOf, storedOffer, storedOfferOf } from './read.ts'
import { appliedTerms, type Shopper } from './timeline.ts'

/**
 * The price index: the spans in which a variant has a price in a market, for one piece. Past spans stay as they applied, and a write
 * replaces the future ones by the offers of today.
 * Each write of offers reads what these spans depend on, computes them, and stores them with the offers. The database compares
 * whether another write has changed that since, and the write begins again. Postgres only compares spans: a price begins and ends
 * without a write.
 */

/** Days until a price that has ended leaves the index. */
export const pricesKeptDays = 30

/** Milliseconds by which the clock of a Worker may be ahead of the database, whose clock decides the moment of a write. */
const clockMarginMs = 3_600_000

/** The variant of an indexed price. */
type IndexedVariant = { readonly id: string; readonly productId: string }

/** A price of a variant in a market. The names are those of `save_variant_prices()`: variant, market, from, until, offer, amount, reduced. */
type IndexedPrice = {
  readonly [name in 'v' | 'm' | 'f' | 'u' | 'o' | 'a']: string
} & { readonly r: boolean }

const inputs = z.object({
  state: z.string(),
  markets: z.array(z.object(columnsOf(z.string(), 'id', 'channel', 'country', 'currency'))),
  variants: z.array(z.object(columnsOf(z.string(), 'id', 'productId', 'state'))),
  offers: z.record(z.string(), z.array(storedOffer)),
})

/** Reads what the prices of variants, a subquery of ids, depend on. New variants are not among them. */
export function pricesQuery(variantIds: SQL, now: Date, isRebuild = false): DatabaseQuery<IndexPrices> {
  const from = instantOf(new Date(now.getTime() - clockMarginMs))
  const rows = statement({ inputs })`
    select read_price_inputs(array(${variantIds}), ${from}::timestamptz) as inputs`
  return mapQuery(combineQueries({ rows }), ({ rows: [row] }) => (written) => {
    if (!row) throw new Error('The inputs of prices were not read')
    const { state, markets, variants, offers } = row.inputs
    const isRead = new Set(variants.map(({ id }) => id))
    const added = [...Map.groupBy(written, ({ parts }) => parts.variantId)].flatMap(([id, [first]]) =>
      first && !isRead.has(id) ? { id, productId: first.parts.productId, state: '0' } : [],
    )
    const indexed = markets.length === 0 ? [] : [...variants, ...added]
    const read = { state, variants: indexed satisfies IndexedVariant[], isRebuild }
    const pricesAfter = (written: readonly Offer[]) => {
      const writtenOffers = Map.groupBy(written, ({ parts }) => parts.variantId)
      const rows = indexed.flatMap(({ id }) => {
        const replaced = writtenOffers.get(id) ?? []
        const ids = new Set(replaced.map(({ parts }) => parts.id))
        const others = (offers[id] ?? []).filter((offer) => !ids.has(offer.id)).map(offerOf)
        const final = [
          ...others,
          ...replaced.map(({ parts, values }) => offerOf(storedOfferOf(parts.id, values))),
        ]
        return markets.flatMap((market) =>
          indexedPrices({ variant: id, market: market.id }, final, market, from),
        )
      })
      return { ...read, rows }
    }
    return {
      beforeClock: [{ do: 'lock_prices', prices: read }],
      underClock:
        indexed.length === 0
          ? []
          : [{ do: 'save_prices', prices: pricesAfter(written), written, pricesAfter }],
    }
  })
}

/** The same for new variants with offers. Without offers, there is nothing to read. */
export function newPricesQuery(hasOffers: boolean, now: Date): DatabaseQuery<IndexPrices> {
  return hasOffers ? pricesQuery(sql`select null::uuid where false`, now) : mapQuery(noQuery, () => noPrices)
}

/** The moment at which a price must not have ended yet to be in the index. */
export function keptFromAt(now: Date): string {
  return instantOf(new Date(now.getTime() - pricesKeptDays * 86_400_000))
}

const always = { from: '', until: '~' }
/** The greatest bigint. A few amounts in currencies of four decimals are above it. */
const maximumMinorUnits = 2n ** 63n - 1n

/** Computes the prices of a variant in a market that end after a moment. A price is reduced if it has an amount to compare with. */
function indexedPrices(
  { variant, market }: { readonly variant: string; readonly market: string },
  offers: readonly PriceOffer[],
  { channel, country, currency }: Shopper,
  after: string,
): IndexedPrice[] {
  const current = offers
    .filter(({ validUntil }) => validUntil === null || validUntil > after)
    .map((offer) => ({ ...offer, knownFrom: always.from, knownUntil: null, recordedBy: '', endedBy: null }))
  const shopper = { channel, country, ...(currency === undefined ? {} : { currency }) }
  const applied = appliedTerms(current, shopper, always).filter(
    ({ terms }, index, all) => index === 0 || terms !== all[index - 1]?.terms,
  )
  return applied.flatMap(({ from, terms }, index) => {
    const until = applied[index + 1]?.from ?? null
    if (terms === undefined || (until !== null && until <= after)) return []
    const minorUnits = BigInt(terms.amount.replace('.', ''))
    return {
      v: variant,
      m: market,
      f: from || '-infinity',
      u: until ?? 'infinity',
      o: terms.id,
      a: String(minorUnits < maximumMinorUnits ? minorUnits : maximumMinorUnits),
      r: terms.compareAtAmount !== null,
    }
  })
}

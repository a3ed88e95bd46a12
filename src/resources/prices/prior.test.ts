/** Prior prices from recorded terms, and the members of a price that contain them. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { priorByReplay, shifted } from '../../../test/support/prior-prices.ts'
import { daysFrom } from '../../core/instant.ts'
import { noPrice, type ResolvedPrice, resolvePrice } from './price.ts'
import { type PriorPrice, type PriorTerms, priorMembers, priorPriceOf } from './prior.ts'
import type { PriceRequest } from './request.ts'
import type { RecordedTerms } from './timeline.ts'

const start = '2026-03-01T00:00:00.000000Z'
const day = (n: number) => daysFrom(start, n)
const historyFrom = day(-100)
const shopper = { channel: 'web', country: 'FR' }

const standard: RecordedTerms = {
  id: 'a',
  channel: null,
  countries: [],
  currency: 'EUR',
  amount: '10.00',
  compareAtAmount: null,
  validFrom: null,
  validUntil: null,
  priority: 0,
  minQuantity: 1,
  taxIncluded: true,
  status: 'ACTIVE',
  knownFrom: day(-90),
  knownUntil: null,
  recordedBy: '',
  endedBy: null,
}

/** Offers that were recorded long ago, each at a different time, and apply from one day until another. */
function recordedOf(
  ...offers: readonly [from: number | null, until: number | null, terms?: Partial<RecordedTerms>][]
): RecordedTerms[] {
  return offers.map(([from, until, terms], nth) => ({
    ...standard,
    id: `offer-${nth}`,
    knownFrom: shifted(standard.knownFrom, nth),
    validFrom: from === null ? null : day(from),
    validUntil: until === null ? null : day(until),
    ...terms,
  }))
}

function resolved(recorded: readonly RecordedTerms[], at: string): ResolvedPrice {
  const price = resolvePrice(recorded, { ...shopper, at })
  if (price === null) throw new Error(`no price at ${at}`)
  return price
}

const completeTerms = (recorded: readonly RecordedTerms[]): PriorTerms => ({
  recorded,
  recordedSince: historyFrom,
})
const priorOn = (recorded: readonly RecordedTerms[], at: number, days = 30) =>
  priorPriceOf(resolved(recorded, day(at)), completeTerms(recorded), days)

const low = { amount: '8.00', compareAtAmount: '12.00', priority: 1 }

describe('priorPriceOf', () => {
  test('returns the lowest amount by value in the days before the reduction began', () => {
    const recorded = recordedOf([null, null], [15, 16, { amount: '9.5', priority: 1 }], [40, 50, low])
    expect(priorOn(recorded, 45)).toEqual({
      amount: '9.5',
      currency: 'EUR',
      from: day(10),
      until: day(40),
      historyFrom,
    })
    expect(priorOn(recorded, 45, 10)).toMatchObject({ amount: '10.00', from: day(30) })
    expect(priorOn(recorded, 40)).toMatchObject({ amount: '9.5', from: day(10), until: day(40) })
  })

  test('returns null if the amount to compare with is missing, equal or lower', () => {
    for (const compareAtAmount of [null, '8.00', '8', '7.99'])
      expect(priorOn(recordedOf([null, null], [40, 50, { ...low, compareAtAmount }]), 45)).toBeNull()
    expect(
      priorOn(recordedOf([null, null], [40, 50, { ...low, compareAtAmount: '8.01' }]), 45),
    ).not.toBeNull()
  })

  test('continues a reduction while prices are reduced, however often they change', () => {
    const deeper = { ...low, amount: '6.00', priority: 2 }
    const recorded = recordedOf([null, null], [40, 50, low], [44, 46, deeper])
    for (const at of [41, 45, 47])
      expect(priorOn(recorded, at)).toMatchObject({ amount: '10.00', until: day(40) })
  })

  test('ends a reduction at a gap, a price that is not reduced or a price in another currency', () => {
    const gap = recordedOf([null, 30], [30, 40, low], [41, 50, { ...low, amount: '9.00' }])
    expect(priorOn(gap, 45)).toMatchObject({ amount: '8.00', until: day(41) })
    const full = recordedOf([null, 41], [30, 40, low], [41, 50, { ...low, amount: '9.00' }])
    expect(priorOn(full, 45)).toMatchObject({ amount: '8.00', until: day(41) })
    const dollarTerms = { ...low, currency: 'USD', amount: '1.00', priority: 2 }
    const foreign = recordedOf([null, null], [30, 50, low], [40, 41, dollarTerms])
    expect(priorOn(foreign, 45)).toMatchObject({ amount: '8.00', currency: 'EUR', until: day(41) })
  })

  test('ignores prices that end when the days begin, or that begin with the reduction', () => {
    const before = { amount: '5.00', priority: 2 }
    expect(priorOn(recordedOf([null, null], [8, 10, before], [40, 50, low]), 45)?.amount).toBe('10.00')
    const longer = recordedOf([null, null], [8, 10, before], [40, 50, low])
    expect(priorOn(longer, 45, 31)?.amount).toBe('5.00')
    // Reduced further from its first timestamp.
    expect(priorOn(recordedOf([10, 40], [40, 50, low]), 45)?.amount).toBe('10.00')
  })

  test('returns null if no price in the currency is recorded for the days', () => {
    expect(priorOn(recordedOf([null, null, low]), 45)).toBeNull()
    expect(priorOn(recordedOf([null, 5], [40, 50, low]), 45)).toBeNull()
    expect(priorOn(recordedOf([null, 40, { currency: 'USD' }], [40, 50, low]), 45)).toBeNull()
  })

  test('starts the reduction at the requested moment if its terms were recorded later', () => {
    const recorded = recordedOf([null, null], [null, null, { ...low, knownFrom: day(60) }])
    expect(priorOn(recorded, 45)).toMatchObject({ amount: '10.00', from: day(15), until: day(45) })
  })

  test('ignores prices from before the start of the history', () => {
    const recorded = recordedOf([null, 12, { amount: '5.00', priority: 2 }], [12, null], [40, 50, low])
    const price = resolved(recorded, day(45))
    expect(priorPriceOf(price, { recorded, recordedSince: day(11) }, 30)?.amount).toBe('5.00')
    expect(priorPriceOf(price, { recorded, recordedSince: day(12) }, 30)).toMatchObject({
      amount: '10.00',
      from: day(10),
      historyFrom: day(12),
    })
  })
})

const moment = fc.constantFrom(0, 1, 5, 10, 29, 30, 31, 40, 60).map(day)
const terms = fc
  .record({
    channel: fc.constantFrom(null, null, 'web', 'shop'),
    currency: fc.constantFrom('EUR', 'EUR', 'EUR', 'USD'),
    amount: fc.constantFrom('10.00', '9.00', '8.00'),
    compareAtAmount: fc.constantFrom(null, '12.00', '9.00'),
    validFrom: fc.option(moment),
    validUntil: fc.option(moment),
    priority: fc.constantFrom(0, 0, 1),
    minQuantity: fc.constantFrom(1, 1, 1, 5),
  })
  .filter(({ validFrom, validUntil }) => validFrom === null || validUntil === null || validFrom < validUntil)

test('the prior price equals the result of a replay for any offers', () => {
  fc.assert(
    fc.property(fc.array(terms, { minLength: 1, maxLength: 6 }), moment, (offers, at) => {
      const recorded = offers.map((terms, nth) => ({
        ...standard,
        ...terms,
        id: `offer-${nth}`,
        knownFrom: shifted(standard.knownFrom, nth),
      }))
      const priceAt = (when: string) =>
        resolvePrice(
          recorded.filter((terms) => terms.knownFrom <= when),
          { ...shopper, at: when },
        )
      const price = priceAt(at)
      const moments = recorded.flatMap((terms) => [
        terms.knownFrom,
        terms.validFrom ?? terms.knownFrom,
        terms.validUntil ?? terms.knownFrom,
      ])
      const expected = priorByReplay(priceAt, moments, { at, days: 30, historyFrom })
      expect(price && priorPriceOf(price, completeTerms(recorded), 30)).toEqual(expected)
    }),
    { numRuns: 500 },
  )
})

describe('priorMembers', () => {
  const recorded = recordedOf([null, null], [40, 50, low])
  const price = resolved(recorded, day(45))
  const priorPrice: PriorPrice = {
    amount: '10.00',
    currency: 'EUR',
    from: day(10),
    until: day(40),
    historyFrom,
  }
  const requestOf = (prior: PriceRequest['prior'], explain = false): PriceRequest => ({
    ...shopper,
    at: day(45),
    explain,
    ...(prior ? { prior } : {}),
  })
  const requestWithPrior = requestOf({ days: 30, isIncluded: true })
  const explained = requestOf({ days: 30, isIncluded: false }, true)
  const fullRequest = requestOf({ days: 30, isIncluded: true }, true)
  const find = (iri: string) => (iri === price.saleOffer ? completeTerms(recorded) : null)
  const none = () => null
  const warning = {
    code: 'compare_at_above_prior',
    saleOffer: price.saleOffer,
    compareAtAmount: '12.00',
    priorPrice,
  }

  test('contain the requested members', () => {
    expect(priorMembers(price, requestWithPrior, find)).toEqual({ priorPrice })
    expect(priorMembers(price, explained, find)).toEqual({ warnings: [warning] })
    expect(priorMembers(price, fullRequest, find)).toEqual({ priorPrice, warnings: [warning] })
    expect(priorMembers(price, requestOf(undefined, true), find)).toEqual({})
    expect(priorMembers(price, requestOf({ days: 3, isIncluded: true }), find)).toEqual({
      priorPrice: { ...priorPrice, from: day(37) },
    })
  })

  test('are empty without a history', () => {
    expect(priorMembers(price, fullRequest, null)).toEqual({})
  })

  test('contain a null prior price if the price is not reduced or no terms were read', () => {
    const full = resolved(recorded, day(30))
    const unread = () => expect.unreachable('no terms are looked for')
    expect(priorMembers(full, fullRequest, unread)).toEqual({ priorPrice: null, warnings: [] })
    expect(priorMembers(price, fullRequest, none)).toEqual({ priorPrice: null, warnings: [] })
  })

  test('contain only an empty list of warnings if no offer applies', () => {
    const nothing = noPrice(recorded, { ...shopper, at: day(45) })
    expect(priorMembers(nothing, requestWithPrior, find)).toEqual({})
    expect(priorMembers(nothing, fullRequest, find)).toEqual({ warnings: [] })
  })

  test('contain a warning only if the amount to compare with exceeds the prior price by value', () => {
    const warnings = (amount: string) => {
      const steady = recordedOf([null, null, { amount }], [40, 50, low])
      return priorMembers(resolved(steady, day(45)), explained, () => completeTerms(steady)).warnings
    }
    expect(warnings('11.99')).toHaveLength(1)
    expect(warnings('12')).toEqual([])
    expect(warnings('12.01')).toEqual([])
  })
})

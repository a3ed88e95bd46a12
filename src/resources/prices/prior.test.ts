/** Prior prices from recorded terms, and the members of a price that contain them. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { factsOf, priorByReplay, shifted } from '../../../test/support/prior-prices.ts'
import { daysFrom } from '../../core/instant.ts'
import { type PricePolicy, policyAt } from './policies.ts'
import { noPrice, type ResolvedPrice, resolvePrice } from './price.ts'
import { type PriorTerms, priorMembers, priorPriceOf } from './prior.ts'
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
  reductionReason: null,
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
  hasFirstPrice: true,
})

const noChoice = { pricePolicies: {}, priorPriceDays: 30 }
const policyOf = (country: string) => {
  const policy = policyAt(country, day(45), noChoice)
  if (policy === null) throw new Error(`no policy of ${country}`)
  return policy
}
/** The rule of the directive alone: goods have been sold for longer than the period. */
const directive: PricePolicy = { ...policyOf('DK'), newerGoods: 'since_launch' }

const priorOn = (recorded: readonly RecordedTerms[], at: number, policy: Partial<PricePolicy> = {}) =>
  factsOf(
    priorPriceOf(resolved(recorded, day(at)), completeTerms(recorded), { ...directive, ...policy }, goods),
  )

/** Goods without facts of their own. */
const goods = { launchedAt: null, isExpiring: false }

const low = { amount: '8.00', compareAtAmount: '12.00', priority: 1 }

describe('priorPriceOf', () => {
  test('returns the lowest amount by value in the days before the reduction began', () => {
    const recorded = recordedOf([null, null], [15, 16, { amount: '9.5', priority: 1 }], [40, 50, low])
    expect(priorOn(recorded, 45)).toEqual({
      amount: '9.5',
      from: day(10),
      until: day(40),
      onSaleSince: day(40),
      historyFrom,
    })
    expect(priorOn(recorded, 45, { days: 40 })).toMatchObject({ amount: '9.5', from: day(0) })
    expect(priorOn(recorded, 40)).toMatchObject({ amount: '9.5', from: day(10), until: day(40) })
  })

  test('has none if the amount to compare with is missing, equal or lower', () => {
    for (const compareAtAmount of [null, '8.00', '8', '7.99'])
      expect(priorOn(recordedOf([null, null], [40, 50, { ...low, compareAtAmount }]), 45)).toBe('not_reduced')
    expect(
      priorOn(recordedOf([null, null], [40, 50, { ...low, compareAtAmount: '8.01' }]), 45),
    ).toMatchObject({
      amount: '10.00',
    })
  })

  test('computes the percentage from the prior price, rounded down, and none if the price is not below it', () => {
    const reductionOf = (before: string, amount: string) => {
      const recorded = recordedOf(
        [null, null, { amount: before }],
        [40, 50, { ...low, amount, compareAtAmount: '90.00' }],
      )
      const { priorPrice } = priorPriceOf(
        resolved(recorded, day(45)),
        completeTerms(recorded),
        directive,
        goods,
      )
      return [priorPrice?.reductionPercent, priorPrice?.noReductionPercent]
    }
    expect(reductionOf('29.99', '19.99')).toEqual([33.3, null])
    expect(reductionOf('10.00', '9.00')).toEqual([10, null])
    expect(reductionOf('10.00', '9.999')).toEqual([0, null])
    expect(reductionOf('10.00', '10.00')).toEqual([null, 'not_below_prior_price'])
    expect(reductionOf('8.00', '9.00')).toEqual([null, 'not_below_prior_price'])
  })

  test('lists the prices that applied in the period with the events that recorded them', () => {
    const recorded = recordedOf(
      [null, null, { recordedBy: 'event-0' }],
      [35, 36, { amount: '9.00', priority: 1, recordedBy: 'event-1' }],
      [40, 50, low],
    )
    const { priorPrice } = priorPriceOf(
      resolved(recorded, day(45)),
      completeTerms(recorded),
      directive,
      goods,
    )
    const full = { amount: '10.00', saleOffer: '/api/sale_offers/offer-0', event: '/api/events/event-0' }
    expect(priorPrice?.evidence).toEqual([
      { ...full, from: day(10), until: day(35) },
      {
        amount: '9.00',
        from: day(35),
        until: day(36),
        saleOffer: '/api/sale_offers/offer-1',
        event: '/api/events/event-1',
      },
      { ...full, from: day(36), until: day(40) },
    ])
    expect(priorPrice?.policy).toEqual({ country: 'DK', source: directive.source, verified: false })
  })

  // The example that every rule of series is about: 100 for months, 50 from day 40, 80 from day 50, both announced as reduced from 100.
  const hundred = recordedOf(
    [null, null, { amount: '100.00' }],
    [40, 50, { amount: '50.00', compareAtAmount: '100.00', priority: 1 }],
    [50, 60, { amount: '80.00', compareAtAmount: '100.00', priority: 1 }],
  )
  const deeper = recordedOf(
    [null, null, { amount: '100.00' }],
    [40, 50, { amount: '80.00', compareAtAmount: '100.00', priority: 1 }],
    [50, 60, { amount: '50.00', compareAtAmount: '100.00', priority: 1 }],
  )
  test.each([
    // PAngV §11(1): the lowest price of the 30 days before this reduction.
    ['DE', {}, hundred, '50.00'],
    ['DE', {}, deeper, '80.00'],
    // PAngV §11(2), which a shop may choose: 80 after 50 does not increase the reduction, 50 after 80 does.
    ['DE', { series: 'increasing_uninterrupted' } as const, hundred, '50.00'],
    ['DE', { series: 'increasing_uninterrupted' } as const, deeper, '100.00'],
    // Art. 4(2): the 30 days before the reduction, without an exception for series.
    ['PL', {}, hundred, '50.00'],
    ['PL', {}, deeper, '80.00'],
    // L112-1-1 I, third sentence: successive reductions keep the price before the first one.
    ['FR', {}, hundred, '100.00'],
    ['FR', {}, deeper, '100.00'],
    // §9a(1) PrAG: a reduction that increases step by step keeps the price before the first step.
    ['AT', {}, hundred, '50.00'],
    ['AT', {}, deeper, '100.00'],
  ])('in %s with %j', (country, choice, recorded, amount) => {
    const policy = { ...policyOf(country), ...choice }
    expect(priorPriceOf(resolved(recorded, day(55)), completeTerms(recorded), policy, goods)).toMatchObject({
      priorPrice: { amount, onSaleSince: day(40), policy: { country, verified: true } },
    })
  })

  // CJEU C-330/23 (Aldi Süd), as the press release of 26 September 2024 describes it: 1.29, next to the last price of 1.69.
  test('a price that is not below the lowest one of the days before is no reduction', () => {
    const bananas = recordedOf(
      [null, 35, { amount: '1.29' }],
      [35, 40, { amount: '1.69' }],
      [40, 50, { amount: '1.29', compareAtAmount: '1.69' }],
    )
    expect(
      priorPriceOf(resolved(bananas, day(45)), completeTerms(bananas), policyOf('DE'), goods),
    ).toMatchObject({
      priorPrice: { amount: '1.29', reductionPercent: null, noReductionPercent: 'not_below_prior_price' },
    })
  })

  // Examples of public texts, in days of this file. Amounts that a text gives as percentages only are of 100.00.
  test.each([
    // Commission notice 2021/C 526/02, as quoted: 120 usually, 100 in an earlier promotion, and 20% less, 80, now.
    {
      source:
        'https://lemondedesartisans.fr/actualites/lencadrement-des-prix-barres-est-desormais-plus-strict',
      country: 'FR',
      recorded: recordedOf(
        [null, null, { amount: '120.00' }],
        [20, 25, { amount: '100.00', compareAtAmount: '120.00', priority: 1 }],
        [40, 50, { amount: '80.00', compareAtAmount: '100.00', priority: 1 }],
      ),
      prior: { amount: '100.00', reductionPercent: 20 },
    },
    // Consumer Law Ready: half off from the lowest price of 30 days, 20, and not from the last price, 40.
    {
      source: 'https://campaign.consumerlawready.eu/price-reduction-claims',
      country: 'DE',
      recorded: recordedOf(
        [null, 35, { amount: '20.00' }],
        [35, 40, { amount: '40.00' }],
        [40, 50, { amount: '10.00', compareAtAmount: '20.00' }],
      ),
      prior: { amount: '20.00', reductionPercent: 50 },
    },
    // A weekend at 80 three weeks before: 70 is reduced from 80, and not from the usual 100.
    {
      source:
        'https://www.natlawreview.com/article/ensure-your-discount-communications-are-compliant-you-hop-sales-season-omnibus',
      country: 'DE',
      recorded: recordedOf(
        [null, null, { amount: '100.00' }],
        [19, 21, { amount: '80.00', compareAtAmount: '100.00', priority: 1 }],
        [40, 50, { amount: '70.00', compareAtAmount: '100.00', priority: 1 }],
      ),
      prior: { amount: '80.00', reductionPercent: 12.5 },
    },
    // 400 in the middle of April, 500 from 10 May, and "only 450" two days later.
    {
      source:
        'https://www.gazetaprawna.pl/firma-i-prawo/artykuly/8423262,dyrektywa-omnibus-porzadki-w-handlowych-promocjach-konsumenci.html',
      country: 'PL',
      recorded: recordedOf(
        [null, 38, { amount: '400.00' }],
        [38, 40, { amount: '500.00' }],
        [40, 50, { amount: '450.00', compareAtAmount: '500.00' }],
      ),
      prior: { amount: '400.00', noReductionPercent: 'not_below_prior_price' },
    },
    // Prefecture of the Nord: after a week at -30%, the reference of -50% is the lowest price before that week.
    {
      source:
        'https://www.nord.gouv.fr/Actions-de-l-Etat/Alimentation-consommation-et-commerce/Consommation-et-protection-economique-des-consommateurs/Consommation-Lutte-contre-les-faux-rabais',
      country: 'FR',
      recorded: recordedOf(
        [null, null, { amount: '100.00' }],
        [33, 40, { amount: '70.00', compareAtAmount: '100.00', priority: 1 }],
        [40, 50, { amount: '50.00', compareAtAmount: '100.00', priority: 1 }],
      ),
      prior: { amount: '100.00', reductionPercent: 50 },
    },
    // A pullover at 100 to 105 in one month: the reduction is from 100.
    {
      source:
        'https://www.tf1.fr/tf1/jt-we/videos/promotions-de-nouvelles-regles-contre-les-abus-50010299.html',
      country: 'FR',
      recorded: recordedOf(
        [null, 20, { amount: '105.00' }],
        [20, 30, { amount: '100.00' }],
        [30, 40, { amount: '105.00' }],
        [40, 50, { amount: '90.00', compareAtAmount: '105.00' }],
      ),
      prior: { amount: '100.00', reductionPercent: 10 },
    },
  ])('in $country: the example of $source', ({ country, recorded, prior }) => {
    const price = resolved(recorded, day(45))
    expect(priorPriceOf(price, completeTerms(recorded), policyOf(country), goods)).toMatchObject({
      priorPrice: prior,
    })
  })

  test('a policy is verified if the act permits what the tenant chose', () => {
    const verified = (country: string, rules: object) => {
      const pricePolicies = { [country]: [{ chosenAt: day(0), rules }] }
      return policyAt(country, day(1), { pricePolicies, priorPriceDays: 30 })?.verified
    }
    expect(verified('DE', {})).toBe(true)
    expect(verified('DE', { series: 'increasing_uninterrupted', days: 45 })).toBe(true)
    expect(verified('DE', { series: 'successive_within' })).toBe(false)
    expect(verified('DE', { perishables: 'same' })).toBe(false)
    expect(verified('FR', { seriesDays: 60 })).toBe(false)
    expect(verified('NL', {})).toBe(false)
    expect(verified('CH', { newerGoods: 'since_launch' })).toBe(false)
  })

  test('ends a series at its maximum number of days', () => {
    for (const [seriesDays, amount] of [
      [10, '100.00'],
      [9, '50.00'],
    ] as const)
      expect(priorOn(hundred, 55, { series: 'successive_within', seriesDays })).toMatchObject({ amount })
  })

  test('begins a new reduction at each price of its own, and continues one through other offers at the same price', () => {
    const again = recordedOf([null, null], [40, 50, low], [50, 60, { ...low, compareAtAmount: '11.00' }])
    expect(priorOn(again, 55)).toMatchObject({ amount: '10.00', until: day(40) })
    const higher = recordedOf([null, null], [40, 50, low], [50, 60, { ...low, amount: '9.00' }])
    expect(priorOn(higher, 55)).toMatchObject({ amount: '8.00', until: day(50), onSaleSince: day(40) })
  })

  test('ends a reduction at a gap, a price that is not reduced or a price in another currency', () => {
    const gap = recordedOf([null, 30], [30, 40, low], [41, 50, { ...low, amount: '9.00' }])
    expect(priorOn(gap, 45)).toMatchObject({ amount: '8.00', until: day(41), onSaleSince: day(41) })
    const full = recordedOf([null, 41], [30, 40, low], [41, 50, { ...low, amount: '9.00' }])
    expect(priorOn(full, 45)).toMatchObject({ amount: '8.00', until: day(41) })
    const dollarTerms = { ...low, currency: 'USD', amount: '1.00', priority: 2 }
    const foreign = recordedOf([null, null], [30, 50, low], [40, 41, dollarTerms])
    expect(priorOn(foreign, 45)).toMatchObject({ amount: '8.00', until: day(41) })
  })

  test('compares net prices with net prices only', () => {
    const net = { amount: '5.00', taxIncluded: false, priority: 2 }
    expect(priorOn(recordedOf([null, null], [20, 30, net], [40, 50, low]), 45)).toMatchObject({
      amount: '10.00',
    })
    expect(priorOn(recordedOf([null, 40, net], [40, 50, low]), 45)).toBe('no_price_in_period')
  })

  test('ignores prices that end when the days begin, and those of quantities', () => {
    const before = { amount: '5.00', priority: 2 }
    const many = { amount: '1.00', minQuantity: 5, priority: 2 }
    expect(
      priorOn(recordedOf([null, null], [8, 10, before], [20, 30, many], [40, 50, low]), 45),
    ).toMatchObject({
      amount: '10.00',
    })
    expect(priorOn(recordedOf([null, null], [8, 10, before], [40, 50, low]), 45, { days: 31 })).toMatchObject(
      {
        amount: '5.00',
      },
    )
  })

  test('a sale of one hour counts', () => {
    const hour = {
      validFrom: day(20),
      validUntil: shifted(day(20), 3_600_000_000),
      amount: '6.00',
      priority: 2,
    }
    expect(priorOn(recordedOf([null, null], [null, null, hour], [40, 50, low]), 45)).toMatchObject({
      amount: '6.00',
    })
  })

  test('judges goods that are newer than the period by the policy', () => {
    const launched = recordedOf([20, null], [40, 50, low])
    expect(priorOn(launched, 45)).toMatchObject({ amount: '10.00', from: day(20) })
    expect(priorOn(launched, 45, { newerGoods: 'state_period' })).toMatchObject({
      amount: '10.00',
      from: day(20),
    })
    expect(priorOn(launched, 45, { newerGoods: 'not_announced' })).toBe('newer_than_period')
    // Reduced from the first day.
    expect(priorOn(recordedOf([40, 50, low]), 45)).toBe('newer_than_period')
  })

  test('has none without a policy, without recorded terms, and if the recorded prices begin in the period', () => {
    const recorded = recordedOf([null, 12, { amount: '5.00', priority: 2 }], [12, null], [40, 50, low])
    const price = resolved(recorded, day(45))
    const since = (from: number) =>
      factsOf(
        priorPriceOf(price, { recorded, recordedSince: day(from), hasFirstPrice: true }, directive, goods),
      )
    expect(since(10)).toMatchObject({ amount: '5.00' })
    expect(since(11)).toBe('history_too_short')
    expect(priorPriceOf(price, null, directive, goods)).toMatchObject({
      noPriorPrice: { reason: 'history_too_short' },
    })
    expect(priorPriceOf(price, completeTerms(recorded), null, goods)).toEqual({
      priorPrice: null,
      noPriorPrice: { reason: 'no_policy', policy: null },
    })
  })

  test('begins the period of new goods at their launch, wherever they were sold', () => {
    const launchedOn = (launch: number, recordedSince: number, policy: Partial<PricePolicy> = {}) => {
      const recorded = recordedOf([20, null], [40, 50, low])
      const terms = { recorded, recordedSince: day(recordedSince), hasFirstPrice: true }
      const facts = { launchedAt: day(launch), isExpiring: false }
      return factsOf(priorPriceOf(resolved(recorded, day(45)), terms, { ...directive, ...policy }, facts))
    }
    expect(launchedOn(25, 20)).toMatchObject({ amount: '10.00', from: day(25) })
    // Sold elsewhere before: the prices of the whole period count, and not all are recorded.
    expect(launchedOn(0, 20)).toBe('history_too_short')
    expect(launchedOn(0, 10)).toMatchObject({ amount: '10.00', from: day(10) })
    expect(launchedOn(25, 20, { newerGoods: 'not_announced' })).toBe('newer_than_period')
    expect(launchedOn(41, 20)).toBe('newer_than_period')
  })

  test('judges goods that expire by the policy', () => {
    const recorded = recordedOf(
      [null, null],
      [15, 20, { amount: '9.00', priority: 1 }],
      [40, 43, low],
      [43, 50, { ...low, amount: '7.00' }],
    )
    const expiring = (country: string) =>
      factsOf(
        priorPriceOf(resolved(recorded, day(45)), completeTerms(recorded), policyOf(country), {
          launchedAt: null,
          isExpiring: true,
        }),
      )
    // PAngV §11(4), L112-1-1 I, §9a(3) PrAG.
    expect(['DE', 'FR', 'AT'].map(expiring)).toEqual(['exempt', 'exempt', 'exempt'])
    // Art. 4(4): the price before the first reduction, without the 30 days.
    expect(expiring('PL')).toMatchObject({ amount: '10.00', from: day(20), until: day(40) })
    expect(expiring('DK')).toMatchObject({ amount: '8.00', until: day(43) })
    const never = recordedOf([40, 50, low])
    expect(
      factsOf(
        priorPriceOf(resolved(never, day(45)), completeTerms(never), policyOf('PL'), {
          launchedAt: null,
          isExpiring: true,
        }),
      ),
    ).toBe('no_price_in_period')
  })

  test('starts the reduction at the requested moment if its terms were recorded later', () => {
    const recorded = recordedOf([null, null], [null, null, { ...low, knownFrom: day(60) }])
    expect(priorOn(recorded, 45)).toMatchObject({ amount: '10.00', from: day(15), until: day(45) })
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
    taxIncluded: fc.constantFrom(true, true, true, false),
  })
  .filter(({ validFrom, validUntil }) => validFrom === null || validUntil === null || validFrom < validUntil)

/** Terms of which most are corrected at some moment, between which others begin and end. */
const corrected = fc
  .tuple(
    terms,
    fc.option(
      fc.record({
        on: fc.constantFrom(2, 12, 29, 33, 41),
        amount: fc.constantFrom('10.00', '9.00', '8.00'),
        compareAtAmount: fc.constantFrom(null, '12.00'),
      }),
    ),
  )
  .map(([offer, correction]) => ({ ...offer, correction }))

const anyPolicy = fc.record({
  days: fc.constantFrom(30, 30, 40),
  series: fc.constantFrom('none', 'increasing_uninterrupted', 'successive_within'),
  seriesDays: fc.constantFrom(null, 1, 10, 30),
  newerGoods: fc.constantFrom('since_launch', 'not_announced'),
})

test('the prior price equals the result of a replay for any offers and any policy', () => {
  fc.assert(
    fc.property(
      fc.array(corrected, { minLength: 1, maxLength: 6 }),
      moment,
      anyPolicy,
      (offers, at, rules) => {
        const policy = { ...directive, ...rules }
        const recorded = offers.flatMap(({ correction, ...terms }, nth) => {
          const first = {
            ...standard,
            ...terms,
            id: `offer-${nth}`,
            // Far enough apart to be prices.
            knownFrom: shifted(standard.knownFrom, 2000 * nth),
          }
          if (correction === null) return [first]
          const { on, ...correct } = correction
          const changedAt = shifted(day(on), 2000 * nth)
          return [
            { ...first, knownUntil: changedAt, endedBy: 'event' },
            { ...first, ...correct, knownFrom: changedAt },
          ]
        })
        const priceBy = (when: string, known: (terms: RecordedTerms) => boolean) =>
          resolvePrice(recorded.filter(known), { ...shopper, at: when })
        // The price is that of the offers as recorded now, and those before it applied as recorded then.
        const price = priceBy(at, ({ knownUntil }) => knownUntil === null)
        const priceAt = (when: string) =>
          when === at
            ? price
            : priceBy(
                when,
                ({ knownFrom, knownUntil }) =>
                  knownFrom <= when && (knownUntil === null || when < knownUntil),
              )
        const moments = recorded.flatMap(({ knownFrom, validFrom, validUntil }) => [
          knownFrom,
          validFrom ?? knownFrom,
          validUntil ?? knownFrom,
        ])
        const expected = priorByReplay(priceAt, moments, { at, policy, historyFrom })
        if (price)
          expect(factsOf(priorPriceOf(price, completeTerms(recorded), policy, goods))).toEqual(expected)
      },
    ),
    { numRuns: Number(process.env.PRIOR_PRICES ?? 1000) },
  )
})

describe('priorMembers', () => {
  const recorded = recordedOf([null, null], [40, 50, low])
  const price = resolved(recorded, day(45))
  const { priorPrice } = priorPriceOf(price, completeTerms(recorded), directive, goods)
  const requestOf = (prior: PriceRequest['prior'], explain = false): PriceRequest => ({
    ...shopper,
    at: day(45),
    explain,
    ...(prior ? { prior } : {}),
  })
  const requestWithPrior = requestOf({ policy: directive, isIncluded: true })
  const explained = requestOf({ policy: directive, isIncluded: false }, true)
  const fullRequest = requestOf({ policy: directive, isIncluded: true }, true)
  const warning = {
    code: 'compare_at_above_prior',
    saleOffer: price.saleOffer,
    compareAtAmount: '12.00',
    priorPrice,
  }

  test('contain the requested members', () => {
    expect(priorMembers(price, requestWithPrior, completeTerms(recorded), goods)).toEqual({ priorPrice })
    expect(priorMembers(price, explained, completeTerms(recorded), goods)).toEqual({ warnings: [warning] })
    expect(priorMembers(price, fullRequest, completeTerms(recorded), goods)).toEqual({
      priorPrice,
      warnings: [warning],
    })
    expect(priorMembers(price, requestOf(undefined, true), completeTerms(recorded), goods)).toEqual({})
  })

  test('contain the reason if there is no prior price', () => {
    const full = resolved(recorded, day(30))
    const policy = { country: 'DK', source: directive.source, verified: false }
    const none = (reason: string) => ({ priorPrice: null, noPriorPrice: { reason, policy }, warnings: [] })
    expect(priorMembers(full, fullRequest, null, goods)).toEqual(none('not_reduced'))
    expect(priorMembers(price, fullRequest, null, goods)).toEqual(none('history_too_short'))
  })

  test('contain only an empty list of warnings if no offer applies', () => {
    const nothing = noPrice(recorded, { ...shopper, at: day(45) })
    expect(priorMembers(nothing, requestWithPrior, completeTerms(recorded), goods)).toEqual({})
    expect(priorMembers(nothing, fullRequest, completeTerms(recorded), goods)).toEqual({ warnings: [] })
  })

  test('contain a warning only if the amount to compare with exceeds the prior price by value', () => {
    const warnings = (amount: string) => {
      const steady = recordedOf([null, null, { amount }], [40, 50, low])
      return priorMembers(resolved(steady, day(45)), explained, completeTerms(steady), goods).warnings
    }
    expect(warnings('11.99')).toHaveLength(1)
    expect(warnings('12')).toEqual([])
    expect(warnings('12.01')).toEqual([])
  })
})

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Measure, ReferenceUnit } from '../../core/context.ts'
import {
  explainedPrice,
  explainPrice,
  type NoPrice,
  noPrice,
  type PriceContext,
  type PriceOffer,
  pricedSince,
  type ResolvedPrice,
  resolvePrice,
  unitPriceOf,
} from './price.ts'

const question: PriceContext = { channel: 'web', country: 'FR', at: day(20) }

describe('unitPriceOf', () => {
  const quantity = (text: string) => {
    const [value = '', unit = ''] = text.split(' ')
    return { value: Number(value), unit: unit as ReferenceUnit['unit'] }
  }

  test.each([
    ['9.99', '750 ml', [], '13.32', '1 l'],
    ['1.00', '3 kg', [], '0.33', '1 kg'],
    ['2.00', '3 kg', [], '0.67', '1 kg'],
    // Half a cent is rounded up, less than half down.
    ['0.01', '2 kg', [], '0.01', '1 kg'],
    ['0.01', '2.000001 kg', [], '0.00', '1 kg'],
    ['0.25', '0.2 m', [], '1.25', '1 m'],
    ['1.005', '1 m2', [], '1.005', '1 m2'],
    ['1.005', '2 m2', [], '0.503', '1 m2'],
    ['300', '500 g', [], '600', '1 kg'],
    ['1', '2 kg', [], '1', '1 kg'],
    ['1', '3 kg', [], '0', '1 kg'],
    ['0.00', '500 g', [], '0.00', '1 kg'],
    ['5.00', '0.000001 g', [], '5000000000.00', '1 kg'],
    ['999999999999999.99', '0.000001 m3', [], '999999999999999990000.00', '1 m3'],
    ['999999999999999.99', '1000000000 l', ['1000000000 ml'], '1000000000000.00', '1000000000 ml'],
    ['3.49', '0.5 kg', ['100 ml', '100 g', '1 kg'], '0.70', '100 g'],
    ['3.49', '500 ml', ['100 g', '10 l'], '69.80', '10 l'],
    ['3.49', '1 m', ['1 m2', '1 m3', '1 g'], '3.49', '1 m'],
  ] as const)('%s for %s is, with the units %j, %s per %s', (amount, content, references, expected, per) => {
    const result = unitPriceOf(amount, quantity(content), references.map(quantity))
    expect(result).toEqual({ amount: expected, per: quantity(per) })
  })

  test('returns null for pieces and without a content', () => {
    expect(unitPriceOf('5.00', { value: 6, unit: 'piece' }, [])).toBeNull()
    expect(unitPriceOf('5.00', null, [quantity('100 g')])).toBeNull()
  })

  test('is at most half a cent from the exact price', () => {
    const value = fc.integer({ min: 1, max: 1e9 }).map((thousandths) => thousandths / 1000)
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1e7 }), value, value, (cents, content, per) => {
        const amount = (cents / 100).toFixed(2)
        const measure: Measure = { value: content, unit: 'g' }
        const found = unitPriceOf(amount, measure, [{ value: per, unit: 'kg' }])
        const exact = (cents * per * 1000) / content
        expect(Math.abs(Number(found?.amount) * 100 - exact)).toBeLessThanOrEqual(0.5 + exact * 1e-9)
      }),
    )
  })
})

describe('resolvePrice', () => {
  test('returns exactly the members of a resolved price, in their order', () => {
    const offers = [
      offer('a', { amount: '19.90', compareAtAmount: '25.00', validFrom: day(1), validUntil: day(25) }),
      offer('b', { amount: '17.00', minQuantity: 10 }),
    ]
    expect(JSON.stringify(resolvePrice(offers, question))).toBe(
      JSON.stringify({
        '@type': 'ResolvedPrice',
        amount: '19.90',
        currency: 'EUR',
        compareAtAmount: '25.00',
        taxIncluded: true,
        saleOffer: '/api/sale_offers/a',
        channel: 'web',
        country: 'FR',
        at: day(20),
        validFrom: day(1),
        validUntil: day(25),
        nextChangeAt: day(25),
        quantityBreaks: [{ minQuantity: 10, amount: '17.00', saleOffer: '/api/sale_offers/b' }],
      }),
    )
  })

  test('returns null if no offer applies now, even if one starts later', () => {
    expect(resolvePrice([], question)).toBeNull()
    expect(resolvePrice([offer('a', { validFrom: day(21) })], question)).toBeNull()
    expect(resolvePrice([offer('a', { minQuantity: 2 })], question)).toBeNull()
  })

  test('includes the start of a period and excludes its end', () => {
    expect(winner([offer('a', { validFrom: day(20), validUntil: day(21) })])).toBe('a')
    expect(winner([offer('a', { validFrom: day(19), validUntil: day(20) })])).toBeUndefined()
    expect(winner([offer('a', { validFrom: day(20), validUntil: day(20) })])).toBeUndefined()
  })

  test.each<[criterion: string, better: Partial<PriceOffer>, worse: Partial<PriceOffer>]>([
    ['priority', { priority: 1, amount: '9.00' }, { priority: 0, channel: 'web', countries: ['FR'] }],
    ['channel', { channel: 'web', amount: '9.00' }, { channel: null, countries: ['FR'] }],
    ['country', { countries: ['DE', 'FR'], amount: '9.00' }, { validFrom: day(1), validUntil: day(30) }],
    ['window', { validFrom: day(1), validUntil: day(30), amount: '9.00' }, { validFrom: day(19) }],
    ['window', { validUntil: day(30), amount: '9.00' }, {}],
    [
      'validFrom',
      { validFrom: day(2), validUntil: day(30), amount: '9.00' },
      { validFrom: day(1), validUntil: day(30) },
    ],
    ['validFrom', { validFrom: day(2), amount: '9.00' }, { validUntil: day(30) }],
    ['currency', { currency: 'CHF', amount: '100.00' }, { currency: 'EUR' }],
    ['amount', { amount: '9.50' }, { amount: '10.00' }],
    ['id', { id: 'a' }, { id: 'b' }],
  ])('%s decides before what follows it', (criterion, better, worse) => {
    // The ids would decide the other way, except in the case of the id itself.
    const good = offer('z', better)
    const bad = offer('y', worse)
    for (const offers of [
      [good, bad],
      [bad, good],
    ]) {
      expect(winner(offers)).toBe(good.id)
      expect(explainPrice(offers, question)).toEqual([
        { saleOffer: `/api/sale_offers/${good.id}`, outcome: 'won', decidedBy: null },
        { saleOffer: `/api/sale_offers/${bad.id}`, outcome: 'lost', decidedBy: criterion },
      ])
    }
  })

  test('lists the best quantity break per quantity in the currency of the winner, in ascending order', () => {
    const offers = [
      offer('one'),
      offer('ten', { minQuantity: 10, amount: '8.00' }),
      offer('ten-cheaper', { minQuantity: 10, amount: '7.00' }),
      offer('five', { minQuantity: 5, amount: '9.00' }),
      offer('dollars', { minQuantity: 3, currency: 'USD' }),
      offer('later', { minQuantity: 4, validFrom: day(28) }),
      offer('elsewhere', { minQuantity: 2, countries: ['DE'] }),
    ]
    expect(resolvePrice(offers, question)).toMatchObject({
      nextChangeAt: day(28),
      quantityBreaks: [
        { minQuantity: 5, amount: '9.00', saleOffer: '/api/sale_offers/five' },
        { minQuantity: 10, amount: '7.00', saleOffer: '/api/sale_offers/ten-cheaper' },
      ],
    })
  })

  test.each<[name: string, others: PriceOffer[], nextChangeAt: string | null]>([
    [
      'a worse offer that begins does not change it',
      [offer('b', { validFrom: day(21), priority: -1 })],
      null,
    ],
    ['a worse offer that ends does not change it', [offer('b', { validUntil: day(21), priority: -1 })], null],
    ['a better offer that begins does', [offer('b', { validFrom: day(21) })], day(21)],
    [
      'the first better one counts',
      [offer('b', { validFrom: day(23), priority: 9 }), offer('c', { validFrom: day(22) })],
      day(22),
    ],
    ['one that never begins does not', [offer('b', { validFrom: day(21), validUntil: day(21) })], null],
    ['one for another channel does not', [offer('b', { validFrom: day(21), channel: 'shop' })], null],
    ['a draft does not', [offer('b', { validFrom: day(21), status: 'DRAFT' })], null],
    ['a break that ends does', [offer('b', { validUntil: day(24), minQuantity: 5 })], day(24)],
    ['a break that begins does', [offer('b', { validFrom: day(23), minQuantity: 5 })], day(23)],
    [
      'a break in another currency does not',
      [offer('b', { validFrom: day(23), minQuantity: 5, currency: 'USD' })],
      null,
    ],
  ])('nextChangeAt: %s', (_, competitors, nextChangeAt) => {
    expect(resolvePrice([offer('a'), ...competitors], question)).toHaveProperty('nextChangeAt', nextChangeAt)
  })

  test('returns the same price as a brute-force oracle', () => {
    fc.assert(
      fc.property(anyOffers, anyQuestion, (offers, context) => {
        expect(resolvePrice(offers, context)).toEqual(oracle(offers, context))
      }),
      { numRuns: 2000 },
    )
  })

  test('returns the same price until nextChangeAt and another one at that moment', () => {
    fc.assert(
      fc.property(anyOffers, anyQuestion, fc.integer({ min: 1, max: 30 }), (offers, context, laterDay) => {
        const now = resolvePrice(offers, context)
        const at = day(laterDay)
        if (now === null || at <= context.at) return
        const laterPrice = resolvePrice(offers, { ...context, at })
        if (now.nextChangeAt === null || at < now.nextChangeAt)
          expect(lasting(laterPrice)).toEqual(lasting(now))
        if (at === now.nextChangeAt) expect(lasting(laterPrice)).not.toEqual(lasting(now))
      }),
    )
  })

  test('ignores the order of the offers and does not change them', () => {
    const shuffled = anyOffers.chain((offers) =>
      fc.tuple(fc.constant(offers), fc.shuffledSubarray([...offers], { minLength: offers.length })),
    )
    fc.assert(
      fc.property(shuffled, anyQuestion, ([offers, reordered], context) => {
        const before = JSON.stringify(offers)
        expect(JSON.stringify(resolvePrice(reordered, context))).toBe(
          JSON.stringify(resolvePrice(offers, context)),
        )
        expect(explainPrice(reordered, context)).toEqual(explainPrice(offers, context))
        expect(JSON.stringify(offers)).toBe(before)
      }),
    )
  })
})

describe('noPrice', () => {
  const none = { '@type': 'ResolvedPrice', channel: 'web', country: 'FR', at: day(20) }

  test('repeats the context, without quantity breaks', () => {
    expect(noPrice([], question)).toEqual({ ...none, nextChangeAt: null, quantityBreaks: [] })
  })

  test('contains the moment at which an offer for one piece starts', () => {
    const laterOffer = (members: Partial<PriceOffer>) => offer('b', { validFrom: day(22), ...members })
    const nextChangeAt = (members: Partial<PriceOffer>) =>
      noPrice([laterOffer(members)], question).nextChangeAt
    expect(nextChangeAt({})).toBe(day(22))
    expect(nextChangeAt({ channel: 'shop' })).toBeNull()
    expect(nextChangeAt({ countries: ['DE'] })).toBeNull()
    expect(nextChangeAt({ status: 'DRAFT' })).toBeNull()
    expect(nextChangeAt({ minQuantity: 2 })).toBeNull()
    expect(nextChangeAt({ validFrom: day(19), validUntil: day(20) })).toBeNull()
    expect(noPrice([laterOffer({}), offer('c', { validFrom: day(21) })], question).nextChangeAt).toBe(day(21))
  })

  test('has a reason if an offer in another currency applies', () => {
    const offers = [offer('a', { validUntil: day(25) }), offer('b', { validFrom: day(22), currency: 'USD' })]
    const inCurrency = (currency: string) => noPrice(offers, { ...question, currency })
    const unchanging = { ...none, nextChangeAt: null, quantityBreaks: [] }
    expect(inCurrency('JPY')).toEqual({ ...unchanging, reason: 'no_offer_in_currency' })
    expect(inCurrency('USD')).toHaveProperty('nextChangeAt', day(22))
    const inYen = { ...question, currency: 'JPY' }
    expect(noPrice(offers.slice(0, 1), inYen)).toHaveProperty('nextChangeAt', day(25))
    expect(noPrice([offer('c', { minQuantity: 2 })], inYen)).not.toHaveProperty('reason')
  })
})

test('a price, or that there is none, is the same since pricedSince and until exactly nextChangeAt', () => {
  fc.assert(
    fc.property(anyOffers, anyQuestion, (offers, context) => {
      const documentAt = (at: string) =>
        resolvePrice(offers, { ...context, at }) ?? noPrice(offers, { ...context, at })
      const document = documentAt(context.at)
      const { currency, ...inAnyCurrency } = context
      const hasReason = !('saleOffer' in document) && oracleAt(offers, inAnyCurrency) !== null
      expect('reason' in document).toBe(currency !== undefined && hasReason)
      const since = pricedSince(offers, context) ?? ''
      const { nextChangeAt } = document
      const days = Array.from({ length: 31 }, (_, index) => day(index))
      for (const [index, at] of days.entries()) {
        const isSame = at >= since && (nextChangeAt === null || at < nextChangeAt)
        if (isSame) expect(lasting(documentAt(at))).toEqual(lasting(document))
        if (at === nextChangeAt || days[index + 1] === since)
          expect(lasting(documentAt(at))).not.toEqual(lasting(document))
      }
    }),
    { numRuns: 2000 },
  )
})

test('explainedPrice returns the candidates with the price, or with the document without a price', () => {
  const offers = [offer('a'), offer('b', { channel: 'shop' })]
  expect(explainedPrice(offers, question)).toEqual({
    ...resolvePrice(offers, question),
    candidates: explainPrice(offers, question),
  })
  const filtered = offers.slice(1)
  expect(explainedPrice(filtered, question)).toEqual({
    ...noPrice(filtered, question),
    candidates: explainPrice(filtered, question),
  })
  expect(explainPrice(filtered, question)).toHaveLength(1)
})

describe('explainPrice', () => {
  test.each<[decidedBy: string, members: Partial<PriceOffer>]>([
    ['status', { status: 'DRAFT', channel: 'shop', validFrom: day(21) }],
    ['status', { status: 'ARCHIVED' }],
    ['channel', { channel: 'shop', countries: ['DE'] }],
    ['country', { countries: ['DE'], validFrom: day(21) }],
    ['currency', { currency: 'USD', validFrom: day(21) }],
    ['window', { validFrom: day(21), minQuantity: 2 }],
    ['window', { validUntil: day(20) }],
    ['minQuantity', { minQuantity: 2 }],
  ])('the first filter that an offer fails is named: %s', (decidedBy, members) => {
    expect(explainPrice([offer('a', members)], { ...question, currency: 'EUR' })).toEqual([
      { saleOffer: '/api/sale_offers/a', outcome: 'filtered', decidedBy },
    ])
  })

  test('lists every offer once, and the resolved offer as the winner', () => {
    fc.assert(
      fc.property(anyOffers, anyQuestion, (offers, context) => {
        const candidates = explainPrice(offers, context)
        expect(candidates.map(({ saleOffer }) => saleOffer).sort()).toEqual(
          offers.map(({ id }) => `/api/sale_offers/${id}`).sort(),
        )
        const won = candidates.filter(({ outcome }) => outcome === 'won').map(({ saleOffer }) => saleOffer)
        const resolved = resolvePrice(offers, context)
        expect(won).toEqual(resolved === null ? [] : [resolved.saleOffer])
        const outcomes = candidates.map(({ outcome }) => ['won', 'lost', 'filtered'].indexOf(outcome))
        expect(outcomes).toEqual(outcomes.toSorted())
      }),
    )
  })
})

function day(number: number): string {
  return `2026-11-${String(number).padStart(2, '0')}T00:00:00.000000Z`
}

function offer(id: string, members: Partial<PriceOffer> = {}): PriceOffer {
  return {
    id,
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
    ...members,
  }
}

function winner(offers: readonly PriceOffer[]): string | undefined {
  return resolvePrice(offers, question)?.saleOffer.replace('/api/sale_offers/', '')
}

const anyDay = fc.integer({ min: 1, max: 12 }).map(day)
const anyOffers = fc.uniqueArray(
  fc.record<PriceOffer>({
    id: fc.nat(99).map(String),
    channel: fc.constantFrom(null, 'web', 'web', 'shop'),
    countries: fc.constantFrom([], [], ['FR'], ['DE'], ['DE', 'FR']),
    currency: fc.constantFrom('EUR', 'EUR', 'USD'),
    amount: fc.constantFrom('9.00', '9.5', '10.00', '100.00'),
    compareAtAmount: fc.constantFrom(null, '120.00'),
    validFrom: fc.option(anyDay),
    validUntil: fc.option(anyDay),
    priority: fc.constantFrom(0, 0, 1, -1),
    minQuantity: fc.constantFrom(1, 1, 1, 2, 10),
    taxIncluded: fc.boolean(),
    reductionReason: fc.constant(null),
    status: fc.constantFrom('ACTIVE', 'ACTIVE', 'ACTIVE', 'ACTIVE', 'DRAFT', 'ARCHIVED'),
  }),
  { selector: (candidate) => candidate.id, maxLength: 15 },
)
const context = {
  channel: fc.constantFrom('web', 'shop'),
  country: fc.constantFrom('FR', 'DE'),
  at: anyDay,
}
const anyQuestion = fc.oneof(
  fc.record<PriceContext>(context),
  fc.record<PriceContext>({ ...context, currency: fc.constantFrom('EUR', 'USD', 'JPY') }),
)

/** The part of a price that stays constant until `nextChangeAt`. */
function lasting(price: ResolvedPrice | NoPrice | null): unknown {
  return price === null ? null : { ...price, at: '', nextChangeAt: '' }
}

/** An independent slow resolver: it ranks all offers, then tries every later start and end. */
function oracle(offers: readonly PriceOffer[], context: PriceContext): ResolvedPrice | null {
  const now = oracleAt(offers, context)
  if (now === null) return null
  const boundaries = offers
    .flatMap(({ validFrom, validUntil }) => [validFrom, validUntil])
    .filter((instant) => instant !== null)
    .filter((instant) => instant > context.at)
    .sort()
  const same = (at: string) =>
    JSON.stringify(lasting(oracleAt(offers, { ...context, at }))) === JSON.stringify(lasting(now))
  return { ...now, nextChangeAt: boundaries.find((at) => !same(at)) ?? null }
}

function oracleAt(
  offers: readonly PriceOffer[],
  { channel, country, at, currency }: PriceContext,
): ResolvedPrice | null {
  const live = offers
    .filter((offer) => currency === undefined || offer.currency === currency)
    .filter((offer) => offer.status === 'ACTIVE')
    .filter((offer) => [null, channel].includes(offer.channel))
    .filter((offer) => offer.countries.length === 0 || offer.countries.some((code) => code === country))
    .filter((offer) => Date.parse(offer.validFrom ?? day(1)) <= Date.parse(at))
    .filter((offer) => Date.parse(offer.validUntil ?? day(30)) > Date.parse(at))
    // Sorting is stable, so the last criterion sorted by is the first in precedence.
    .sort((a, b) => (a.id < b.id ? -1 : 1))
    .sort((a, b) => Number(a.amount) - Number(b.amount))
    .sort((a, b) => a.currency.localeCompare(b.currency))
    .sort((a, b) => Date.parse(b.validFrom ?? '1970-01-01') - Date.parse(a.validFrom ?? '1970-01-01'))
    .sort((a, b) => ends(b) - ends(a))
    .sort((a, b) => (a.countries.length > 0 ? 0 : 1) - (b.countries.length > 0 ? 0 : 1))
    .sort((a, b) => (a.channel ? 0 : 1) - (b.channel ? 0 : 1))
    .sort((a, b) => b.priority - a.priority)
  const best = live.find((offer) => offer.minQuantity === 1)
  if (best === undefined) return null
  const quantities = [2, 10]
  return {
    '@type': 'ResolvedPrice',
    amount: best.amount,
    currency: best.currency,
    compareAtAmount: best.compareAtAmount,
    taxIncluded: best.taxIncluded,
    saleOffer: `/api/sale_offers/${best.id}`,
    channel,
    country,
    at,
    validFrom: best.validFrom,
    validUntil: best.validUntil,
    nextChangeAt: null,
    quantityBreaks: quantities.flatMap((minQuantity) =>
      live
        .filter((offer) => offer.minQuantity === minQuantity && offer.currency === best.currency)
        .slice(0, 1)
        .map(({ id, amount }) => ({ minQuantity, amount, saleOffer: `/api/sale_offers/${id}` })),
    ),
  }
}

function ends(offer: PriceOffer): number {
  return [offer.validFrom, offer.validUntil].filter((end) => end !== null).length
}

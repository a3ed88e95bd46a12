import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type PriceOffer, resolvePrice } from './price.ts'
import { type RecordedTerms, type Segment, type Span, timelineOf } from './timeline.ts'

const shopper = { channel: 'web', country: 'FR' }
/** The timestamp of a small number of seconds. */
const at = (n: number) => `${new Date(Date.UTC(2026, 0, 1) + n * 1000).toISOString().slice(0, 23)}000Z`
const shifted = (moment: string, micros: number) => {
  const all = BigInt(Date.parse(moment)) * 1000n + BigInt(moment.slice(23, 26)) + BigInt(micros)
  return `${new Date(Number(all / 1000n)).toISOString().slice(0, 23)}${String(all % 1000n).padStart(3, '0')}Z`
}

/** The terms of an offer. Omitted properties have default values. */
type Terms = Partial<Omit<PriceOffer, 'id'>>
/** One change: its second, the offer, and the new terms. */
type Change = readonly [second: number, offer: string, terms: Terms]

/** The recorded terms after changes in their order. */
function recordedBy(changes: readonly Change[]): RecordedTerms[] {
  return changes.map(([second, id, terms], nth) => {
    const end = changes.slice(nth + 1).find(([, offerId]) => offerId === id)
    const ended = end ? `event-${changes.indexOf(end)}` : null
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
      ...terms,
      knownFrom: at(second),
      knownUntil: end ? at(end[0]) : null,
      recordedBy: `event-${nth}`,
      endedBy: ended,
    }
  })
}

const span = { from: at(0), until: at(100) }
const now = at(50)
/** The segments as short strings: seconds, amount, cause. */
const segmentTexts = (changes: readonly Change[], of: Span = span, limit = 1000) =>
  timelineOf(recordedBy(changes), shopper, of, now, limit).map(
    ({ from, until, resolvedPrice, cause, eventId }) => {
      const seconds = [from, until].map((instant) => (Date.parse(instant) - Date.parse(at(0))) / 1000)
      return [...seconds, resolvedPrice?.amount ?? null, eventId ?? cause].join(' ')
    },
  )

describe('timelineOf', () => {
  test('uses the terms recorded at the time for the past and the current terms for the future, and splits segments at now', () => {
    expect(
      segmentTexts([
        [10, 'a', {}],
        [30, 'a', { amount: '8.00', validUntil: at(70) }],
      ]),
    ).toEqual(['0 10  ', '10 30 10.00 event-0', '30 50 8.00 event-1', '50 70 8.00 ', '70 100  WINDOW'])
  })

  test('reports WINDOW when an offer begins or ends, unless a change comes first or at the same moment', () => {
    expect(segmentTexts([[10, 'a', { validFrom: at(20), validUntil: at(30) }]])).toEqual([
      '0 20  ',
      '20 30 10.00 WINDOW',
      '30 50  WINDOW',
      '50 100  ',
    ])
    const extended = { validFrom: at(20), validUntil: at(40) }
    const first = { validFrom: at(20), validUntil: at(30) }
    // Terms that would have ended at 30 were extended at exactly that time.
    expect(
      segmentTexts([
        [10, 'a', first],
        [30, 'a', extended],
      ]),
    ).toEqual(['0 20  ', '20 30 10.00 WINDOW', '30 40 10.00 event-1', '40 50  WINDOW', '50 100  '])
    // Terms that ended at 30 were archived at exactly that time. They would have ended without the change.
    const archived: Change = [30, 'a', { ...first, status: 'ARCHIVED' }]
    expect(segmentTexts([[10, 'a', first], archived]).slice(1)).toEqual([
      '20 30 10.00 WINDOW',
      '30 50  WINDOW',
      '50 100  ',
    ])
    // Terms that would have started at 20 were postponed at exactly that time. The change has no effect.
    expect(
      segmentTexts([
        [10, 'a', first],
        [20, 'a', { validFrom: at(60) }],
      ]),
    ).toEqual(['0 50  ', '50 60  ', '60 100 10.00 WINDOW'])
    // Two offers would have started at 20. The better was postponed at exactly that time, so the other decides
    // because of an edit.
    const rival: Change = [12, 'b', { validFrom: at(20), amount: '7.00' }]
    const better = { priority: 1, amount: '6.00' }
    const putOff: Change[] = [
      [14, 'c', { ...better, validFrom: at(20) }],
      [20, 'c', { ...better, validFrom: at(60) }],
    ]
    expect(segmentTexts([rival, ...putOff]).slice(0, 2)).toEqual(['0 20  ', '20 50 7.00 event-2'])
    // A change of another offer, at the time at which an offer starts, is not the cause of the price.
    expect(
      segmentTexts([
        [5, 'b', { priority: -1 }],
        [10, 'a', { validFrom: at(20), amount: '7.00' }],
        [20, 'b', { priority: -2 }],
      ]),
    ).toEqual(['0 5  ', '5 20 10.00 event-0', '20 50 7.00 WINDOW', '50 100 7.00 '])
  })

  test('continues a segment over changes that do not affect the price', () => {
    expect(
      segmentTexts([
        [10, 'a', {}],
        [20, 'a', { priority: 3 }],
        [25, 'b', { priority: 1 }],
        [30, 'c', { channel: 'shop' }],
      ]),
    ).toEqual(['0 10  ', '10 50 10.00 event-0', '50 100 10.00 '])
  })

  test('lists quantity breaks in the currency of the price by quantity, and starts segments at their changes', () => {
    const changes: Change[] = [
      [10, 'a', {}],
      [20, 'b', { minQuantity: 10, amount: '8.00' }],
      [30, 'c', { minQuantity: 5, amount: '9.00', validUntil: at(60) }],
      [40, 'd', { minQuantity: 5, amount: '1.00', currency: 'USD' }],
    ]
    const breaks = timelineOf(recordedBy(changes), shopper, span, now, 9).map(({ resolvedPrice }) =>
      resolvedPrice?.quantityBreaks.map(({ minQuantity, amount }) => `${minQuantity}: ${amount}`).join(', '),
    )
    expect(breaks).toEqual([undefined, '', '10: 8.00', '5: 9.00, 10: 8.00', '5: 9.00, 10: 8.00', '10: 8.00'])
  })

  test('starts a segment when any member of a quantity break changes', () => {
    const breakTerms = { minQuantity: 10, amount: '8.00' }
    const priorityTerms = { minQuantity: 10, amount: '8.00', priority: 1 }
    const cases: [string, Terms][] = [
      ['b', { ...breakTerms, amount: '7.00' }],
      ['b', { ...breakTerms, minQuantity: 5 }],
      ['c', priorityTerms],
    ]
    for (const [offer, edit] of cases)
      expect(
        segmentTexts([
          [10, 'a', {}],
          [15, 'b', breakTerms],
          [20, offer, edit],
        ])[3],
        JSON.stringify(edit),
      ).toBe('20 50 10.00 event-2')
    // The change has no effect on the price.
    expect(
      segmentTexts([
        [10, 'a', {}],
        [15, 'b', breakTerms],
        [20, 'b', priorityTerms],
      ])[2],
    ).toBe('15 50 10.00 event-1')
  })

  test('replaces terms by their successors, also if both have the same rank', () => {
    expect(
      segmentTexts([
        [10, 'a', { validUntil: at(40) }],
        [20, 'a', { validUntil: at(40), compareAtAmount: '12.00' }],
      ]),
    ).toEqual(['0 10  ', '10 20 10.00 event-0', '20 40 10.00 event-1', '40 50  WINDOW', '50 100  '])
  })

  test('gives the first segment a cause only if the price changes at its start', () => {
    const changes: Change[] = [[10, 'a', { validUntil: at(80) }]]
    expect(segmentTexts(changes, { from: at(10), until: at(20) })).toEqual(['10 20 10.00 event-0'])
    expect(segmentTexts(changes, { from: at(11), until: at(20) })).toEqual(['11 20 10.00 '])
    expect(segmentTexts(changes, { from: at(80), until: at(90) })).toEqual(['80 90  WINDOW'])
    expect(segmentTexts(changes, { from: now, until: at(60) })).toEqual(['50 60 10.00 '])
    expect(segmentTexts(changes, { from: at(20), until: at(20) })).toEqual([])
  })

  test('returns the first segments up to the limit, each ending at the start of the next', () => {
    const changes: Change[] = [
      [10, 'a', {}],
      [20, 'a', { amount: '9.00' }],
      [30, 'a', { amount: '8.00' }],
    ]
    expect(segmentTexts(changes, span, 2)).toEqual(['0 10  ', '10 20 10.00 event-0'])
    expect(segmentTexts(changes, { from: at(20), until: at(100) }, 2)).toEqual([
      '20 30 9.00 event-1',
      '30 50 8.00 event-2',
    ])
    expect(segmentTexts(changes, span, 5)).toEqual(segmentTexts(changes))
  })

  test('starts a segment when any member of the price changes', () => {
    const edits: Terms[] = [
      { amount: '9.00' },
      { currency: 'USD' },
      { compareAtAmount: '12.00' },
      { taxIncluded: false },
      { validFrom: at(1) },
      { validUntil: at(90) },
    ]
    for (const edit of edits)
      expect(
        segmentTexts([
          [10, 'a', {}],
          [20, 'a', edit],
        ])[2],
        JSON.stringify(edit),
      ).toMatch(/^20 50 \S+ event-1$/)
    expect(
      segmentTexts([
        [10, 'a', {}],
        [20, 'a', { priority: 1 }],
        [30, 'b', { priority: 2 }],
      ])[2],
    ).toBe('30 50 10.00 event-2')
  })
})

const second = fc.integer({ min: 0, max: 40 })
const moment = fc.option(second.map(at))
const terms = fc.record({
  channel: fc.constantFrom(null, null, 'web', 'shop'),
  countries: fc.constantFrom<string[]>([], [], ['FR'], ['DE', 'FR'], ['DE']),
  currency: fc.constantFrom('EUR', 'EUR', 'USD'),
  amount: fc.constantFrom('10.00', '9.00', '8.00'),
  compareAtAmount: fc.constantFrom(null, null, '12.00'),
  validFrom: moment,
  validUntil: moment,
  priority: fc.constantFrom(0, 0, 1),
  minQuantity: fc.constantFrom(1, 1, 1, 5, 10),
  taxIncluded: fc.constantFrom(true, true, false),
  status: fc.constantFrom<PriceOffer['status']>('ACTIVE', 'ACTIVE', 'ACTIVE', 'DRAFT', 'ARCHIVED'),
})
const window = terms.filter(
  ({ validFrom, validUntil }) => validFrom === null || validUntil === null || validFrom < validUntil,
)
/** Offers that are created and changed, often at the same times at which offers start or end. */
const changes = fc
  .array(fc.tuple(fc.integer({ min: 1, max: 3 }), fc.constantFrom('a', 'b', 'c', 'd'), window), {
    maxLength: 14,
  })
  .map((all) => {
    let last = 0
    return all.map(([gap, offer, of]): Change => [(last += gap), offer, of])
  })
const history = fc.record({ changes, from: second, length: second, after: fc.integer({ min: 0, max: 20 }) })

/** The terms recorded at a timestamp, without those recorded at exactly that time. */
const recordedAt = (recorded: readonly RecordedTerms[], instant: string) =>
  recorded.filter(
    ({ knownFrom, knownUntil }) => knownFrom <= instant && (knownUntil === null || instant < knownUntil),
  )
const recordedBefore = (recorded: readonly RecordedTerms[], instant: string) =>
  recorded.filter(
    ({ knownFrom, knownUntil }) => knownFrom < instant && (knownUntil === null || instant <= knownUntil),
  )

/** The result of the resolver without `nextChangeAt`. */
function priceAt(offers: readonly PriceOffer[], moment: string) {
  const price = resolvePrice(offers, { ...shopper, at: moment })
  if (!price) return null
  const { nextChangeAt, ...constant } = price
  return constant
}

const runs = Number(process.env.HISTORIES ?? 400)

test(`a timeline equals the results of the resolver at every microsecond (${runs} histories)`, () => {
  fc.assert(
    fc.property(history, ({ changes, from, length, after }) => {
      const recorded = recordedBy(changes)
      const present = at((changes.at(-1)?.[0] ?? 0) + after)
      const span = { from: at(from), until: at(from + length) }
      const segments = timelineOf(recorded, shopper, span, present, 1000)
      const answer = (moment: string) =>
        priceAt(recordedAt(recorded, moment < present ? moment : present), moment)
      const stamps = recorded.flatMap((terms) => [
        terms.knownFrom,
        terms.validFrom,
        terms.validUntil,
        present,
      ])
      const moments = new Set(
        [
          span.from,
          ...stamps.flatMap((stamp) => (stamp ? [shifted(stamp, -1), stamp, shifted(stamp, 1)] : [])),
        ].filter((instant) => instant >= span.from && instant < span.until),
      )
      if (length === 0) {
        expect(segments).toEqual([])
        return
      }
      expect([segments[0]?.from, segments.at(-1)?.until]).toEqual([span.from, span.until])
      for (const instant of moments) {
        const [match, ...overlapping] = segments.filter(
          (segment) => segment.from <= instant && instant < segment.until,
        )
        expect(overlapping).toEqual([])
        expect(match && { ...match.resolvedPrice, at: instant }).toEqual({ ...answer(instant), at: instant })
      }
      for (const [nth, { from, resolvedPrice, cause, eventId }] of segments.entries()) {
        const before = priceAt(recordedBefore(recorded, from <= present ? from : shifted(present, 1)), from)
        expect(resolvedPrice).toEqual(answer(from))
        const last = answer(shifted(from, -1))
        const isOther = JSON.stringify({ ...resolvedPrice, at: '' }) !== JSON.stringify({ ...last, at: '' })
        if (nth > 0) expect(segments[nth - 1]?.until).toBe(from)
        if (nth > 0 && from !== present) expect(isOther).toBe(true)
        const isEdit = JSON.stringify(before) !== JSON.stringify(resolvedPrice)
        expect(cause).toBe(isOther ? (isEdit ? 'EDIT' : 'WINDOW') : null)
        const event = changes.findIndex(([second]) => at(second) === from)
        expect(eventId).toBe(cause === 'EDIT' ? `event-${event}` : null)
      }
    }),
    { numRuns: runs },
  )
})

test('the pages of a timeline add up to the complete timeline, whatever their size', () => {
  fc.assert(
    fc.property(history, fc.integer({ min: 1, max: 3 }), ({ changes, from, length, after }, limit) => {
      const recorded = recordedBy(changes)
      const present = at((changes.at(-1)?.[0] ?? 0) + after)
      const until = at(from + length)
      const walked: Segment[] = []
      for (let next = at(from); next < until; next = walked.at(-1)?.until ?? until) {
        const page = timelineOf(recorded, shopper, { from: next, until }, present, limit)
        expect(page.length).toBeLessThanOrEqual(limit)
        walked.push(...page)
      }
      expect(walked).toEqual(timelineOf(recorded, shopper, { from: at(from), until }, present, 1000))
    }),
    { numRuns: Math.ceil(runs / 4) },
  )
})

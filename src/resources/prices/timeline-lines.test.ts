/** Parsing the terms of a timeline, and the members of its document. */
import { describe, expect, test } from 'vitest'
import { daysFrom } from '../../core/instant.ts'
import { jsonOf } from '../../core/json.ts'
import { bytesOf } from '../../core/sizes.ts'
import { type RecordedTerms, timelineOf } from './timeline.ts'
import { timelineMembers } from './timeline-operations.ts'
import { parseTerms } from './timeline-read.ts'

const start = '2026-03-01T00:00:00.000000Z'
const day = (n: number) => daysFrom(start, n)
const request = {
  shopper: { channel: 'web', country: 'FR' },
  span: { from: day(0), until: day(100) },
}

/** In the format of `concat()` and Postgres. */
const full =
  'a\t2026-03-01 10:00:00.1\t2026-03-02 00:00:00\trecorded\tended\tEUR\t2026-04-01 00:00:00\t2026-05-01 12:34:56.123456\tweb\tDE,FR\t8.00\t10.00\t2\t5\tt'
const bare = 'b\t2026-03-01 00:00:00\tinfinity\trecorded\t\tUSD\t\t\t\t\t9\t\t0\t1\tf'
const fullTerms = {
  id: 'a',
  knownFrom: '2026-03-01T10:00:00.100000Z',
  knownUntil: '2026-03-02T00:00:00.000000Z',
  recordedBy: 'recorded',
  endedBy: 'ended',
  channel: 'web',
  countries: ['DE', 'FR'],
  currency: 'EUR',
  amount: '8.00',
  compareAtAmount: '10.00',
  validFrom: '2026-04-01T00:00:00.000000Z',
  validUntil: '2026-05-01T12:34:56.123456Z',
  priority: 2,
  minQuantity: 5,
  taxIncluded: true,
  reductionReason: null,
  status: 'ACTIVE',
}
const bareTerms = {
  id: 'b',
  knownFrom: start,
  knownUntil: null,
  recordedBy: 'recorded',
  endedBy: null,
  channel: null,
  countries: [],
  currency: 'USD',
  amount: '9',
  compareAtAmount: null,
  validFrom: null,
  validUntil: null,
  priority: 0,
  minQuantity: 1,
  taxIncluded: false,
  reductionReason: null,
  status: 'ACTIVE',
}

describe('parseTerms', () => {
  test('parses one line per terms, and null as no terms', () => {
    expect(parseTerms(`${full}\n${bare}`, request, 2)).toEqual({
      recorded: [fullTerms, bareTerms],
      span: request.span,
    })
    expect(parseTerms(null, request, 2)).toEqual({ recorded: [], span: request.span })
  })

  test('ends the period at the recording of the first terms beyond the limit', () => {
    const thirdLine = bare.replace('2026-03-01 00:00:00', '2026-03-05 00:00:00')
    expect(parseTerms(`${full}\n${bare}\n${thirdLine}`, request, 2)).toEqual({
      recorded: [fullTerms, bareTerms],
      span: { from: day(0), until: day(4) },
    })
  })
})

describe('timelineMembers', () => {
  const lines = [1, 2, 3]
    .map((nth) => bare.replace('2026-03-01', `2026-03-0${nth + 1}`).replace('recorded', `event-${nth}`))
    .map((line, nth) => line.replace('\t9\t', `\t${9 - nth}\t`).replace('b\t', `b${nth}\t`))
  const terms = parseTerms(lines.join('\n'), request, 9)
  const basis = { now: day(50), historyFrom: day(-1) }
  const plenty = { segments: 99, bytes: 99_999 }
  const segments = timelineOf(terms.recorded, request.shopper, terms.span, basis.now, 99)
  const documents = segments.map(({ eventId, ...segment }) => ({
    '@type': 'PriceSegment',
    ...segment,
    event: eventId && `/api/events/${eventId}`,
  }))
  const amounts = (limits: typeof plenty, from = terms) => {
    const { members, next } = timelineMembers(request, from, basis, limits)
    return [(members.segments as unknown[]).length, next]
  }

  test('contain the channel, the country, the period, the start of the history, and segments with the events of changes', () => {
    const { members, next } = timelineMembers(request, terms, basis, plenty)
    expect(next).toBeNull()
    const tree = jsonOf(members)
    expect(tree).toEqual({
      channel: 'web',
      country: 'FR',
      from: day(0),
      until: day(100),
      historyFrom: day(-1),
      segments: documents,
    })
    expect(tree).toMatchObject({
      segments: [null, 1, 2, 3, null].map((nth) => ({ event: nth && `/api/events/event-${nth}` })),
    })
  })

  test('contain the segments that fit, and the start of the next page', () => {
    expect(amounts({ ...plenty, segments: 2 })).toEqual([2, day(2)])
    const sizes = documents.map((document) => bytesOf(JSON.stringify(document)))
    const first = (amount: number) => sizes.slice(0, amount).reduce((sum, size) => sum + size, 0)
    expect(amounts({ ...plenty, bytes: first(3) })).toEqual([3, day(3)])
    expect(amounts({ ...plenty, bytes: first(3) - 1 })).toEqual([2, day(2)])
    expect(amounts({ ...plenty, bytes: first(5) })).toEqual([5, null])
    expect(amounts({ ...plenty, bytes: 0 })).toEqual([1, day(1)])
  })

  test('are not taken for shorter than they are, whatever is in a segment', () => {
    const uuid = '019aa000-0000-7000-8000-000000000001'
    const longest = (minQuantity: number): RecordedTerms => ({
      ...{ id: `${uuid.slice(0, -1)}${minQuantity}`, recordedBy: uuid, endedBy: null, knownUntil: null },
      ...{ channel: 'web', countries: ['FR'], currency: 'EUR', taxIncluded: false, priority: 0 },
      ...{ knownFrom: day(minQuantity), validFrom: day(0), validUntil: day(99), reductionReason: null },
      ...{ amount: `${'9'.repeat(30)}.99`, compareAtAmount: `${'9'.repeat(31)}.99` },
      ...{ minQuantity, status: 'ACTIVE' },
    })
    const read = { recorded: [1, 2, 3, 4].map(longest), span: { from: day(4), until: day(99) } }
    const segmentsIn = (bytes: number) =>
      timelineMembers(request, read, basis, { segments: 99, bytes }).members.segments as object[]
    const size = segmentsIn(99_999).reduce((sum, segment) => sum + bytesOf(JSON.stringify(segment)), 0)
    expect([99_999, size, size - 1].map((bytes) => segmentsIn(bytes).length)).toEqual([2, 2, 1])
  })

  test('continue after the terms that were read, also without a segment', () => {
    const some = { ...terms, span: { ...terms.span, until: day(60) } }
    expect(amounts(plenty, some)).toEqual([5, day(60)])
    const none = { ...terms, span: { from: day(0), until: day(0) } }
    expect(amounts(plenty, none)).toEqual([0, null])
  })
})

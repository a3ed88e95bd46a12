import { describe, expect, test } from 'vitest'
import { cachedTermsFinder, maxPriorTerms, parseOffer, termsFinder } from './rows.ts'

const since = '2026-01-01T00:00:00.000000Z'
const [from, until] = ['2026-02-01T00:00:00.000000Z', '2026-03-01T00:00:00.000000Z']
const iriOf = (id: string) => `/api/sale_offers/${id}`

const full = `a,web,DE FR,EUR,8.00,10.00,${from},${until},2,5,t,DRAFT`
const bare = 'b,,,USD,9,,,,0,1,f,ACTIVE'
const fullOffer = {
  id: 'a',
  channel: 'web',
  countries: ['DE', 'FR'],
  currency: 'EUR',
  amount: '8.00',
  compareAtAmount: '10.00',
  validFrom: from,
  validUntil: until,
  priority: 2,
  minQuantity: 5,
  taxIncluded: true,
  status: 'DRAFT',
}
const bareOffer = {
  id: 'b',
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
  status: 'ACTIVE',
}

test('an offer is read as it was written, and nothing behind its fields', () => {
  expect(parseOffer(full)).toEqual(fullOffer)
  expect(parseOffer(bare)).toEqual(bareOffer)
  expect(parseOffer(`${bare},${since},`)).toEqual(bareOffer)
})

describe('termsFinder', () => {
  test('finds all terms of the variant that an offer is of, by its IRI', () => {
    const find = termsFinder(since, [
      `${full},${from},${until};${bare},${since},`,
      `c,,,EUR,1,,,,0,1,t,ACTIVE,${since},`,
    ])
    const both = {
      recorded: [
        { ...fullOffer, knownFrom: from, knownUntil: until, recordedBy: '', endedBy: null },
        { ...bareOffer, knownFrom: since, knownUntil: null, recordedBy: '', endedBy: null },
      ],
      recordedSince: since,
    }
    expect(find?.(iriOf('a'), [])).toEqual(both)
    expect(find?.(iriOf('b'), [])).toEqual(both)
    expect(find?.(iriOf('c'), [])?.recorded).toHaveLength(1)
    expect(find?.(iriOf('d'), [])).toBeNull()
  })

  test('is null without a history, and finds nothing without terms', () => {
    expect(termsFinder(undefined, [])).toBeNull()
    expect(termsFinder('', [])?.(iriOf('a'), [])).toBeNull()
  })

  test('with more terms than are read at most, prices are known since the last of these ceased to apply', () => {
    const terms = (validUntil: string, knownUntil: string) =>
      `b,,,USD,9,,,${validUntil},0,1,f,ACTIVE,${from},${knownUntil}`
    const knownWith = (...more: string[]) =>
      termsFinder(since, [[...Array(maxPriorTerms).fill(terms('', '')), ...more].join(';')])?.(iriOf('b'), [])
    const [sooner, later] = ['2026-02-10T00:00:00.000000Z', '2026-02-11T00:00:00.000000Z']
    expect(knownWith()?.recordedSince).toBe(since)
    expect(knownWith()?.recorded).toHaveLength(maxPriorTerms)
    expect(knownWith(terms(sooner, later))?.recordedSince).toBe(sooner)
    expect(knownWith(terms(later, sooner))?.recordedSince).toBe(sooner)
    expect(knownWith(terms('', later))?.recordedSince).toBe(later)
    expect(knownWith(terms(later, ''))?.recordedSince).toBe(later)
    expect(knownWith(terms('', ''))?.recordedSince).toBe(since)
    expect(knownWith(terms(sooner, later))?.recorded).toHaveLength(maxPriorTerms)
    expect(maxPriorTerms).toBe(5000)
  })
})

describe('keptTermsFinder', () => {
  const offers = [bare, full].map(parseOffer)
  const opened = [
    { ...offers[0], knownFrom: since, knownUntil: null, recordedBy: '', endedBy: null },
    { ...offers[1], knownFrom: from, knownUntil: null, recordedBy: '', endedBy: null },
  ]

  test('has the terms that are recorded of the offers that were told, and those that no longer are', () => {
    const ended = { ...fullOffer, id: 'c', knownFrom: from, knownUntil: until, recordedBy: '', endedBy: null }
    const find = cachedTermsFinder(since, `${since},${from};c${full.slice(1)},${from},${until}`)
    expect(find?.(iriOf('b'), offers)).toEqual({ recorded: [...opened, ended], recordedSince: since })
    expect(cachedTermsFinder(since, `${since},${from}`)?.(iriOf('b'), offers)?.recorded).toEqual(opened)
  })

  test('is null without a history, and finds nothing in an empty text', () => {
    expect(cachedTermsFinder(undefined, since)).toBeNull()
    expect(cachedTermsFinder(since, '')?.(iriOf('b'), offers)).toBeNull()
  })
})

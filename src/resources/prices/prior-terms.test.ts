import { expect, test } from 'vitest'
import { maxPriorTerms, offerOf, priorTerms, type StoredTerms } from './read.ts'

const since = '2026-01-01T00:00:00.000000Z'
const [from, until] = ['2026-02-01T00:00:00.000000Z', '2026-03-01T00:00:00.000000Z']

const full = {
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
  taxIncluded: false,
  reductionReason: 'EXPIRING' as const,
  status: 'DRAFT' as const,
}
const bare = { id: 'b', currency: 'USD', amount: '9' }
const bareOffer = {
  ...bare,
  channel: null,
  countries: [],
  compareAtAmount: null,
  validFrom: null,
  validUntil: null,
  priority: 0,
  minQuantity: 1,
  taxIncluded: true,
  reductionReason: null,
  status: 'ACTIVE',
}

test('offerOf adds the default value of each omitted member', () => {
  expect(offerOf(full)).toEqual(full)
  expect(offerOf(bare)).toEqual(bareOffer)
})

test('priorTerms returns the period in which each terms were recorded', () => {
  const storedTerms = [
    { ...full, knownFrom: from, knownUntil: until },
    { ...bare, knownFrom: since },
  ]
  expect(priorTerms(storedTerms, since)).toEqual({
    recorded: [
      { ...full, knownFrom: from, knownUntil: until, recordedBy: '', endedBy: null },
      { ...bareOffer, knownFrom: since, knownUntil: null, recordedBy: '', endedBy: null },
    ],
    recordedSince: since,
    hasFirstPrice: true,
  })
})

test('priorTerms starts the history at the end of the first terms beyond the limit', () => {
  const terms = (validUntil?: string, knownUntil?: string): StoredTerms => ({
    ...bare,
    knownFrom: from,
    ...(validUntil && { validUntil }),
    ...(knownUntil && { knownUntil }),
  })
  const knownWith = (...more: StoredTerms[]) =>
    priorTerms([...Array<StoredTerms>(maxPriorTerms).fill(terms()), ...more], since)
  const [sooner, later] = ['2026-02-10T00:00:00.000000Z', '2026-02-11T00:00:00.000000Z']
  expect(knownWith().recordedSince).toBe(since)
  expect(knownWith().recorded).toHaveLength(maxPriorTerms)
  expect(knownWith(terms(sooner, later)).recordedSince).toBe(sooner)
  expect(knownWith(terms(later, sooner)).recordedSince).toBe(sooner)
  expect(knownWith(terms(undefined, later)).recordedSince).toBe(later)
  expect(knownWith(terms(later)).recordedSince).toBe(later)
  expect(knownWith(terms()).recordedSince).toBe(since)
  expect(knownWith(terms(sooner, later)).recorded).toHaveLength(maxPriorTerms)
  expect(maxPriorTerms).toBe(5000)
})

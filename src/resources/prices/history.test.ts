import { describe, expect, test } from 'vitest'
import { Problem } from '../../core/problem.ts'
import { historyFrom, type PriceRequest, requireHistory } from './request.ts'

const since = '2026-03-01T00:00:00.000000Z'
const [before, after] = ['2026-02-28T23:59:59.999999Z', '2026-03-02T00:00:00.000000Z']
const now = new Date('2026-06-15T12:00:00.000Z')

function refusal(work: () => void): Problem | null {
  try {
    work()
    return null
  } catch (error) {
    if (error instanceof Problem) return error
    throw error
  }
}

const requestOf = (over: Partial<PriceRequest> = {}): PriceRequest => ({
  channel: 'web',
  country: 'FR',
  at: after,
  explain: false,
  ...over,
})
const prior = { policy: null, isIncluded: true }

test('historyFrom returns the first recorded moment, or null without one', () => {
  expect(historyFrom(since)).toBe(since)
  expect(historyFrom('')).toBeNull()
})

describe('requireHistory', () => {
  const violations = (of: Partial<PriceRequest>, history: string | undefined = since) =>
    refusal(() => requireHistory(requestOf(of), history, now))?.extras.violations?.map((violation) => [
      violation.problem.slug,
      violation.propertyPath,
      violation.values,
    ])

  test('accepts requests for current prices without a history', () => {
    expect(refusal(() => requireHistory(null, '', now))).toBeNull()
    expect(refusal(() => requireHistory(requestOf(), '', now))).toBeNull()
    expect(violations({ prior, at: before })).toBeUndefined()
    expect(violations({ prior, at: before }, '')).toBeUndefined()
  })

  test('rejects timestamps before the first event', () => {
    const at = ['pricing.at_before_history', 'resolveContext[at]', { since }]
    const knownAtViolation = ['pricing.known_at_before_history', 'resolveContext[knownAt]', { since }]
    expect(violations({ knownAt: since, at: since })).toBeUndefined()
    expect(violations({ knownAt: after, at: before })).toEqual([at])
    expect(violations({ knownAt: before, at: after })).toEqual([knownAtViolation])
    expect(violations({ knownAt: before, at: before })).toEqual([at, knownAtViolation])
  })

  test('rejects any recorded timestamp of a tenant without events, and reports now as the start', () => {
    const untilNow = { since: '2026-06-15T12:00:00.000000Z' }
    for (const history of ['', undefined])
      expect(
        refusal(() => requireHistory(requestOf({ knownAt: after }), history, now))?.extras.violations?.map(
          (violation) => violation.values,
        ),
      ).toEqual([untilNow, untilNow])
  })
})

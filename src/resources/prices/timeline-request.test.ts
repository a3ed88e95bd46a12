import { describe, expect, test } from 'vitest'
import { daysFrom, instantOf } from '../../core/instant.ts'
import { Problem } from '../../core/problem.ts'
import { timelineRequestOf } from './timeline-read.ts'

const now = new Date('2026-06-15T12:00:00.000Z')
const day = (n: number) => daysFrom(instantOf(now), n)
const shopper = { 'resolveContext[channel]': 'web', 'resolveContext[country]': 'FR' }
const spanOf = (query: { from?: string; until?: string }) =>
  timelineRequestOf({ ...shopper, ...query }, now).span
const year = (text: string) => `${text}-03-01T00:00:00.000000Z`

function refusedWith(query: Parameters<typeof timelineRequestOf>[0]): unknown[] {
  try {
    timelineRequestOf(query, now)
  } catch (error) {
    if (error instanceof Problem)
      return (error.extras.violations ?? []).map((violation) => [
        violation.problem.slug,
        violation.propertyPath,
        violation.values,
      ])
    throw error
  }
  return []
}

describe('timelineRequestOf', () => {
  test('requires a channel and a country', () => {
    expect(timelineRequestOf(shopper, now).shopper).toEqual({ channel: 'web', country: 'FR' })
    const missing = 'pricing.resolve_context_incomplete'
    const of = (parameter: string) => [missing, parameter, { parameter }]
    expect(refusedWith({})).toEqual([of('resolveContext[channel]'), of('resolveContext[country]')])
    expect(refusedWith({ 'resolveContext[channel]': 'web' })).toEqual([of('resolveContext[country]')])
  })

  test('covers ninety days before and after now, or before or after a given end that is further away', () => {
    expect(spanOf({})).toEqual({ from: day(-90), until: day(90) })
    expect(spanOf({ from: day(-10) })).toEqual({ from: day(-10), until: day(90) })
    expect(spanOf({ from: day(10) })).toEqual({ from: day(10), until: day(100) })
    expect(spanOf({ until: day(10) })).toEqual({ from: day(-90), until: day(10) })
    expect(spanOf({ until: day(-10) })).toEqual({ from: day(-100), until: day(-10) })
    expect(spanOf({ from: day(1), until: day(2) })).toEqual({ from: day(1), until: day(2) })
    expect(spanOf({ from: day(1), until: day(1) })).toEqual({ from: day(1), until: day(1) })
  })

  test('rejects a period that ends before it begins', () => {
    expect(refusedWith({ ...shopper, from: day(2), until: day(1) })).toEqual([
      ['pricing.timeline_reversed', 'until', {}],
    ])
  })

  test('rejects a period of more than five years', () => {
    const tooLong = [['pricing.timeline_too_long', 'until', { years: 5 }]]
    const refused = (from: string, until: string) => refusedWith({ ...shopper, from, until })
    expect(refused(year('2021'), year('2026'))).toEqual([])
    expect(refused(year('2021'), year('2026').replace('0Z', '1Z'))).toEqual(tooLong)
    expect(refused(year('0003'), year('0008'))).toEqual([])
    expect(refused(year('0003'), year('0009'))).toEqual(tooLong)
    expect(refused(year('9994'), '9999-12-31T00:00:00.000000Z')).toEqual(tooLong)
    expect(refused(year('9995'), '9999-12-31T00:00:00.000000Z')).toEqual([])
  })
})

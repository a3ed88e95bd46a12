import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { delayAfter, disabledAfter, gaps, maximumAttempts, retryAfterIn } from './schedule.ts'

const seconds = (milliseconds: number) => milliseconds / 1000

test('a delivery has twelve attempts in 75 hours, 35 minutes and some seconds', () => {
  expect(maximumAttempts).toBe(12)
  const steady = gaps.map((_, index) => delayAfter(index + 1, 0.5, null)!)
  expect(steady.map(seconds)).toEqual([
    5, 30, 300, 1800, 7200, 18_000, 36_000, 36_000, 43_200, 57_600, 72_000,
  ])
  expect(seconds(steady.reduce((sum, delay) => sum + delay))).toBe(75 * 3600 + 35 * 60 + 35)
  expect(delayAfter(12, 0.5, null)).toBeNull()
  expect(delayAfter(12, 0.5, 1000)).toBeNull()
})

test('the guide lists the gaps', () => {
  const guide = readFileSync(
    join(import.meta.dirname, '../../../docs/guide/4-events-and-webhooks.md'),
    'utf8',
  )
  const [, last = '', end = ''] = /tries again, after (.*?) and (.*?) \(/.exec(guide) ?? []
  const units: Readonly<Record<string, number>> = { s: 1, min: 60, h: 3600 }
  const listed = [...last.split(', '), end].map((text) => {
    const [count, unit = ''] = text.split(' ')
    return Number(count) * (units[unit] ?? Number.NaN)
  })
  expect(listed).toEqual(gaps.map(seconds))
})

test('the second attempt follows after four to six seconds, and five days of failures disable a subscription', () => {
  expect([0, 0.25, 1].map((random) => delayAfter(1, random, null))).toEqual([4000, 4500, 6000])
  expect(seconds(disabledAfter)).toBe(5 * 24 * 3600)
})

test('the gap varies by a fifth, and a Retry-After counts between one and two gaps', () => {
  const attempt = fc.integer({ min: 1, max: 11 })
  const random = fc.double({ min: 0, max: 1, noNaN: true })
  fc.assert(
    fc.property(
      attempt,
      random,
      fc.option(fc.integer({ min: 0, max: 1e12 })),
      (number, chance, retryAfter) => {
        const gap = gaps[number - 1]!
        const delay = delayAfter(number, chance, retryAfter)!
        if (retryAfter === null) {
          expect(delay).toBeGreaterThanOrEqual(0.8 * gap)
          expect(delay).toBeLessThanOrEqual(1.2 * gap)
        } else expect(delay).toBe(Math.min(Math.max(retryAfter, gap), 2 * gap))
      },
    ),
  )
})

const now = new Date('2026-11-21T10:00:00Z')
test.each([
  ['120', 120_000],
  ['0', 0],
  ['1000000000', 1e12],
  ['Sat, 21 Nov 2026 10:01:00 GMT', 60_000],
  ['Sat, 21 Nov 2026 09:00:00 GMT', 0],
  [' 120\t', 120_000],
  ['Or Sat, 21 Nov 2026 10:01:00 GMT', null],
  ['Sat, 21 Nov 2026 10:01:00 GMT+0200', null],
  ['1e9', null],
  ['-1', null],
  ['soon', null],
  ['2026-11-21T10:01:00Z', null],
  ['99999999999', null],
  ['', null],
  [null, null],
])('Retry-After: %s', (header, expected) => {
  expect(retryAfterIn(header, now)).toBe(expected)
})

import { expect, test } from 'vitest'
import { pauseBefore } from './retry.ts'

const answered = (status: number, retryAfter?: string) => ({
  status,
  headers: retryAfter === undefined ? {} : { 'retry-after': retryAfter },
  body: null,
})

test('Retry-After may be a date', () => {
  const now = Date.parse('2026-01-01T00:00:00Z')
  expect(pauseBefore(2, answered(503, 'Thu, 01 Jan 2026 00:00:07 GMT'), now)).toBe(7_000)
  expect(pauseBefore(2, answered(503, 'Wed, 31 Dec 2025 23:59:00 GMT'), now)).toBe(0)
})

test('Retry-After is never obeyed for more than a minute, and nonsense in it is ignored', () => {
  expect(pauseBefore(2, answered(429, '1000000000'))).toBe(60_000)
  expect(pauseBefore(2, answered(429, 'soon'))).toBe(500)
})

test('a slow-down is waited for long after a service that is away is given up', () => {
  expect(pauseBefore(6, answered(503))).toBeNull()
  expect(pauseBefore(6, answered(429))).toBe(8_000)
  expect(pauseBefore(31, answered(429))).toBeNull()
})

test('answers and errors of other kinds are final', () => {
  expect(pauseBefore(2, answered(200))).toBeNull()
  expect(pauseBefore(2, answered(500))).toBeNull()
  expect(pauseBefore(2, new TypeError('a mistake'))).toBeNull()
})

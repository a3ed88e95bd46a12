import { expect, test } from 'vitest'
import { continueInBackground, endInBackground } from './deliver.ts'

const start = new Date('2026-01-01T00:00:00Z')
const expiry = new Date('2026-01-01T00:00:45Z')
const claims = (count: number, body = '{}') => Array.from({ length: count }, () => ({ body }))
const end = (all: readonly { body: string }[]) => {
  for (const claim of all) endInBackground(claim)
}

test('an isolate continues at most 200 attempts in the background', () => {
  const [many, one] = [claims(200), claims(1)]
  expect(continueInBackground(many, start)).toBe(true)
  expect(continueInBackground(one, start)).toBe(false)
  end(many.slice(0, 1))
  expect(continueInBackground(one, start)).toBe(true)
  end([...many, ...one])
})

test('an isolate holds at most 6 MB of bodies in the background', () => {
  const [large, small] = [claims(3, 'x'.repeat(2_000_000)), claims(1)]
  expect(continueInBackground(large, start)).toBe(true)
  expect(continueInBackground(small, start)).toBe(false)
  end(large)
  expect(continueInBackground(small, start)).toBe(true)
  end(small)
})

test('an attempt that the platform cancelled stops counting after 45 s', () => {
  const [cancelled, next] = [claims(200), claims(200)]
  expect(continueInBackground(cancelled, start)).toBe(true)
  expect(continueInBackground(next, expiry)).toBe(true)
  end([...cancelled, ...next])
})

import { expect, test } from 'vitest'
import { attemptsInBackground } from './deliver.ts'

const start = new Date('2026-01-01T00:00:00Z')
const expiry = new Date('2026-01-01T00:00:45Z')
const claims = (count: number, body = '{}') => Array.from({ length: count }, () => ({ body }))
const end = (all: readonly { body: string }[]) => {
  for (const claim of all) attemptsInBackground.end(claim)
}

test('an isolate continues at most 200 attempts in the background', () => {
  const [many, one] = [claims(200), claims(1)]
  expect(attemptsInBackground.add(many, start)).toBe(true)
  expect(attemptsInBackground.add(one, start)).toBe(false)
  end(many.slice(0, 1))
  expect(attemptsInBackground.add(one, start)).toBe(true)
  end([...many, ...one])
})

test('an isolate holds at most 6 MB of bodies in the background', () => {
  const [large, small] = [claims(3, 'x'.repeat(2_000_000)), claims(1)]
  expect(attemptsInBackground.add(large, start)).toBe(true)
  expect(attemptsInBackground.add(small, start)).toBe(false)
  end(large)
  expect(attemptsInBackground.add(small, start)).toBe(true)
  end(small)
})

test('an attempt that the platform cancelled stops counting after 45 s', () => {
  const [cancelled, next] = [claims(200), claims(200)]
  expect(attemptsInBackground.add(cancelled, start)).toBe(true)
  expect(attemptsInBackground.add(next, expiry)).toBe(true)
  end([...cancelled, ...next])
})

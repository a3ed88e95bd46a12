import { expect, test } from 'vitest'
import { settingsOf } from './env.ts'

const good = { DATABASE_URL: 'postgresql://app:secret@db.test/catalogue', ENVIRONMENT: 'local' }

test('bindings are read once for each object of them', () => {
  expect(settingsOf(good)).toEqual(good)
  expect(settingsOf(good)).toBe(settingsOf(good))
})

test('wrong bindings are named, never shown', () => {
  const wrong = { ...good, NEON_FETCH_ENDPOINT: 'secret', ENVIRONMENT: 'secret' }
  expect(() => settingsOf(wrong)).toThrow(/^missing or wrong bindings: NEON_FETCH_ENDPOINT, ENVIRONMENT$/)
})

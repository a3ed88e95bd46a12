import { expect, test } from 'vitest'
import { settingsOf } from './env.ts'

const good = { DATABASE_URL: 'postgresql://app:secret@db.test/catalogue', ENVIRONMENT: 'local' }

test('bindings are read once for each object of them', () => {
  expect(settingsOf(good)).toMatchObject(good)
  expect(settingsOf(good)).toBe(settingsOf(good))
})

test('wrong bindings are named, never shown', () => {
  const wrong = { ...good, NEON_FETCH_ENDPOINT: 'secret', ENVIRONMENT: 'secret' }
  expect(() => settingsOf(wrong)).toThrow(/^missing or invalid settings: NEON_FETCH_ENDPOINT, ENVIRONMENT$/)
})

test('production requires a key, and rejects settings that are for developer machines only', () => {
  const key = btoa('k'.repeat(32))
  const production = { ...good, ENVIRONMENT: 'production' }
  expect(() => settingsOf({ ...production })).toThrow(/settings: WEBHOOK_SECRET_KEY$/)
  expect(() => settingsOf({ ...production, WEBHOOK_SECRET_KEY: btoa('short') })).toThrow(/WEBHOOK_SECRET_KEY/)
  expect(() => settingsOf({ ...production, WEBHOOK_SECRET_KEY: key, CALLBACKS: 'loopback' })).toThrow(
    /settings: CALLBACKS$/,
  )
  const localhost = { LOCALHOST_TENANT: 'acme.localhost' }
  expect(() => settingsOf({ ...production, WEBHOOK_SECRET_KEY: key, ...localhost })).toThrow(
    /settings: LOCALHOST_TENANT$/,
  )
  expect(settingsOf({ ...good, ...localhost })).toMatchObject(localhost)
  expect(settingsOf({ ...production, WEBHOOK_SECRET_KEY: key })).toMatchObject({ CALLBACKS: 'public' })
  expect(settingsOf({ ...good, CALLBACKS: 'loopback' })).toMatchObject({ CALLBACKS: 'loopback' })
})

test('several keys are read in their order, the newest first', () => {
  const [newest, older] = [btoa('n'.repeat(32)), btoa('o'.repeat(32))]
  expect(settingsOf({ ...good, WEBHOOK_SECRET_KEY: `${newest}, ${older}` }).WEBHOOK_SECRET_KEY).toEqual([
    newest,
    older,
  ])
  expect(() => settingsOf({ ...good, WEBHOOK_SECRET_KEY: `${newest},` })).toThrow(/WEBHOOK_SECRET_KEY/)
})

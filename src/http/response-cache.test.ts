import { expect, test } from 'vitest'
import { newResponseCache, requestedFreshness } from './response-cache.ts'

test('counts the bytes of bodies and keys', () => {
  const answer = (bytes: number) => ({
    made: { status: 200, headers: [], etag: '"x"', body: new Uint8Array(bytes) },
    clock: 'c',
    seen: 0,
  })
  const cache = newResponseCache(6002)
  cache.set('a', answer(5000))
  expect(cache.get('a')?.made.body.byteLength).toBe(5000)
  cache.set('b', answer(5001))
  expect(cache.get('b')).toBeUndefined()
})

test.each([
  [null, null, false],
  ['max-age=5', 5, false],
  ['Max-Age=5, max-age=3', 3, false],
  ['max-age=5, no-cache', null, true],
  ['no-store', null, true],
  ['max-age=-1', null, false],
  ['max-age=soon', null, false],
  ['max-stale', null, false],
])('Cache-Control: %s', (header, maxAge, isNew) => {
  const headers = new Headers(header === null ? {} : { 'Cache-Control': header })
  expect(requestedFreshness(headers)).toEqual({ maxAge, isNew })
})

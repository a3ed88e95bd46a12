import { expect, test } from 'vitest'
import { ResponseCache, requestedFreshness } from './response-cache.ts'

const answer = (bytes: number, clock = 'c') => ({
  made: { status: 200, headers: [], etag: '"x"', body: new Uint8Array(bytes) },
  clock,
  seen: 0,
})

/** What an answer takes beside its body, with a key of one letter. */
const beside = 1002

test('keeps what has room to the byte, and nothing that is larger', () => {
  const memory = new ResponseCache(5000 + beside)
  memory.keep('a', answer(5000))
  expect(memory.at('a')?.made.body.byteLength).toBe(5000)
  memory.keep('b', answer(5001))
  expect([memory.at('a')?.clock, memory.at('b')]).toEqual(['c', undefined])
})

test('lets go of what was not asked for the longest, as much as is needed', () => {
  const memory = new ResponseCache(3 * (1000 + beside))
  for (const key of ['a', 'b', 'c']) memory.keep(key, answer(1000))
  memory.at('a')
  memory.keep('d', answer(1000))
  expect(['a', 'b', 'c', 'd'].map((key) => memory.at(key) !== undefined)).toEqual([true, false, true, true])
  memory.keep('e', answer(2 * 1000 + beside))
  expect(['a', 'c', 'd', 'e'].map((key) => memory.at(key) !== undefined)).toEqual([false, false, true, true])
})

test('an answer that replaces another gives its room back', () => {
  const memory = new ResponseCache(2 * (1000 + beside))
  memory.keep('b', answer(1000))
  for (let turn = 0; turn < 10; turn += 1) memory.keep('a', answer(1000, String(turn)))
  expect([memory.at('a')?.clock, memory.at('b')?.clock]).toEqual(['9', 'c'])
  memory.keep('a', answer(1_000_000))
  expect([memory.at('a'), memory.at('b')?.clock]).toEqual([undefined, 'c'])
})

test('without bytes nothing is kept', () => {
  const memory = new ResponseCache(0)
  memory.keep('a', answer(0))
  expect(memory.at('a')).toBeUndefined()
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

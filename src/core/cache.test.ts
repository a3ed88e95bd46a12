import { expect, test } from 'vitest'
import { Lru } from './cache.ts'

const keysIn = (cache: Lru<number>, ...keys: string[]) => keys.filter((key) => cache.get(key) !== undefined)

test('evicts the least recently used entries, as many as needed', () => {
  const cache = new Lru<number>(3, (_, value) => value)
  for (const key of ['a', 'b', 'c']) cache.set(key, 1)
  cache.get('a')
  cache.set('d', 1)
  expect(keysIn(cache, 'a', 'b', 'c', 'd')).toEqual(['a', 'c', 'd'])
  cache.set('e', 2)
  expect(keysIn(cache, 'a', 'c', 'd', 'e')).toEqual(['d', 'e'])
})

test('releases the size of a replaced value', () => {
  const cache = new Lru<number>(10, (_, value) => value)
  cache.set('b', 5)
  for (let turn = 0; turn < 10; turn += 1) cache.set('a', 5)
  expect(keysIn(cache, 'a', 'b')).toEqual(['a', 'b'])
  cache.set('a', 11)
  expect(keysIn(cache, 'a', 'b')).toEqual(['b'])
})

test('stores nothing without room', () => {
  const cache = new Lru<number>(0)
  cache.set('a', 1)
  expect(cache.get('a')).toBeUndefined()
})

test('keeps a thousand of ten thousand keys', () => {
  const cache = new Lru<number>(1000)
  const keys = Array.from({ length: 10_000 }, (_, index) => `key-${index}`)
  for (const key of keys) cache.set(key, 1)
  expect(keysIn(cache, ...keys)).toEqual(keys.slice(9000))
})

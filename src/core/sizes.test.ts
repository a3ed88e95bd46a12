import fc from 'fast-check'
import { expect, test } from 'vitest'
import { boundedBytes, bytesAtMost, bytesOf, truncate } from './sizes.ts'

test.each([
  ['shirt', 5, 'shirt'],
  ['shirts', 5, 'shirt'],
  ['a𐌰b', 2, 'a'],
  ['a𐌰b', 3, 'a𐌰'],
  ['a\u{10ffff}b', 2, 'a'],
  ['a\ud7ffb', 2, 'a\ud7ff'],
  ['', 5, ''],
])('%s in %i units is %s', (text, longest, expected) => expect(truncate(text, longest)).toBe(expected))

test('what is well-formed stays so, and is as long as it can be', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.integer({ min: 1, max: 20 }), (text, longest) => {
      const beginning = truncate(text, longest)
      expect(text.startsWith(beginning) && beginning.isWellFormed()).toBe(true)
      expect(beginning.length).toBeLessThanOrEqual(longest)
      expect(beginning.length).toBeGreaterThanOrEqual(Math.min(text.length, longest - 1))
    }),
  )
})

test('a text has the bytes of its UTF-8, and never more than its upper bound', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (text) => {
      expect(bytesOf(text)).toBe(Buffer.byteLength(text))
      expect(bytesAtMost(text)).toBeGreaterThanOrEqual(bytesOf(text))
    }),
  )
  expect([bytesOf('aé€𐌰\ud800'), bytesOf('€'.repeat(301))]).toEqual([13, 903])
})

test('a stream is read up to a maximum of bytes', async () => {
  async function* stream() {
    yield* [Uint8Array.of(1, 2), Uint8Array.of(3)]
  }
  const read = (maximum: number) => boundedBytes(stream(), maximum)
  expect(await read(3)).toEqual(Uint8Array.of(1, 2, 3))
  expect(await read(2)).toBeNull()
  expect(await boundedBytes(null, 0)).toEqual(new Uint8Array())
})

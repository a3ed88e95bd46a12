import fc from 'fast-check'
import { expect, test } from 'vitest'
import { truncate } from './slug.ts'

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

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { bytesOf } from './document.ts'

/** Strings of all kinds of units, including halves of surrogate pairs, with lengths for both ways of counting bytes. */
const text = fc
  .array(fc.constantFrom('a', 'é', '€', '😀', '\ud83d', '\ude00', '\0', '�'), { maxLength: 400 })
  .map((units) => units.join(''))

test('bytes of a text are those that it is encoded in', () => {
  fc.assert(
    fc.property(text, (each) => {
      expect(bytesOf(each)).toBe(new TextEncoder().encode(each).byteLength)
    }),
    { numRuns: 1000 },
  )
})

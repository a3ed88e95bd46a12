import { expect, test } from 'vitest'
import { splitIntoBatches } from './boundaries.ts'

const lengths = (bytes: readonly number[]) =>
  [...splitIntoBatches(bytes.map((size) => ({ document: 'é'.repeat(size / 2) })))].map(
    (batch) => batch.length,
  )

test.each([
  ['none', [], []],
  ['as many as a part has', Array(25).fill(10), [25]],
  ['one more', Array(26).fill(10), [25, 1]],
  ['documents of 100,000 bytes together', [40_000, 60_000], [2]],
  ['of two more', [40_000, 60_002], [1, 1]],
  ['one that is larger than a part, in front of another', [200_000, 10], [1, 1]],
  ['one that is larger than a part, between others', [10, 200_000, 10], [1, 1, 1]],
])('parts of %s', (_, bytes, expected) => expect(lengths(bytes)).toEqual(expected))

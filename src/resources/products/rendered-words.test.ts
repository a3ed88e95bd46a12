import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Utf8Writer } from '../../core/document.ts'
import { type Filling, gaps, packed, unpackInto, wordsSpoken } from './cache.ts'

function unpacked(text: string): string {
  const writer = new Utf8Writer()
  writer.write('before ')
  unpackInto(writer, text, asGaps)
  return writer.text().slice('before '.length)
}

/** Fills each gap with what stands for it. */
const asGaps: Filling = {
  price: (writer) => writer.write(gaps.price),
  categories: (writer) => writer.write(gaps.categories),
  collections: (writer) => writer.write(gaps.collections),
}

const allGaps: readonly string[] = Object.values(gaps)
const id = '01a20275-6f6d-7af8-8702-469da4536cd2'
const moment = '2026-11-22T08:53:00.509833Z'
/** What a rendered text has, and what only looks like it, next to each other in any order. */
const piece = fc.constantFrom(
  id,
  moment,
  ...wordsSpoken.split(' ').flatMap((word) => ['', id, moment].map((own) => word.replaceAll('\0', own))),
  ...[',', '"', ':', '{', '/', '\\"', '!', '0', '~', 'é', '😀', ...allGaps],
)

test('a text that was packed is unpacked as it was, whatever stands next to what', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(piece, fc.uuid(), fc.string()), { maxLength: 60 }), (pieces) => {
      // JSON has no control characters; gaps are those that a rendered text has.
      const text = pieces.join('').replace(/\p{Cc}/gu, (each) => (allGaps.includes(each) ? each : ''))
      expect(unpacked(packed(text))).toBe(text)
    }),
    { numRuns: 2000 },
  )
})

test('a text of more than a writer has room for is whole', () => {
  const text = Array.from(
    { length: 4000 },
    (_, index) => `${wordsSpoken.split(' ')[index % 40]?.replaceAll('\0', id)}é${id}`,
  ).join('')
  const short = packed(text)
  expect(short.length).toBeLessThan(text.length / 4)
  expect(unpacked(short)).toBe(text)
})

test('what repeats stands once', () => {
  const ids = Array.from({ length: 200 }, (_, index) => id.replace(/.{4}$/, String(1000 + index)))
  const text = ids.map((each) => `${each} ${each}`).join()
  expect(unpacked(packed(text))).toBe(text)
  expect(packed(text).length).toBeLessThan(text.length * 0.6)
  expect(packed('')).toBe('\n')
})

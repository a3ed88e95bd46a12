import { expect, test } from 'vitest'
import { slug } from './handle.ts'

test.each([
  ['already-fine-2', 'already-fine-2'],
  ['Under_Score', 'under-score'],
  ['--two  blanks--', 'two-blanks'],
  ['Crème brûlée', 'creme-brulee'],
  ['茶', null],
])('%j becomes %j', (written, handle) => {
  expect(slug(written)).toBe(handle)
})

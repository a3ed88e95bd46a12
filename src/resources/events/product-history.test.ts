import { expect, test } from 'vitest'
import { ProductHistory } from './product-history.ts'

const productId = 'p'

/** The order of the options a, b and c after two more moves, each `[id, position, request]`. */
function orderAfter(...moves: readonly (readonly [id: string, at: number | null, requestId: string])[]) {
  const created = ['a', 'b', 'c'].map((id, at) => [id, at, 'creation'] as const)
  const rows = [...created, ...moves].map(([id, at, requestId], index) => ({
    ...{ productId, kind: 'product_options', id, at, requestId, option: null, sequence: index + 1 },
  }))
  const versions = ['a', 'b', 'c'].map((id, index) => ({
    ...{ id, sequence: index + 1, version: 1, size: 10, createdAt: '', updatedAt: '' },
    document: { id, productId, document: '{}', title: null, translations: null, position: 0, values: [] },
  }))
  const history = new ProductHistory({ moves: rows, versions, variantCounts: [] }, 250)
  return history
    .embeddingAt(productId, rows.length)
    .options()
    .map(({ id }) => id)
}

test('moves of one request are final positions, whatever their order', () => {
  expect(orderAfter(['a', 1, 'r1'], ['c', 0, 'r1'])).toEqual(['c', 'a', 'b'])
  expect(orderAfter(['c', 0, 'r1'], ['a', 1, 'r1'])).toEqual(['c', 'a', 'b'])
})

test('moves of two requests follow each other', () => {
  expect(orderAfter(['a', 1, 'r1'], ['c', 0, 'r2'])).toEqual(['c', 'b', 'a'])
  expect(orderAfter(['c', 0, 'r1'], ['a', 1, 'r2'])).toEqual(['c', 'a', 'b'])
})

test('a removed child leaves no gap, also among other moves of its request', () => {
  expect(orderAfter(['b', null, 'r1'])).toEqual(['a', 'c'])
  expect(orderAfter(['a', null, 'r1'], ['c', 0, 'r1'])).toEqual(['c', 'b'])
})

import { expect, test } from 'vitest'
import { localeOf } from '../../core/locale.ts'
import type { BodyOf } from '../../core/operation.ts'
import { newProductsOf } from './new-product.ts'
import { requestedNames } from './rules.ts'
import type { product as shape } from './schema.ts'

const locales = ['en-US'] as const
const context = {
  now: new Date('2026-01-02T03:04:05.678Z'),
  locale: localeOf(locales, null),
  tenant: { locales },
}
const idOf = (index: number) => `01900000-0000-7000-8000-00000000000${index}`

function newProducts(
  bodies: readonly BodyOf<typeof shape>[],
  { handles = [], useIdSuffix = false }: { handles?: readonly string[]; useIdSuffix?: boolean } = {},
) {
  const requests = bodies.map((body, index) => ({
    id: idOf(index),
    body,
    names: requestedNames(body),
    at: (path: string) => `[${index}].${path}`,
  }))
  const input = {
    takenNames: handles.map((value) => ({ kind: 'handle' as const, value })),
    takenOfferIds: [],
    categories: new Map(),
    collections: new Set<string>(),
    references: { existing: new Set<string>(), metaobjects: [] },
    rules: { version: 0, collections: [] },
  }
  return newProductsOf(context, requests, input, useIdSuffix)
}

const handlesOf = (additions: ReturnType<typeof newProductsOf>) =>
  additions.map((addition) => addition.state.values.handle)
const problemAt = (...paths: readonly string[]) => {
  const violations = paths.map((propertyPath) => expect.objectContaining({ propertyPath }))
  return expect.objectContaining({ extras: { violations } })
}

test('derived handles avoid those of live products and of the same request', () => {
  expect(handlesOf(newProducts([{ title: 'Shirt' }, { title: 'Shirt' }], { handles: ['shirt'] }))).toEqual([
    'shirt-2',
    'shirt-3',
  ])
})

test('a derived handle ends in the id if concurrent writes take the numbered ones', () => {
  expect(handlesOf(newProducts([{ title: 'Shirt' }], { useIdSuffix: true }))).toEqual(['shirt-000000000000'])
})

test('an archived product neither reserves names nor conflicts with them', () => {
  const shirt = { title: 'Shirt', handle: 'shirt' }
  expect(handlesOf(newProducts([{ ...shirt, status: 'ARCHIVED' }, shirt]))).toEqual(['shirt', 'shirt'])
})

test('a name that two products of a request share is reported at the second', () => {
  const shirt = { title: 'Shirt', handle: 'shirt', externalId: 'erp-1', variants: [{ sku: 'S' }] }
  expect(() => newProducts([shirt, shirt])).toThrow(
    problemAt('[1].handle', '[1].externalId', '[1].variants[0].sku'),
  )
})

test('violations of the body are reported before conflicts of names', () => {
  const shirt = { title: 'Shirt', handle: 'shirt' }
  expect(() => newProducts([shirt, { ...shirt, categories: [idOf(9)] }])).toThrow(
    problemAt('[1].categories[0]'),
  )
})

test('rows of options, values and variants match the parts of the product', () => {
  const colour = { title: 'Colour', externalId: 'c', values: [{ title: 'Red', externalId: 'r' }] }
  const variants = [{ sku: 'S', optionValues: [{ option: ['Colour'], value: ['Red'] }] }]
  const [product] = newProducts([{ title: 'Shirt', options: [colour], variants }])
  const [option] = product?.parts.options ?? []
  expect(product?.rows).toMatchObject({
    options: [{ id: option?.id, externalId: 'c' }],
    values: [{ id: option?.values[0]?.id, optionId: option?.id, externalId: 'r' }],
    variants: [{ sku: 'S', optionValueIds: [option?.values[0]?.id] }],
  })
})

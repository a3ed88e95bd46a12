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

function drafted(
  bodies: readonly BodyOf<typeof shape>[],
  { taken = [], crowded = false }: { taken?: readonly string[]; crowded?: boolean } = {},
) {
  const asked = bodies.map((body, index) => ({
    id: idOf(index),
    body,
    wanted: requestedNames(body),
    at: (path: string) => `[${index}].${path}`,
  }))
  const found = {
    taken: taken.map((value) => ({ kind: 'handle' as const, value })),
    claims: new Set<string>(),
    categories: new Map(),
    collections: new Set<string>(),
    references: { existing: new Set<string>(), metaobjects: [] },
    rules: { version: 0, collections: [] },
  }
  return newProductsOf(context, asked, found, crowded)
}

const handles = (additions: ReturnType<typeof newProductsOf>) =>
  additions.map((each) => each.state.values.handle)
const refusal = (...paths: readonly string[]) => {
  const violations = paths.map((propertyPath) => expect.objectContaining({ propertyPath }))
  return expect.objectContaining({ extras: { violations } })
}

test('derived handles pass over those of live products and of one another', () => {
  expect(handles(drafted([{ title: 'Shirt' }, { title: 'Shirt' }], { taken: ['shirt'] }))).toEqual([
    'shirt-2',
    'shirt-3',
  ])
})

test('a derived handle ends in the id where others keep taking the numbered ones', () => {
  expect(handles(drafted([{ title: 'Shirt' }], { crowded: true }))).toEqual(['shirt-000000000000'])
})

test('an archived product takes no name and misses none', () => {
  const shirt = { title: 'Shirt', handle: 'shirt' }
  expect(handles(drafted([{ ...shirt, status: 'ARCHIVED' }, shirt]))).toEqual(['shirt', 'shirt'])
})

test('names that two products of a request share are told at the second', () => {
  const shirt = { title: 'Shirt', handle: 'shirt', externalId: 'erp-1', variants: [{ sku: 'S' }] }
  expect(() => drafted([shirt, shirt])).toThrow(
    refusal('[1].handle', '[1].externalId', '[1].variants[0].sku'),
  )
})

test('what is wrong with a product is told before names that others have', () => {
  const shirt = { title: 'Shirt', handle: 'shirt' }
  expect(() => drafted([shirt, { ...shirt, categories: [idOf(9)] }])).toThrow(refusal('[1].categories[0]'))
})

test('the rows of what a product owns are those of its parts', () => {
  const colour = { title: 'Colour', externalId: 'c', values: [{ title: 'Red', externalId: 'r' }] }
  const variants = [{ sku: 'S', optionValues: [{ option: ['Colour'], value: ['Red'] }] }]
  const [draft] = drafted([{ title: 'Shirt', options: [colour], variants }])
  const [option] = draft?.parts.options ?? []
  expect(draft?.rows).toMatchObject({
    options: [{ id: option?.id, externalId: 'c' }],
    values: [{ id: option?.values[0]?.id, optionId: option?.id, externalId: 'r' }],
    variants: [{ sku: 'S', optionValueIds: [option?.values[0]?.id] }],
  })
})

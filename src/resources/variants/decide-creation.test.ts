import { expect, test } from 'vitest'
import { localeOf } from '../../core/locale.ts'
import type { ProductParts } from '../products/document.ts'
import type { Body } from './row.ts'
import { decideCreation } from './rules.ts'

/** Decisions about new variants, without a database. */

const row = { document: '{}', translations: null, version: 3, createdAt: '', updatedAt: '' }
const values = ['s', 'm', 'l'].map((id, position) => ({ ...row, id, optionId: 'size', title: id, position }))
const size = { ...row, id: 'size', productId: 'shirt', title: 'Size', position: 0, values }

const shirt: ProductParts = {
  ...row,
  id: 'shirt',
  status: 'ACTIVE',
  options: [size],
  variants: [],
  variantsTotal: 2,
  categories: [],
  collections: [],
}

const decide = (bodies: readonly Body[], product: ProductParts | null = shirt) =>
  decideCreation(
    { locale: localeOf(['en-US'], null), tenant: { locales: ['en-US'] } },
    { product, takenNames: [], takenOfferIds: [], references: { existing: new Set(), metaobjects: [] } },
    {
      productId: 'shirt',
      variants: bodies.map((body, index) => ({ id: `new${index}`, body })),
      bulk: true,
    },
  )
const of = (id: string, body: Body = {}): Body => ({ ...body, optionValues: [{ id }] })
const positions = (bodies: readonly Body[]) => decide(bodies).drafts.map(({ parts }) => parts.position)

test('they come behind the others, in the order written', () => {
  expect(positions([of('s'), of('m'), of('l')])).toEqual([2, 3, 4])
})

test('each is put among those that are there and those written before it', () => {
  expect(positions([of('s', { position: 0 }), of('m', { position: 0 }), of('l', { position: -1 })])).toEqual([
    1, 0, 4,
  ])
})

test('one combination twice, or an option without a value, is refused', () => {
  expect(() => decide([of('s'), of('s')])).toThrow('variant.combination_exists')
  expect(() => decide([of('s'), {}])).toThrow('variant.option_values_incomplete')
})

test('two of one SKU are refused', () => {
  expect(() => decide([of('s', { sku: 'SHIRT' }), of('m', { sku: 'SHIRT' })])).toThrow('variant.sku_taken')
})

test('an archived or unknown product takes no variant', () => {
  expect(() => decide([of('s')], { ...shirt, status: 'ARCHIVED' })).toThrow('product.archived')
  expect(() => decide([of('s')], null)).toThrow('product.not_found')
})

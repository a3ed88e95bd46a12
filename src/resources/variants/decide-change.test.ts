import { expect, test } from 'vitest'
import { localeOf } from '../../core/locale.ts'
import type { ProductParts } from '../products/document.ts'
import type { TakenName } from '../shared/names.ts'
import type { VariantParts } from './document.ts'
import type { Body } from './row.ts'
import { decideChange } from './rules.ts'

/** Decisions about patches of a variant, without a database. */

const now = new Date('2026-10-01T12:00:00Z')
const context = { locale: localeOf(['en-US'], null), now }

const row = { document: '{}', translations: null, version: 3, createdAt: '', updatedAt: '' }
const value = (id: string, title: string) => ({ ...row, id, optionId: 'size', title, position: 0 })
const size = {
  ...row,
  id: 'size',
  productId: 'shirt',
  title: 'Size',
  position: 0,
  values: [value('s', 'S'), value('m', 'M')],
}

const shirt: ProductParts = {
  ...row,
  id: 'shirt',
  status: 'ACTIVE',
  options: [size],
  variants: [],
  variantsTotal: 4,
  categories: [],
  collections: [],
}

const small: VariantParts = {
  ...row,
  id: 'small',
  productId: 'shirt',
  document: JSON.stringify({ sku: 'SHIRT-S', status: 'ACTIVE' }),
  status: 'ACTIVE',
  optionValueIds: ['s'],
  position: 1,
}
const archivedVariant: VariantParts = {
  ...small,
  document: JSON.stringify({ sku: 'SHIRT-S', status: 'ARCHIVED', archivedAt: '2026-09-01T00:00:00.000000Z' }),
  status: 'ARCHIVED',
  position: null,
}

const decide = (variant: VariantParts, body: Body, takenNames: readonly TakenName[] = []) =>
  decideChange(
    context,
    {
      product: shirt,
      current: variant,
      takenNames,
      references: { existing: new Set(), metaobjects: [] },
    },
    body,
  )

test.each<[string, VariantParts, Body]>([
  ['nothing', small, {}],
  ['the existing state', small, { sku: 'SHIRT-S', optionValues: [{ id: 's' }], position: 1 }],
  ['archiving an archived variant', archivedVariant, { status: 'ARCHIVED' }],
])('%s changes nothing', (_, variant, body) => {
  expect(decide(variant, body)).toBeNull()
})

test('a position is the end of the order at most, and the end where it is null', () => {
  const positions = [0, 3, 9, -1, null].map((position) => decide(small, { position })?.after.position)
  expect(positions).toEqual([0, 3, 3, 3, 3])
})

test('archived it has no position, and has the time of archiving', () => {
  const decision = decide(small, { status: 'ARCHIVED' })
  expect(decision?.after).toMatchObject({ status: 'ARCHIVED', position: null })
  expect(decision?.state.values.archivedAt).toBe('2026-10-01T12:00:00.000000Z')
})

test('restored it follows the last, or has the requested position', () => {
  expect(decide(archivedVariant, { status: 'ACTIVE' })?.after.position).toBe(4)
  const decision = decide(archivedVariant, { status: 'ACTIVE', position: 0 })
  expect(decision?.after.position).toBe(0)
  expect(decision?.state.values.archivedAt).toBeNull()
})

test('an archived variant takes no other write', () => {
  expect(() => decide(archivedVariant, { sku: 'OTHER' })).toThrow('variant.archived')
  expect(() => decide(archivedVariant, { position: 0 })).toThrow('variant.archived')
})

test('option values are chosen by id or by title, one of each option', () => {
  const chosen = { option: ['Size', 'Size'], value: ['M', 'M'] }
  expect(decide(small, { optionValues: [chosen] })?.after.optionValueIds).toEqual(['m'])
  expect(() => decide(small, { optionValues: null })).toThrow('variant.option_values_incomplete')
  expect(() => decide(small, { optionValues: [{ id: 'xl' }] })).toThrow('variant.option_value_foreign')
})

test('a SKU that another variant has is refused', () => {
  expect(() => decide(small, { sku: 'MUG' }, [{ kind: 'sku', value: 'MUG' }])).toThrow('variant.sku_taken')
})

import { expect, test } from 'vitest'
import { localeOf } from '../../core/locale.ts'
import { patchTexts } from '../../core/state.ts'
import type { ProductParts } from '../products/document.ts'
import { type ChildBody, optionChildType } from './child-types.ts'
import type { OptionParts } from './document.ts'
import { decideChange } from './write.ts'

/** Decisions about changes of an option, without a database. */

const locale = localeOf(['en-US'], null)
const row = { translations: null, version: 3, createdAt: '', updatedAt: '' }

const optionOf = (title: string, position: number): OptionParts => ({
  ...row,
  id: title,
  productId: 'shirt',
  document: JSON.stringify({ title, externalId: null }),
  translations: { 'en-US': { title } },
  title,
  position,
  values: [],
})
const colour = optionOf('Colour', 0)
const options = [colour, optionOf('Size', 1), optionOf('Cut', 2)]

const shirt: ProductParts = {
  ...row,
  id: 'shirt',
  document: '{}',
  status: 'ACTIVE',
  options,
  variants: [],
  variantsTotal: 0,
  categories: [],
  collections: [],
}

const decide = (body: ChildBody, externalIdTaken: string | null = null) =>
  decideChange(
    optionChildType,
    { tenant: { locales: ['en-US'] } },
    { product: shirt, child: colour, siblings: options, externalIdTaken },
    { body, textUpdate: patchTexts(optionChildType.kind.shape, body, locale) },
  )

test.each<[string, ChildBody]>([
  ['nothing', {}],
  ['the existing state', { title: 'Colour', externalId: null, position: 0 }],
])('%s changes nothing', (_, body) => {
  expect(decide(body)).toBeNull()
})

test('a position is the end of the siblings at most, and the end where it is null', () => {
  const positions = [1, 2, 9, -1, null].map((position) => decide({ position })?.after.position)
  expect(positions).toEqual([1, 2, 2, 2, 2])
})

test('the row has the changed members, and the rest stays', () => {
  const decision = decide({ title: 'Color', externalId: 'colour' })
  expect(decision?.after).toMatchObject({ title: 'Color', position: 0, version: 3 })
  expect(decision?.state.values).toEqual({ externalId: 'colour' })
  expect(decision?.before.values).toEqual({ externalId: null })
})

test('a title of a sibling and an external id of another row are refused', () => {
  expect(() => decide({ title: 'Size' })).toThrow('product_option.title_taken')
  expect(() => decide({ externalId: 'erp' }, 'erp')).toThrow('product_option.external_id_taken')
})

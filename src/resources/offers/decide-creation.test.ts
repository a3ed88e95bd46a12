/** Decisions about new offers, without a database. */
import { expect, test } from 'vitest'
import { localeOf } from '../../core/locale.ts'
import { saleOfferDefinition } from '../sale-offers/terms.ts'
import { maximumOffers } from './kind.ts'
import { type CreationInputs, decideCreation } from './write.ts'

const locale = localeOf(['en-US'], null)
const shirt = '01900000-0000-7000-8000-000000000001'
const variant = { id: '01900000-0000-7000-8000-000000000002', ownerId: shirt }
const target = { id: variant.id, productId: shirt, status: 'ACTIVE', productArchived: false, offers: 0 }
const inputs: CreationInputs = { targets: [target], takenExternalIds: [], categoriesOf: () => [] }

const decide = (bodies: readonly object[], changes: Partial<CreationInputs> = {}) => {
  const requests = bodies.map((body, index) => {
    const at = (name: string) => `[${index}].${name}`
    const values = { variant, currency: 'EUR', amount: '1', ...body }
    return { id: `offer-${index}`, at, ...saleOfferDefinition.create(values, locale, at) }
  })
  return decideCreation(saleOfferDefinition, ['en-US'], requests, { ...inputs, ...changes })
}

test('amounts take the decimals of their currency', () => {
  const [offer] = decide([{ amount: 19.9, compareAtAmount: '24' }])
  expect(offer?.values).toMatchObject({ amount: '19.90', compareAtAmount: '24.00' })
  expect(JSON.parse(offer?.parts.document ?? '')).toMatchObject({
    variant: `/api/products/${shirt}/variants/${variant.id}`,
    product: `/api/products/${shirt}`,
    amount: '19.90',
  })
})

test('the second of one external id is refused', () => {
  const twins = [{ externalId: 'a' }, { externalId: 'a' }]
  expect(() => decide(twins)).toThrow('sale_offer.external_id_taken')
  expect(decide([{ externalId: 'a', status: 'ARCHIVED' }, { externalId: 'a' }])).toHaveLength(2)
})

test('the offer beyond the most of a variant is refused, an archived one is not counted', () => {
  const targets = [{ ...target, offers: maximumOffers - 1 }]
  expect(decide([{}, { status: 'ARCHIVED' }], { targets })).toHaveLength(2)
  expect(() => decide([{}, {}], { targets })).toThrow('sale_offer.limit')
})

test('an unknown variant is reported before an archived one', () => {
  const archived = [{ ...target, productArchived: true }]
  expect(() => decide([{}], { targets: archived })).toThrow('product.archived')
  const unknownVariant = { ...variant, id: '01900000-0000-7000-8000-000000000003' }
  expect(() => decide([{}, { variant: unknownVariant }], { targets: archived })).toThrow(
    'validation.unknown_reference',
  )
})

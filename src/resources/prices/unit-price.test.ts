/** Unit prices: the content of a package, and the price of a kilogram, a litre or another quantity. */
import { describe, expect, test } from 'vitest'
import { asOwner } from '../../../test/support/database.ts'
import { sentBy } from '../../../test/support/sent.ts'
import { openShop, type Reply, type Shop } from '../../../test/support/shop.ts'
import { versions } from '../../versions/index.ts'

type Body = Reply['body']

const litre = { value: 0.75, unit: 'l' }

describe('the measure of a variant', () => {
  test('is null by default, and the same in every version', async () => {
    const shop = await openShop()
    const { variants } = await shop.create('/api/products', {
      title: 'Oil',
      options: [{ title: 'Size', values: [{ title: 'S' }, { title: 'L' }] }],
      variants: [
        { optionValues: [{ option: 'Size', value: 'S' }], measure: litre },
        { optionValues: [{ option: 'Size', value: 'L' }] },
      ],
    })
    expect(variants.map(({ measure }: Body) => measure)).toEqual([litre, null])
    const [small] = variants
    for (const { name: version } of versions)
      expect((await shop.get(small['@id'], { version })).body.measure).toEqual(litre)
    const changed = await shop.update(small['@id'], { measure: { value: 1e9 } })
    expect(changed.measure).toEqual({ value: 1e9, unit: 'l' })
    expect(await shop.update(small['@id'], { measure: null })).toHaveProperty('measure', null)
  })

  test.each([
    [{ value: 0, unit: 'g' }, 'measure.value', 'validation.too_small'],
    [{ value: -1, unit: 'g' }, 'measure.value', 'validation.too_small'],
    [{ value: 1e9 + 1, unit: 'g' }, 'measure.value', 'validation.too_big'],
    [{ value: 0.0000011, unit: 'g' }, 'measure.value', 'validation.too_many_decimals'],
    [{ value: '1', unit: 'g' }, 'measure.value', 'validation.type'],
    [{ value: 1, unit: 'stone' }, 'measure.unit', 'validation.choice'],
    [{ value: 1 }, 'measure.unit', 'validation.choice'],
    [{ unit: 'g' }, 'measure.value', 'validation.required'],
    [1, 'measure', 'validation.type'],
  ])('%j is 422 and stores nothing', async (measure, path, slug) => {
    const shop = await openShop()
    const { body } = await shop.post('/api/products', {
      body: { title: 'Oil', variants: [{ measure }] },
      status: 422,
    })
    expect(body).toMatchObject({ slug, violations: [{ propertyPath: `variants[0].${path}` }] })
    expect((await shop.read('/api/products')).member).toEqual([])
    const { variants } = await shop.create('/api/products', { title: 'Oil', variants: [{}] })
    await shop.patch(variants[0]['@id'], { body: { measure }, status: 422 })
    expect((await shop.read(variants[0]['@id'])).measure).toBe(null)
  })

  test.each(['{"value":0,"unit":"g"}', '{"value":1,"unit":"stone"}', '{"value":1}', '{"unit":"g"}', '1'])(
    'the database refuses %s',
    async (measure) => {
      const shop = await openShop()
      const { variants } = await shop.create('/api/products', {
        title: 'Oil',
        variants: [{ measure: litre }],
      })
      const change = `update variants set document = jsonb_set(document::jsonb, '{measure}', $2)::text where id = $1`
      await expect(asOwner(change, [variants[0].id, measure])).rejects.toThrow('variants_measure')
      await asOwner(change, [variants[0].id, '{"value":0.5,"unit":"kg"}'])
    },
  )
})

const context =
  'resolveContext[channel]=web&resolveContext[country]=DE&resolveContext[at]=2027-01-01T00:00:00Z'

type Written = {
  readonly measure?: object
  readonly amount?: string
  readonly categories?: readonly Body[]
  readonly terms?: object
}

/** Creates a product of one variant with an offer. Returns the IRI of the product. */
async function packed(
  shop: Shop,
  { measure, amount = '9.99', categories = [], terms }: Written,
): Promise<string> {
  const { '@id': iri } = await shop.create('/api/products', {
    title: 'Goods',
    categories: categories.map((category) => category['@id']),
    variants: [{ measure, saleOffers: [{ currency: 'EUR', amount, ...terms }] }],
  })
  return iri
}

/** The unit price of a product, which all documents with prices contain. Each is read in one round trip. */
async function unitPriceOf(shop: Shop, product: string): Promise<Body> {
  const { variants } = await shop.read(product)
  const [variant] = variants
  const paths = [
    product,
    `/api/products?id[]=${product.split('/').at(-1)}&`,
    `${product}/variants`,
    variant['@id'],
    `${variant['@id']}?explain=price&`,
    `${variant['@id']}?properties[]=resolvedPrice&`,
    `/api/products?id[]=${product.split('/').at(-1)}&properties[variants][]=resolvedPrice&`,
    `${product}/variants?properties[]=resolvedPrice&`,
  ]
  const prices: Body[] = []
  for (const path of paths) {
    const sent = await sentBy(async () => {
      const body = await shop.read(`${path}${path.includes('?') ? '' : '?'}${context}`)
      const [inner = body] = body.member ?? [body]
      prices.push((inner.variants?.[0] ?? inner).resolvedPrice.unitPrice)
    })
    expect(sent).toHaveLength(1)
  }
  for (const price of prices) expect(price).toEqual(prices[0])
  return prices[0]
}

describe('the unit price', () => {
  test.each([
    [{ value: 750, unit: 'ml' }, '9.99', '13.32', 'l'],
    [{ value: 0.75, unit: 'l' }, '9.99', '13.32', 'l'],
    [{ value: 250, unit: 'g' }, '1.49', '5.96', 'kg'],
    [{ value: 2.5, unit: 'kg' }, '10.00', '4.00', 'kg'],
    [{ value: 3, unit: 'm' }, '10.00', '3.33', 'm'],
    [{ value: 1.44, unit: 'm2' }, '36.00', '25.00', 'm2'],
    [{ value: 0.05, unit: 'm3' }, '4.50', '90.00', 'm3'],
  ])('of %j for %s is %s per %s', async (measure, amount, expected, unit) => {
    const shop = await openShop()
    const product = await packed(shop, { measure, amount })
    expect(await unitPriceOf(shop, product)).toEqual({ amount: expected, per: { value: 1, unit } })
  })

  test('is null without a measure and for pieces, and absent without a price', async () => {
    const shop = await openShop()
    expect(await unitPriceOf(shop, await packed(shop, {}))).toBe(null)
    expect(await unitPriceOf(shop, await packed(shop, { measure: { value: 6, unit: 'piece' } }))).toBe(null)
    const later = await packed(shop, { measure: litre, terms: { validFrom: '2028-01-01' } })
    const { variants } = await shop.read(`${later}?explain=price&${context}`)
    expect(variants[0].resolvedPrice).not.toHaveProperty('unitPrice')
  })

  test('is that of the reduced price, with the tax of the offer; the prior price is unchanged', async () => {
    const shop = await openShop()
    const product = await packed(shop, {
      measure: { value: 500, unit: 'g' },
      amount: '4.00',
      terms: { compareAtAmount: '5.00', taxIncluded: false },
    })
    const { variants } = await shop.read(`${product}?${context}&expand=priorPrice`)
    expect(variants[0].resolvedPrice).toMatchObject({
      amount: '4.00',
      taxIncluded: false,
      unitPrice: { amount: '8.00', per: { value: 1, unit: 'kg' } },
      noPriorPrice: { reason: expect.any(String) },
    })
  })

  test('of a category comes before that of its ancestors, of a later category, of the tenant and the default', async () => {
    const shop = await openShop()
    const category = (values: object) => shop.create('/api/categories', { title: 'C', ...values })
    const root = await category({ referenceUnit: { value: 100, unit: 'ml' } })
    const shelf = await category({ parent: root['@id'], referenceUnit: { value: 100, unit: 'g' } })
    const leaf = await category({ parent: shelf['@id'] })
    const other = await category({ referenceUnit: { value: 10, unit: 'ml' } })
    const per = async (categories: Body[], unit: string) => {
      const product = await packed(shop, { measure: { value: 1, unit }, amount: '10.00', categories })
      return await unitPriceOf(shop, product)
    }
    const tenPerMillilitre = { amount: '100.00', per: { value: 10, unit: 'ml' } }
    expect(await per([other], 'ml')).toEqual(tenPerMillilitre)
    expect(await per([other, leaf], 'ml')).toEqual(tenPerMillilitre)
    expect(await per([leaf, other], 'ml')).toEqual({ amount: '1000.00', per: { value: 100, unit: 'ml' } })
    expect(await per([leaf], 'kg')).toEqual({ amount: '1.00', per: { value: 100, unit: 'g' } })
    expect(await per([leaf], 'm2')).toEqual({ amount: '10.00', per: { value: 1, unit: 'm2' } })
    expect(await per([], 'ml')).toEqual({ amount: '10000.00', per: { value: 1, unit: 'l' } })

    await shop.update(shelf['@id'], { referenceUnit: { value: 2 } })
    expect(await per([leaf], 'kg')).toEqual({ amount: '0.02', per: { value: 2, unit: 'g' } })
    await shop.update(leaf['@id'], { referenceUnit: { value: 1, unit: 'kg' } })
    expect(await per([leaf], 'kg')).toEqual({ amount: '10.00', per: { value: 1, unit: 'kg' } })
    await shop.update(other['@id'], { referenceUnit: null })
    const units = JSON.stringify([
      { value: 100, unit: 'g' },
      { value: 50, unit: 'ml' },
    ])
    await asOwner('update tenants set reference_units = $2 where id = $1', [shop.tenant.id, units])
    shop.restart()
    expect(await per([other], 'ml')).toEqual({ amount: '500.00', per: { value: 50, unit: 'ml' } })
    expect(await per([leaf], 'ml')).toEqual({ amount: '1000.00', per: { value: 100, unit: 'ml' } })
  })

  test.each([
    [{ value: 100, unit: 'piece' }, 'referenceUnit.unit', 'validation.choice'],
    [{ value: 0, unit: 'g' }, 'referenceUnit.value', 'validation.too_small'],
  ])('of a category refers to no %j', async (referenceUnit, propertyPath, slug) => {
    const shop = await openShop()
    const { body } = await shop.post('/api/categories', { body: { title: 'C', referenceUnit }, status: 422 })
    expect(body).toMatchObject({ slug, violations: [{ propertyPath }] })
    const { id } = await shop.create('/api/categories', { title: 'C' })
    const change = `update categories set document = jsonb_set(document::jsonb, '{referenceUnit}', $2)::text where id = $1`
    await expect(asOwner(change, [id, JSON.stringify(referenceUnit)])).rejects.toThrow(
      'categories_reference_unit',
    )
  })
})

import { type Canaries, type Made, once, type Samples, sampleTexts } from '../support/sampling.ts'
import { sampleCategory } from './categories.ts'

type Product = Made & {
  readonly handle: string
  readonly options: readonly [Made & { readonly values: readonly [Made] }]
  readonly variants: readonly [Made]
}

/** The product that other samples are of. */
export const sampleProduct = once(async (shop) => {
  const category = await sampleCategory(shop)
  return shop.make<Product>('/api/products', {
    title: 'Shirt',
    fields: { washing: 'cold' },
    categories: [category['@id']],
    options: [{ title: 'Size', values: [{ title: 'S' }, { title: 'M' }] }],
    variants: [{ optionValues: [{ option: 'Size', value: 'S' }], fields: { fit: 'slim' } }],
  })
})

/** A product whose one option lets its variants be made and archived. */
export const plainProduct = once(({ make }) =>
  make<Product>('/api/products', {
    title: 'Mug',
    options: [{ title: 'Colour', values: [{ title: 'Red' }, { title: 'Blue' }] }],
    variants: [{ optionValues: [{ option: 'Colour', value: 'Red' }] }],
  }),
)

const saleOffers = [{ currency: 'EUR', amount: '4.90' }]

export const samples: Samples = async (shop) => {
  const { make, next } = shop
  const keyed = await make('/api/products', {
    title: 'Keyed',
    externalId: 'keyed',
    variants: [{ sku: 'keyed' }],
  })
  const { id, handle } = await sampleProduct(shop)
  await make('/api/products', { title: 'Unpriced', status: 'ACTIVE' })
  return {
    listProducts: () => ({ params: {} }),
    createProducts: () => ({ params: {}, body: { title: `Sock ${next()}`, variants: [{ saleOffers }] } }),
    getProduct: () => ({ params: { id } }),
    getProductByHandle: () => ({ params: { handle } }),
    patchProduct: () => ({ params: { id }, body: { vendor: next() } }),
    patchProducts: () => ({ params: {}, body: [{ '@id': `/api/products/${id}`, vendor: next() }] }),
    upsertProduct: () => ({
      params: { externalId: 'keyed' },
      body: { vendor: next(), variants: [{ sku: 'keyed', saleOffers }] },
    }),
    revertProduct: () => ({ params: { id: keyed.id }, body: { to: 1 } }),
    deleteProduct: () => ({ params: { id } }),
    listIssues: () => ({ params: {} }),
    getProductReadiness: () => ({ params: { id } }),
    getProductTranslations: () => ({ params: { id } }),
    listProductTranslations: () => ({ params: {}, query: { missing: 'fr-FR' } }),
    putProductTranslations: () => ({ params: { id }, body: sampleTexts(shop) }),
  }
}

/** The product with all that it owns. */
export const productCanary = once(({ make }) =>
  make<Product>('/api/products', {
    title: 'canary-product',
    // The handle of the metaobject as well: paths of both have this parameter.
    handle: 'soup',
    options: [{ title: 'canary-product_option', values: [{ title: 'canary-option_value' }] }],
    variants: [
      {
        sku: 'canary-variant',
        optionValues: [{ option: 'canary-product_option', value: 'canary-option_value' }],
      },
    ],
  }),
)

export const canaries: Canaries = async (shop) => ({ product: await productCanary(shop) })

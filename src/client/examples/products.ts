/** Creates a product, changes it, and follows all changes since: with types of one API version throughout. */
import { type CatalogueClient, createCatalogueClient, type Document, idOf } from '../index.ts'

export async function productsByType(options: { baseUrl: string; token: string }) {
  const catalogue = createCatalogueClient({ ...options, version: '2026-10' })

  const created = await catalogue.POST('/api/products', {
    params: { header: { 'Idempotency-Key': 'order-17' } },
    body: {
      title: 'Organic cotton shirt',
      options: [{ title: 'Colour', values: [{ title: 'Red' }] }],
      variants: [{ sku: 'SHIRT-RED', optionValues: [{ option: 'Colour', value: 'Red' }] }],
    },
  })
  if (created.error) throw new Error(created.error.message)
  // One product was sent, so one is answered; a list answers a list.
  const product = created.data as Document<'2026-10', 'Product'>

  const changed = await catalogue.PATCH('/api/products/{id}', {
    params: { path: { id: idOf(product['@id']) } },
    body: { status: 'ACTIVE', channels: ['web'] },
  })
  if (changed.error) throw new Error(changed.error.message)

  const priced = await catalogue.GET('/api/products', {
    params: {
      query: {
        status: 'ACTIVE',
        'resolveContext[channel]': 'web',
        'resolveContext[country]': 'FR',
        'resolveContext[at]': new Date().toISOString(),
      },
    },
  })
  return { product, status: changed.data.status, prices: pricesOf(priced.data) }
}

function pricesOf(list: Document<'2026-10', 'ProductList'> | undefined) {
  const variants = list?.member.flatMap(({ variants }) => variants ?? []) ?? []
  return variants.map(({ sku, resolvedPrice }) => ({ sku, amount: resolvedPrice?.amount ?? null }))
}

/** In an older version the same property has another name, which the types know. */
export async function subCategories(catalogue: CatalogueClient<'2026-04'>, id: string) {
  const { data } = await catalogue.GET('/api/categories/{id}', { params: { path: { id } } })
  return data?.childrens ?? []
}

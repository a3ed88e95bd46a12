/** The catalogue of each test in a browser. */
import type { Shop } from '../support/shop.ts'

/** Fills a shop with a mug that has one of everything, and thirty plates; answers the mug. */
export async function pottery(shop: Shop, origin: string): Promise<ReturnType<typeof JSON.parse>> {
  const category = await shop.create('/api/categories', { title: 'Tableware' })
  const mug = await shop.create('/api/products', {
    title: 'Stoneware mug',
    description: 'Thrown by hand.',
    status: 'ACTIVE',
    channels: ['web'],
    vendor: 'Atelier Brume',
    tags: ['ceramic'],
    categories: [category['@id']],
    media: [{ url: `${origin}/docs/icon.svg`, alt: 'A mug' }],
    seo: { title: 'Mugs', description: 'Of stoneware' },
    options: [{ title: 'Colour', values: [{ title: 'Sand' }, { title: 'Sea blue' }] }],
    variants: ['Sand', 'Sea blue'].map((value) => ({
      sku: `MUG-${value.slice(0, 3)}`,
      optionValues: [{ option: 'Colour', value }],
    })),
  })
  const amounts = ['18.00', '21.50']
  await shop.create(
    '/api/sale_offers',
    mug.variants.map((each: { '@id': string }, at: number) => ({
      variant: each['@id'],
      currency: 'EUR',
      amount: amounts[at],
    })),
  )
  await shop.update(mug['@id'], { title: 'Mug en grès' }, { locale: 'fr-FR' })
  const [sand] = mug.variants
  const cost = { variant: sand['@id'], supplier: 'kiln-and-co', cost: '6.10', currency: 'EUR' }
  await shop.create('/api/purchase_offers', cost)
  const { '@id': favourites } = await shop.create('/api/collections', { title: 'Favourites' })
  await shop.create(`${favourites}/products`, { product: mug['@id'] })
  const hook = { topic: 'category/*', callbackUrl: 'http://127.0.0.1:9/first' }
  await shop.create('/api/webhook_subscriptions', hook)
  const more = Array.from({ length: 30 }, (_, index) => ({ title: `Plate ${index + 1}` }))
  await shop.create('/api/products', more)
  return mug
}

/** Bodies as the receiver gets them: in the subscription's version, locale and selection, and the same every time. */
import { expect, test } from 'vitest'
import { openWorld, type World } from '../support/webhooks.ts'

async function catalogue(world: World) {
  const { shop } = world
  const parent = await shop.create('/api/categories', { title: 'Clothes' })
  const child = await shop.create('/api/categories', { title: 'Shirts', parent: parent['@id'] })
  const product = await shop.create('/api/products', {
    title: 'Shirt',
    categories: [parent['@id']],
    options: [{ title: 'Size', values: [{ title: 'S' }, { title: 'M' }] }],
    variants: [
      { sku: 'S', optionValues: [{ option: 'Size', value: 'S' }] },
      { sku: 'M', optionValues: [{ option: 'Size', value: 'M' }] },
    ],
  })
  return { parent, child, product }
}

const of = (world: World, topic: string) =>
  world.receipts.filter((each) => each.headers['service-topic'] === topic).map((each) => each.body)

test('a product embeds its categories with children, which older pins call childrens', async () => {
  const world = await openWorld()
  await world.subscribe({ topic: 'product/*', callbackUrl: 'https://new.shop.dev/' })
  await world.subscribe({
    topic: 'product/*',
    callbackUrl: 'https://old.shop.dev/',
    payloadVersion: '2026-04',
  })
  const { child, product } = await catalogue(world)
  await world.drain()
  const [recent, old] = ['new', 'old'].map((name) => world.receipts.find((each) => each.url.includes(name))!)
  expect(recent!.headers['service-api-version']).toBe('2026-10')
  expect(recent!.body.categories).toMatchObject([{ title: 'Clothes', children: [child['@id']] }])
  expect(old!.headers['service-api-version']).toBe('2026-04')
  expect(old!.body.categories).toMatchObject([{ title: 'Clothes', childrens: [child['@id']] }])
  expect(old!.text).not.toContain('"children":')
  const { '@context': context, ...document } = recent!.body
  expect(context).toBe('/api/contexts/Product')
  expect(document).toEqual({ ...product, '@context': undefined })
})

test('a body is in the locale where a translation exists, and names the fallback otherwise', async () => {
  const world = await openWorld()
  await world.subscribe({ topic: 'product/updated', locale: 'fr-FR' })
  const body = await world.shop.create('/api/products', { title: 'Shirt', description: 'Warm' })
  await world.shop.update(body['@id'], { title: 'Chemise' }, { locale: 'fr-FR' })
  await world.drain()
  expect(of(world, 'product/updated')).toMatchObject([
    { title: 'Chemise', description: 'Warm', fallbacks: { description: 'en-US' } },
  ])
})

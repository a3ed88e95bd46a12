/** Bodies as the receiver gets them: in the subscription's version, locale and selection, and the same every time. */
import { expect, test } from 'vitest'
import { allScopes } from '../../src/resources/index.ts'
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
  await world.shop.patch(body['@id'], { body: { title: 'Chemise' }, locale: 'fr-FR', status: 200 })
  await world.drain()
  expect(of(world, 'product/updated')).toMatchObject([
    { title: 'Chemise', description: 'Warm', fallbacks: { description: 'en-US' } },
  ])
})

test('includeFields leaves the selected paths and the id, in the names of the pinned version', async () => {
  const world = await openWorld()
  await world.subscribe({
    topic: 'product/created',
    payloadVersion: '2026-01',
    includeFields: ['title', 'variants.sku', 'categories.*.children'],
  })
  const { parent, child, product } = await catalogue(world)
  await world.drain()
  expect(world.receipts[0]!.body).toEqual({
    '@context': '/api/contexts/Product',
    '@id': product['@id'],
    '@type': 'Product',
    id: product.id,
    title: 'Shirt',
    variants: product.variants.map((each: Record<string, unknown>) => ({
      '@id': each['@id'],
      '@type': 'Variant',
      sku: each.sku,
    })),
    categories: [{ '@id': parent['@id'], '@type': 'Category', childrens: [child['@id']] }],
  })
})

test('a deletion carries the last state', async () => {
  const world = await openWorld()
  await world.subscribe({ topic: 'product/deleted' })
  const { product } = await catalogue(world)
  await world.shop.delete(product['@id'], { status: 204 })
  await world.drain()
  expect(of(world, 'product/deleted')).toMatchObject([
    { '@id': product['@id'], title: 'Shirt', status: 'ARCHIVED', version: 2 },
  ])
})

test('a body contains nothing that the subscription’s creator cannot read: children, drafts, and no offer events', async () => {
  const world = await openWorld()
  const scopes = allScopes.filter(
    (each) => !['purchase_offers:read', 'categories:read', 'metaobjects:write'].includes(each),
  )
  await world.subscribe({ callbackUrl: 'https://all.shop.dev/' })
  await world.subscribe({ callbackUrl: 'https://less.shop.dev/', scopes })
  const { product } = await catalogue(world)
  const { shop } = world
  await shop.create('/api/purchase_offers', {
    variant: product.variants[0]['@id'],
    supplier: 'x',
    currency: 'EUR',
    cost: '4.44',
  })
  const type = '/api/metafield_definition_types/single_line_text_field'
  const definition = (
    await shop.create('/api/metaobject_definitions', {
      type: 'recipe',
      fieldDefinitions: [{ key: 'title', type }],
    })
  )['@id']
  const draft = await shop.create('/api/metaobjects', { definition, fields: { title: 'Soup' } })
  await world.drain()
  const bodyOf = (name: string, topic: string) =>
    world.receipts.find((each) => each.url.includes(name) && each.headers['service-topic'] === topic)?.body
  expect(bodyOf('all', 'purchase_offer/created').cost).toBe('4.44')
  expect(bodyOf('less', 'purchase_offer/created')).toBeUndefined()
  expect(bodyOf('less', 'category/created')).toBeUndefined()
  expect(bodyOf('all', 'product/created').categories[0]).toHaveProperty('children')
  expect(bodyOf('less', 'product/created').categories[0]).not.toHaveProperty('children')
  expect(bodyOf('all', 'metaobject/created')).toMatchObject({
    status: 'DRAFT',
    fields: [{ value: 'Soup' }],
  })
  expect(bodyOf('less', 'metaobject/created')).toEqual({
    '@context': '/api/contexts/Metaobject',
    '@id': draft['@id'],
    '@type': 'Metaobject',
    id: draft.id,
  })
})

test('an attempt after later changes sends the same bytes under the same id, whatever the subscription became', async () => {
  const world = await openWorld()
  const { id } = await world.subscribe({ topic: 'product/created', includeFields: ['title', 'variants'] })
  world.answer = () => new Response(null, { status: 500 })
  const { product } = await catalogue(world)
  await world.drain()
  await world.shop.patch(product['@id'], { body: { title: 'Changed' }, status: 200 })
  await world.shop.patch(product.variants[0]['@id'], { body: { sku: 'OTHER' }, status: 200 })
  await world.change(id, {
    payload_version: '2026-01',
    include_fields: '["vendor"]',
    locale: 'fr-FR',
    scopes: '{products:read}',
  })
  for (let attempt = 0; attempt < 3; attempt += 1) {
    world.pass(400_000)
    await world.drain()
  }
  expect(world.receipts.map((each) => each.headers['service-delivery-attempt'])).toEqual(['1', '2', '3', '4'])
  expect(new Set(world.receipts.map((each) => each.text)).size).toBe(1)
  expect(new Set(world.receipts.map((each) => each.headers['webhook-id'])).size).toBe(1)
  expect(new Set(world.receipts.map((each) => each.headers['webhook-signature'])).size).toBe(4)
})

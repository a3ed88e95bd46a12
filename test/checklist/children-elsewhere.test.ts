/** The rename of the category property beyond REST: in webhook payloads of the product topics and in the tool. */
import { beforeAll, describe, expect, test } from 'vitest'
import { versions } from './versions.ts'
import { openWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})

describe.each(versions)('in $version', ({ version, children: name, other }) => {
  /** The payload of a product for a subscription of this version. */
  async function payloadOf(product: string, written: object = {}) {
    const { shop, fill } = world
    const body = fill({ topic: 'product/*', callbackUrl: 'http://127.0.0.1:9/{new}', version, ...written })
    const subscription = await shop.create('/api/webhook_subscriptions', body)
    const asked = { body: { resource: product }, status: 200 }
    const preview = (await shop.post(`${subscription['@id']}/preview`, asked)).body
    await shop.delete(subscription['@id'], { status: 204 })
    return { headers: new Headers(preview.headers), document: JSON.parse(preview.body) }
  }

  test(`product/created, product/updated and product/deleted contain ${name}`, async () => {
    const { shop, iri } = world
    const body = { title: 'With a category', categories: [iri('category')] }
    const product = (await shop.create('/api/products', body))['@id']
    const steps = {
      'product/created': async () => {},
      'product/updated': async () => shop.patch(product, { body: { vendor: 'V' }, status: 200 }),
      'product/deleted': async () => shop.delete(product, { status: 204 }),
    }
    for (const [topic, step] of Object.entries(steps)) {
      await step()
      const payload = await payloadOf(product)
      expect(payload.headers.get('service-topic')).toBe(topic)
      expect(payload.headers.get('service-api-version')).toBe(version)
      expect(payload.document['@id']).toBe(product)
      expect(payload.document.categories).toMatchObject([{ title: 'Shoes', [name]: [iri('leaf')] }])
      expect(JSON.stringify(payload.document)).not.toContain(`"${other}"`)
    }
  })

  test(`includeFields selects ${name}`, async () => {
    const { document } = await payloadOf(world.iri('product'), { includeFields: [`categories.${name}`] })
    expect(Object.keys(document).filter((each) => !each.startsWith('@'))).toEqual(['id', 'categories'])
    expect(document.categories[0]).toHaveProperty(name)
    expect(document.categories[0]).not.toHaveProperty('title')
  })
})

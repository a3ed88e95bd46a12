import { beforeEach, describe, expect, test } from 'vitest'
import { eventsOf, faultsIn } from '../../../test/support/ledger.ts'
import { openShop, type Shop } from '../../../test/support/shop.ts'

const list = '/api/collections'
let shop: Shop
beforeEach(async () => {
  shop = await openShop()
})

async function create(path: string, body: object) {
  return await shop.create(path, body)
}

/** Waits until the rebuild of a collection has finished, and returns the collection. */
async function waitForRebuild(iri: string) {
  for (;;) {
    const body = await shop.read(iri)
    if (!body.rebuilding) return body
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

async function titlesIn(collection: { '@id': string }): Promise<string[]> {
  const body = await shop.read(`${collection['@id']}/products?order[title]=asc`)
  expect(body.totalItems).toBe(body.member.length)
  return body.member.map((product: { title: string }) => product.title)
}

async function topics(): Promise<string[]> {
  return (await eventsOf(shop)).map((event) => event.topic)
}

describe('products that are chosen', () => {
  test('keep their place while they are archived, uncounted', async () => {
    const collection = await create(list, { title: 'Summer' })
    const hat = await create('/api/products', { title: 'Hat' })
    await shop.create(`${collection['@id']}/products`, { product: hat['@id'] })
    await shop.delete(hat['@id'], { status: 204 })
    expect((await shop.get(collection['@id'])).body.productsCount).toBe(0)
    expect(await titlesIn(collection)).toEqual([])
    expect((await shop.get(`${collection['@id']}/products?status=ARCHIVED`)).body.totalItems).toBe(1)
    await shop.update(hat['@id'], { status: 'ACTIVE' })
    expect((await shop.get(collection['@id'])).body.productsCount).toBe(1)
    expect(await titlesIn(collection)).toEqual(['Hat'])
    expect(await faultsIn(shop)).toEqual([])
  })

  test('get one event each when their collection is deleted, the archived too', async () => {
    const collection = await create(list, { title: 'Summer' })
    const other = await create(list, { title: 'Other' })
    const [hat, cap] = [
      await create('/api/products', { title: 'Hat' }),
      await create('/api/products', { title: 'Cap' }),
    ]
    for (const { '@id': iri } of [collection, other]) {
      await shop.create(`${iri}/products`, [{ product: hat['@id'] }, { product: cap['@id'] }])
    }
    await shop.delete(cap['@id'], { status: 204 })
    const before = (await eventsOf(shop)).length
    await shop.delete(collection['@id'], { status: 204 })
    // Immediately, whether or not their events exist yet.
    expect((await shop.get(hat['@id'])).body.collections).toEqual([other['@id']])
    expect((await shop.get(`/api/products?collection=${collection.id}`)).body).toMatchObject({
      totalItems: 0,
      member: [],
    })
    for (const path of [collection['@id'], `${collection['@id']}/products`]) {
      expect((await shop.get(path, { status: 404 })).body.slug).toBe('collection.not_found')
    }
    await expect
      .poll(async () => (await topics()).slice(before))
      .toEqual(['collection/deleted', 'product/updated', 'product/updated'])
    expect((await eventsOf(shop)).at(-1)!.changes).toEqual([
      {
        path: 'collections',
        before: [collection['@id'], other['@id']],
        after: [other['@id']],
      },
    ])
    await expect.poll(() => faultsIn(shop)).toEqual([])
    expect(await waitForRebuild(other['@id'])).toMatchObject({ productsCount: 1 })
    expect((await create(list, { title: 'Summer' })).handle).toBe('summer')
  })
})

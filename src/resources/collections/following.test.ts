import { beforeEach, describe, expect, inject, test } from 'vitest'
import { eventsOf, faultsIn, owner } from '../../../test/support/ledger.ts'
import { openShop, type Shop } from '../../../test/support/shop.ts'
import { refreshParts } from '../../../test/support/stored-parts.ts'
import { openDatabase } from '../../db/client.ts'
import { continueRebuilds } from './rebuild.ts'

/** Rule-based collections: each write of a product updates them, and changed rules match all products again. */

let shop: Shop
beforeEach(async () => {
  shop = await openShop()
})

/** Does what the job of a minute does for the tenant. */
const continueOwnRebuilds = () =>
  continueRebuilds(
    openDatabase({ url: inject('appUrl'), fetchEndpoint: inject('bridgeEndpoint') }).open(shop.tenant.id),
    () => true,
  )

async function create(path: string, body: object) {
  return await shop.create(path, body)
}

const rule = (field: string, operator: string, value: string) => ({ field, operator, value })
type Condition = ReturnType<typeof rule>

async function ruled(title: string, match: 'ALL' | 'ANY', ...conditions: Condition[]) {
  const collection = await create('/api/collections', { title, rules: { match, conditions } })
  await waitForRebuild(collection['@id'])
  return collection
}

/** Waits until the rebuild of a collection has finished, and returns the collection. */
async function waitForRebuild(iri: string) {
  await expect.poll(async () => (await shop.get(iri)).body.rebuilding, { interval: 10 }).toBe(false)
  return (await shop.get(iri)).body
}

async function collectionsOf(product: { '@id': string }): Promise<string[]> {
  return (await shop.get(product['@id'])).body.collections
}

describe('a product', () => {
  test('is sorted by the write that makes it, in one event', async () => {
    const sale = await ruled('Sale', 'ALL', rule('tag', 'EQUALS', 'sale'), rule('status', 'EQUALS', 'ACTIVE'))
    const before = (await eventsOf(shop)).length
    const hat = await create('/api/products', { title: 'Hat', tags: ['Sale'], status: 'ACTIVE' })
    expect(hat).toMatchObject({ collections: [sale['@id']], version: 1 })
    expect(await collectionsOf(hat)).toEqual([sale['@id']])
    expect((await shop.get(sale['@id'])).body).toMatchObject({ productsCount: 1, version: 1 })
    const [event, ...laterEvents] = (await shop.get(`/api/events?after=${before}`)).body.member
    expect(event).toMatchObject({ topic: 'product/created', document: { collections: [sale['@id']] } })
    expect(laterEvents).toEqual([])
    expect(await faultsIn(shop)).toEqual([])
  })

  test('moves with each property that rules look at', async () => {
    const category = await create('/api/categories', { title: 'Hats' })
    const by = {
      title: await ruled('Title', 'ALL', rule('title', 'STARTS_WITH', 'big')),
      tag: await ruled('Tag', 'ALL', rule('tag', 'EQUALS', 'sale')),
      vendor: await ruled('Vendor', 'ALL', rule('vendor', 'EQUALS', 'Acme')),
      type: await ruled('Type', 'ALL', rule('productType', 'CONTAINS', 'hat')),
      category: await ruled('Category', 'ALL', rule('category', 'EQUALS', category['@id'])),
      status: await ruled('Status', 'ALL', rule('status', 'EQUALS', 'ACTIVE')),
      channel: await ruled('Channel', 'ALL', rule('channel', 'EQUALS', 'web')),
      createdAt: await ruled('Created', 'ALL', rule('createdAt', 'AFTER', '2026-01-01')),
    }
    const hat = await create('/api/products', { title: 'Hat' })
    expect(hat.collections).toEqual([by.createdAt['@id']])
    const writes: [object, { '@id': string }][] = [
      [{ title: 'Big hat' }, by.title],
      [{ tags: ['x', 'SALE'] }, by.tag],
      [{ vendor: 'ACME' }, by.vendor],
      [{ productType: 'Hats' }, by.type],
      [{ categories: [category['@id']] }, by.category],
      [{ status: 'ACTIVE' }, by.status],
      [{ channels: ['web'] }, by.channel],
    ]
    for (const [body, { '@id': iri }] of writes) {
      const after = await shop.update(hat['@id'], body)
      expect(after.collections, JSON.stringify(body)).toContain(iri)
      expect(await collectionsOf(hat)).toEqual(after.collections)
    }
    expect(await collectionsOf(hat)).toHaveLength(8)
    const changes = (await eventsOf(shop)).at(-1)!.changes as { path: string }[]
    expect(changes.map((change) => change.path)).toEqual(['channels', 'collections'])
    const back = {
      title: 'Hat',
      tags: [],
      vendor: null,
      productType: null,
      categories: [],
      status: 'DRAFT',
      channels: [],
    }
    const body = await shop.update(hat['@id'], back)
    expect(body.collections).toEqual([by.createdAt['@id']])
    expect(body.version).toBe(9)
    expect(await faultsIn(shop)).toEqual([])
  })

  test('follows its title in the default locale, however that is written', async () => {
    const summer = await ruled('Summer', 'ALL', rule('title', 'CONTAINS', 'summer'))
    const hat = await create('/api/products', { title: 'Hat' })
    const french = { 'Service-Locale': 'fr-FR' }
    await shop.update(hat['@id'], { title: 'Summer' }, { headers: french })
    expect(await collectionsOf(hat)).toEqual([])
    const translations = { 'en-US': { title: 'Summer hat' } }
    await shop.put(`${hat['@id']}/translations`, { body: { translations }, status: 200 })
    expect(await collectionsOf(hat)).toEqual([summer['@id']])
    expect(await faultsIn(shop)).toEqual([])
  })

  test('leaves with its archival and comes back with its restoration', async () => {
    const sale = await ruled('Sale', 'ALL', rule('tag', 'EQUALS', 'sale'))
    const hat = await create('/api/products', { title: 'Hat', tags: ['sale'] })
    await shop.delete(hat['@id'], { status: 204 })
    expect(await collectionsOf(hat)).toEqual([])
    expect((await shop.get(sale['@id'])).body.productsCount).toBe(0)
    const body = await shop.update(hat['@id'], { status: 'DRAFT' })
    expect(body.collections).toEqual([sale['@id']])
    expect((await shop.get(sale['@id'])).body.productsCount).toBe(1)
    expect(await faultsIn(shop)).toEqual([])
  })

  test('created about the moment that a rule names is sorted by the time of the database', async () => {
    const soon = new Date(Date.now() + 10_000).toISOString()
    const late = await ruled('Late', 'ALL', rule('createdAt', 'AFTER', soon))
    const early = await ruled('Early', 'ALL', rule('createdAt', 'BEFORE', soon))
    // The tenant's clock is ahead of the Worker's.
    await owner((client) =>
      client.query("update tenant_clock set last_at = now() + interval '20 seconds' where tenant_id = $1", [
        shop.tenant.id,
      ]),
    )
    const hat = await create('/api/products', { title: 'Hat' })
    expect(hat.createdAt > soon).toBe(true)
    expect(hat.collections).toEqual([early['@id']])
    await continueOwnRebuilds()
    expect(await collectionsOf(hat)).toEqual([late['@id']])
    expect(await faultsIn(shop)).toEqual([])
  })
})

describe('rules', () => {
  test('that change sort every product, each with an event in the name of who changed them', async () => {
    const products = await Promise.all(
      ['red', 'red', 'blue', 'green'].map((tag, n) =>
        create('/api/products', { title: `P${n}`, tags: [tag] }),
      ),
    )
    const collection = await ruled('Colour', 'ALL', rule('tag', 'EQUALS', 'red'))
    const tokens = { token: await shop.token({ client: 'editor' }) }
    const before = (await eventsOf(shop)).length
    const rules = { match: 'ANY', conditions: [rule('tag', 'EQUALS', 'blue'), rule('tag', 'EQUALS', 'red')] }
    const { body } = await shop.patch(collection['@id'], { body: { rules }, status: 200, ...tokens })
    expect(body).toMatchObject({ rules, rebuilding: true, version: 2, productsCount: 2 })
    expect(await waitForRebuild(collection['@id'])).toMatchObject({ productsCount: 3, version: 2 })
    const feed = (await shop.get(`/api/events?after=${before}`)).body.member
    expect(feed).toMatchObject([
      { topic: 'collection/updated' },
      {
        topic: 'product/updated',
        resource: products[2]['@id'],
        actor: { client: 'editor' },
        resourceVersion: 2,
      },
    ])
    expect(feed[1].changes).toEqual([{ path: 'collections', before: [], after: [collection['@id']] }])
    expect(feed[1].document.collections).toEqual([collection['@id']])
    expect(await faultsIn(shop)).toEqual([])
  })

  test('that are sent back as they were sort nothing; a part of them is merged', async () => {
    const collection = await ruled('Colour', 'ALL', rule('tag', 'EQUALS', 'red'))
    const same = await shop.update(collection['@id'], { rules: collection.rules })
    expect(same).toMatchObject({ rebuilding: false, version: 1 })
    const any = await shop.update(collection['@id'], { rules: { match: 'ANY' } })
    expect(any.rules).toEqual({ ...collection.rules, match: 'ANY' })
    await shop.patch(collection['@id'], { body: { rules: { conditions: null } }, status: 422 })
    await waitForRebuild(collection['@id'])
  })

  test('on a category that is gone stay as they are and can be sent back', async () => {
    const category = await create('/api/categories', { title: 'Hats' })
    const collection = await ruled('Hats', 'ALL', rule('category', 'EQUALS', category['@id']))
    await shop.delete(category['@id'], { status: 204 })
    await create('/api/products', { title: 'Hat' })
    const body = await shop.update(collection['@id'], { ...collection, description: 'x' })
    expect(body).toMatchObject({ version: 2, productsCount: 0, rebuilding: false })
  })

  test('of a deleted collection are followed no more', async () => {
    const collection = await ruled('Red', 'ALL', rule('tag', 'EQUALS', 'red'))
    const hat = await create('/api/products', { title: 'Hat', tags: ['red'] })
    await shop.delete(collection['@id'], { status: 204 })
    expect(await collectionsOf(hat)).toEqual([])
    expect((await create('/api/products', { title: 'Cap', tags: ['red'] })).collections).toEqual([])
    await expect.poll(async () => (await shop.get(hat['@id'])).body.version).toBe(2)
    await expect.poll(() => faultsIn(shop)).toEqual([])
  })
})

describe('sorting', () => {
  /** Inserts an unreserved rebuild from the first product. The clock advances, as with every commit. */
  const abandon = (iri: string) =>
    owner((client) =>
      client.query(
        `with moved as (update tenant_clock set last_at = last_at + interval '1 microsecond' where tenant_id = $1)
         insert into collection_rebuilds (tenant_id, id, version, next_id, leased_until, actor, api_version, request_id)
         values ($1, $2, 1, '00000000-0000-0000-0000-000000000000', now() - interval '1 second',
                 '{"subject": "s", "client": "c", "person": false}', '2026-10', 'r')`,
        [shop.tenant.id, iri.split('/').at(-1)],
      ),
    )

  test('that was abandoned is finished by the minute’s round, and by two at once no twice', async () => {
    const collection = await ruled('Red', 'ALL', rule('tag', 'EQUALS', 'red'))
    for (let bulk = 0; bulk < 9; bulk += 1) {
      const body = Array.from({ length: 50 }, (_, n) => ({ title: `P${n}`, tags: [n % 2 ? 'red' : 'blue'] }))
      await shop.create('/api/products', body)
    }
    expect((await shop.get(collection['@id'])).body.productsCount).toBe(225)
    // As if other rules had matched the products.
    await owner(async (client) => {
      await client.query('delete from product_collections where tenant_id = $1 and collection_id = $2', [
        shop.tenant.id,
        collection.id,
      ])
      await client.query(
        `update tenant_totals set total = 0 where tenant_id = $1 and name = 'collection:' || $2`,
        [shop.tenant.id, collection.id],
      )
    })
    await refreshParts(shop)
    await abandon(collection['@id'])
    expect((await shop.get(collection['@id'])).body).toMatchObject({ rebuilding: true, productsCount: 0 })
    const before = (await eventsOf(shop)).length
    await Promise.all([continueOwnRebuilds(), continueOwnRebuilds(), continueOwnRebuilds()])
    expect(await waitForRebuild(collection['@id'])).toMatchObject({ productsCount: 225 })
    expect((await eventsOf(shop)).length - before).toBe(225)
    expect(await faultsIn(shop)).toEqual([])
  })

  test('that another worker has locked is left alone', async () => {
    const collection = await ruled('Red', 'ALL', rule('tag', 'EQUALS', 'red'))
    await abandon(collection['@id'])
    await owner((client) =>
      client.query(
        `update collection_rebuilds set leased_until = now() + interval '20 seconds' where tenant_id = $1`,
        [shop.tenant.id],
      ),
    )
    await continueOwnRebuilds()
    expect((await shop.get(collection['@id'])).body.rebuilding).toBe(true)
  })
})

import { beforeEach, describe, expect, test } from 'vitest'
import { eventsOf, faultsIn } from '../../../test/support/ledger.ts'
import { openShop, type Shop } from '../../../test/support/shop.ts'

const list = '/api/collections'
let shop: Shop
beforeEach(async () => {
  shop = await openShop()
})

async function create(path: string, body: object) {
  return (await shop.post(path, { body, status: 201 })).body
}

/** Waits until the rebuild of a collection has finished, and returns the collection. */
async function waitForRebuild(iri: string) {
  for (;;) {
    const { body } = await shop.get(iri, { status: 200 })
    if (!body.rebuilding) return body
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

async function titlesIn(collection: { '@id': string }): Promise<string[]> {
  const { body } = await shop.get(`${collection['@id']}/products?order[title]=asc`, { status: 200 })
  expect(body.totalItems).toBe(body.member.length)
  return body.member.map((product: { title: string }) => product.title)
}

async function topics(): Promise<string[]> {
  return (await eventsOf(shop)).map((event) => event.topic)
}

describe('a collection', () => {
  test('is answered whole, read, and listed', async () => {
    const reply = await shop.post(list, {
      body: { title: 'Summer Sale', description: 'Hot', externalId: 'c-1' },
      status: 201,
    })
    const { body } = reply
    expect(body).toEqual({
      '@context': '/api/contexts/ProductCollection',
      '@id': `/api/collections/${body.id}`,
      '@type': 'ProductCollection',
      id: body.id,
      externalId: 'c-1',
      title: 'Summer Sale',
      handle: 'summer-sale',
      description: 'Hot',
      type: 'MANUAL',
      rules: null,
      productsCount: 0,
      rebuilding: false,
      version: 1,
      createdAt: expect.stringMatching(/^\d{4}-.+\.\d{6}Z$/),
      updatedAt: body.createdAt,
    })
    expect(reply.headers.get('location')).toBe(body['@id'])
    expect(reply.headers.get('etag')).toMatch(/^"1\./)
    expect((await shop.get(body['@id'], { status: 200 })).body).toEqual(body)
    const { '@context': _, ...member } = body
    for (const query of ['', '?type=MANUAL', '?handle=summer-sale', '?externalId=c-1']) {
      const matches = await shop.get(list + query, { status: 200 })
      expect(matches.body, query).toMatchObject({ totalItems: 1, member: [member] })
    }
    expect((await shop.get(`${list}?type=RULE_BASED`)).body).toMatchObject({ totalItems: 0, member: [] })
    expect(await faultsIn(shop)).toEqual([])
  })

  test('derives a free handle, and refuses one that is taken, with the external id at once', async () => {
    await create(list, { title: 'Sale', externalId: 'x' })
    expect((await create(list, { title: 'Sale' })).handle).toBe('sale-2')
    expect((await create(list, { title: '春' })).handle).toBe('collection')
    const reply = await shop.post(list, {
      body: { title: 'S', handle: 'sale', externalId: 'x' },
      status: 409,
    })
    expect(reply.body.violations.map((violation: { slug: string }) => violation.slug)).toEqual([
      'collection.handle_taken',
      'collection.external_id_taken',
    ])
  })

  test('is patched in a locale, and a patch that changes nothing is no version', async () => {
    const collection = await create(list, { title: 'Summer' })
    const french = { 'Service-Locale': 'fr-FR' }
    const patched = await shop.patch(collection['@id'], {
      body: { title: 'Été' },
      headers: french,
      status: 200,
    })
    expect(patched.body).toMatchObject({ title: 'Été', handle: 'summer', version: 2 })
    expect((await shop.get(collection['@id'])).body).toMatchObject({ title: 'Summer', version: 2 })
    const same = await shop.patch(collection['@id'], { body: { title: 'Summer' }, status: 200 })
    expect(same.body.version).toBe(2)
    const sentBack = await shop.patch(collection['@id'], { body: same.body, status: 200 })
    expect(sentBack.body.version).toBe(2)
    expect((await shop.get(`${collection['@id']}/translations`)).body.translations).toEqual({
      'en-US': { title: 'Summer' },
      'fr-FR': { title: 'Été' },
    })
    expect(await topics()).toEqual(['collection/created', 'collection/updated'])
  })

  test('keeps its type, its handle and the kind of its rules', async () => {
    const manual = await create(list, { title: 'Manual' })
    const rules = { match: 'ALL', conditions: [{ field: 'tag', operator: 'EQUALS', value: 'x' }] }
    const ruled = await create(list, { title: 'Ruled', rules })
    expect(ruled.type).toBe('RULE_BASED')
    const slugs = async (iri: string, body: object) =>
      (await shop.patch(iri, { body, status: 422 })).body.violations.map(
        (violation: { propertyPath: string; slug: string }) => `${violation.propertyPath} ${violation.slug}`,
      )
    expect(await slugs(manual['@id'], { type: 'RULE_BASED', handle: null })).toEqual([
      'handle validation.required',
      'type collection.type_immutable',
    ])
    expect(await slugs(manual['@id'], { rules })).toEqual(['rules collection.manual_rules'])
    expect(await slugs(ruled['@id'], { rules: null })).toEqual(['rules validation.required'])
    await shop.post(list, { body: { title: 'X', type: 'MANUAL', rules }, status: 422 })
    await shop.post(list, { body: { title: 'X', type: 'RULE_BASED' }, status: 422 })
    await shop.patch(manual['@id'], { body: { type: 'MANUAL', rules: null }, status: 200 })
  })

  test('names every fault of its rules at once', async () => {
    const conditions = [
      { field: 'title', operator: 'BEFORE', value: 'x' },
      { field: 'createdAt', operator: 'AFTER', value: 'yesterday' },
      { field: 'status', operator: 'EQUALS', value: 'ARCHIVED' },
      { field: 'category', operator: 'EQUALS', value: 'shoes' },
      { field: 'channel', operator: 'CONTAINS', value: 'a b' },
      { field: 'colour', operator: 'EQUALS', value: 'red' },
      { field: 'tag', operator: 'EQUALS', value: '' },
    ]
    const reply = await shop.post(list, {
      body: { title: 7, rules: { match: 'SOME', conditions } },
      status: 422,
    })
    const violations = reply.body.violations.map(
      (violation: { propertyPath: string; slug: string }) => `${violation.propertyPath} ${violation.slug}`,
    )
    expect(violations.toSorted()).toEqual([
      'rules.conditions[0].operator collection.rule',
      'rules.conditions[1].value validation.instant',
      'rules.conditions[2].value validation.choice',
      'rules.conditions[3].value validation.invalid_iri',
      'rules.conditions[4].operator collection.rule',
      'rules.conditions[4].value validation.pattern',
      'rules.conditions[5].field validation.choice',
      'rules.conditions[6].value validation.blank',
      'rules.match validation.choice',
      'title validation.type',
    ])
    for (const wrong of [{ match: 'ALL', conditions: [] }, { match: 'ALL' }, [], 'x']) {
      await shop.post(list, { body: { title: 'X', rules: wrong }, status: 422 })
    }
    const unknownCategory = '/api/categories/01900000-0000-7000-8000-000000000000'
    const unknown = await shop.post(list, {
      body: {
        title: 'X',
        rules: { conditions: [{ field: 'category', operator: 'EQUALS', value: unknownCategory }] },
      },
      status: 422,
    })
    expect(unknown.body.violations).toMatchObject([
      { propertyPath: 'rules.conditions[0].value', slug: 'validation.unknown_reference' },
    ])
  })
})

describe('products that are chosen', () => {
  test('enter and leave, each with its own version and event, and the collection keeps its own', async () => {
    const collection = await create(list, { title: 'Summer' })
    const [hat, cap] = [
      await create('/api/products', { title: 'Hat' }),
      await create('/api/products', { title: 'Cap' }),
    ]
    const members = `${collection['@id']}/products`
    const added = await shop.post(members, { body: { product: hat['@id'] }, status: 201 })
    expect(added.body).toMatchObject({ '@id': collection['@id'], productsCount: 1, version: 1 })
    await shop.post(members, { body: [{ product: hat['@id'] }, { product: cap['@id'] }], status: 201 })
    expect((await shop.get(collection['@id'])).body).toMatchObject({ productsCount: 2, version: 1 })
    expect(await titlesIn(collection)).toEqual(['Cap', 'Hat'])
    const product = (await shop.get(hat['@id'])).body
    expect(product).toMatchObject({ collections: [collection['@id']], version: 2 })
    const products = await shop.get(`/api/products?collection=${collection.id}&order[title]=asc`)
    expect(products.body.member.map((product: { collections: string[] }) => product.collections)).toEqual([
      [collection['@id']],
      [collection['@id']],
    ])
    expect((await shop.get(`${list}?product=${encodeURIComponent(hat['@id'])}`)).body.totalItems).toBe(1)

    await shop.delete(`${members}/${hat.id}`, { status: 204 })
    expect((await shop.delete(`${members}/${hat.id}`, { status: 404 })).body.slug).toBe('product.not_found')
    expect(await titlesIn(collection)).toEqual(['Cap'])
    expect((await shop.get(hat['@id'])).body).toMatchObject({ collections: [], version: 3 })
    const events = await eventsOf(shop)
    expect(events.slice(3).map((event) => [event.topic, event.id, event.changes])).toEqual([
      ['product/updated', hat.id, [{ path: 'collections', before: [], after: [collection['@id']] }]],
      ['product/updated', cap.id, [{ path: 'collections', before: [], after: [collection['@id']] }]],
      ['product/updated', hat.id, [{ path: 'collections', before: [collection['@id']], after: [] }]],
    ])
    const feed = await shop.get('/api/events?after=3&topic=product/updated')
    expect(feed.body.member[0].document.collections).toEqual([collection['@id']])
    expect(await faultsIn(shop)).toEqual([])
  })

  test('must exist, not be archived, and not be added to a collection by rules', async () => {
    const collection = await create(list, { title: 'Summer' })
    const members = `${collection['@id']}/products`
    const unknown = '/api/products/01900000-0000-7000-8000-000000000000'
    const hat = await create('/api/products', { title: 'Hat' })
    const reply = await shop.post(members, {
      body: [{ product: hat['@id'] }, { product: unknown }, { product: { '@id': unknown } }],
      status: 422,
    })
    expect(
      reply.body.violations.map((violation: { propertyPath: string }) => violation.propertyPath),
    ).toEqual(['[1].product', '[2].product'])
    const none = await shop.post(members, { body: {}, status: 422 })
    expect(none.body.violations).toMatchObject([{ propertyPath: 'product', slug: 'validation.required' }])
    await shop.delete(hat['@id'], { status: 204 })
    const archived = await shop.post(members, { body: { product: hat['@id'] }, status: 409 })
    expect(archived.body.slug).toBe('product.archived')

    const rules = { conditions: [{ field: 'tag', operator: 'EQUALS', value: 'x' }] }
    const ruled = await create(list, { title: 'Ruled', rules })
    const cap = await create('/api/products', { title: 'Cap' })
    const refused = await shop.post(`${ruled['@id']}/products`, {
      body: { product: cap['@id'] },
      status: 409,
    })
    expect(refused.body.slug).toBe('collection.rule_based_membership')
    await shop.delete(`${ruled['@id']}/products/${cap.id}`, { status: 409 })
    expect(await titlesIn(collection)).toEqual([])
    expect(await faultsIn(shop)).toEqual([])
  })

  test('keep their place while they are archived, uncounted', async () => {
    const collection = await create(list, { title: 'Summer' })
    const hat = await create('/api/products', { title: 'Hat' })
    await shop.post(`${collection['@id']}/products`, { body: { product: hat['@id'] }, status: 201 })
    await shop.delete(hat['@id'], { status: 204 })
    expect((await shop.get(collection['@id'])).body.productsCount).toBe(0)
    expect(await titlesIn(collection)).toEqual([])
    expect((await shop.get(`${collection['@id']}/products?status=ARCHIVED`)).body.totalItems).toBe(1)
    await shop.patch(hat['@id'], { body: { status: 'ACTIVE' }, status: 200 })
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
      await shop.post(`${iri}/products`, {
        body: [{ product: hat['@id'] }, { product: cap['@id'] }],
        status: 201,
      })
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

  test('are shown with prices, a page by key and chosen properties', async () => {
    const collection = await create(list, { title: 'Summer' })
    const products = await shop.post('/api/products', {
      body: ['A', 'B', 'C'].map((title) => ({ title, variants: [{ sku: title }] })),
      status: 201,
    })
    const ids = products.body.member.map((product: { '@id': string }) => ({ product: product['@id'] }))
    await shop.post(`${collection['@id']}/products`, { body: ids, status: 201 })
    const price =
      'resolveContext[channel]=web&resolveContext[country]=FR&resolveContext[at]=2026-01-01T00:00:00Z'
    const first = await shop.get(
      `${collection['@id']}/products?itemsPerPage=2&properties[]=title&properties[variants][]=resolvedPrice&${price}`,
    )
    expect(first.body.member[0]).toMatchObject({ title: 'C', variants: [{ resolvedPrice: null }] })
    expect(first.body.member[0]).not.toHaveProperty('handle')
    expect(first.body).toMatchObject({ '@id': `${collection['@id']}/products`, totalItems: 3 })
    const second = await shop.get(first.body.view.next, { status: 200 })
    expect(second.body.member.map((product: { title: string }) => product.title)).toEqual(['A'])
  })
})

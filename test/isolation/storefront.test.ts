/** A storefront host shows what a shop shows: no draft, no later price, no cost, however its publishable key asks. */
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { isPublic, publicPaths } from '../../src/core/operation.ts'
import { settingsTtl } from '../../src/db/tenants.ts'
import { findTenant } from '../../src/local/tenant/stored.ts'
import { revokeStorefront } from '../../src/local/tenant/storefronts.ts'
import { resources } from '../../src/resources/index.ts'
import { owner } from '../support/ledger.ts'
import { openShop, type Shop } from '../support/shop.ts'
import { openStorefront, type Storefront, send } from '../support/storefront.ts'

const later = '2099-01-01T00:00:00.000000Z'
/** Each is part of something that is not published. */
const secrets = ['canary', '"sequence"', '2099-01', '"1.23"', '"7.77"', '"3.33"']

let shop: Shop
let front: Storefront
let shown: { product: string; variant: string; collection: string; category: string; metaobject: string }
/** Resources that are not published. */
let hidden: { products: string[]; variants: string[]; metaobject: string; offers: string[] }

beforeAll(async () => {
  shop = await openShop()
  front = await openStorefront(shop)
  await shop.create('/api/markets', {
    ...{ key: 'fr', channel: 'web', country: 'FR', currency: 'EUR' },
    name: 'canary market',
  })
  const definition = { type: 'label', name: 'Label', displayNameField: 'text' }
  const text = { key: 'text', name: 'Text', type: '/api/metafield_definition_types/single_line_text_field' }
  const type = await shop.create('/api/metaobject_definitions', { ...definition, fieldDefinitions: [text] })
  const label = (handle: string, status: string) =>
    shop.create('/api/metaobjects', {
      ...{ definition: type['@id'], handle, status },
      fields: { text: `${handle} text` },
    })
  const metaobjects = [await label('organic', 'ACTIVE'), await label('canary', 'DRAFT')]
  const reference = '/api/metafield_definition_types/metaobject_reference'
  const outer = await shop.create('/api/metaobject_definitions', {
    ...{ type: 'care', name: 'Care' },
    fieldDefinitions: [{ key: 'label', name: 'Label', type: reference }],
  })
  await shop.create('/api/metaobjects', {
    ...{ definition: outer['@id'], handle: 'wash', status: 'ACTIVE' },
    fields: { label: metaobjects[1]['@id'] },
  })
  const category = await shop.create('/api/categories', { title: 'Shirts' })
  const collection = await shop.create('/api/collections', {
    title: 'Cotton',
    rules: {
      match: 'ANY',
      conditions: [
        { field: 'tag', operator: 'EQUALS', value: 'cotton' },
        { field: 'tag', operator: 'EQUALS', value: 'canary-rule' },
      ],
    },
  })
  const listType = '/api/metafield_definition_types/list.metaobject_reference'
  const product = (title: string, more: object) =>
    shop.create('/api/products', {
      ...{ title, handle: title.toLowerCase().replaceAll(' ', '-'), status: 'ACTIVE', channels: ['web'] },
      ...{ tags: ['cotton'], vendor: 'Acme', productType: 'Shirts', categories: [category['@id']] },
      ...more,
    })
  const options = (name: string) => [{ title: name, values: [{ title: `${name} value` }] }]
  const variant = (name: string, sku: string, amount: string) => ({
    sku,
    optionValues: [{ option: name, value: `${name} value` }],
    saleOffers: [{ currency: 'EUR', amount }],
  })
  const visible = await product('Shirt', {
    launchedAt: later,
    options: [{ title: 'Size', values: [{ title: 'S' }, { title: 'canary L' }] }],
    variants: [
      {
        sku: 'SHIRT-S',
        optionValues: [{ option: 'Size', value: 'S' }],
        saleOffers: [{ currency: 'EUR', amount: '19.90', validUntil: later }],
      },
      { ...variant('Size', 'CANARY-L', '3.33'), optionValues: [{ option: 'Size', value: 'canary L' }] },
    ],
    fields: [
      { key: 'labels', value: JSON.stringify(metaobjects.map((each) => each['@id'])), type: listType },
    ],
  })
  const [live, archived] = visible.variants
  await shop.delete(archived['@id'], { status: 204 })
  await shop.delete(archived.optionValues[0]['@id'], { status: 204 }).catch(() => undefined)
  const offer = (more: object) =>
    shop.create('/api/sale_offers', { variant: live['@id'], currency: 'EUR', ...more })
  const offers = [
    await offer({ amount: '1.23', validFrom: later }),
    await offer({ amount: '1.23', validFrom: later, minQuantity: 10 }),
    await offer({ amount: '18.00', minQuantity: 5, validUntil: later }),
  ]
  const { member } = await shop.read('/api/sale_offers')
  await shop.create('/api/purchase_offers', {
    ...{ variant: live['@id'], supplier: 'canary-supplier', cost: '7.77', currency: 'EUR' },
  })
  const secret = (title: string, more: object) =>
    product(title, {
      ...{ tags: ['cotton', 'canary-tag'], vendor: 'canary-vendor', productType: 'canary-type' },
      options: options(`canary ${title}`),
      variants: [variant(`canary ${title}`, `canary-${title}`, '3.33')],
      ...more,
    })
  const products = [
    await secret('canary draft', { status: 'DRAFT' }),
    await secret('canary till', { channels: ['till'] }),
    await secret('canary nowhere', { channels: [] }),
    await secret('canary archived', {}),
  ]
  await shop.delete(products[3]['@id'], { status: 204 })
  shown = {
    product: visible['@id'],
    variant: live['@id'],
    collection: collection['@id'],
    category: category['@id'],
    metaobject: metaobjects[0]['@id'],
  }
  hidden = {
    products: products.map((each) => each['@id']),
    variants: [archived['@id'], ...products.map((each) => each.variants[0]['@id'])],
    metaobject: metaobjects[1]['@id'],
    offers: [...offers, ...member].map((each) => each['@id']),
  }
})

const list = '/api/products'
const read = (path: string, sent?: Parameters<typeof send>[3]) => send(shop, front, path, sent)

describe('a publishable key', () => {
  test('reads published products with their price of now, and nothing about a later one', async () => {
    const { status, headers, body } = await read(`${list}?market=fr`)
    expect(status).toBe(200)
    expect(body).toMatchObject({ totalItems: 1, member: [{ '@id': shown.product, title: 'Shirt' }] })
    expect(body.member[0].variants).toHaveLength(1)
    expect(body.member[0].variants[0].resolvedPrice).toEqual({
      '@type': 'ResolvedPrice',
      amount: '19.90',
      currency: 'EUR',
      compareAtAmount: null,
      taxIncluded: true,
      channel: 'web',
      country: 'FR',
      at: expect.any(String),
      unitPrice: null,
      quantityBreaks: [{ minQuantity: 5, amount: '18.00' }],
    })
    expect(headers.get('service-prices-until')).toBeNull()
    expect(headers.get('service-sequence')).toBeNull()
    const several = await read(`${shown.product}?markets[]=fr`)
    expect(several.body.variants[0].resolvedPrices[0]).not.toHaveProperty('nextChangeAt')
    const prior = await read(`${shown.product}?market=fr&expand=priorPrice`)
    expect(prior.body.variants[0].resolvedPrice.noPriorPrice.reason).toBe('not_reduced')
  })

  test('is rejected by each operation that is not public, whatever the method', async () => {
    for (const { method, path } of resources.flatMap(({ operations }) => operations)) {
      const { status, body } = await read(path.replaceAll(/\{\w+\}/g, crypto.randomUUID()), {
        method,
        headers: { 'service-api-version': 'unstable' },
      })
      if (isPublic({ method, path })) expect([path, status]).toEqual([path, expect.toBeOneOf([200, 404])])
      else expect([method, path, status, body.slug]).toEqual([method, path, 403, 'auth.not_public'])
    }
    for (const path of ['/mcp', '/mcp/catalogue', '/admin', '/.well-known/oauth-protected-resource'])
      expect([path, (await read(path)).status]).toEqual([path, 404])
  })

  test('the public paths exist', () => {
    const reads = resources.flatMap(({ operations }) => operations.filter(({ method }) => method === 'GET'))
    const paths = new Set(reads.map(({ path }) => path))
    expect(publicPaths.filter((path) => !paths.has(path))).toEqual([])
    // Other responses depend on the time of the request, so that shared caches must not store them.
    expect(reads.filter(({ path, isCacheable }) => publicPaths.includes(path) && !isCacheable)).toEqual([])
  })

  test('gets prices of now in a market only', async () => {
    const context = 'resolveContext[channel]=web&resolveContext[country]=FR&resolveContext[at]'
    for (const query of [
      `market=fr&priceAt=${later}`,
      'market=fr&priceAt=2020-01-01T00:00:00Z',
      `market=fr&priceKnownAt=${later}`,
      `markets[]=fr&priceAt=${later}`,
      `${context}=now`,
      `${context}=${later}`,
      `${context}=${later}&resolveContext[knownAt]=${later}`,
      `resolveContext[at]=${later}`,
    ])
      for (const path of [list, shown.product, shown.variant, `${shown.product}/variants`]) {
        const { status, body } = await read(`${path}?${query}`)
        expect([path, query, status, body.slug]).toEqual([path, query, 403, 'auth.not_public'])
      }
    expect((await read(`${list}?market=fr&priceAt=now&priceKnownAt=now`)).status).toBe(200)
    for (const path of [shown.product, shown.variant])
      expect((await read(`${path}?market=fr&explain=price`)).body.slug).toBe('auth.insufficient_scope')
  })

  test('finds nothing of a product that is not published', async () => {
    for (const product of hidden.products)
      for (const path of [product, `${product}/variants`, `${product}/product_options`])
        expect([path, (await read(path)).status]).toEqual([path, 404])
    for (const path of [
      ...hidden.variants,
      hidden.metaobject,
      '/api/metaobjects/label/canary',
      ...['draft', 'till', 'nowhere', 'archived'].map((name) => `${list}/by-handle/canary-${name}`),
    ])
      expect([path, (await read(path)).status]).toEqual([path, 404])
    for (const query of [
      'status=DRAFT',
      'status=ARCHIVED',
      'q=canary',
      'vendor=canary-vendor',
      'vendor[]=canary-vendor',
      'tag=canary-tag',
      'productType=canary-type',
      'handle=canary-draft',
      'sku=canary-canary draft',
      'sku=CANARY-L',
      'handle[]=canary-draft',
      'sku[]=CANARY-L',
      'channel=till',
      `id[]=${hidden.products[0]?.slice(-36)}`,
    ]) {
      const { text } = await read(`${list}?${query}&itemsPerPage=0`)
      expect([query, JSON.parse(text).totalItems]).toEqual([query, 0])
    }
    // A misspelt word of a draft is not corrected, because that would show the word.
    const { text } = await read(`${list}?q=canay&itemsPerPage=0`)
    expect(text).not.toContain('canary')
    for (const product of hidden.products)
      expect((await read(`/api/collections?product=${product}`)).body).toMatchObject({ totalItems: 0 })
    expect((await read(`/api/collections?product=${shown.product}`)).body).toMatchObject({ totalItems: 1 })
    expect((await read(`${shown.product}/variants?status=ARCHIVED`)).body.member).toEqual([])
  })

  test('finds no secret in any response, in whichever form it asks', async () => {
    const lists = [list, `${shown.collection}/products`, `${shown.product}/variants`]
    const paths = [
      ...lists,
      ...Object.values(shown),
      ...['/api/categories', '/api/collections', '/api/markets', '/api/metaobjects'],
      `${shown.product}/product_options`,
      `${list}/by-handle/shirt`,
      '/api/metaobjects/label/organic',
      '/api/metaobjects/care/wash',
    ]
    const queries = [
      '',
      'market=fr',
      'markets[]=fr&expand=children',
      'market=fr&expand=priorPrice',
      'market=none',
      'status=DRAFT',
      'status=ARCHIVED',
      'updatedAt[after]=2000-01-01T00:00:00Z&market=fr',
      'order[updatedAt]=desc&market=fr',
      'order[title]=asc',
      'itemsPerPage=1&page=2',
      'q=canary&facets[]=tags',
      'q=can&suggest=true',
      'market=fr&order[price]=asc&facets[]=price&facets[]=reduced',
      'market=fr&price[until]=3.33',
      'facets[]=vendor&facets[]=productType&facets[]=tags&facets[]=category&facets[]=collection',
      'properties[variants][resolvedPrice][]=nextChangeAt&properties[variants][resolvedPrice][]=validUntil&market=fr',
      'properties[]=rules&properties[]=productsCount&properties[]=launchedAt&properties[]=fields&properties[]=name',
      'expand=variants.saleOffers',
      'explain=price&market=fr',
    ]
    const forms: Record<string, string>[] = [
      {},
      { accept: 'application/x-ndjson' },
      { 'service-api-version': 'unstable', prefer: 'return=minimal' },
      { 'service-locale': 'fr-FR', 'service-api-version': '2026-01' },
      { 'cache-control': 'max-age=3600' },
    ]
    const ids = [...hidden.products, ...hidden.variants, hidden.metaobject, ...hidden.offers]
    for (const path of paths)
      for (const query of queries)
        for (const headers of query === 'market=fr' ? forms : forms.slice(0, 1)) {
          const reply = await read(`${path}${query && `?${query}`}`, { headers })
          expect(reply.status, path).toBeLessThan(500)
          // A response repeats the address of its request.
          const asked = new RegExp(`${RegExp.escape('q=canary')}|"instance":"[^"]*"`, 'g')
          const sent = `${[...reply.headers].join('\n')}\n${reply.text}`.replaceAll(asked, '')
          const isFound = (secret: string) => sent.includes(secret)
          // References of a field are the value that staff wrote.
          const found = [...secrets, ...ids.filter((id) => id !== hidden.metaobject)].filter(isFound)
          expect([path, query, headers, found]).toEqual([path, query, headers, []])
        }
  })

  test('gets facets and totals of published products alone', async () => {
    const { body } = await read(`${list}?facets[]=vendor&facets[]=collection&facets[]=tags`)
    const values = (body.facets as { values: { value: string; count: number }[] }[]).map((facet) =>
      facet.values.map(({ value, count }) => [value, count]),
    )
    expect(values).toEqual([[['Acme', 1]], [[shown.collection, 1]], [['cotton', 1]]])
    const priced = await read(`${list}?market=fr&hasPrice=true&facets[]=price&facets[]=reduced`)
    expect(priced.body.totalItems).toBe(1)
    const counts = priced.body.facets.map((facet: { values: { count: number }[] }) =>
      facet.values.map(({ count }) => count),
    )
    expect(counts).toEqual([[1], [1]])
    // The price of the products that are not published.
    for (const filter of ['price[until]=3.33', 'hasPrice=false', 'reduced=true'])
      expect([filter, (await read(`${list}?market=fr&${filter}`)).body.totalItems]).toEqual([filter, 0])
    expect((await read(`${list}?q=can&suggest=true`)).body.suggestions).toEqual([])
    expect((await read(`${list}?q=shi&suggest=true`)).body.suggestions).toMatchObject([
      { q: 'Shirt', count: 1 },
      { q: 'Shirts', count: 1 },
    ])
    const inCollection = await read(`${shown.collection}/products?itemsPerPage=0`)
    expect(inCollection.body.totalItems).toBe(1)
    expect((await read(shown.collection)).body).not.toHaveProperty('productsCount')
  })

  test('a change of an unpublished product or offer changes no entity tag', async () => {
    const addresses = [`${list}?market=fr`, `${list}?itemsPerPage=0&facets[]=tags`]
    const tags = async () =>
      Promise.all(addresses.map(async (path) => (await read(path)).headers.get('etag')))
    const before = await tags()
    await shop.update(hidden.products[0] ?? '', { title: 'canary again', tags: ['canary-2'] })
    await shop.create('/api/sale_offers', {
      ...{ variant: shown.variant, currency: 'EUR', amount: '1.23', validFrom: later },
    })
    expect(await tags()).toEqual(before)
  })
})

describe('credentials', () => {
  const slugOf = async (storefront: Storefront, sent: Parameters<typeof send>[3]) => {
    const { status, headers, body } = await send(shop, storefront, list, sent)
    return [status, body.slug, headers.get('www-authenticate')]
  }
  const required = [401, 'auth.publishable_key_required', 'Bearer realm="storefront"']

  test('an access token, another key or none is rejected at a storefront host with one response', async () => {
    const other = await openShop()
    for (const key of [
      await shop.token(),
      (await openStorefront(shop)).key,
      (await openStorefront(other)).key,
      `pk_${'A'.repeat(32)}`,
      front.key.toLowerCase(),
      `${front.key}x`,
      'pk_',
    ])
      expect(await slugOf(front, { key })).toEqual(required)
    const basic = { authorization: `Basic ${front.key}` }
    expect(await slugOf(front, { headers: basic })).toEqual(required)
    expect((await send(shop, front, `${list}?access_token=${front.key}`, { key: '' })).status).toBe(401)
  })

  test('a publishable key is rejected at the tenant’s own host', async () => {
    const own = { host: shop.host, key: front.key }
    expect(await slugOf(own, {})).toEqual([401, 'auth.publishable_key_misplaced', expect.any(String)])
    expect((await send(shop, own, '/mcp/catalogue', { method: 'POST' })).status).toBe(401)
  })

  test('two keys of a host are valid until each is revoked, and the host until it is removed', async () => {
    const [first, host] = await openStorefront(shop).then((each) => [each, each.host] as const)
    const second = await openStorefront(shop, host)
    const statuses = async () => {
      shop.restart()
      return [(await send(shop, first, list)).status, (await send(shop, second, list)).status]
    }
    const revoke = (key?: string) =>
      owner(async (client) => revokeStorefront(client, await findTenant(client, shop.tenant.id), host, key))
    expect(await statuses()).toEqual([200, 200])
    await revoke(first.key)
    expect(await statuses()).toEqual([401, 200])
    await revoke()
    expect(await statuses()).toEqual([404, 404])
    await expect(revoke()).rejects.toThrow('is no storefront host')
  })

  test('a response of an own host is not returned after the host has become a storefront host', async () => {
    const host = `t-${crypto.randomUUID().slice(0, 13)}.test`
    await owner((client) =>
      client.query('insert into tenant_hosts (tenant_id, host) values ($1, $2)', [shop.tenant.id, host]),
    )
    const scope = 'products:read categories:read collections:read metaobjects:read'
    const own = { host, key: await shop.token({ scope }) }
    expect((await send(shop, own, list)).body.totalItems).toBeGreaterThan(1)
    await owner((client) => client.query('delete from tenant_hosts where host = $1', [host]))
    const storefront = await openStorefront(shop, host)
    // The settings of the host expire after a minute. The cached responses do not.
    vi.useFakeTimers({ now: Date.now() + settingsTtl, toFake: ['Date'] })
    const { body } = await send(shop, storefront, list).finally(() => vi.useRealTimers())
    expect(body).toMatchObject({ totalItems: 1 })
  })

  test('each visitor has a limit of requests, because all send the same key', async () => {
    const keys: string[] = []
    const limit = async ({ key }: { key: string }) => ({ success: keys.push(key) > 0 })
    const limited = await openShop({ bindings: { READ_LIMIT: { limit }, RATE_LIMITS: undefined } })
    const storefront = await openStorefront(limited)
    for (const address of ['192.0.2.1', '192.0.2.2', '192.0.2.1'])
      await send(limited, storefront, list, { headers: { 'cf-connecting-ip': address } })
    const [first, second, third] = keys
    expect(keys).toHaveLength(3)
    expect(third).toBe(first)
    expect(second).not.toBe(first)
    expect(keys.join()).not.toContain(storefront.key.slice(3))
  })

  test('keys are stored as hashes, and a host belongs to one tenant', async () => {
    const other = await openShop()
    const rows = await owner(async (client) => {
      const { rows } = await client.query('select storefront::text from tenant_hosts where host = $1', [
        front.host,
      ])
      return rows
    })
    expect(rows).toHaveLength(1)
    expect(JSON.stringify(rows)).not.toContain(front.key.slice(3))
    await expect(openStorefront(other, front.host)).rejects.toThrow('is a host of another tenant')
    await expect(openStorefront(shop, shop.host)).rejects.toThrow("one of the tenant's own hosts")
    expect(front.key).toMatch(/^pk_[A-Za-z0-9_-]{32}$/)
    expect(shop.tenant.hosts).not.toContain(front.host)
  })

  test('a suspended tenant has no storefront', async () => {
    const [closed] = [await openShop()]
    const storefront = await openStorefront(closed)
    await owner((client) =>
      client.query(`update tenants set status = 'SUSPENDED', suspended_at = now() where id = $1`, [
        closed.tenant.id,
      ]),
    )
    expect((await send(closed, storefront, list)).status).toBe(503)
  })
})

describe('shared caches', () => {
  test('store a response until a price in it changes, at most for the time of the host', async () => {
    const own = await openShop()
    const [storefront, patient] = [await openStorefront(own), await openStorefront(own, undefined, 3600)]
    await own.create('/api/markets', { key: 'fr', channel: 'web', country: 'FR', currency: 'EUR' })
    const validUntil = new Date(Date.now() + 30_000).toISOString()
    await own.create(list, {
      ...{ title: 'Shirt', status: 'ACTIVE', channels: ['web'] },
      variants: [{ sku: 'S', saleOffers: [{ currency: 'EUR', amount: '1.00', validUntil }] }],
    })
    const freshness = async (from: Storefront, path: string) => {
      const { headers } = await send(own, from, path)
      const [, seconds] = /^public, max-age=(\d+)$/.exec(headers.get('cache-control') ?? '') ?? []
      return Number(seconds)
    }
    expect(await freshness(storefront, list)).toBe(60)
    expect(await freshness(patient, list)).toBe(3600)
    for (const from of [storefront, patient])
      for (const path of [
        `${list}?market=fr`,
        `${list}?markets[]=fr`,
        `${list}?market=fr&order[price]=asc`,
        // Lists that show no price.
        `${list}?market=fr&price[until]=0.50`,
        `${list}?market=fr&reduced=true&properties[]=title`,
      ]) {
        const seconds = await freshness(from, path)
        expect(seconds).toBeGreaterThan(5)
        expect(seconds).toBeLessThanOrEqual(30)
      }
    const { headers } = await send(own, storefront, `${list}?market=fr`)
    expect(headers.get('vary')).toBe('Accept, Authorization, Service-Locale, Service-Api-Version, Prefer')
    expect(headers.get('access-control-allow-origin')).toBe('*')
    const etag = headers.get('etag') ?? ''
    const again = await send(own, storefront, `${list}?market=fr`, { headers: { 'if-none-match': etag } })
    expect([again.status, again.headers.get('cache-control')]).toEqual([
      304,
      expect.stringMatching(/^public/),
    ])
    const missing = await send(own, storefront, `${list}/${crypto.randomUUID()}`)
    expect([missing.status, missing.headers.get('cache-control')]).toEqual([404, 'private, no-cache'])
    const exported = await send(own, storefront, list, { headers: { accept: 'application/x-ndjson' } })
    expect(exported.headers.get('cache-control')).toBe('private, no-store')
  })
})

/** Entity tags, conditional requests and requests that are sent again under an Idempotency-Key. */
import { describe, expect, test } from 'vitest'
import { owner } from '../support/ledger.ts'
import { openShop, type Shop } from '../support/shop.ts'

const create = async (shop: Shop, body: object = { title: 'Mug' }) =>
  shop.post('/api/products', { body, status: 201 })
const tag = (reply: { headers: Headers }) => reply.headers.get('etag') ?? ''

describe('ETag', () => {
  test('is the version and a hash of the shown document', async () => {
    const shop = await openShop()
    const made = await create(shop)
    expect(tag(made)).toMatch(/^"1\.[A-Za-z0-9_-]+"$/)
    expect(tag(await shop.get(made.body['@id']))).toBe(tag(made))
    const patched = await shop.patch(made.body['@id'], { body: { vendor: 'V' }, status: 200 })
    expect(tag(patched)).toMatch(/^"2\./)
    expect(tag(await shop.get(made.body['@id']))).toBe(tag(patched))
  })

  test('differs by locale, version, selection, expansion and scopes', async () => {
    const shop = await openShop()
    const category = await shop.create('/api/categories', { title: 'A' })
    const made = await create(shop, { title: 'Mug', categories: [category['@id']] })
    const path = made.body['@id']
    const token = await shop.token({ scope: 'products:read' })
    const tags = [
      tag(await shop.get(path)),
      tag(await shop.get(path, { locale: 'fr-FR' })),
      tag(await shop.get(path, { version: '2026-01' })),
      tag(await shop.get(`${path}?properties[]=title`)),
      tag(await shop.get(path, { token })),
    ]
    expect(new Set(tags).size).toBe(5)
  })

  test('of a list is weak and gives 304 until something in it changes', async () => {
    const shop = await openShop()
    const made = await create(shop)
    const list = await shop.get('/api/products')
    const headers = { 'If-None-Match': tag(list) }
    const same = await shop.get('/api/products', { headers, status: 304 })
    expect(same.text).toBe('')
    expect(tag(same)).toBe(tag(list))
    await shop.update(made.body['@id'], { vendor: 'V' })
    await shop.get('/api/products', { headers, status: 200 })
  })
})

describe('If-None-Match', () => {
  test('gives 304 without a body for the tag, a weak form of it, a list with it and *', async () => {
    const shop = await openShop()
    const made = await create(shop)
    const etag = tag(made)
    for (const value of [etag, `W/${etag}`, `"x", ${etag}`, `"x" ,${etag}`, '*']) {
      const reply = await shop.get(made.body['@id'], { headers: { 'If-None-Match': value }, status: 304 })
      expect(reply.text).toBe('')
      expect(tag(reply)).toBe(etag)
      expect(reply.headers.get('service-sequence')).toBe('1')
      expect(reply.headers.get('vary')).toContain('Service-Locale')
    }
    for (const value of ['"x"', 'W/"x"', '"1"'])
      await shop.get(made.body['@id'], { headers: { 'If-None-Match': value }, status: 200 })
  })

  test('is never stale when a category, a value’s title or a price in the answer changes', async () => {
    const shop = await openShop()
    const category = await shop.create('/api/categories', { title: 'A' })
    const made = await create(shop, {
      title: 'Mug',
      categories: [category['@id']],
      options: [{ title: 'Color', values: [{ title: 'Red' }] }],
      variants: [{ optionValues: [{ option: 'Color', value: 'Red' }] }],
    })
    const [variant] = made.body.variants
    const priced = `${variant['@id']}?resolveContext[channel]=web&resolveContext[country]=DE&resolveContext[at]=2026-05-01T00:00:00Z`
    const changes: [string, () => Promise<unknown>][] = [
      [made.body['@id'], () => shop.patch(category['@id'], { body: { title: 'B' }, status: 200 })],
      [
        variant['@id'],
        () => shop.patch(made.body.options[0].values[0]['@id'], { body: { title: 'Crimson' }, status: 200 }),
      ],
      [
        priced,
        () =>
          shop.post('/api/sale_offers', {
            body: { variant: variant['@id'], currency: 'EUR', amount: '1.00' },
            status: 201,
          }),
      ],
    ]
    for (const [path, change] of changes) {
      const headers = { 'If-None-Match': tag(await shop.get(path, { status: 200 })) }
      await shop.get(path, { headers, status: 304 })
      await change()
      await shop.get(path, { headers, status: 200 })
    }
  })
})

describe('If-Match', () => {
  test('the current tag of any representation writes, an older one is 412 with the current version', async () => {
    const shop = await openShop()
    const made = await create(shop)
    const path = made.body['@id']
    const french = tag(await shop.get(path, { locale: 'fr-FR' }))
    await shop.update(path, { vendor: 'A' }, { headers: { 'If-Match': french } })
    const reply = await shop.patch(path, {
      body: { vendor: 'B' },
      headers: { 'If-Match': tag(made) },
      status: 412,
    })
    expect(reply.body).toMatchObject({ slug: 'concurrency.version_mismatch', currentVersion: 2 })
    expect((await shop.get(path)).body.vendor).toBe('A')
  })

  test('* writes, a list with the current one writes, deletes obey too', async () => {
    const shop = await openShop()
    const made = await create(shop)
    const path = made.body['@id']
    await shop.update(path, { vendor: 'A' }, { headers: { 'If-Match': '*' } })
    await shop.update(path, { vendor: 'B' }, { headers: { 'If-Match': `"1.x", "2.y"` } })
    await shop.delete(path, { headers: { 'If-Match': '"1.x"' }, status: 412 })
    expect((await shop.get(path)).body.status).toBe('DRAFT')
    await shop.delete(path, { headers: { 'If-Match': '"3.x"' }, status: 204 })
  })

  test('holds for options, values and variants', async () => {
    const shop = await openShop()
    const made = await create(shop, {
      title: 'Shirt',
      options: [{ title: 'Color', values: [{ title: 'Red' }, { title: 'Blue' }] }],
      variants: [{ optionValues: [{ option: 'Color', value: 'Red' }] }],
    })
    const [option] = made.body.options
    for (const [path, body] of [
      [option['@id'], { title: 'Colour' }],
      [option.values[0]['@id'], { title: 'Crimson' }],
      [made.body.variants[0]['@id'], { sku: 'S' }],
    ] as const) {
      const stale = await shop.patch(path, { body, headers: { 'If-Match': '"7.x"' }, status: 412 })
      expect(stale.body.currentVersion).toBe(1)
      await shop.delete(path, { headers: { 'If-Match': '"7.x"' }, status: 412 })
      await shop.update(path, body, { headers: { 'If-Match': '"1.x"' } })
    }
  })

  test('what changes nothing is still 412 under an old tag', async () => {
    const shop = await openShop()
    const made = await create(shop)
    await shop.patch(made.body['@id'], { body: {}, headers: { 'If-Match': '"9.x"' }, status: 412 })
  })

  test.each(['garbage', '1', 'W/1.x', 'W/"2.x"', '"', '"1.x" "2.x"', '"1e9.x"', '"99999999999999999999.x"'])(
    '%s never writes',
    async (value) => {
      const shop = await openShop()
      const made = await create(shop)
      const reply = await shop.patch(made.body['@id'], {
        body: { vendor: 'V' },
        headers: { 'If-Match': value },
      })
      expect([400, 412], reply.text).toContain(reply.status)
      expect((await shop.get(made.body['@id'])).body.version).toBe(1)
    },
  )

  test('of two writers under one tag one wins', async () => {
    const shop = await openShop()
    const made = await create(shop)
    const replies = await Promise.all(
      ['A', 'B', 'C'].map((vendor) =>
        shop.patch(made.body['@id'], { body: { vendor }, headers: { 'If-Match': tag(made) } }),
      ),
    )
    expect(replies.map((each) => each.status).sort()).toEqual([200, 412, 412])
    expect((await shop.get(made.body['@id'])).body.version).toBe(2)
  })
})

describe('writers of one tenant', () => {
  /** Takes places of writers for the time of a call. */
  const whileTaken = (shop: Shop, places: number, call: () => Promise<unknown>) =>
    owner(async (client) => {
      await client.query('begin')
      await client.query(
        "select pg_advisory_xact_lock(hashtextextended('writer:' || $1::uuid, n)) from generate_series(1, $2::int) n",
        [shop.tenant.id, places],
      )
      await call().finally(() => client.query('rollback'))
    })

  test('beyond eight get 503 with Retry-After, and change nothing', async () => {
    const [shop, other] = await Promise.all([openShop(), openShop()])
    const made = await create(shop)
    await whileTaken(shop, 8, async () => {
      const { body, headers } = await shop.post('/api/products', { body: { title: 'Cup' }, status: 503 })
      expect(body.slug).toBe('concurrency.tenant_busy')
      expect(headers.get('retry-after')).toBe('1')
      await shop.get(made.body['@id'], { status: 200 })
      await create(other)
    })
    expect((await shop.get('/api/products')).body.totalItems).toBe(1)
    await create(shop)
  })

  test('wait without an error of Postgres, after which the proxy would close their connection', async () => {
    const shop = await openShop()
    const write = JSON.stringify({ writersAtOnce: 8, steps: [] })
    await whileTaken(shop, 8, async () => {
      const { rows } = await owner((client) =>
        client.query(`select apply_write($1, '1s', $2) as result`, [shop.tenant.id, write]),
      )
      expect(rows).toEqual([{ result: { isBusy: true } }])
    })
  })

  test('wait for a place', async () => {
    const shop = await openShop()
    await whileTaken(shop, 7, () => create(shop))
    let creating: Promise<unknown> | null = null
    await whileTaken(shop, 8, async () => {
      creating = create(shop)
      await new Promise((done) => setTimeout(done, 500))
    })
    await creating
  })
})

describe('Idempotency-Key', () => {
  const key = (value = 'key-1') => ({ headers: { 'Idempotency-Key': value } })

  test('the same create again is the same answer and makes nothing', async () => {
    const shop = await openShop()
    const first = await shop.post('/api/products', { body: { title: 'Mug' }, ...key(), status: 201 })
    expect(first.headers.has('idempotency-replayed')).toBe(false)
    const second = await shop.post('/api/products', { body: { title: 'Mug' }, ...key(), status: 201 })
    expect(second.headers.get('idempotency-replayed')).toBe('true')
    expect(second.body).toEqual(first.body)
    expect(second.headers.get('location')).toBe(first.headers.get('location'))
    expect(tag(second)).toBe(tag(first))
    expect((await shop.get('/api/products')).body.totalItems).toBe(1)
  })

  test('with another body, path or method is 422', async () => {
    const shop = await openShop()
    const first = await shop.post('/api/products', { body: { title: 'Mug' }, ...key(), status: 201 })
    for (const [method, path, body] of [
      ['POST', '/api/products', { title: 'Cup' }],
      ['PATCH', first.body['@id'], { title: 'Mug' }],
      ['DELETE', first.body['@id'], undefined],
      ['POST', `${first.body['@id']}/variants`, { title: 'Mug' }],
    ] as const) {
      const reply = await shop.request(method, path, { ...(body && { body }), ...key() })
      expect([method, path, reply.status, reply.body?.slug]).toEqual([
        method,
        path,
        422,
        'idempotency.key_reused',
      ])
    }
    expect((await shop.get('/api/products')).body).toMatchObject({ totalItems: 1, member: [{ version: 1 }] })
  })

  test('a repeated patch gets the first response, though the product has changed since', async () => {
    const shop = await openShop()
    const made = await create(shop)
    const path = made.body['@id']
    const first = await shop.patch(path, { body: { vendor: 'A' }, ...key(), status: 200 })
    await shop.update(path, { vendor: 'B' })
    const again = await shop.patch(path, { body: { vendor: 'A' }, ...key(), status: 200 })
    expect(again.body).toEqual(first.body)
    expect(again.headers.get('idempotency-replayed')).toBe('true')
    expect((await shop.get(path)).body).toMatchObject({ vendor: 'B', version: 3 })
  })

  test('a delete again is 204 and changes once', async () => {
    const shop = await openShop()
    const made = await create(shop)
    await shop.delete(made.body['@id'], { ...key(), status: 204 })
    const again = await shop.delete(made.body['@id'], { ...key(), status: 204 })
    expect(again.headers.get('idempotency-replayed')).toBe('true')
    expect((await shop.get(made.body['@id'])).body.version).toBe(2)
  })

  test('options, values and variants are made once', async () => {
    const shop = await openShop()
    const { body: product } = await create(shop)
    const twice = async (path: string, body: object, name: string) => {
      const first = await shop.post(path, { body, ...key(name), status: 201 })
      const second = await shop.post(path, { body, ...key(name), status: 201 })
      expect(second.body).toEqual(first.body)
      expect(second.headers.get('idempotency-replayed')).toBe('true')
      return first.body
    }
    const option = await twice(`${product['@id']}/product_options`, { title: 'Color' }, 'o')
    const value = await twice('/api/option_values', { option: option['@id'], title: 'Red' }, 'v')
    await twice(`${product['@id']}/variants`, { optionValues: [value['@id']] }, 'w')
    expect((await shop.get(product['@id'])).body).toMatchObject({ variantsTotal: 1, version: 4 })
  })

  test('a failure is not kept', async () => {
    const shop = await openShop()
    await shop.post('/api/products', { body: { title: '' }, ...key(), status: 422 })
    await shop.post('/api/products', { body: { title: 'Mug' }, ...key(), status: 201 })
  })

  test('belongs to one client of one tenant', async () => {
    const [shop, other] = [await openShop(), await openShop()]
    const body = { title: 'Mug' }
    const first = await shop.post('/api/products', { body, ...key(), status: 201 })
    const token = await shop.token({ client: 'another' })
    const second = await shop.post('/api/products', { body, ...key(), token, status: 201 })
    const third = await other.post('/api/products', { body, ...key(), status: 201 })
    expect(new Set([first, second, third].map((each) => each.body.id)).size).toBe(3)
  })

  test('sent at the same time makes one', async () => {
    const shop = await openShop()
    const replies = await Promise.all(
      [1, 2, 3].map(() => shop.post('/api/products', { body: { title: 'Mug' }, ...key() })),
    )
    for (const each of replies) expect([201, 409], each.text).toContain(each.status)
    expect((await shop.get('/api/products')).body.totalItems).toBe(1)
  })

  test.each(['', ' ', 'x'.repeat(256), 'clé'])('%j is 400', async (value) => {
    const shop = await openShop()
    const reply = await shop.post('/api/products', { body: { title: 'Mug' }, ...key(value) })
    expect([reply.status, reply.text.slice(0, 0)]).toEqual([400, ''])
    expect((await shop.get('/api/products')).body.totalItems).toBe(0)
  })
})

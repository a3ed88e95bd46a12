/** Products: created with all properties, patched, archived, restored, filtered. */
import { describe, expect, test } from 'vitest'
import { openShop, type Reply, type Shop } from '../support/shop.ts'

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/

const create = async (shop: Shop, body: unknown) =>
  (await shop.post('/api/products', { body, status: 201 })).body
const titles = (reply: Reply) => reply.body.member.map((each: { title: string }) => each.title)
const paths = (reply: Reply) =>
  reply.body.violations.map((each: { propertyPath: string }) => each.propertyPath)

const shirt = {
  title: 'Shirt',
  options: [
    { title: 'Color', values: [{ title: 'Red' }, { title: 'Blue' }] },
    { title: 'Size', values: [{ title: 'S' }, { title: 'L' }] },
  ],
  variants: [
    {
      sku: 'red-l',
      optionValues: [
        { option: 'Size', value: 'L' },
        { option: 'Color', value: 'Red' },
      ],
    },
  ],
}

describe('creating', () => {
  test('a title alone makes a draft with every default', async () => {
    const shop = await openShop()
    const reply = await shop.post('/api/products', { body: { title: 'Mug' }, status: 201 })
    expect(reply.headers.get('location')).toBe(reply.body['@id'])
    expect(reply.headers.get('content-type')).toBe('application/ld+json')
    expect(reply.body).toEqual({
      '@context': '/api/contexts/Product',
      '@id': `/api/products/${reply.body.id}`,
      '@type': 'Product',
      id: expect.stringMatching(uuid),
      externalId: null,
      title: 'Mug',
      description: null,
      handle: 'mug',
      status: 'DRAFT',
      channels: [],
      vendor: null,
      productType: null,
      tags: [],
      media: [],
      seo: null,
      fields: [],
      archivedAt: null,
      options: [],
      variants: [],
      variantsTotal: 0,
      categories: [],
      collections: [],
      version: 1,
      createdAt: expect.stringMatching(instant),
      updatedAt: reply.body.createdAt,
    })
    expect((await shop.get(reply.body['@id'], { status: 200 })).body).toEqual(reply.body)
  })

  test('options, values and variants are made in the one request', async () => {
    const shop = await openShop()
    const made = await create(shop, shirt)
    expect(
      made.options.map((each: { title: string; position: number }) => [each.position, each.title]),
    ).toEqual([
      [0, 'Color'],
      [1, 'Size'],
    ])
    expect(made.options[0]['@type']).toBe('ProductOption')
    expect(made.options[0].product).toBe(made['@id'])
    expect(made.options[0].values.map((each: { title: string }) => each.title)).toEqual(['Red', 'Blue'])
    expect(made.options[0].values[1]).toMatchObject({
      '@type': 'OptionValue',
      position: 1,
      option: made.options[0]['@id'],
    })
    expect(made.variants).toHaveLength(1)
    expect(made.variantsTotal).toBe(1)
    expect(made.variants[0]).toMatchObject({
      '@type': 'Variant',
      title: 'Red / L',
      sku: 'red-l',
      status: 'ACTIVE',
    })
    expect(made.version).toBe(1)
  })

  test('a derived handle gets the next free number', async () => {
    const shop = await openShop()
    const handles = []
    for (let count = 0; count < 3; count += 1)
      handles.push((await create(shop, { title: 'Crème Brûlée!' })).handle)
    expect(handles).toEqual(['creme-brulee', 'creme-brulee-2', 'creme-brulee-3'])
  })

  test('a handle that was given and is taken is 409', async () => {
    const shop = await openShop()
    await create(shop, { title: 'Mug', handle: 'mug' })
    const reply = await shop.post('/api/products', { body: { title: 'Cup', handle: 'mug' }, status: 409 })
    expect(reply.body).toMatchObject({ slug: 'product.handle_taken', status: 409 })
    expect((await shop.get('/api/products')).body.totalItems).toBe(1)
  })

  test('an external id that is taken is 409, and free again once its product is archived', async () => {
    const shop = await openShop()
    const first = await create(shop, { title: 'Mug', externalId: 'e1' })
    await shop.post('/api/products', { body: { title: 'Cup', externalId: 'e1' }, status: 409 })
    await shop.delete(first['@id'], { status: 204 })
    await create(shop, { title: 'Cup', externalId: 'e1' })
  })

  test('every violation is listed at once', async () => {
    const shop = await openShop()
    const reply = await shop.post('/api/products', {
      body: {
        handle: 'Not A Slug',
        status: 'GONE',
        channels: ['has space'],
        tags: 'sale',
        vendor: 7,
        description: 'x'.repeat(65_536),
        externalId: 'x'.repeat(256),
        options: [{ title: 'Color', values: [{}] }],
      },
      status: 422,
    })
    expect(reply.headers.get('content-type')).toBe('application/problem+json')
    expect(reply.body['@type']).toBe('ConstraintViolation')
    expect(paths(reply).sort()).toEqual(
      [
        'channels[0]',
        'description',
        'externalId',
        'handle',
        'options[0].values[0].title',
        'status',
        'tags',
        'title',
        'vendor',
      ].sort(),
    )
    for (const each of reply.body.violations)
      expect(each).toEqual({
        propertyPath: expect.any(String),
        message: expect.any(String),
        detail: expect.any(String),
        code: expect.stringMatching(/^[A-Z]{3}-\d{4}$/),
        slug: expect.stringMatching(/^validation\./),
      })
  })

  test('a title of 255 characters outside the basic plane is accepted', async () => {
    const shop = await openShop()
    const title = '👕'.repeat(255)
    expect((await create(shop, { title })).title).toBe(title)
  })

  test('a product without options takes one variant and no second', async () => {
    const shop = await openShop()
    const made = await create(shop, { title: 'Mug', variants: [{ sku: 'mug' }] })
    expect(made.variants[0]).toMatchObject({ sku: 'mug', optionValues: [] })
    const reply = await shop.post('/api/products', { body: { title: 'Cup', variants: [{}, {}] } })
    expect([409, 422]).toContain(reply.status)
    expect((await shop.get('/api/products')).body.totalItems).toBe(1)
  })

  test.each([
    ['an unknown value', [{ option: 'Color', value: 'Green' }]],
    ['an unknown option', [{ option: 'Fabric', value: 'Wool' }]],
    ['a missing option', []],
    [
      'an option twice',
      [
        { option: 'Color', value: 'Red' },
        { option: 'Color', value: 'Blue' },
      ],
    ],
  ])('a variant with %s is 422 and makes nothing', async (_, optionValues) => {
    const shop = await openShop()
    const options = [{ title: 'Color', values: [{ title: 'Red' }, { title: 'Blue' }] }]
    const reply = await shop.post('/api/products', {
      body: { title: 'Shirt', options, variants: [{ optionValues }] },
      status: 422,
    })
    expect(paths(reply)[0]).toMatch(/^variants\[0\]\.optionValues/)
    expect((await shop.get('/api/products')).body.totalItems).toBe(0)
  })

  test('two variants of one combination, two options or two values of one title make nothing', async () => {
    const shop = await openShop()
    const optionValues = [{ option: 'Color', value: 'Red' }]
    const options = [{ title: 'Color', values: [{ title: 'Red' }] }]
    for (const body of [
      { title: 'A', options, variants: [{ optionValues }, { optionValues }] },
      { title: 'A', options: [...options, ...options] },
      { title: 'A', options: [{ title: 'Color', values: [{ title: 'Red' }, { title: 'Red' }] }] },
    ]) {
      const reply = await shop.post('/api/products', { body })
      expect([409, 422], reply.text).toContain(reply.status)
    }
    expect((await shop.get('/api/products')).body.totalItems).toBe(0)
  })

  test('categories are written as IRIs or objects and answered as objects', async () => {
    const shop = await openShop()
    const a = (await shop.post('/api/categories', { body: { title: 'A' }, status: 201 })).body
    const b = (await shop.post('/api/categories', { body: { title: 'B' }, status: 201 })).body
    const made = await create(shop, { title: 'Mug', categories: [a['@id'], { '@id': b['@id'] }] })
    expect(made.categories.map((each: { title: string }) => each.title).sort()).toEqual(['A', 'B'])
    expect(made.categories[0]).toMatchObject({ '@type': 'Category', children: [] })
    const listed = await shop.get(`/api/products?category=${a.id}`, { status: 200 })
    expect(listed.body.member).toHaveLength(1)
    expect(
      (await shop.get(`/api/products?category=${encodeURIComponent(a['@id'])}`)).body.member,
    ).toHaveLength(1)
    const emptied = await shop.patch(made['@id'], { body: { categories: [] }, status: 200 })
    expect(emptied.body.categories).toEqual([])
    expect(emptied.body.version).toBe(2)
  })
})

describe('members that are not written', () => {
  test('strict handling makes an unknown member 422 with a suggestion', async () => {
    const shop = await openShop()
    const reply = await shop.post('/api/products', {
      body: { title: 'Mug', vendr: 'x' },
      headers: { Prefer: 'handling=strict' },
      status: 422,
    })
    expect(reply.body.violations).toEqual([
      expect.objectContaining({ propertyPath: 'vendr', slug: 'validation.unknown_property' }),
    ])
    expect(reply.body.violations[0].message).toContain('vendor')
    const query = await shop.get('/api/products?statu=DRAFT', {
      headers: { Prefer: 'handling=strict' },
      status: 422,
    })
    expect(query.body.violations[0]).toMatchObject({
      propertyPath: 'statu',
      slug: 'validation.unknown_parameter',
    })
    expect(query.body.violations[0].message).toContain('status')
  })

  test.each([
    ['@id', '/api/products/01900000-0000-7000-8000-000000000000'],
    ['@type', 'Variant'],
    ['id', '01900000-0000-7000-8000-000000000000'],
  ])('%s that contradicts the resource is 422', async (name, value) => {
    const shop = await openShop()
    const made = await create(shop, { title: 'Mug' })
    const reply = await shop.patch(made['@id'], { body: { title: 'Cup', [name]: value }, status: 422 })
    expect(paths(reply)).toEqual([name])
    expect((await shop.get(made['@id'])).body.title).toBe('Mug')
  })

  test('options and variants are read-only on a patch', async () => {
    const shop = await openShop()
    const made = await create(shop, shirt)
    const reply = await shop.patch(made['@id'], {
      body: { options: [], variants: [], vendor: 'V' },
      status: 200,
    })
    expect(reply.headers.get('service-ignored-properties')).toBe('options, variants')
    expect(reply.body.options).toEqual(made.options)
    expect(reply.body.variants).toEqual(made.variants)
    expect(reply.body.vendor).toBe('V')
  })
})

describe('patching', () => {
  test('an omitted property is left, null clears, an array is replaced whole, an object is merged', async () => {
    const shop = await openShop()
    const made = await create(shop, {
      title: 'Mug',
      description: 'D',
      vendor: 'V',
      tags: ['a', 'b'],
      channels: ['web'],
      seo: { title: 'T', description: 'D' },
    })
    const { body } = await shop.patch(made['@id'], {
      body: { vendor: null, tags: ['c'], channels: null, seo: { title: null } },
      status: 200,
    })
    expect(body).toMatchObject({
      title: 'Mug',
      description: 'D',
      vendor: null,
      tags: ['c'],
      channels: [],
      version: 2,
    })
    expect(body.seo.description).toBe('D')
    expect(body.seo.title ?? null).toBeNull()
    expect(body.updatedAt > made.updatedAt).toBe(true)
    expect(body.createdAt).toBe(made.createdAt)
    expect((await shop.get(made['@id'])).body).toEqual(body)
  })

  test.each([{}, { title: 'Mug' }, { title: 'Mug', tags: [], vendor: null, status: 'DRAFT' }])(
    'what changes nothing bumps nothing: %j',
    async (body) => {
      const shop = await openShop()
      const made = await create(shop, { title: 'Mug' })
      const reply = await shop.patch(made['@id'], { body, status: 200 })
      expect(reply.body).toEqual(made)
      const list = await shop.get('/api/products')
      expect(list.headers.get('service-sequence')).toBe('1')
    },
  )

  test('a new title leaves the handle; a handle of another is 409', async () => {
    const shop = await openShop()
    const mug = await create(shop, { title: 'Mug' })
    await create(shop, { title: 'Cup' })
    expect((await shop.patch(mug['@id'], { body: { title: 'Beaker' }, status: 200 })).body.handle).toBe('mug')
    const taken = await shop.patch(mug['@id'], { body: { handle: 'cup' }, status: 409 })
    expect(taken.body.slug).toBe('product.handle_taken')
  })

  test('an option, a value or a variant raises version and updatedAt of its product', async () => {
    const shop = await openShop()
    const made = await create(shop, { title: 'Mug' })
    const option = await shop.post(`${made['@id']}/product_options`, {
      body: { title: 'Color' },
      status: 201,
    })
    const value = await shop.post('/api/option_values', {
      body: { option: option.body['@id'], title: 'Red' },
      status: 201,
    })
    await shop.post(`${made['@id']}/variants`, { body: { optionValues: [value.body['@id']] }, status: 201 })
    await shop.patch(value.body['@id'], { body: { title: 'Crimson' }, status: 200 })
    const now = (await shop.get(made['@id'])).body
    expect(now.version).toBe(5)
    expect(now.updatedAt > value.body.updatedAt).toBe(true)
    expect(now.variants[0].title).toBe('Crimson')
  })
})

describe('taking down', () => {
  test('is 204 without a body, and the product is read as archived afterwards', async () => {
    const shop = await openShop()
    const made = await create(shop, { ...shirt, channels: ['web'], status: 'ACTIVE' })
    const reply = await shop.delete(made['@id'], { status: 204 })
    expect(reply.text).toBe('')
    const { body } = await shop.get(made['@id'], { status: 200 })
    expect(body).toMatchObject({
      status: 'ARCHIVED',
      channels: [],
      version: 2,
      archivedAt: expect.stringMatching(instant),
    })
    await shop.get(`${made['@id']}/variants`, { status: 200 })
    await shop.get(made.variants[0]['@id'], { status: 200 })
    await shop.get(`${made['@id']}/product_options`, { status: 200 })
    await shop.get(made.options[0]['@id'], { status: 200 })
  })

  test('twice is 204 twice and changes once', async () => {
    const shop = await openShop()
    const made = await create(shop, { title: 'Mug' })
    await shop.delete(made['@id'], { status: 204 })
    const once = (await shop.get(made['@id'])).body
    await shop.delete(made['@id'], { status: 204 })
    expect((await shop.get(made['@id'])).body).toEqual(once)
  })

  test('status ARCHIVED in a patch does the same', async () => {
    const shop = await openShop()
    const made = await create(shop, { title: 'Mug', channels: ['web'], status: 'ACTIVE' })
    const { body } = await shop.patch(made['@id'], { body: { status: 'ARCHIVED' }, status: 200 })
    expect(body).toMatchObject({ status: 'ARCHIVED', channels: [] })
    expect(body.archivedAt).toMatch(instant)
  })

  test('every other write afterwards is 409', async () => {
    const shop = await openShop()
    const made = await create(shop, shirt)
    await shop.delete(made['@id'], { status: 204 })
    const value = made.options[0].values[0]['@id']
    for (const [method, path, body] of [
      ['PATCH', made['@id'], { title: 'X' }],
      ['POST', `${made['@id']}/product_options`, { title: 'X' }],
      ['POST', `${made['@id']}/variants`, { optionValues: [value, made.options[1].values[0]['@id']] }],
      ['POST', '/api/option_values', { option: made.options[0]['@id'], title: 'X' }],
      ['PATCH', value, { title: 'X' }],
      ['DELETE', made.options[1].values[0]['@id'], undefined],
      ['PATCH', made.options[0]['@id'], { title: 'X' }],
      ['PATCH', made.variants[0]['@id'], { sku: 'X' }],
      ['DELETE', made.variants[0]['@id'], undefined],
    ] as const) {
      const reply = await shop.request(method, path, { ...(body && { body }) })
      expect([method, path, reply.status, reply.body?.slug]).toEqual([method, path, 409, 'product.archived'])
    }
  })

  test('only a write that changes nothing is none', async () => {
    const shop = await openShop()
    const made = await create(shop, { ...shirt, handle: 'shirt', externalId: 'shirt' })
    await shop.delete(made['@id'], { status: 204 })
    await create(shop, { title: 'Other', handle: 'shirt', externalId: 'shirt' })
    const archived = (await shop.get(made['@id'])).body
    for (const body of [{}, { status: 'ARCHIVED' }, archived, { title: archived.title }]) {
      expect((await shop.patch(made['@id'], { body, status: 200 })).body).toEqual(archived)
    }
    for (const change of [{ channels: ['web'] }, { title: 'X' }, { title: null }, { handle: null }]) {
      for (const body of [change, { ...archived, ...change }]) {
        const { body: refused } = await shop.patch(made['@id'], { body, status: 409 })
        expect(refused.slug).toBe('product.archived')
      }
    }
  })

  test('a status restores it with the channels that it had', async () => {
    const shop = await openShop()
    const rules = { match: 'ALL', conditions: [{ field: 'channel', operator: 'EQUALS', value: 'web' }] }
    const collection = (
      await shop.post('/api/collections', { body: { title: 'Web', type: 'RULE_BASED', rules }, status: 201 })
    ).body
    const manual = (
      await shop.post('/api/collections', { body: { title: 'Chosen', type: 'MANUAL' }, status: 201 })
    ).body
    const made = await create(shop, {
      ...shirt,
      channels: ['web', 'store'],
      status: 'ACTIVE',
      collections: [manual['@id']],
    })
    await shop.delete(made['@id'], { status: 204 })
    // Twice archived, and sent back as it is: nothing is forgotten.
    await shop.delete(made['@id'], { status: 204 })
    const archived = (await shop.get(made['@id'], { status: 200 })).body
    expect(archived.channels).toEqual([])
    await shop.patch(made['@id'], { body: archived, status: 200 })
    const { body } = await shop.patch(made['@id'], { body: { status: 'ACTIVE' }, status: 200 })
    const { version, updatedAt, ...before } = (await shop.get(made['@id'], { status: 200 })).body
    expect(body).toMatchObject({ status: 'ACTIVE', channels: ['web', 'store'], archivedAt: null, version: 3 })
    expect({ ...made, version, updatedAt }).toEqual({ ...before, version, updatedAt })
    expect([...body.collections].sort()).toEqual([collection['@id'], manual['@id']].sort())
    expect(titles(await shop.get('/api/products?channel=store'))).toEqual([shirt.title])
    const { body: trail } = await shop.get(`${made['@id']}/audit_trail`, { status: 200 })
    const changes = trail.member[0].changes.filter(({ path }: { path: string }) => path === 'channels')
    expect(changes).toEqual([{ path: 'channels', before: [], after: ['web', 'store'] }])
    // A restored channel is not restored again.
    await shop.patch(made['@id'], { body: { channels: [] }, status: 200 })
    await shop.delete(made['@id'], { status: 204 })
    const again = await shop.patch(made['@id'], { body: { status: 'DRAFT' }, status: 200 })
    expect(again.body.channels).toEqual([])
  })

  test.each([[['app']], [[]], [null]])(
    'a status with channels of %j restores it with these',
    async (channels) => {
      const shop = await openShop()
      const made = await create(shop, { title: 'Mug', channels: ['web'], status: 'ACTIVE' })
      await shop.delete(made['@id'], { status: 204 })
      const { body } = await shop.patch(made['@id'], { body: { status: 'ACTIVE', channels }, status: 200 })
      expect(body.channels).toEqual(channels ?? [])
    },
  )

  test('one that is created archived gets the channels of its body when it is restored', async () => {
    const shop = await openShop()
    const made = await create(shop, { title: 'Mug', channels: ['web'], status: 'ARCHIVED' })
    expect(made.channels).toEqual([])
    const { body } = await shop.patch(made['@id'], { body: { status: 'ACTIVE' }, status: 200 })
    expect(body.channels).toEqual(['web'])
  })

  test('its handle and its SKUs are free for others, and restoring then is 409', async () => {
    const shop = await openShop()
    const first = await create(shop, { title: 'Mug', handle: 'mug', variants: [{ sku: 's1' }] })
    await shop.delete(first['@id'], { status: 204 })
    const second = await create(shop, { title: 'Other', handle: 'mug', variants: [{ sku: 's1' }] })
    const handle = await shop.patch(first['@id'], { body: { status: 'DRAFT' }, status: 409 })
    expect(handle.body).toMatchObject({
      slug: 'product.handle_taken',
      detail: `2 violations: handle, variants. handle: Another product already uses the handle “mug”. The product ${second['@id']} has the handle "mug". Send another handle in the same request, or change it there or archive that product.`,
      message:
        'Another product already uses the handle “mug”. It belongs to “Other”. Choose another one here, or change it there or archive that product.',
    })
    const cleared = await shop.patch(first['@id'], { body: { status: null }, status: 409 })
    expect(cleared.body.slug).toBe('product.handle_taken')
    const both = handle.body.violations.map(({ detail }: { detail: string }) => detail)
    const sku = await shop.patch(first['@id'], { body: { status: 'DRAFT', handle: 'mug-1' }, status: 409 })
    expect(sku.body).toMatchObject({
      slug: 'variant.sku_taken',
      detail: `variants: Another variant already has the SKU “s1”. A variant of the product ${second['@id']} has the SKU "s1". Change it there, or archive that product. Then send this request again.`,
    })
    expect(both).toEqual([handle.body.detail.split('variants. ')[1], sku.body.detail])
    const french = await shop.patch(first['@id'], { body: { status: 'DRAFT' }, locale: 'fr-FR', status: 409 })
    expect(french.body.message).toContain('Il appartient à «\u00a0Other\u00a0».')
    const token = await shop.token({ scope: 'products:write' })
    const unseen = await shop.patch(first['@id'], { body: { status: 'DRAFT' }, token, status: 409 })
    expect(unseen.text).not.toMatch(`${second['@id']}|Other”`)
    expect(unseen.body.message).toBe('Another product already uses the handle “mug”.')
    await shop.patch(second.variants[0]['@id'], { body: { sku: null }, status: 200 })
    await shop.patch(first['@id'], { body: { status: 'DRAFT', handle: 'mug-1' }, status: 200 })
  })

  test('a product that is created archived takes no name of another one, and needs another name to be restored', async () => {
    const shop = await openShop()
    const body = {
      title: 'Mug',
      handle: 'mug',
      externalId: 'p',
      options: [{ title: 'Size', externalId: 'o', values: [{ title: 'S', externalId: 'v' }] }],
      variants: [{ sku: 's', externalId: 'x', optionValues: [{ option: 'Size', value: 'S' }] }],
    }
    await create(shop, body)
    const archived = { ...body, status: 'ARCHIVED' }
    const { body: made } = await shop.post('/api/products', { body: [archived, archived], status: 201 })
    for (const each of made.member) {
      expect(each).toMatchObject({ handle: 'mug', status: 'ARCHIVED', externalId: 'p' })
      const restored = await shop.patch(each['@id'], { body: { status: 'DRAFT' }, status: 409 })
      expect(restored.body.violations.map(({ slug }: { slug: string }) => slug)).toEqual([
        'product.handle_taken',
        'product.external_id_taken',
        'variant.sku_taken',
        'variant.external_id_taken',
        'product_option.external_id_taken',
        'option_value.external_id_taken',
      ])
    }
    await shop.post('/api/products', { body, status: 409 })
    const twins = { ...archived, handle: 'twins', options: undefined, variants: [{ sku: 'a' }, { sku: 'a' }] }
    const refused = await shop.post('/api/products', { body: twins })
    expect(refused.status).not.toBe(201)
  })

  test('lists hide it, unless status or updatedAt asks', async () => {
    const shop = await openShop()
    const gone = await create(shop, { title: 'Gone' })
    await create(shop, { title: 'Here' })
    await shop.delete(gone['@id'], { status: 204 })
    expect(titles(await shop.get('/api/products'))).toEqual(['Here'])
    expect((await shop.get('/api/products')).body.totalItems).toBe(1)
    expect(titles(await shop.get('/api/products?status=ARCHIVED'))).toEqual(['Gone'])
    expect(titles(await shop.get('/api/products?updatedAt[after]=2020-01-01'))).toEqual(['Here', 'Gone'])
  })
})

describe('filters', () => {
  test('each narrows the list to what it names', async () => {
    const shop = await openShop()
    const first = await create(shop, {
      title: 'First',
      status: 'ACTIVE',
      vendor: 'Acme',
      productType: 'Mugs',
      tags: ['sale', 'red'],
      channels: ['web'],
      externalId: 'e-1',
      variants: [{ sku: 'SKU-1', barcode: '4006381333931' }],
    })
    await create(shop, { title: 'Second', vendor: 'Other' })
    for (const query of [
      'status=ACTIVE',
      'handle=first',
      'externalId=e-1',
      'sku=SKU-1',
      'barcode=4006381333931',
      'vendor=Acme',
      'productType=Mugs',
      'tag=sale',
      'channel=web',
      `createdAt[until]=${first.createdAt}`,
      `createdAt[before]=${first.createdAt.replace('Z', '9Z')}&vendor=Acme`,
      `updatedAt[until]=${first.updatedAt}`,
      'vendor=Acme&tag=red&status=ACTIVE',
    ]) {
      const reply = await shop.get(`/api/products?${query}`, { status: 200 })
      expect([query, titles(reply), reply.headers.get('service-ignored-parameters')]).toEqual([
        query,
        query.includes('before') ? [] : ['First'],
        null,
      ])
    }
    for (const query of [
      'status=DRAFT',
      'handle=second',
      'vendor=Other',
      `createdAt[after]=${first.createdAt}`,
    ])
      expect([query, titles(await shop.get(`/api/products?${query}`))]).toEqual([query, ['Second']])
    for (const query of ['tag=none', 'sku=sku', 'handle=none', 'vendor=Acme&status=DRAFT', 'channel=pos'])
      expect([query, titles(await shop.get(`/api/products?${query}`))]).toEqual([query, []])
  })

  test('an unknown status or a date out of the calendar is 422', async () => {
    const shop = await openShop()
    for (const [query, path] of [
      ['status=GONE', 'status'],
      ['createdAt[after]=2026-02-30', 'createdAt[after]'],
      ['updatedAt[after]=yesterday', 'updatedAt[after]'],
    ]) {
      const reply = await shop.get(`/api/products?${query}`, { status: 422 })
      expect(paths(reply)).toEqual([path])
    }
  })
})

describe('resolve context', () => {
  const complete =
    'resolveContext[channel]=web&resolveContext[country]=de&resolveContext[at]=2026-05-01T00:00:00Z'

  test('resolves the offer that holds there and then', async () => {
    const shop = await openShop()
    const made = await create(shop, { title: 'Mug', variants: [{ sku: 'm' }] })
    const variant = made.variants[0]['@id']
    const post = (body: object) =>
      shop.post('/api/sale_offers', { body: { variant, currency: 'EUR', ...body }, status: 201 })
    await post({ amount: '19.90' })
    const german = await post({ amount: '17.00', countries: ['DE'], validUntil: '2026-06-01T00:00:00Z' })
    const { body } = await shop.get(`${made['@id']}?${complete}`, { status: 200 })
    expect(body.variants[0].resolvedPrice).toMatchObject({
      '@type': 'ResolvedPrice',
      amount: '17.00',
      currency: 'EUR',
      saleOffer: german.body['@id'],
      channel: 'web',
      country: 'DE',
      nextChangeAt: '2026-06-01T00:00:00.000000Z',
    })
    for (const path of [variant, `${made['@id']}/variants`]) {
      const reply = await shop.get(`${path}?${complete.replace('=de', '=FR')}`, { status: 200 })
      expect((reply.body.member?.[0] ?? reply.body).resolvedPrice.amount).toBe('19.90')
    }
  })
})

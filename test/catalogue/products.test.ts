/** Products: created with all properties, patched, archived, restored, filtered. */
import { describe, expect, test } from 'vitest'
import { openShop, type Reply, type Shop } from '../support/shop.ts'

const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/

const create = async (shop: Shop, body: unknown) => await shop.create('/api/products', body)
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

  test('two variants of one combination are refused at the second', async () => {
    const shop = await openShop()
    const { options, variants } = shirt
    const body = { title: 'Shirt', options, variants: [...variants, { ...variants[0], sku: 'other' }] }
    const reply = await shop.post('/api/products', { body })
    expect(paths(reply)).toEqual(['variants[1].optionValues'])
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
})

describe('taking down', () => {
  test('status ARCHIVED in a patch does the same', async () => {
    const shop = await openShop()
    const made = await create(shop, { title: 'Mug', channels: ['web'], status: 'ACTIVE' })
    const body = await shop.update(made['@id'], { status: 'ARCHIVED' })
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
      expect(await shop.update(made['@id'], body)).toEqual(archived)
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
    const collection = await shop.create('/api/collections', { title: 'Web', type: 'RULE_BASED', rules })
    const manual = await shop.create('/api/collections', { title: 'Chosen', type: 'MANUAL' })
    const made = await create(shop, {
      ...shirt,
      channels: ['web', 'store'],
      status: 'ACTIVE',
      collections: [manual['@id']],
    })
    await shop.delete(made['@id'], { status: 204 })
    // Twice archived, and sent back as it is: nothing is forgotten.
    await shop.delete(made['@id'], { status: 204 })
    const archived = await shop.read(made['@id'])
    expect(archived.channels).toEqual([])
    await shop.update(made['@id'], archived)
    const body = await shop.update(made['@id'], { status: 'ACTIVE' })
    const { version, updatedAt, ...before } = await shop.read(made['@id'])
    expect(body).toMatchObject({ status: 'ACTIVE', channels: ['web', 'store'], archivedAt: null, version: 3 })
    expect({ ...made, version, updatedAt }).toEqual({ ...before, version, updatedAt })
    expect([...body.collections].sort()).toEqual([collection['@id'], manual['@id']].sort())
    expect(titles(await shop.get('/api/products?channel=store'))).toEqual([shirt.title])
    const trail = await shop.read(`${made['@id']}/audit_trail`)
    const changes = trail.member[0].changes.filter(({ path }: { path: string }) => path === 'channels')
    expect(changes).toEqual([{ path: 'channels', before: [], after: ['web', 'store'] }])
    // A restored channel is not restored again.
    await shop.update(made['@id'], { channels: [] })
    await shop.delete(made['@id'], { status: 204 })
    const again = await shop.update(made['@id'], { status: 'DRAFT' })
    expect(again.channels).toEqual([])
  })

  test.each([[['app']], [[]], [null]])(
    'a status with channels of %j restores it with these',
    async (channels) => {
      const shop = await openShop()
      const made = await create(shop, { title: 'Mug', channels: ['web'], status: 'ACTIVE' })
      await shop.delete(made['@id'], { status: 204 })
      const body = await shop.update(made['@id'], { status: 'ACTIVE', channels })
      expect(body.channels).toEqual(channels ?? [])
    },
  )

  test('one that is created archived gets the channels of its body when it is restored', async () => {
    const shop = await openShop()
    const made = await create(shop, { title: 'Mug', channels: ['web'], status: 'ARCHIVED' })
    expect(made.channels).toEqual([])
    const body = await shop.update(made['@id'], { status: 'ACTIVE' })
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
    await shop.update(second.variants[0]['@id'], { sku: null })
    await shop.update(first['@id'], { status: 'DRAFT', handle: 'mug-1' })
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
    const made = await shop.create('/api/products', [archived, archived])
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
})

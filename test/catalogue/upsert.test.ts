/** Upserts by an external id of the caller: of categories, collections, metaobjects and offers. Those of products: upsert-product.test.ts. */
import { beforeAll, describe, expect, test } from 'vitest'
import { openShop, type Reply, type Shop } from '../support/shop.ts'

let shop: Shop
let definition: string
let variant: string

const addressOf = (list: string, externalId: string) =>
  `${list}/by-external-id/${encodeURIComponent(externalId)}`

beforeAll(async () => {
  shop = await openShop()
  const product = await shop.create('/api/products', { title: 'Mug', variants: [{}] })
  variant = product.variants[0]['@id']
  const fieldDefinitions = [{ key: 'title', type: '/api/metafield_definition_types/single_line_text_field' }]
  definition = (await shop.create('/api/metaobject_definitions', { type: 'recipe', fieldDefinitions }))['@id']
})

const changesOf = async () => Number((await shop.get('/api/categories')).headers.get('service-sequence'))
const effectOf = ({ status, headers }: Reply) => [status, headers.get('service-changed')]

/** For each kind: the list, the body of a creation, and a change. */
const kinds: readonly (readonly [string, () => object, object, string[]])[] = [
  ['/api/categories', () => ({ title: 'Shoes' }), { description: 'For feet' }, ['title']],
  ['/api/collections', () => ({ title: 'Summer' }), { description: 'Warm' }, ['title']],
  [
    '/api/metaobjects',
    () => ({ definition, fields: { title: 'Soup' } }),
    { status: 'ACTIVE' },
    ['definition'],
  ],
  [
    '/api/sale_offers',
    () => ({ variant, currency: 'EUR', amount: '9.90' }),
    { amount: '8.90' },
    ['variant', 'currency', 'amount'],
  ],
  [
    '/api/purchase_offers',
    () => ({ variant, supplier: 'acme', currency: 'EUR', cost: '4.00' }),
    { cost: '3.90' },
    ['variant', 'supplier', 'cost', 'currency'],
  ],
]

describe.each(kinds)('%s', (list, body, change, required) => {
  const address = addressOf(list, 'a/b ü–1?#')

  test('creates, changes nothing, changes', async () => {
    const created = await shop.patch(address, { body: body() })
    expect(effectOf(created), created.text).toEqual([201, 'true'])
    expect(created.headers.get('location')).toBe(created.body['@id'])
    expect(created.body.externalId).toBe('a/b ü–1?#')
    const before = await changesOf()
    const same = await shop.patch(address, { body: body() })
    expect(effectOf(same)).toEqual([200, 'false'])
    expect(same.headers.get('location')).toBeNull()
    expect(same.body).toEqual(created.body)
    const { '@context': _, ...document } = created.body
    const whole = await shop.patch(address, { body: document, headers: { prefer: 'handling=strict' } })
    expect(effectOf(whole), whole.text).toEqual([200, 'false'])
    expect(await changesOf()).toBe(before)
    const changed = await shop.patch(address, { body: change })
    expect(effectOf(changed)).toEqual([200, 'true'])
    expect(changed.body).toMatchObject({ ...change, '@id': created.body['@id'], version: 2 })
    expect((await shop.get(created.body['@id'])).body).toEqual(changed.body)
    expect(await changesOf()).toBe(before + 1)
  })

  test('compares If-Match and If-None-Match', async () => {
    const other = addressOf(list, 'conditions')
    const when = (headers: Record<string, string>, more: object = {}) =>
      shop.patch(other, { body: { ...body(), ...more }, headers })
    expect((await when({ 'if-match': '*' })).body.slug).toBe('concurrency.version_mismatch')
    expect((await when({ 'if-match': '"1.abc"' })).status).toBe(412)
    expect(effectOf(await when({ 'if-none-match': '*' }))).toEqual([201, 'true'])
    expect((await when({ 'if-none-match': '*' })).body).toMatchObject({ status: 412, currentVersion: 1 })
    const changed = await when({ 'if-match': '"1.abc"' }, change)
    expect(effectOf(changed), changed.text).toEqual([200, 'true'])
    expect((await when({ 'if-match': '"1.abc"' })).status).toBe(412)
    expect(effectOf(await when({ 'if-match': '*' }, change))).toEqual([200, 'false'])
  })

  test('rejects another external id, and lists the properties that a creation requires', async () => {
    const missing = await shop.patch(addressOf(list, 'missing'), { body: {} })
    expect(missing.status).toBe(422)
    expect(missing.body.violations.map((each: { propertyPath: string }) => each.propertyPath)).toEqual(
      required,
    )
    for (const externalId of ['other', null]) {
      const reply = await shop.patch(addressOf(list, 'missing'), { body: { ...body(), externalId } })
      expect(reply.body, reply.text).toMatchObject({
        status: 422,
        slug: 'validation.identity_mismatch',
        violations: [{ propertyPath: 'externalId' }],
      })
    }
    const long = await shop.patch(addressOf(list, 'x'.repeat(256)), { body: body() })
    expect(long.body.violations).toMatchObject([{ propertyPath: 'externalId' }])
  })

  test('replays a request with its idempotency key, and rejects another body', async () => {
    const headers = { 'idempotency-key': `key-${list.slice(5)}` }
    const send = (more: object = {}) =>
      shop.patch(addressOf(list, 'keyed'), { body: { ...body(), ...more }, headers })
    const first = await send()
    const again = await send()
    expect(effectOf(again)).toEqual([201, 'true'])
    expect([again.text, again.headers.get('location')]).toEqual([first.text, first.body['@id']])
    expect(again.headers.get('idempotency-replayed')).toBe('true')
    expect((await send(change)).body.slug).toBe('idempotency.key_reused')
  })

  test('creates one resource from racing requests', async () => {
    const other = addressOf(list, 'raced')
    const replies = await Promise.all(Array.from({ length: 6 }, () => shop.patch(other, { body: body() })))
    expect(replies.map(effectOf).toSorted()).toEqual([...Array(5).fill([200, 'false']), [201, 'true']])
    expect(new Set(replies.map((reply) => reply.body['@id'])).size).toBe(1)
  })
})

test.each(['/api/sale_offers', '/api/purchase_offers'])(
  '%s restores the newest archived offer',
  async (list) => {
    const [, body, change] = kinds.find(([name]) => name === list)!
    const address = addressOf(list, 'archived')
    const [first, second] = [await shop.patch(address, { body: body() }), null]
    expect(second).toBeNull()
    await shop.delete(first.body['@id'])
    const next = await shop.create(list, { ...body(), externalId: 'archived' })
    await shop.delete(next['@id'])
    const kept = await shop.patch(address, { body: { status: 'ARCHIVED' } })
    expect(effectOf(kept)).toEqual([200, 'false'])
    const restored = await shop.patch(address, { body: change })
    expect(effectOf(restored), restored.text).toEqual([200, 'true'])
    expect(restored.body).toMatchObject({ ...change, '@id': next['@id'], status: 'ACTIVE' })
  },
)

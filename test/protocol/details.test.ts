import { beforeAll, expect, test } from 'vitest'
import { shortJson } from '../../src/core/violations.ts'
import { openShop, type Shop } from '../support/shop.ts'

let shop: Shop

beforeAll(async () => {
  shop = await openShop()
})

const detailOf = async (path: string, body: object, status = 422) =>
  (await shop.post(path, { body, status })).body.detail

test('detail of one violation names its place, the limit, the received value and what to do', async () => {
  expect(await detailOf('/api/products', { title: 'x'.repeat(300) })).toBe(
    `title: This text is too long. Maximum number of characters: 255. Received "${'x'.repeat(99)}…. The text has more characters than the property takes; nothing is cut silently. Send a shorter text.`,
  )
})

test('detail of several violations names their number and places, and each has its own', async () => {
  const { body } = await shop.post('/api/products', {
    body: { handle: 'A B', vendor: 7, status: 'OLD' },
    status: 422,
  })
  expect(body.detail).toMatch(/^4 violations: handle, vendor, status, title\. One or more values/)
  expect(body.violations.map(({ detail }: { detail: string }) => detail)).toEqual([
    expect.stringMatching(/^handle: Received "A B"\. A handle is part of addresses/),
    expect.stringMatching(/^vendor: .* Expected: string\. Received 7\. /),
    expect.stringMatching(/^status: .* DRAFT, ACTIVE, ARCHIVED\. Received "OLD"\. /),
    expect.stringMatching(/^title: A required value is missing/),
  ])
})

test('detail without violations names the request, the values of the message and what to do', async () => {
  const path = '/api/products/01900000-0000-7000-8000-000000000000'
  const { body } = await shop.get(path, { locale: 'fr-FR', status: 404 })
  expect(body.detail).toBe(
    `GET ${path}: The product ${path.slice(14)} does not exist. No product of this tenant has this id. An id of another tenant answers the same.`,
  )
})

test('detail names the received value of a parameter, and the place in the names of the version', async () => {
  const query = await shop.get('/api/products?itemsPerPage=-5', { status: 422 })
  expect(query.body.detail).toMatch(/^itemsPerPage: .* 0 or more\. Received "-5"\. /)
  const old = { body: { title: 'A', childrens: ['x'] }, version: '2026-04', status: 422 }
  const { body } = await shop.post('/api/categories', old)
  expect(body.detail).toMatch(/^childrens\[0\]: .* Received "x"\. /)
})

test('a received value contains no secrets', () => {
  const jwt = 'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJ4In0.c2ln'
  expect(shortJson({ secret: 'whsec_abc', note: `Bearer ${jwt}` })).toBe('{"secret":"…","note":"Bearer …"}')
  expect(shortJson('https://user:word@a.example/b?token=c')).toBe('"https://…@a.example/b?…"')
  expect(shortJson('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw')).toBe('"…"')
})

test('a message about the form of a text is a rule in words', async () => {
  const { body } = await shop.post('/api/metaobject_definitions', {
    body: { type: 'A B', name: 'A', fieldDefinitions: [] },
    locale: 'fr-FR',
    status: 422,
  })
  expect(body.violations[0]).toMatchObject({
    message: expect.stringMatching(/ 64 caractères.*une lettre minuscule, .* soulignement\.$/),
    detail: expect.stringMatching(/^type: .*1 to 64 characters: a lowercase letter, .* Received "A B"\. /),
  })
})

test('a conflict of names gives the resource that has the name to callers who may read it', async () => {
  const body = { title: 'Mug', handle: 'mug', externalId: 'm', variants: [{ sku: 'MUG', externalId: 'v' }] }
  const mug = await shop.create('/api/products', body)
  const taken = await shop.post('/api/products', { body, status: 409 })
  const [variant] = mug.variants
  expect(taken.body.conflictingResource).toBe(mug['@id'])
  expect(taken.body.detail).toContain(
    `handle: Another product already uses the handle “mug”. It belongs to ${mug['@id']}. `,
  )
  expect(
    taken.body.violations.map((each: Record<string, string>) => [
      each.propertyPath,
      each.conflictingResource,
    ]),
  ).toEqual([
    ['handle', mug['@id']],
    ['externalId', mug['@id']],
    ['variants[0].sku', variant['@id']],
    ['variants[0].externalId', variant['@id']],
  ])
  const token = await shop.token({ scope: 'products:write' })
  const unseen = await shop.post('/api/products', { body, token, status: 409 })
  expect(unseen.text).not.toContain(mug.id)
})

test.each([
  ['/api/categories', { title: 'A', handle: 'c', externalId: 'c' }, 'handle'],
  ['/api/collections', { title: 'A', handle: 'k', externalId: 'k' }, 'handle'],
  [
    '/api/metaobject_definitions',
    { type: 'recipe', name: 'A', externalId: 'd', fieldDefinitions: [] },
    'type',
  ],
])('a name taken in %s gives its resource', async (path, body, property) => {
  const first = await shop.create(path, body)
  const taken = await shop.post(path, { body, status: 409 })
  expect(taken.body.violations).toEqual(
    [property, 'externalId'].map((propertyPath) =>
      expect.objectContaining({ propertyPath, conflictingResource: first['@id'] }),
    ),
  )
})

test('a SKU instead of a reference gives the request that finds the variant', async () => {
  const body = { variant: 'MUG', channel: 'web', currency: 'EUR', amount: '1.00' }
  const detail = await detailOf('/api/sale_offers', body)
  expect(detail).toMatch(
    /^variant: .* Expected: \/api\/products\/\{productId\}\/variants\/\{id\}\. Received "MUG"\. /,
  )
  expect(detail).toContain('GET /api/products?sku=… finds the product of a SKU')
  expect(await detailOf('/api/categories', { title: 'A', parent: 'shoes' })).toContain(
    'GET /api/categories?externalId=… finds one',
  )
  expect(await detailOf('/api/option_values', { option: 'Size', title: 'S' })).toContain(
    'GET /api/products?handle=… finds a product',
  )
  const typed = { title: 'A', fields: { care: { value: 'cold', type: 'words' } } }
  expect(await detailOf('/api/products', typed)).toContain('GET /api/metafield_definition_types lists')
})

test('an unknown or archived reference is named', async () => {
  const unknown = '/api/categories/01900000-0000-7000-8000-000000000000'
  expect(await detailOf('/api/categories', { title: 'A', parent: unknown })).toMatch(
    `parent: The record referred to does not exist: ${unknown}. `,
  )
  const option = { title: 'Size', values: [{ title: 'S' }] }
  const product = await shop.create('/api/products', {
    title: 'Old',
    options: [option],
    variants: [{ optionValues: [{ option: 'Size', value: 'S' }] }],
  })
  await shop.delete(product['@id'], { status: 204 })
  const advice = `${product['@id']} is archived. Restore it first`
  const [variant] = product.variants
  const offer = { variant: variant['@id'], channel: 'web', currency: 'EUR', amount: '1.00' }
  expect(await detailOf('/api/sale_offers', offer, 409)).toContain(advice)
  const patch = { body: { title: 'Length' }, status: 409 }
  expect((await shop.patch(product.options[0]['@id'], patch)).body.detail).toContain(advice)
})

test.each([
  ['body', 'POST', '/api/products', { title: 'B' }, {}],
  ['path, body', 'POST', '/api/categories', { title: 'B' }, {}],
  ['path', 'POST', '/api/products?properties[]=id', { title: 'A' }, {}],
  ['locale', 'POST', '/api/products', { title: 'A' }, { locale: 'fr-FR' }],
  ['version', 'POST', '/api/products', { title: 'A' }, { version: 'unstable' }],
])(
  'an idempotency key of a request with another %s gives that difference',
  async (difference, method, path, body, options) => {
    const headers = { 'idempotency-key': `differs-${difference.replace(', ', '-')}` }
    await shop.create('/api/products', { title: 'A' }, { headers })
    const reused = await shop.request(method, path, { body, headers, ...options, status: 422 })
    expect(reused.body.slug).toBe('idempotency.key_reused')
    expect(reused.body.detail).toBe(
      `${method} ${path.split('?')[0]}: The earlier request with this key differs in: ${difference}. ${reused.body.description}`,
    )
  },
)

const productionBindings = {
  ENVIRONMENT: 'production',
  CALLBACKS: 'public',
  WEBHOOK_SECRET_KEY: btoa('k'.repeat(32)),
}

test('in production, a token over plain HTTP is 403 unread on every path, and HTTPS responses demand HTTPS', async () => {
  const production = await openShop({ bindings: productionBindings })
  const secured = await production.get('/api/products', { status: 200 })
  expect(secured.headers.get('strict-transport-security')).toBe('max-age=31536000')
  for (const path of ['/api/products', '/api/nothing'])
    for (const token of [await production.token(), 'x.y.z']) {
      const headers = { authorization: `Bearer ${token}` }
      const reply = await production.fetch(new Request(`http://${production.host}${path}`, { headers }))
      expect([reply.status, reply.headers.get('strict-transport-security')]).toEqual([403, null])
      expect(await reply.json()).toMatchObject({ slug: 'auth.insecure_transport' })
    }
  const withoutToken = await production.fetch(new Request(`http://${production.host}/api/products`))
  expect(withoutToken.status).toBe(401)
})

test('a rejected token gets the failed check in a local service, and the same response for all in production', async () => {
  const other = await openShop()
  const asked = { token: await other.token(), status: 401 }
  const local = await shop.get('/api/products', asked)
  const { issuer, audience } = shop.tenant
  expect(local.body.hint).toMatch(`. A valid token has the issuer ${issuer} and the audience ${audience}.`)
  const own = await openShop({ issuer: `https://issuer.localhost/own` })
  expect((await own.get('/api/products', asked)).body.hint).toMatch(
    /^The check of the token that failed is \w+\. "npm run --silent token -- --tenant /,
  )
  const production = await openShop({
    bindings: productionBindings,
  })
  const expired = await production.token({ claims: { exp: 1 } })
  const bodies = await Promise.all(
    [asked.token, expired, 'x.y.z'].map(
      async (token) => (await production.get('/api/products', { token, status: 401 })).body,
    ),
  )
  const [first] = bodies.map(({ instance, '@id': id, ...rest }) => rest)
  expect(first).not.toHaveProperty('hint')
  for (const { instance, '@id': id, ...rest } of bodies) expect(rest).toEqual(first)
})

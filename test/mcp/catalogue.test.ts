/** The tools of /mcp/catalogue, by the official client over HTTP. */
import { createMCPClient } from '@ai-sdk/mcp'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { byteLimits } from '../../src/core/limits.ts'
import { type Doorstep, openDoorstep } from '../support/doorstep.ts'
import { sentBy } from '../support/sent.ts'
import { openShop, type Reply, type Shop } from '../support/shop.ts'
import { closed, strictly } from './schemas.ts'

type Any = ReturnType<typeof JSON.parse>

const price = { channel: 'web', country: 'FR', at: '2090-10-01T12:00:00Z' }
const priceQuery = Object.entries(price)
  .map(([name, value]) => `resolveContext[${name}]=${value}`)
  .join('&')

let door: Doorstep
let shop: Shop
let shoes: Any
let boots: Any
let product: Any
beforeAll(async () => {
  door = await openDoorstep()
  shop = door.shop
  shoes = await shop.create('/api/categories', { title: 'Shoes' })
  boots = await shop.create('/api/categories', { title: 'Boots', parent: shoes['@id'] })
  const collection = await shop.create('/api/collections', { title: 'Winter', mode: 'MANUAL' })
  product = await shop.create('/api/products', {
    title: 'Walking boot',
    handle: 'walking-boot',
    externalId: 'erp-7',
    description: 'Warm "and" dry.',
    status: 'ACTIVE',
    channels: ['web'],
    vendor: 'Acme',
    productType: 'Boots',
    tags: ['winter'],
    media: [{ url: 'https://www.example.com/boot.jpg', alt: 'The boot', type: 'IMAGE' }],
    seo: { title: 'Boot', description: 'Warm.' },
    categories: [boots['@id']],
    collections: [collection['@id']],
    options: [{ title: 'Size', values: [{ title: '40' }, { title: '41' }] }],
    variants: [
      {
        sku: 'BOOT 40',
        optionValues: [{ option: 'Size', value: '40' }],
        measure: { value: 1.5, unit: 'kg' },
        saleOffers: [
          { currency: 'EUR', amount: '90.00', compareAtAmount: '120.00', countries: ['FR'] },
          { currency: 'EUR', amount: '120.00' },
        ],
      },
      { sku: 'BOOT-41', optionValues: [{ option: 'Size', value: '41' }] },
    ],
  })
  await shop.update(product['@id'], { title: 'Bottine' }, { locale: 'fr-FR' })
  await shop.create('/api/products', { title: 'Sock', status: 'ACTIVE', variants: [{ sku: 'SOCK' }] })
})
afterAll(() => door.close())

async function connected({ version = '2026-10', pinned = true, scope = '' } = {}): Promise<Client> {
  const token = await shop.token(scope === '' ? {} : { scope })
  const headers = { authorization: `Bearer ${token}`, 'service-api-version': version }
  const client = new Client(
    { name: 'test', version: '1.0.0' },
    pinned ? { versionNegotiation: { mode: { pin: '2026-07-28' } } } : {},
  )
  const url = new URL(`${door.origin}/mcp/catalogue`)
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }))
  return client
}

const call = (name: string, given: unknown = {}, id = 1) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: given },
})
const post = (body: unknown, asked: object = {}): Promise<Reply> =>
  shop.post('/mcp/catalogue', { body, headers: { 'content-type': 'application/json' }, ...asked })

/** The result of a call that succeeds. */
async function resultOf(name: string, given: unknown, asked: object = {}): Promise<Any> {
  const { body, text } = await post(call(name, given), { status: 200, ...asked })
  expect(body.result?.isError ?? false, text).toBe(false)
  return body.result.structuredContent
}

/** The problem of a call that fails. */
async function problemOf(name: string, given: unknown, asked: object = {}): Promise<Any> {
  const { body, text } = await post(call(name, given), { status: 200, ...asked })
  expect(body.result?.isError, text).toBe(true)
  return JSON.parse(body.result.content[0].text)
}

describe.each([true, false])('the official client, pinned to the newest revision: %s', (pinned) => {
  test.each(['2026-04', '2026-10'])('lists and calls the tools in version %s', async (version) => {
    const client = await connected({ version, pinned })
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(['search_products', 'get_product', 'list_price_changes'])
    const child = version < '2026-07' ? 'childrens' : 'children'
    for (const { name, inputSchema, annotations, outputSchema } of tools) {
      strictly(inputSchema)
      expect(annotations).toMatchObject({ readOnlyHint: true, destructiveHint: false })
      // Some models accept no other names of arguments.
      for (const argument of Object.keys(inputSchema.properties ?? {}))
        expect(argument).toMatch(/^[a-zA-Z0-9_]+$/)
      if (name !== 'list_price_changes') expect((inputSchema.properties as Any).expand.enum[0]).toBe(child)
      expect(JSON.stringify(outputSchema)).not.toContain('#/components')
    }
    const validate = Object.fromEntries(
      tools.map(({ name, outputSchema }) => [name, strictly(closed(outputSchema))]),
    )
    const ask = async (name: string, given: Record<string, unknown>): Promise<Any> => {
      const answer: Any = await client.callTool({ name, arguments: given })
      expect(answer.isError ?? false, answer.content[0].text).toBe(false)
      expect(JSON.parse(answer.content[0].text)).toEqual(answer.structuredContent)
      const isValid = validate[name]!(answer.structuredContent)
      expect(isValid, JSON.stringify(validate[name]!.errors)).toBe(true)
      return answer.structuredContent
    }

    const address = `${product['@id']}?explain=price&expand=${child},priorPrice&${priceQuery}`
    const { '@context': _, ...document } = await shop.read(address, { version })
    const context = { resolveContext: price, explain: 'price' }
    for (const name of [
      { id: product['@id'] },
      { id: product.id },
      { handle: 'walking-boot' },
      { sku: 'BOOT 40' },
    ]) {
      const shown = await ask('get_product', { ...name, ...context, expand: 'priorPrice' })
      expect(shown).toEqual({ ...document, categories: shown.categories })
      const [{ resolvedPrice }] = shown.variants
      expect(resolvedPrice).toMatchObject({
        amount: '90.00',
        currency: 'EUR',
        unitPrice: { amount: '60.00' },
      })
      expect(resolvedPrice.candidates).toHaveLength(2)
    }
    const expanded = await ask('get_product', { handle: 'walking-boot', expand: child, locale: 'fr-FR' })
    expect(expanded).toMatchObject({ title: 'Bottine', categories: [{ '@id': boots['@id'], [child]: [] }] })

    const filter = { category: shoes['@id'], categoryDescendants: true, resolveContext: price, expand: child }
    const names = ['vendor', 'category', 'option.Size']
    const search = { q: 'walkng boot', facets: names }
    const { facets, corrections } = await ask('search_products', search)
    const faceted = `/api/products?q=walkng+boot&${names.map((each) => `facets[]=${each}`).join('&')}`
    const found = await shop.read(faceted, { version })
    expect([facets, corrections]).toEqual([found.facets, found.corrections])
    expect([facets.length, corrections.length]).toEqual([3, 1])

    const listed = await ask('search_products', filter)
    const query = `category=${shoes.id}&category[descendants]=true&expand=${child}&${priceQuery}`
    const { member, totalItems } = await shop.read(`/api/products?${query}`, { version })
    expect(listed).toEqual({ items: member, totalItems, page: 1, nextPage: null })
    expect(totalItems).toBe(1)
    await client.close()
  })
})

test('an independent client calls the tools', async () => {
  const headers = { authorization: `Bearer ${await shop.token()}` }
  const client = await createMCPClient({
    transport: { type: 'http', url: `${door.origin}/mcp/catalogue`, headers },
  })
  const { get_product, search_products } = client.toolsFromDefinitions(await client.listTools())
  const options = { toolCallId: '1', messages: [] }
  const shown: Any = await get_product!.execute({ sku: 'SOCK' }, options)
  expect(shown.structuredContent).toMatchObject({ title: 'Sock' })
  const listed: Any = await search_products!.execute({ resolveContext: price, q: 'sock' }, options)
  expect(listed.structuredContent).toMatchObject({ totalItems: 1, items: [shown.structuredContent] })
  await client.close()
})

describe('search_products', () => {
  test.each([
    [{}, 2],
    [{ q: 'walkng boot' }, 1],
    [{ q: '', status: null }, 2],
    [{ status: 'DRAFT' }, 0],
    [{ channel: 'web', vendor: 'Acme', productType: 'Boots', tag: 'winter' }, 1],
    [{ sku: 'SOCK' }, 1],
    [{ handle: 'walking-boot', externalId: 'erp-7' }, 1],
    [{ barcode: '4006381333931' }, 0],
    [{ itemsPerPage: 0 }, 2],
  ])('%j finds %i', async (given, total) => {
    expect((await resultOf('search_products', given)).totalItems).toBe(total)
  })

  test('a category without those below it contains only its own products', async () => {
    expect((await resultOf('search_products', { category: shoes.id })).totalItems).toBe(0)
    const given = { category: shoes['@id'], categoryDescendants: true }
    expect((await resultOf('search_products', given)).totalItems).toBe(1)
  })

  test('pages are numbered', async () => {
    const first = await resultOf('search_products', { itemsPerPage: 1 })
    expect(first).toMatchObject({ page: 1, nextPage: 2, items: [{ title: 'Sock' }] })
    const last = await resultOf('search_products', { itemsPerPage: 1, page: first.nextPage })
    expect(last).toMatchObject({ page: 2, nextPage: null, items: [{ '@id': product['@id'] }] })
  })
})

describe('get_product', () => {
  test('an archived product has its id only', async () => {
    const archived = await shop.create('/api/products', {
      title: 'Old',
      handle: 'old',
      variants: [{ sku: 'OLD' }],
    })
    await shop.delete(archived['@id'], { status: 204 })
    expect(await resultOf('get_product', { id: archived['@id'] })).toMatchObject({ status: 'ARCHIVED' })
    for (const given of [{ handle: 'old' }, { sku: 'OLD' }])
      expect((await problemOf('get_product', given)).slug).toBe('product.not_found')
    const successor = await shop.create('/api/products', {
      title: 'New',
      handle: 'old',
      variants: [{ sku: 'OLD' }],
    })
    for (const given of [{ handle: 'old' }, { sku: 'OLD' }])
      expect((await resultOf('get_product', given))['@id']).toBe(successor['@id'])
    await shop.delete(successor['@id'], { status: 204 })
  })

  test('links to further variants repeat the parameters', async () => {
    const numbers = Array.from({ length: 16 }, (_, nth) => String(nth))
    const variants = numbers.flatMap((tens) =>
      numbers.map((ones) => ({
        sku: `MANY-${tens}-${ones}`,
        optionValues: [
          { option: 'Tens', value: tens },
          { option: 'Ones', value: ones },
        ],
      })),
    )
    const values = numbers.map((title) => ({ title }))
    const many = await shop.create('/api/products', {
      title: 'Many',
      options: [
        { title: 'Tens', values },
        { title: 'Ones', values },
      ],
      variants,
    })
    const { variantsView } = await shop.read(`${many['@id']}?expand=priorPrice&${priceQuery}`)
    const given = { sku: 'MANY-15-15', resolveContext: price, expand: 'priorPrice' }
    expect(variantsView.next).toContain('FR')
    expect((await resultOf('get_product', given)).variantsView).toEqual(variantsView)
    await shop.delete(many['@id'], { status: 204 })
  })

  test.each([{ sku: 'BOOT-42' }, { handle: 'BOOT 40' }, { id: '01900000-0000-7000-8000-000000000000' }])(
    '%j is not found, in the language of the request',
    async (given) => {
      const [name] = Object.values(given)
      const problem = await problemOf('get_product', given, { locale: 'fr-FR' })
      expect(problem).toMatchObject({ status: 404, slug: 'product.not_found' })
      expect(problem.message).toContain(name)
      expect(problem.message).toMatch(/produit/)
      expect(problem.detail).toContain(`No product of this tenant has this ${Object.keys(given)[0]}`)
    },
  )

  test('products of another tenant do not exist', async () => {
    const other = await openShop()
    const headers = { 'content-type': 'application/json' }
    for (const given of [{ id: product['@id'] }, { handle: 'walking-boot' }, { sku: 'BOOT 40' }]) {
      const { body } = await other.post('/mcp/catalogue', { body: call('get_product', given), headers })
      expect(JSON.parse(body.result.content[0].text).slug).toBe('product.not_found')
    }
    const { body } = await other.post('/mcp/catalogue', { body: call('search_products'), headers })
    expect(body.result.structuredContent).toEqual({ items: [], totalItems: 0, page: 1, nextPage: null })
  })
})

describe('scopes', () => {
  test.each([
    ['search_products', {}, 'categories:read', 'products:read'],
    ['get_product', { handle: 'walking-boot' }, 'categories:read', 'products:read'],
    [
      'get_product',
      { handle: 'walking-boot', resolveContext: price, explain: 'price' },
      'products:read',
      'products:read sale_offers:read',
    ],
  ])('%s %j with %s is 403, and the challenge has %s', async (name, given, scope, needed) => {
    const token = await shop.token({ scope })
    for (const body of [call(name, given), [call(name, given)]]) {
      const refused = await post(body, { token, status: 403 })
      expect(refused.body.slug).toBe('auth.insufficient_scope')
      expect(refused.headers.get('www-authenticate')).toContain(`scope="${needed}"`)
    }
    await post(call(name, given), { token: await shop.token({ scope: needed }), status: 200 })
  })

  test('a product has the members that the same token reads over REST', async () => {
    const token = await shop.token({ scope: 'products:read' })
    const { '@context': _, ...document } = await shop.read(`${product['@id']}?${priceQuery}`, { token })
    const given = { id: product.id, resolveContext: price }
    expect(await resultOf('get_product', given, { token })).toEqual(document)
  })

  test('a token for this address is valid here alone', async () => {
    const refused = await post(call('search_products'), { token: null, status: 401 })
    const address = /resource_metadata="([^"]+)"/.exec(refused.headers.get('www-authenticate') ?? '')?.[1]
    const { resource } = await shop.read(new URL(address!).pathname, { token: null })
    expect(resource).toBe(`http://${shop.host}/mcp/catalogue`)
    const token = await shop.token({ claims: { aud: resource } })
    await post(call('search_products'), { token, status: 200 })
    const headers = { 'content-type': 'application/json' }
    await shop.post('/mcp', { body: call('list_categories'), headers, token, status: 401 })
    const other = await shop.token({ claims: { aud: `http://${shop.host}/mcp` } })
    await post(call('search_products'), { token: other, status: 401 })
  })

  test('each path has its own tools', async () => {
    expect((await post(call('list_categories'))).body.error.code).toBe(-32_602)
    const headers = { 'content-type': 'application/json' }
    const { body } = await shop.post('/mcp', { body: call('search_products'), headers })
    expect(body.error.code).toBe(-32_602)
  })
})

describe('arguments', () => {
  const deep = { channel: price }
  test.each([
    ['get_product', undefined, ['']],
    ['get_product', {}, ['']],
    ['get_product', { id: null, handle: null }, ['']],
    ['get_product', { id: 'a', sku: 'b' }, ['', 'id']],
    ['get_product', { id: '/api/variants/01900000-0000-7000-8000-000000000000' }, ['id']],
    ['get_product', { id: 7 }, ['id']],
    ['get_product', { handle: '' }, ['handle']],
    ['get_product', { sku: 'x'.repeat(256) }, ['sku']],
    ['get_product', { sku: ['x'] }, ['sku']],
    ['get_product', { skus: 'x' }, ['', 'skus']],
    ['get_product', { sku: 'x', page: 1 }, ['page']],
    ['get_product', { sku: 'x', 'resolveContext[channel]': 'web' }, ['resolveContext[channel]']],
    ['get_product', { sku: 'x', channel: 'web' }, ['channel']],
    [
      'get_product',
      { sku: 'x', resolveContext: { chanel: 'web', at: 1 } },
      ['resolveContext[chanel]', 'resolveContext[at]'],
    ],
    ['get_product', { sku: 'x', resolveContext: 'web' }, ['resolveContext']],
    ['get_product', { sku: 'x', resolveContext: [deep] }, ['resolveContext']],
    [
      'get_product',
      { sku: 'x', resolveContext: deep, explain: 'all' },
      ['explain', 'resolveContext[channel]'],
    ],
    [
      'get_product',
      { sku: 'x', resolveContext: { channel: 'web' } },
      ['resolveContext[at]', 'resolveContext[country]'],
    ],
    [
      'get_product',
      { sku: 'x', explain: 'price' },
      Object.keys(price).map((name) => `resolveContext[${name}]`),
    ],
    [
      'get_product',
      { sku: 'x', resolveContext: { ...price, country: 'France', at: 'yesterday', currency: 'EURO' } },
      ['resolveContext[at]', 'resolveContext[country]', 'resolveContext[currency]'],
    ],
    ['get_product', { sku: 'x', expand: 'variants' }, ['expand']],
    [
      'get_product',
      { __proto__: { sku: 'x' }, constructor: 'x', toString: 'x' },
      ['', 'constructor', 'toString'],
    ],
    ['search_products', { explain: 'price' }, ['explain']],
    ['search_products', { stauts: 'ACTIVE', status: 'SOLD' }, ['stauts', 'status']],
    ['search_products', { categoryDescendants: 'true' }, ['categoryDescendants']],
    ['search_products', { category: 'shoes', collection: '/api/categories/x' }, ['category', 'collection']],
    ['search_products', { page: 0, itemsPerPage: 1.5 }, ['itemsPerPage', 'page']],
    ['search_products', { q: 'x'.repeat(256), locale: 'french' }, ['locale', 'q']],
    ['search_products', { cursor: 'x' }, ['cursor']],
    ['search_products', { facets: 'vendor' }, ['facets']],
    ['search_products', { facets: ['vendor', 7], vendor: ['Acme'] }, ['facets', 'vendor']],
    ['search_products', { facets: ['vendor', 'colour'] }, ['facets[][1]']],
    ['search_products', { facets: ['price'] }, ['market']],
    ['search_products', { 'facets[]': ['vendor'] }, ['facets[]']],
  ])('%s %j is an error that lists every place', async (name, given, paths) => {
    const problem = await problemOf(name, given)
    expect(problem.status).toBe(422)
    const places = problem.violations.map(({ propertyPath }: Any) => propertyPath)
    expect(places.toSorted()).toEqual(paths.toSorted())
  })

  test('a missing or additional name lists the arguments, in the language of the request', async () => {
    const problem = await problemOf('get_product', { id: product.id, handle: 'x' }, { locale: 'fr-FR' })
    expect(problem).toMatchObject({
      slug: 'validation.one_argument',
      message: 'Veuillez indiquer exactement une de ces informations : id, handle, sku.',
    })
    const misspelt = await problemOf('get_product', { sku: 'x', resolveContext: { chanel: 'web', ...price } })
    expect(misspelt.message).toBe('The argument “resolveContext[chanel]” is not recognized here (→ channel).')
  })

  test.each(['search_products', 'get_product'])('%s rejects U+0000 and a huge body', async (name) => {
    const nul = JSON.stringify(call(name, { sku: 'a' })).replace('"a"', '"a\\u0000"')
    await post(nul, { status: 400 })
    await post(call(name, { sku: 'x'.repeat(byteLimits.body) }), { status: 413 })
    const wide = Object.fromEntries(Array.from({ length: 20_000 }, (_, nth) => [`name${nth}`, nth]))
    const { violations, violationsTotal } = await problemOf(name, wide)
    expect([violations.length, violationsTotal]).toEqual([byteLimits.violations, 1000])
  })
})

test('a call sends one statement', async () => {
  const calls: [string, object][] = [
    ['get_product', { id: product['@id'] }],
    ['get_product', { handle: 'walking-boot', resolveContext: price, explain: 'price', locale: 'fr-FR' }],
    ['get_product', { sku: 'BOOT 40', resolveContext: price, expand: 'priorPrice' }],
    ['search_products', {}],
    ['search_products', { q: 'boot', category: shoes.id, categoryDescendants: true, resolveContext: price }],
  ]
  for (const [name, given] of calls) {
    const sent = await sentBy(() => resultOf(name, given))
    expect(
      sent.map((batch) => batch.length),
      name,
    ).toEqual([1])
  }
  expect(await sentBy(() => problemOf('get_product', { sku: '' }))).toEqual([])
})

test('several messages of one request are answered in their order, and eleven are rejected', async () => {
  const bodies = [call('get_product', { sku: 'SOCK' }, 1), call('get_product', { sku: 'NONE' }, 2)]
  const { body } = await post(bodies, { status: 200 })
  expect(body.map(({ id, result }: Any) => [id, result.isError ?? false])).toEqual([
    [1, false],
    [2, true],
  ])
  await post(
    Array.from({ length: 11 }, (_, id) => call('search_products', {}, id)),
    { status: 400 },
  )
})

test('a page that exceeds the bytes of a response is 413, and a shorter one is served', async () => {
  const large = await openShop()
  const description = '"'.repeat(60_000)
  for (let nth = 0; nth < 15; nth += 1) {
    const body = Array.from({ length: 2 }, (_, each) => ({ title: `${nth} ${each}`, description }))
    await large.post('/api/products', { body, status: 201 })
  }
  const headers = { 'content-type': 'application/json' }
  const { text, body } = await large.post('/mcp/catalogue', { body: call('search_products'), headers })
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(byteLimits.answer)
  expect(body.result.isError).toBe(true)
  const problem = JSON.parse(body.result.content[0].text)
  expect(problem.status).toBe(413)
  const fewer = { itemsPerPage: 10, page: 3 }
  const page = await large.post('/mcp/catalogue', { body: call('search_products', fewer), headers })
  expect(page.body.result.structuredContent).toMatchObject({ page: 3, nextPage: null, totalItems: 30 })
})

import { neonConfig } from '@neondatabase/serverless'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { resources } from '../../src/resources/index.ts'
import { openShop, type Shop } from '../support/shop.ts'

/** Exports of lists (`Accept: application/x-ndjson`) next to the pages of the same lists. */

type Line = Readonly<Record<string, unknown>> & { readonly '@type': string; readonly '@id'?: string }

let shop: Shop
const fetchOfDatabase = neonConfig.fetchFunction

const accept = { Accept: 'application/x-ndjson' }

beforeAll(async () => {
  shop = await openShop({ locales: ['en-US', 'de-DE'] })
  await shop.create('/api/markets', { key: 'fr', channel: 'web', country: 'FR', currency: 'EUR' })
  // Its prices are then complete, so that later ones are changes.
  await shop.rest()
  const shirts = await shop.create('/api/categories', { title: 'Shirts' })
  await shop.create('/api/categories', { title: 'Hats' })
  await shop.create('/api/collections', { title: 'Sale', type: 'MANUAL' })
  for (let batch = 0; batch < 5; batch += 1)
    await shop.create(
      '/api/products',
      Array.from({ length: 50 }, (_, index) => ({
        title: `Shirt ${batch * 50 + index}`,
        vendor: index % 2 === 0 ? 'Acme' : 'Brume',
        categories: index % 5 === 0 ? [shirts['@id']] : [],
        variants: [{ sku: `S-${batch}-${index}`, saleOffers: [{ currency: 'EUR', amount: '10.00' }] }],
      })),
    )
}, 60_000)

afterEach(() => {
  neonConfig.fetchFunction = fetchOfDatabase
})

async function lines(path: string, asked: { locale?: string; version?: string; token?: string } = {}) {
  const { text, headers } = await shop.get(path, { ...asked, status: 200, headers: accept })
  expect(headers.get('content-type')).toBe('application/x-ndjson')
  const all = text
    .trimEnd()
    .split('\n')
    .map((line): Line => JSON.parse(line))
  const documents = all.filter(({ '@type': type }) => type !== 'End' && type !== 'Next')
  return { all, documents, last: all.at(-1), sequence: Number(headers.get('service-sequence')) }
}

/** All members of a list, page by page in the order of their ids. */
async function members(path: string, asked: { locale?: string; version?: string } = {}): Promise<Line[]> {
  const found: Line[] = []
  let next: string | undefined = path
  while (next !== undefined) {
    const { body } = await shop.get(next, { ...asked, status: 200 })
    found.push(...body.member)
    next = body.view?.next
  }
  return found
}

const lists = resources
  .flatMap(({ operations }) => operations)
  .filter(({ method, answers, path }) => method === 'GET' && answers === 'collection' && !path.includes('{'))

describe('an export', () => {
  test.each(lists.map(({ path, query }) => [path, query] as const))(
    'of %s has all members',
    async (path, query) => {
      const needed =
        path === '/api/price_announcements'
          ? '?resolveContext[channel]=web&resolveContext[country]=DE&resolveContext[at]=2026-12-01T00:00:00Z'
          : path === '/api/price_changes'
            ? '?market=fr'
            : '?'
      const order = Object.hasOwn(query, 'order[id]') ? '&order[id]=asc' : ''
      const size = Object.hasOwn(query, 'itemsPerPage') ? '&itemsPerPage=40' : ''
      const { documents, last, sequence } = await lines(`${path}${needed}`)
      expect(documents).toEqual(await members(`${path}${needed}${order}${size}`))
      expect(last).toEqual({ '@type': 'End', ...(sequence > 0 ? { sequence } : {}), count: documents.length })
    },
  )

  test('has the filters, properties and prices of the list', async () => {
    const query =
      '?vendor=Acme&properties[]=title&properties[variants][resolvedPrice][]=amount' +
      '&resolveContext[channel]=web&resolveContext[country]=FR&resolveContext[at]=now'
    const { documents } = await lines(`/api/products${query}`)
    expect(documents).toHaveLength(125)
    expect(documents[0]).toEqual({
      '@id': expect.any(String),
      '@type': 'Product',
      title: 'Shirt 0',
      variants: [
        {
          '@id': expect.any(String),
          '@type': 'Variant',
          resolvedPrice: { '@type': 'ResolvedPrice', amount: '10.00' },
        },
      ],
    })
    expect(documents.map(({ '@id': id }) => id)).toEqual(
      (await members(`/api/products${query}&order[id]=asc&itemsPerPage=100`)).map(({ '@id': id }) => id),
    )
  })

  test.each([
    ['another version', { version: '2026-01' }],
    ['another language', { locale: 'de-DE' }],
  ])('equals the list in %s', async (_, asked) => {
    const { documents } = await lines('/api/categories', asked)
    expect(documents).toEqual(await members('/api/categories?order[id]=asc', asked))
    expect(documents).toHaveLength(2)
  })

  test('of a search is in the order of ids, whatever page and order the request names', async () => {
    const { documents } = await lines('/api/products?q=shirt&order[title]=desc&page=3&itemsPerPage=2')
    const ids = documents.map(({ '@id': id }) => id)
    expect(ids).toHaveLength(250)
    expect(ids).toEqual(ids.toSorted())
  })

  test('reports parameters that have no effect, and strict handling rejects them', async () => {
    const path = '/api/products?order[title]=desc&page=3&itemsPerPage=2&facets[]=vendor&vendor=Acme'
    const names = ['order[title]', 'page', 'itemsPerPage', 'facets[]']
    const { headers } = await shop.get(path, { status: 200, headers: accept })
    const header = decodeURIComponent(headers.get('service-ignored-parameters') ?? '')
    expect(names.filter((name) => !header.includes(name))).toEqual([])
    const { body } = await shop.get(path, { status: 422, headers: { ...accept, Prefer: 'handling=strict' } })
    expect(body.violations.map(({ propertyPath }: { propertyPath: string }) => propertyPath)).toEqual(names)
  })

  test('does not name the next change of a price, because it knows that of its first page only', async () => {
    const path = '/api/products?resolveContext[channel]=web&resolveContext[country]=FR&resolveContext[at]=now'
    const { headers } = await shop.get(path, { status: 200, headers: accept })
    expect(headers.get('service-prices-until')).toBeNull()
    expect(headers.get('service-priced-at')).not.toBeNull()
  })

  test('of changed products follows their changes', async () => {
    const { documents } = await lines('/api/products?updatedAt[from]=2020-01-01')
    expect(new Set(documents.map(({ '@id': id }) => id)).size).toBe(250)
    expect(documents).toHaveLength(250)
  })

  test('of a list with a category has its products only', async () => {
    const [category] = await members('/api/categories?handle=shirts')
    const { documents } = await lines(`/api/products?category=${category?.['@id']}`)
    expect(documents).toHaveLength(50)
  })

  test('reads a page when the caller has received the page before', async () => {
    const request = new Request(`http://${shop.host}/api/products?properties[]=title`, {
      headers: { ...accept, Authorization: `Bearer ${await shop.token()}` },
    })
    const response = await shop.fetch(request)
    const reader = response.body?.getReader()
    const first = new TextDecoder().decode((await reader?.read())?.value)
    expect(first.trimEnd().split('\n')).toHaveLength(100)
    const last = (await members('/api/products?order[id]=desc&itemsPerPage=1'))[0]
    await shop.update(`${last?.['@id']}`, { title: 'Changed meanwhile' })
    let rest = ''
    for (let part = await reader?.read(); part && !part.done; part = await reader?.read())
      rest += new TextDecoder().decode(part.value)
    expect(rest).toContain('Changed meanwhile')
    const end = JSON.parse(rest.trimEnd().split('\n').at(-1) ?? '')
    // The sequence is that of the first page: the feed after it has the change.
    expect(end).toMatchObject({
      '@type': 'End',
      count: 250,
      sequence: Number(response.headers.get('service-sequence')),
    })
    const { body } = await shop.get(`/api/events?after=${end.sequence}`, { status: 200 })
    expect(body.member.map(({ topic }: { topic: string }) => topic)).toEqual(['product/updated'])
  })

  test('counts each page as a read, and waits while none is left', async () => {
    let reads = 0
    const limit = async () => {
      reads += 1
      return { success: reads !== 3 }
    }
    const limited = await openShop({ bindings: { READ_LIMIT: { limit }, RATE_LIMITS: undefined } })
    for (let batch = 0; batch < 5; batch += 1)
      await limited.create(
        '/api/products',
        Array.from({ length: 50 }, () => ({ title: 'Counted' })),
      )
    reads = 0
    const { text } = await limited.get('/api/products?properties[]=title', { status: 200, headers: accept })
    expect(text.trimEnd().split('\n')).toHaveLength(251)
    // The request, the second page, the rejected third page, and the third page.
    expect(reads).toBe(4)
  })

  test('without a database after its first page is cut off, and has no End', async () => {
    const request = new Request(`http://${shop.host}/api/products?properties[]=title`, {
      headers: { ...accept, Authorization: `Bearer ${await shop.token()}` },
    })
    const response = await shop.fetch(request)
    const reader = response.body?.getReader()
    await reader?.read()
    neonConfig.fetchFunction = async () => new Response('gone', { status: 502 })
    await expect(reader?.read()).rejects.toThrow()
  })

  test('names every thousand documents the address that continues it', async () => {
    const other = await openShop()
    for (let batch = 0; batch < 22; batch += 1)
      await other.create(
        '/api/products',
        Array.from({ length: 50 }, (_, index) => ({ title: `P ${batch} ${index}` })),
      )
    const { text } = await other.get('/api/products?properties[]=title', { status: 200, headers: accept })
    const all = text
      .trimEnd()
      .split('\n')
      .map((line): Line => JSON.parse(line))
    const place = all.findIndex(({ '@type': type }) => type === 'Next')
    expect(place).toBe(1000)
    const link = String(all[place]?.next)
    const { text: rest } = await other.get(link, { status: 200, headers: accept })
    expect(rest.trimEnd().split('\n').slice(0, -1)).toEqual(text.trimEnd().split('\n').slice(1001, -1))
    expect(JSON.parse(rest.trimEnd().split('\n').at(-1) ?? '')).toMatchObject({ '@type': 'End', count: 100 })
  }, 60_000)

  test.each([
    ['a filter that is invalid', '/api/products?status=SOLD', 422],
    ['an unknown list', '/api/shirts', 404],
    ['an invalid cursor', '/api/products?cursor=x', 422],
  ])('with %s is a problem', async (_, path, status) => {
    const { headers } = await shop.get(path, { status, headers: accept })
    expect(headers.get('content-type')).toBe('application/problem+json')
  })

  test('needs the scopes of the list', async () => {
    const token = await shop.token({ scope: 'categories:read' })
    await shop.get('/api/products', { status: 403, headers: accept, token })
  })

  test.each([
    ['application/x-ndjson, application/ld+json;q=0.5', 'application/x-ndjson'],
    ['application/ld+json, application/x-ndjson;q=0.5', 'application/ld+json'],
    ['application/ld+json, application/x-ndjson', 'application/ld+json'],
    ['*/*', 'application/ld+json'],
    ['application/x-ndjson;q=0, */*', 'application/ld+json'],
  ])('Accept: %s returns %s', async (text, type) => {
    const { headers } = await shop.get('/api/categories', { status: 200, headers: { Accept: text } })
    expect(headers.get('content-type')).toBe(type)
  })

  test('of one resource, or of a write, is 406', async () => {
    const [product] = await members('/api/products?itemsPerPage=1&order[id]=desc').then(([first]) => [first])
    await shop.get(`${product?.['@id']}`, { status: 406, headers: accept })
    await shop.post('/api/categories', { body: { title: 'No' }, status: 406, headers: accept })
  })
})

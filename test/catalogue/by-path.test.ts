/** Categories by the path of their address: the handles of the categories above, and their own. */
import { beforeAll, describe, expect, test } from 'vitest'
import { sentBy } from '../support/sent.ts'
import { openShop, type Reply, type Shop } from '../support/shop.ts'
import { openStorefront, send } from '../support/storefront.ts'

const addressOf = (path: string) => `/api/categories/by-path/${path}`

let shop: Shop
let women: string
let shoes: string
let boots: string

beforeAll(async () => {
  shop = await openShop()
  const create = async (handle: string, parent?: string): Promise<string> =>
    (await shop.create('/api/categories', { title: `The ${handle}`, handle, parent }))['@id']
  women = await create('women')
  shoes = await create('shoes', women)
  boots = await create('boots', shoes)
  await create('men')
  await create('translations', women)
})

/** The category that a path leads to, and its address by the header; the slug of the problem if no category has it. */
async function find(path: string, at: Shop = shop): Promise<readonly [string, string | null]> {
  const { status, headers, body } = await at.get(addressOf(path))
  return [status === 200 ? body['@id'] : body.slug, headers.get('content-location')]
}

describe('a category by its path', () => {
  test('is the document, the headers and the entity tag of the category by its id', async () => {
    const varying = /^(content-location|x-request-id|server-timing|ratelimit)$/
    const headersOf = ({ headers }: Reply) => [...headers].filter(([name]) => !varying.test(name))
    for (const query of ['', '?expand=children', '?properties[]=title&properties[]=ancestors']) {
      const byId = await shop.get(shoes + query, { status: 200 })
      const byPath = await shop.get(addressOf('women/shoes') + query, { status: 200 })
      expect([byPath.text, headersOf(byPath)]).toEqual([byId.text, headersOf(byId)])
      expect(byId.headers.get('content-location')).toBeNull()
    }
  })

  test.each([
    ['women', () => women],
    ['women/shoes', () => shoes],
    ['women%2Fshoes', () => shoes],
    ['women/shoes/boots', () => boots],
    ['women%2fshoes/boots', () => boots],
    ['%77omen/shoes', () => shoes],
  ])('is found by %s', async (path, iri) => {
    const plain = decodeURIComponent(path)
    expect(await find(path)).toEqual([iri(), addressOf(plain)])
    await shop.request('HEAD', addressOf(path), { status: 200 })
  })

  test.each([
    ['only its own handle', 'shoes'],
    ['another parent', 'men/shoes'],
    ['a missing ancestor', 'women/boots'],
    ['the other order', 'shoes/women'],
    ['a handle twice', 'women/women/shoes'],
    ['a trailing slash', 'women/shoes/'],
    ['an encoded trailing slash', 'women/shoes%2F'],
    ['an empty segment', 'women//shoes'],
    ['a leading slash', '/women/shoes'],
    ['upper case', 'Women/shoes'],
    ['an encoded slash twice', 'women%252Fshoes'],
    ['a space', 'women/%20shoes'],
    ['U+0000', 'women%00/shoes'],
    ['half of a character', 'women/%C3'],
    ['a brace', 'women/%7Bshoes%7D,NULL'],
    ['a backslash', 'women%5Cshoes'],
    ['a quote', "women/'%22"],
    ['11 segments', Array(11).fill('women').join('/')],
    ['8,000 segments', Array(8000).fill('a').join('/')],
    ['a long segment', `women/${'a'.repeat(16_000)}`],
  ])('is 404 with %s', async (_, path) => {
    const { body } = await shop.get(addressOf(path), { status: 404 })
    expect(body.slug).toBe('category.not_found')
  })

  test('is 404 without a path, and 405 for another method', async () => {
    await shop.get('/api/categories/by-path', { status: 404 })
    await shop.get('/api/categories/by-path/', { status: 404 })
    const { headers } = await shop.request('PATCH', addressOf('women/shoes'), { body: {}, status: 405 })
    expect(headers.get('allow')).toBe('GET, HEAD, OPTIONS')
    const refused = await shop.get(addressOf('shoes'), { status: 404 })
    expect(refused.body.detail).toContain('No category of this tenant has this handle below these others.')
    expect(refused.body.message).toContain('shoes')
  })

  test('may have the handle of another address', async () => {
    await shop.get(addressOf('translations'), { status: 404 })
    expect((await shop.get(addressOf('women/translations'), { status: 200 })).body.handle).toBe(
      'translations',
    )
  })

  test('is read in one round trip, and 304 for its entity tag', async () => {
    for (const path of ['women/shoes', 'women/shoes', 'none'])
      expect((await sentBy(() => shop.get(addressOf(path)))).map((batch) => batch.length)).toEqual([1])
    const etag = (await shop.get(shoes)).headers.get('etag')
    const reply = await shop.get(addressOf('women/shoes'), {
      headers: { 'If-None-Match': etag },
      status: 304,
    })
    expect([reply.text, reply.headers.get('content-location')]).toEqual(['', addressOf('women/shoes')])
  })

  test('needs the scope categories:read, and another tenant does not have it', async () => {
    const token = await shop.token({ scope: 'products:read' })
    await shop.get(addressOf('women'), { token, status: 403 })
    await shop.get(addressOf('women'), { token: null, status: 401 })
    expect(await find('women', await openShop())).toEqual(['category.not_found', null])
  })

  test('is public at a storefront host', async () => {
    const { status, body, headers } = await send(shop, await openStorefront(shop), addressOf('women/shoes'))
    expect([status, body['@id'], headers.get('content-location')]).toEqual([
      200,
      shoes,
      addressOf('women/shoes'),
    ])
  })

  test('has another path after a move, also in a cached response', async () => {
    const [from, to] = [await openShop(), 'kids/toys']
    const kids = await from.create('/api/categories', { title: 'Kids' })
    const toys = await from.create('/api/categories', { title: 'Toys' })
    expect(await find('toys', from)).toEqual([toys['@id'], addressOf('toys')])
    expect((await find(to, from))[0]).toBe('category.not_found')
    await from.update(toys['@id'], { parent: kids['@id'] })
    expect((await find('toys', from))[0]).toBe('category.not_found')
    expect(await find(to, from)).toEqual([toys['@id'], addressOf(to)])
  })
})

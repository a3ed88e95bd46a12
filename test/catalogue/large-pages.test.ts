/** Lists whose pages are larger than a response may be: they end early and continue by key, without skipping a resource. */
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { byteLimits } from '../../src/core/limits.ts'
import { openShop, type Reply, type Shop } from '../support/shop.ts'

const type = (slug: string) => `/api/metafield_definition_types/${slug}`
const keys = ['a', 'b', 'c', 'd']
/** 400 kB as UTF-8. */
const long = Object.fromEntries(keys.map((key) => [key, 'é'.repeat(50_000)]))
const shorter = 'é'.repeat(30_000)

let shop: Shop
/**
 * Of each definition, the handles of its metaobjects, oldest first: `large` ones, and `embedding` ones of 60 kB, which show
 * another one of 60 kB that is read once.
 */
const made: Record<'large' | 'embedding', string[]> = { large: [], embedding: [] }

beforeAll(async () => {
  shop = await openShop()
  const text = type('multi_line_text_field')
  const fields = { large: keys.map((key) => ({ key, type: text })), embedding: [{ key: 'a', type: text }] }
  const define = async (name: keyof typeof made) => {
    const reference = { key: 'other', type: type('metaobject_reference') }
    const body = { type: name, fieldDefinitions: [...fields[name], reference] }
    return (await shop.create('/api/metaobject_definitions', body))['@id']
  }
  const add = async (definition: string, handle: string, fields: object) => {
    const body = { definition, handle, status: 'ACTIVE', fields }
    return await shop.create('/api/metaobjects', body)
  }
  const large = await define('large')
  for (let index = 0; index < 30; index += 1)
    made.large.push((await add(large, `large-${index}`, long)).handle)
  const embedding = await define('embedding')
  let other: string | null = null
  for (let index = 0; index < 100; index += 1) {
    const body: Reply['body'] = await add(embedding, `embedding-${index}`, { a: shorter, other })
    made.embedding.push(body.handle)
    other ??= body['@id']
  }
}, 120_000)

const bytesOf = ({ text }: Reply) => new TextEncoder().encode(text).byteLength
const handles = ({ body }: Reply): string[] => body.member.map((each: { handle: string }) => each.handle)
const pageIn = (link: string) => new URL(link, 'http://x').searchParams.get('page')

/** Follows a link to its end: the handles of each page. */
async function walk(start: string, link: 'next' | 'previous' = 'next'): Promise<string[][]> {
  const pages: string[][] = []
  for (let path: string | undefined = start; path; ) {
    const reply: Reply = await shop.get(path, { status: 200 })
    expect(bytesOf(reply)).toBeLessThanOrEqual(byteLimits.answer)
    pages.push(handles(reply))
    path = reply.body.view[link]
    if (pages.length > 40) throw new Error('no end')
  }
  return pages
}

describe.each(['large', 'embedding'] as const)('%s rows', (kind) => {
  const list = `/api/metaobjects?type=${kind}&itemsPerPage=100`

  test('end a page early, and continue by key until each was shown once', async () => {
    const first = await shop.get(list, { status: 200 })
    expect(first.body.totalItems).toBe(made[kind].length)
    expect(bytesOf(first)).toBeGreaterThan(7_500_000)
    expect(handles(first).length).toBeLessThan(made[kind].length)
    const pages = await walk(list)
    expect(pages).toHaveLength(2)
    expect(pages.flat()).toEqual(made[kind].toReversed())
    // Full pages are counted; a page that begins elsewhere has no number.
    for (const name of ['first', 'last', 'next']) expect(pageIn(first.body.view[name]), name).toBeNull()
    expect(handles(await shop.get(first.body.view.first))).toEqual(handles(first))
  })

  test('end it early in reverse, too', async () => {
    const { last } = (await shop.get(list)).body.view
    const pages = await walk(last, 'previous')
    expect(pages).toHaveLength(2)
    expect(pages.toReversed().flat()).toEqual(made[kind].toReversed())
    const { body } = await shop.get(last)
    const second = await shop.get(body.view.previous)
    expect(handles(await shop.get(second.body.view.next))).toEqual(pages[0])
  })

  test('are followed by their changes without a gap', async () => {
    const pages = await walk(`${list}&updatedAt[after]=2020-01-01`)
    expect(pages).toHaveLength(2)
    expect(pages.flat()).toEqual(made[kind])
  })

  test('keep their order', async () => {
    expect((await walk(`${list}&order[createdAt]=asc`)).flat()).toEqual(made[kind])
  })

  test('are 413 by the number of a page, with how many fit', async () => {
    for (const order of ['', '&updatedAt[after]=2020-01-01']) {
      const { body } = await shop.get(`${list}${order}&page=1`, { status: 413 })
      expect(body).toMatchObject({ '@type': 'Error', slug: 'http.answer_too_large' })
      const [fits] = /\d+/.exec(body.message) ?? []
      const whole = await shop.get(`${list.replace('100', `${fits}`)}${order}&page=1`, { status: 200 })
      expect(handles(whole)).toHaveLength(Number(fits))
      expect(whole.body.view).toHaveProperty('next')
    }
  })

  test('are numbered and whole where they fit', async () => {
    const pages = await walk(list.replace('100', '15'))
    expect(new Set(pages.map((each) => each.length)).size).toBeLessThanOrEqual(2)
    expect(pages.flat()).toEqual(made[kind].toReversed())
    const body = await shop.read(`${list.replace('100', '15')}&page=1`)
    expect(['first', 'next', 'last'].map((name) => pageIn(body.view[name]))).toEqual([
      '1',
      '2',
      `${pages.length}`,
    ])
  })

  test('have an entity tag that still holds', async () => {
    const { headers } = await shop.get(list)
    await shop.get(list, { headers: { 'if-none-match': headers.get('etag') }, status: 304 })
  })
})

test('no more rows are read than one answer of the database may hold', async () => {
  const fetched = globalThis.fetch
  const sizes: number[] = []
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (...asked) => {
    const answer = await fetched(...asked)
    sizes.push((await answer.clone().arrayBuffer()).byteLength)
    return answer
  })
  await shop.get('/api/metaobjects?type=large&itemsPerPage=100', { status: 200 })
  vi.restoreAllMocks()
  expect(sizes).toHaveLength(1)
  expect(sizes[0]).toBeGreaterThan(7_000_000)
  expect(sizes[0]).toBeLessThan(10_000_000)
})

test('a list with properties[] has as many members as fit', async () => {
  const query = 'type=embedding&itemsPerPage=100&properties[]=handle&page=1'
  const reply = await shop.get(`/api/metaobjects?${query}`, { status: 200 })
  expect(handles(reply)).toEqual(made.embedding.toReversed())
})

test('the tool counts pages, so that one which is too large for it is refused', async () => {
  // 190 kB each, and an answer of the tool holds its items twice.
  const body = Array.from({ length: 5 }, (_, index) => ({
    title: `${index}`,
    description: '\u4e2d'.repeat(65_000),
  }))
  for (let index = 0; index < 4; index += 1) await shop.create('/api/categories', body)
  const call = async (given: object) => {
    const params = { name: 'list_categories', arguments: given }
    const headers = { 'content-type': 'application/json' }
    const reply = await shop.post('/mcp', {
      body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
      headers,
    })
    expect(bytesOf(reply)).toBeLessThanOrEqual(byteLimits.answer)
    return reply.body.result
  }
  const refused = await call({})
  expect(refused.isError).toBe(true)
  const problem = JSON.parse(refused.content[0].text)
  expect(problem).toMatchObject({ status: 413, slug: 'http.answer_too_large' })
  const itemsPerPage = Number(/\d+/.exec(problem.message)?.[0])
  expect(itemsPerPage).toBeGreaterThan(10)
  const seen = new Set<string>()
  for (let page: number | null = 1; page; ) {
    const { structuredContent }: Reply['body'] = await call({ itemsPerPage, page })
    for (const each of structuredContent.items) seen.add(each.id)
    page = structuredContent.nextPage
  }
  expect(seen.size).toBe(20)
})

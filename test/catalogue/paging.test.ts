/** Lists: pages, links that continue by key, orders, limits, and following changes by `updatedAt[after]`. */
import { beforeAll, describe, expect, test } from 'vitest'
import { openShop, type Reply, type Shop } from '../support/shop.ts'

type Member = { id: string; title: string; updatedAt: string; createdAt: string; version: number }

/** A shop with products A, B, C… made in that order. */
async function shopWith(count: number): Promise<{ shop: Shop; made: Member[] }> {
  const shop = await openShop()
  const body = Array.from({ length: count }, (_, index) => ({ title: String.fromCharCode(65 + index) }))
  const { member } = await shop.create('/api/products', body)
  return { shop, made: member }
}

/** Walks a link from page to page and gives the titles of each. */
async function walk(shop: Shop, start: string, link: 'next' | 'previous' = 'next'): Promise<string[]> {
  const pages: string[] = []
  let path: string | undefined = start
  while (path !== undefined) {
    const body = await shop.read(path)
    pages.push(body.member.map((each: Member) => each.title).join(''))
    path = body.view?.[link]
    if (pages.length > 20) throw new Error(`no end: ${pages.join(' ')}`)
  }
  return pages
}

describe('of seven products', () => {
  let shop: Shop
  let made: Member[]
  beforeAll(async () => {
    ;({ shop, made } = await shopWith(7))
  })

  test('the default is thirty of the newest first', async () => {
    const body = await shop.read('/api/products')
    expect(body).toMatchObject({
      '@context': '/api/contexts/Product',
      '@id': '/api/products',
      '@type': 'Collection',
    })
    expect(body.member.map((each: Member) => each.title).join('')).toBe('GFEDCBA')
    expect(body.totalItems).toBe(7)
    expect(body.view['@type']).toBe('PartialCollectionView')
    expect(body.view).not.toHaveProperty('next')
    expect(body.view).not.toHaveProperty('previous')
  })

  test('next leads through all of them once, the last page omits next', async () => {
    expect(await walk(shop, '/api/products?itemsPerPage=3')).toEqual(['GFE', 'DCB', 'A'])
    expect(await walk(shop, '/api/products?itemsPerPage=7')).toEqual(['GFEDCBA'])
  })

  test('previous leads back, and the first page omits it', async () => {
    const body = await shop.read('/api/products?itemsPerPage=3')
    expect(body.view).not.toHaveProperty('previous')
    expect(await walk(shop, body.view.last, 'previous')).toEqual(['A', 'DCB', 'GFE'])
    const second = await shop.get(body.view.next)
    expect(await walk(shop, second.body.view.previous, 'previous')).toEqual(['GFE'])
    expect((await shop.get(second.body.view.first)).body.member).toEqual(body.member)
  })

  test('numbered pages, also past the end', async () => {
    const page = async (number: number) =>
      (await shop.get(`/api/products?itemsPerPage=3&page=${number}`)).body
    expect((await page(2)).member.map((each: Member) => each.title).join('')).toBe('DCB')
    expect((await page(3)).member).toHaveLength(1)
    for (const number of [4, 1000, 999_999_999]) {
      const past = await page(number)
      expect(past).toMatchObject({ member: [], totalItems: 7 })
      expect(past.view).not.toHaveProperty('next')
    }
    const second = await page(2)
    expect(await walk(shop, second.view.next)).toEqual(['A'])
    expect(await walk(shop, second.view.previous)).toEqual(['GFE', 'DCB', 'A'])
  })

  test('itemsPerPage 0 gives the total alone', async () => {
    const body = await shop.read('/api/products?itemsPerPage=0')
    expect(body).toMatchObject({ member: [], totalItems: 7 })
    expect(body).not.toHaveProperty('view')
  })

  test.each([
    ['createdAt]=asc', 'ABCDEFG'],
    ['createdAt]=DESC', 'GFEDCBA'],
    ['title]=asc', 'ABCDEFG'],
    ['title]=Desc', 'GFEDCBA'],
    ['updatedAt]=asc', 'ABCDEFG'],
    ['id]=asc', 'ABCDEFG'],
    ['id]=desc', 'GFEDCBA'],
    ['vendor]=asc', 'GFEDCBA'],
    ['__proto__]=asc', 'GFEDCBA'],
    ['constructor]=asc', 'GFEDCBA'],
    ['title]=up', 'GFEDCBA'],
  ])('order[%s gives %s on one page and on many', async (order, expected) => {
    for (const size of [2, 7]) {
      const pages = await walk(shop, `/api/products?itemsPerPage=${size}&order[${order}`)
      expect(pages.join('')).toBe(expected)
    }
  })

  test('links keep every parameter, percent-encoded', async () => {
    const query =
      'itemsPerPage=2&order[title]=asc&properties[]=title&properties[]=handle&foo=a%20b%26c&constructor=1'
    const body = await shop.read(`/api/products?${query}`)
    for (const link of [body.view.next, body.view.first, body.view.last]) {
      expect(link).not.toMatch(/[[\] ]/)
      const kept = new URL(link, 'http://x').searchParams
      expect(kept.getAll('properties[]')).toEqual(['title', 'handle'])
      expect(kept.get('foo')).toBe('a b&c')
      expect(kept.get('order[title]')).toBe('asc')
      expect(kept.get('constructor')).toBe('1')
    }
    expect(await walk(shop, body.view.next)).toEqual(['CD', 'EF', 'G'])
    expect(Object.keys(body.member[0]).sort()).toEqual(['@id', '@type', 'handle', 'title'])
  })

  test('order keys, filters and page parameters are in the search template', async () => {
    const { search } = (await shop.get('/api/products')).body
    expect(search['@type']).toBe('IriTemplate')
    const variables = search.mapping.map((each: { variable: string }) => each.variable)
    for (const name of [
      'page',
      'itemsPerPage',
      'updatedAt[after]',
      'status',
      'properties[]',
      'order[createdAt]',
      'order[updatedAt]',
      'order[title]',
    ]) {
      expect(variables).toContain(name)
      expect(search.template).toContain(name)
    }
  })

  test('a filtered list counts and pages what matches', async () => {
    const [, b] = made
    const from = encodeURIComponent((b as Member).createdAt)
    const body = await shop.read(`/api/products?createdAt[from]=${from}&itemsPerPage=2`)
    expect(body.totalItems).toBe(6)
    expect(await walk(shop, `/api/products?createdAt[from]=${from}&itemsPerPage=4`)).toEqual(['GFED', 'CB'])
    expect(await walk(shop, `/api/products?createdAt[after]=${from}&createdAt[until]=${from}`)).toEqual([''])
  })

  test('every link contains the number of its page, and a cursor takes precedence over it', async () => {
    const pageIn = (link: string | undefined) => link && new URL(link, 'http://x').searchParams.get('page')
    const numbers = ({ view }: Reply['body']) =>
      ['first', 'previous', 'next', 'last'].map((name) => pageIn(view[name]))
    const first = await shop.read('/api/products?itemsPerPage=3')
    expect(numbers(first)).toEqual(['1', undefined, '2', '3'])
    expect(first.view.first).not.toContain('cursor')
    const second = await shop.read(first.view.next)
    expect(numbers(second)).toEqual(['1', '1', '3', '3'])
    const third = await shop.read(second.view.next)
    expect(numbers(third)).toEqual(['1', '2', undefined, '3'])
    expect(numbers(await shop.read(first.view.last))).toEqual(['1', '2', undefined, '3'])
    const jumped = await shop.read('/api/products?itemsPerPage=3&page=2')
    expect(numbers(jumped)).toEqual(['1', '1', '3', '3'])
    expect(jumped.member).toEqual(second.member)
    const renumbered = await shop.read(first.view.next.replace('page=2', 'page=7'))
    expect(renumbered.member).toEqual(second.member)
    const bare = new URL(first.view.next, 'http://x').searchParams
    bare.delete('page')
    const unnumbered = await shop.read(`/api/products?${bare}`)
    expect(numbers(unnumbered)).toEqual([null, null, null, null])
    expect(unnumbered.member).toEqual(second.member)
  })

  test('a cursor survives an updatedAt filter only as an error, and another order too', async () => {
    const { next } = (await shop.get('/api/products?itemsPerPage=2')).body.view
    await shop.get(`${next}&updatedAt[after]=2020-01-01`, { status: 422 })
    const cursor = new URL(next, 'http://x').searchParams.get('cursor')
    const other = await shop.get(`/api/products?order[title]=asc&cursor=${cursor}`)
    expect([200, 422]).toContain(other.status)
    const forged = (keys: unknown) => btoa(JSON.stringify(['next', keys])).replaceAll('=', '')
    for (const keys of [
      ['x', 'y'],
      ['infinity', (made[0] as Member).id],
      ['2020-01-01', 'not-an-id'],
      ['now', ''],
      ['\u0001', '\u0000'],
      [],
      ['2020-01-01T00:00:00Z'],
    ]) {
      const reply = await shop.get(`/api/products?cursor=${encodeURIComponent(forged(keys))}`)
      expect([200, 422], `${JSON.stringify(keys)} ${reply.text}`).toContain(reply.status)
    }
  })
})

test('more than a hundred per page is clamped to a hundred', async () => {
  const { shop } = await shopWith(50)
  const body = Array.from({ length: 50 }, (_, index) => ({ title: `x${index}` }))
  await shop.create('/api/products', body)
  await shop.create('/api/products', [{ title: 'last' }])
  for (const size of ['100', '101', '999999999']) {
    const reply = await shop.read(`/api/products?itemsPerPage=${size}&properties[]=title`)
    expect(reply.member).toHaveLength(100)
    expect(reply.totalItems).toBe(101)
  }
  expect((await shop.get('/api/products?properties[]=title')).body.member).toHaveLength(30)
})

test('concurrent inserts and changes neither repeat nor hide an unseen resource', async () => {
  const { shop, made } = await shopWith(6)
  const first = await shop.read('/api/products?itemsPerPage=2')
  await shop.create('/api/products', { title: 'New' })
  await shop.update(`/api/products/${made[0]?.id}`, { vendor: 'V' })
  await shop.delete(`/api/products/${made[5]?.id}`, { status: 204 })
  expect(await walk(shop, first.view.next)).toEqual(['DC', 'BA'])
})

test('the links of the longest address that is taken are taken, too', async () => {
  const shop = await openShop()
  // A cursor holds a title.
  const body = ['a', 'b', 'c', 'd'].map((letter) => ({ title: letter + '\u4e2d'.repeat(254) }))
  await shop.create('/api/products', body)
  for (const order of ['order[title]=asc', 'updatedAt[from]=2020-01-01']) {
    const query = `properties[]=id&${order}&itemsPerPage=1`
    const encoded = query.replaceAll('[', '%5B').replaceAll(']', '%5D').replace('&itemsPerPage=1', '')
    const room = 8192 - encoded.length - '&filler='.length
    const path = (more: number) => `/api/products?${query}&filler=${'x'.repeat(room + more)}`
    await shop.get(path(1), { status: 414 })
    const seen = new Set<string>()
    for (let next: string | undefined = path(0); next; ) {
      const reply: Reply = await shop.get(next, { status: 200 })
      seen.add(reply.body.member[0].id)
      for (const link of Object.values<string>(reply.body.view).filter((each) => each.startsWith('/')))
        await shop.get(link, { status: 200 })
      next = reply.body.view.next
    }
    expect(seen.size, order).toBe(4)
  }
})

describe('following changes', () => {
  test('updatedAt[after] is strict and in the order of the changes, and next continues after the last one', async () => {
    const { shop, made } = await shopWith(5)
    const [a, b] = made as [Member, Member]
    await shop.update(`/api/products/${a.id}`, { vendor: 'V' })
    const start = `/api/products?itemsPerPage=2&updatedAt[after]=${encodeURIComponent(b.updatedAt)}`
    expect(await walk(shop, start)).toEqual(['CD', 'EA'])
    const { body } = await shop.get(start)
    expect(new URL(body.view.next, 'http://x').searchParams.get('updatedAt[after]')).toBe(
      body.member[1].updatedAt,
    )
    expect(new URL(body.view.next, 'http://x').searchParams.has('page')).toBe(false)
  })

  test('page is an offset in that order, and next continues by key', async () => {
    const { shop, made } = await shopWith(5)
    await shop.update(`/api/products/${made[0]?.id}`, { vendor: 'V' })
    const page = async (number: number) =>
      await shop.read(`/api/products?itemsPerPage=2&updatedAt[after]=2020-01-01&page=${number}`)
    const titles = ({ member }: { member: Member[] }) => member.map((each) => each.title).join('')
    const [first, second, third, past] = [await page(1), await page(2), await page(3), await page(4)]
    expect([first, second, third, past].map(titles)).toEqual(['BC', 'DE', 'A', ''])
    expect(first.view.next).toMatch(/updatedAt%5Bafter%5D=2\d{3}-[^&]+Z$/)
    expect(first.view.next).not.toContain('page=')
    expect(await walk(shop, first.view.next)).toEqual(['DE', 'A'])
    expect(await walk(shop, second.view.previous)).toEqual(['BC', 'DE', 'A'])
    expect(await walk(shop, third.view.first)).toEqual(['BC', 'DE', 'A'])
    expect(third.view).not.toHaveProperty('next')
    expect(past.totalItems).toBe(5)
  })

  test('from includes, until includes, before does not; all with the microsecond', async () => {
    const { shop, made } = await shopWith(3)
    const at = encodeURIComponent(made[1]?.updatedAt ?? '')
    expect(await walk(shop, `/api/products?updatedAt[from]=${at}`)).toEqual(['BC'])
    expect(await walk(shop, `/api/products?updatedAt[until]=${at}`)).toEqual(['AB'])
    expect(await walk(shop, `/api/products?updatedAt[before]=${at}`)).toEqual(['A'])
    expect(await walk(shop, `/api/products?updatedAt[after]=${at}`)).toEqual(['C'])
    expect(await walk(shop, `/api/products?itemsPerPage=1&updatedAt[from]=${at}`)).toEqual(['B', 'C'])
    expect(await walk(shop, `/api/products?itemsPerPage=1&updatedAt[until]=${at}`)).toEqual(['A', 'B'])
  })

  test('removals are seen', async () => {
    const { shop, made } = await shopWith(2)
    await shop.delete(`/api/products/${made[0]?.id}`, { status: 204 })
    const after = encodeURIComponent(made[1]?.updatedAt ?? '')
    const body = await shop.read(`/api/products?updatedAt[after]=${after}`)
    expect(body.member).toMatchObject([{ id: made[0]?.id, status: 'ARCHIVED' }])
  })

  test('offsets, a repaired plus, dates and extra digits are read; digits are cut, never rounded', async () => {
    const { shop, made } = await shopWith(1)
    const at = made[0]?.updatedAt ?? ''
    const found = async (value: string) =>
      (await shop.read(`/api/products?updatedAt[after]=${value}`)).member.length
    expect(await found('2020-01-01')).toBe(1)
    expect(await found('2020-01-01T00:00:00Z')).toBe(1)
    expect(await found('2020-01-01T00:00:00+02:00')).toBe(1)
    expect(await found('2020-01-01T00:00:00%2B02:00')).toBe(1)
    expect(await found('2020-01-01T00:00:00-05:30')).toBe(1)
    expect(await found('2020-01-01T00:00')).toBe(1)
    expect(await found('2020-01-01T00:00%2B02:00')).toBe(1)
    // Without a zone it is UTC.
    expect(await found(at.replace('Z', ''))).toBe(0)
    expect(await found(at.slice(0, 16))).toBe(1)
    expect(await found(at.replace('Z', '999Z'))).toBe(0)
    expect(await found(at)).toBe(0)
    expect(await found('2999-01-01')).toBe(0)
    const before = (await shop.get(`/api/products?updatedAt[before]=${at.replace('Z', '999Z')}`)).body
    expect(before.member).toHaveLength(0)
  })

  test('updatedAt of every write is later than that of the previous one', async () => {
    const { shop, made } = await shopWith(3)
    const seen = made.map((each) => each.updatedAt)
    for (let index = 0; index < 3; index += 1) {
      const body = await shop.update(`/api/products/${made[index]?.id}`, { vendor: 'V' })
      seen.push(body.updatedAt)
    }
    expect(new Set(seen).size).toBe(6)
    expect([...seen].sort()).toEqual(seen)
  })
})

describe('the other lists', () => {
  test('variants and option values page by key in both directions', async () => {
    const shop = await openShop()
    const values = [...'ABCDE'].map((title) => ({ title }))
    const body = {
      title: 'P',
      options: [{ title: 'O', values }],
      variants: values.map(({ title }) => ({ optionValues: [{ option: 'O', value: title }] })),
    }
    const product = await shop.create('/api/products', body)
    for (const path of [
      `${product['@id']}/variants?itemsPerPage=2`,
      `/api/option_values?itemsPerPage=2&order[position]=asc`,
    ]) {
      expect(await walk(shop, path)).toEqual(['AB', 'CD', 'E'])
      const { last } = (await shop.get(path)).body.view
      expect(await walk(shop, last, 'previous')).toEqual(['E', 'CD', 'AB'])
    }
    expect(await walk(shop, `${product['@id']}/variants?itemsPerPage=2&order[createdAt]=desc`)).toEqual([
      'ED',
      'CB',
      'A',
    ])
    expect(await walk(shop, `${product['@id']}/variants?itemsPerPage=2&updatedAt[after]=2020-01-01`)).toEqual(
      ['AB', 'CD', 'E'],
    )
    expect((await shop.get(`${product['@id']}/variants`)).body.totalItems).toBe(5)
  })

  test('an empty list is a whole collection', async () => {
    const shop = await openShop()
    for (const path of ['/api/products', '/api/option_values']) {
      const reply = await shop.get(path, { status: 200 })
      expect(reply.body).toMatchObject({ totalItems: 0, member: [] })
      expect(reply.headers.get('service-sequence')).toBe('0')
      expect(reply.headers.get('etag')).toMatch(/^W\/"/)
    }
  })
})

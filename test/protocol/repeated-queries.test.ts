/** The same query string from different tenants, versions and callers is read for each of them. */
import { beforeAll, expect, test } from 'vitest'
import { createApp } from '../support/app.ts'
import { openShop, type Shop } from '../support/shop.ts'

let shop: Shop
let other: Shop
let category: string
const app = createApp()

beforeAll(async () => {
  ;[shop, other] = await Promise.all([openShop({ app }), openShop({ app })])
  category = (await shop.create('/api/categories', { title: 'Shoes' }))['@id']
  await shop.create('/api/products', { title: 'Boot', categories: [category] })
  await shop.create('/api/products', { title: 'Hat' })
})

const totals = (answer: Awaited<ReturnType<Shop['get']>>) => answer.body.totalItems

test('an absolute IRI belongs to its own tenant, whichever tenant used it before', async () => {
  const asked = `/api/products?category=${encodeURIComponent(`http://${shop.host}${category}`)}`
  for (const _ of [1, 2]) {
    expect(totals(await shop.get(asked, { status: 200 }))).toBe(1)
    const { body } = await other.get(asked, { status: 422 })
    expect(body.violations).toMatchObject([{ propertyPath: 'category' }])
  }
})

test('unknown parameters are named each time, and rejected under strict handling', async () => {
  const asked = '/api/products?colour=red&itemsPerPage=1'
  for (const _ of [1, 2]) {
    const { headers } = await shop.get(asked, { status: 200 })
    expect(headers.get('service-ignored-parameters')).toContain('colour')
    await shop.get(asked, { status: 422, headers: { Prefer: 'handling=strict' } })
  }
  const sound = '/api/products?itemsPerPage=1'
  for (const _ of [1, 2]) {
    const { headers } = await shop.get(sound, { status: 200, headers: { Prefer: 'handling=strict' } })
    expect(headers.get('service-ignored-parameters')).toBeNull()
  }
})

test('the same query is another one in another version, and of another operation', async () => {
  const asked = '?order[title]=asc&itemsPerPage=1'
  for (const _ of [1, 2]) {
    const today = await shop.read(`/api/products${asked}`)
    expect(today.member[0].title).toBe('Boot')
    const old = await shop.get(`/api/products${asked}`, {
      status: 200,
      headers: { 'Service-Api-Version': '2026-01' },
    })
    expect(old.headers.get('service-api-version')).toBe('2026-01')
    const { headers } = await shop.get(`/api/collections${asked}`, { status: 200 })
    expect(headers.get('service-ignored-parameters') ?? '').not.toContain('itemsPerPage')
  }
})

test('a query that is refused is refused again, with all that is wrong', async () => {
  for (const _ of [1, 2]) {
    const { body } = await shop.get('/api/products?page=0&status=SOLD', { status: 422 })
    expect(body.violations.map((each: { propertyPath: string }) => each.propertyPath).sort()).toEqual([
      'page',
      'status',
    ])
  }
})

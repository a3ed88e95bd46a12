/** Timelines of prices: content, pages, errors. */
import { beforeAll, describe, expect, test } from 'vitest'
import { openShop, type Reply, type Shop } from '../support/shop.ts'

type Body = Reply['body']

let shop: Shop
let product: string
let variants: string[]
beforeAll(async () => {
  shop = await openShop()
  const titles = ['S', 'M', 'L']
  const body = await shop.create('/api/products', {
    title: 'Mug',
    options: [{ title: 'Size', values: titles.map((title) => ({ title })) }],
    variants: titles.map((value) => ({ optionValues: [{ option: 'Size', value }] })),
  })
  product = body['@id']
  variants = body.variants.map((each: Body) => each['@id'])
})

const shopper = 'resolveContext[channel]=web&resolveContext[country]=fr'
const make = async (variant: number, body: object) =>
  (
    await shop.create('/api/sale_offers', {
      variant: variants[variant],
      currency: 'EUR',
      amount: '10.00',
      ...body,
    })
  )['@id']
const timeline = (variant: number, query = '', asked = {}) =>
  shop.get(`${variants[variant]}/price_timeline?${shopper}${query}`, { status: 200, ...asked })
const slugs = ({ body }: Reply) =>
  body.violations.map(({ propertyPath, slug }: Body) => `${propertyPath} ${slug}`)

test('more than a thousand segments are paged, and so are more than a hundred in a list', async () => {
  const moment = (minute: number) => new Date(Date.UTC(2090, 0, 1, 0, minute)).toISOString()
  for (let at = 0; at < 600; at += 200) {
    const body = Array.from({ length: 200 }, (_, nth) => ({
      variant: variants[1],
      currency: 'EUR',
      amount: '7.00',
      validFrom: moment(2 * (at + nth) + 1),
      validUntil: moment(2 * (at + nth) + 2),
    }))
    await shop.create('/api/sale_offers', body)
  }
  const span = '&from=2090-01-01&until=2090-01-03T00:00'
  const walk = async (from: string) => {
    const pages: Body[][] = []
    for (let link: string | undefined = from; link; ) {
      const { body }: Reply = await shop.get(link, { status: 200 })
      pages.push(body.segments)
      link = body.view?.next
    }
    return pages
  }
  const pages = await walk(`${variants[1]}/price_timeline?${shopper}&resolveContext[currency]=EUR${span}`)
  expect(pages.map((each) => each.length)).toEqual([1000, 201])
  const all = pages.flat()
  for (const [nth, each] of all.entries()) {
    expect(each.cause).toBe(nth === 0 ? null : 'WINDOW')
    expect(each.resolvedPrice?.amount ?? null).toBe(nth % 2 === 0 ? null : '7.00')
    expect(each.until).toBe(all[nth + 1]?.from ?? '2090-01-03T00:00:00.000000Z')
  }
  const listed = await shop.read(`${product}/price_timeline?${shopper}&resolveContext[currency]=EUR${span}`)
  const own = listed.member[1]
  expect(own.segments).toEqual(all.slice(0, 100))
  expect(own.view.next).toContain('resolveContext%5Bcurrency%5D=EUR')
  expect((await walk(own.view.next)).flat()).toEqual(all.slice(100))
  expect(listed.member.map((each: Body) => each.view === undefined)).toEqual([true, false, true])
})

test('are listed of active variants in their order, page by page; an archived one keeps its own', async () => {
  await make(2, {})
  await shop.delete(variants[2]!, { status: 204 })
  const body = await shop.read(`${product}/price_timeline?${shopper}&itemsPerPage=1`)
  expect(body).toMatchObject({ '@type': 'Collection', totalItems: 2, member: [{ variant: variants[0] }] })
  const next = await shop.read(body.view.next)
  expect(next.member).toMatchObject([{ variant: variants[1] }])
  expect((await timeline(2)).body.segments.map((each: Body) => each.resolvedPrice?.amount ?? null)).toEqual([
    null,
    '10.00',
    '10.00',
  ])
})

describe('is refused', () => {
  const ask = (query: string) => shop.get(`${variants[0]}/price_timeline?${query}`, { status: 422 })

  test('where it ends before it begins, or spans more than five years', async () => {
    const reversed = await ask(`${shopper}&from=2026-02-01&until=2026-01-31T23:59:59.999999Z`)
    expect(reversed.body.slug).toBe('pricing.timeline_reversed')
    const long = await ask(`${shopper}&from=2024-02-29&until=2029-03-01`)
    expect(long.body.slug).toBe('pricing.timeline_too_long')
    expect(slugs(long)).toEqual(['until pricing.timeline_too_long'])
    await make(0, {})
    const { body } = await timeline(0, '&from=2024-02-28&until=2029-02-28')
    expect(body.segments.length).toBeGreaterThan(2)
    expect((await timeline(0, '&from=2026-01-01&until=2026-01-01')).body.segments).toEqual([])
  })

  test('nowhere near the ends of time', async () => {
    for (const query of [
      '&from=9999-12-31',
      '&until=0001-01-01',
      '&from=9998-01-01&until=9999-12-31T23:59:59.999999Z',
    ])
      await timeline(0, query)
    expect((await timeline(0, '&from=2090-01-01')).body.until).toBe('2090-04-01T00:00:00.000000Z')
    expect((await timeline(0, '&until=2020-01-01')).body.from).toBe('2019-10-03T00:00:00.000000Z')
  })
})

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

test('lists past, present and future prices with their causes, ninety days to either side', async () => {
  const offer = await make(0, {})
  await shop.patch(offer, { body: { amount: '8.00', compareAtAmount: '10.00' }, status: 200 })
  const inDays = (days: number) =>
    `${new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 19)}.000000Z`
  const [start, end] = [inDays(10), inDays(20)]
  const sale = await make(0, { amount: '5.00', validFrom: start, validUntil: end, priority: 1 })
  const events = await shop.read('/api/events?topic=sale_offer/*')
  const [made, changed] = events.member as Body[]
  const { body, headers } = await timeline(0)
  const { segments, ...rest } = body
  expect(rest).toEqual({
    '@context': '/api/contexts/PriceTimeline',
    '@id': `${variants[0]}/price_timeline`,
    '@type': 'PriceTimeline',
    variant: variants[0],
    channel: 'web',
    country: 'FR',
    from: expect.any(String),
    until: expect.any(String),
    historyFrom: expect.stringMatching(/^20/),
  })
  expect(Date.parse(body.until) - Date.parse(body.from)).toBe(180 * 86_400_000)
  expect(headers.get('server-timing')).toMatch(/db;dur=[\d.]+;desc="1"/)
  const short = ({ from, until, cause, event, resolvedPrice }: Body) => ({
    from,
    until,
    cause,
    event,
    amount: resolvedPrice?.amount ?? null,
  })
  const now = segments[3].from
  expect(segments.map(short)).toEqual([
    { from: body.from, until: made.occurredAt, cause: null, event: null, amount: null },
    { from: made.occurredAt, until: changed.occurredAt, cause: 'EDIT', event: made['@id'], amount: '10.00' },
    { from: changed.occurredAt, until: now, cause: 'EDIT', event: changed['@id'], amount: '8.00' },
    { from: now, until: start, cause: null, event: null, amount: '8.00' },
    { from: start, until: end, cause: 'WINDOW', event: null, amount: '5.00' },
    { from: end, until: body.until, cause: 'WINDOW', event: null, amount: '8.00' },
  ])
  expect(segments[4]).toEqual({
    '@type': 'PriceSegment',
    from: start,
    until: end,
    resolvedPrice: {
      '@type': 'ResolvedPrice',
      amount: '5.00',
      currency: 'EUR',
      compareAtAmount: null,
      taxIncluded: true,
      saleOffer: sale,
      channel: 'web',
      country: 'FR',
      at: start,
      validFrom: start,
      validUntil: end,
      quantityBreaks: [],
    },
    cause: 'WINDOW',
    event: null,
  })
  const { body: selected } = await timeline(0, '&properties[segments][resolvedPrice][]=amount')
  expect(selected.segments[4]).toEqual({
    '@type': 'PriceSegment',
    resolvedPrice: { '@type': 'ResolvedPrice', amount: '5.00' },
  })
})

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
  const pages = await walk(`${variants[1]}/price_timeline?${shopper}${span}`)
  expect(pages.map((each) => each.length)).toEqual([1000, 201])
  const all = pages.flat()
  for (const [nth, each] of all.entries()) {
    expect(each.cause).toBe(nth === 0 ? null : 'WINDOW')
    expect(each.resolvedPrice?.amount ?? null).toBe(nth % 2 === 0 ? null : '7.00')
    expect(each.until).toBe(all[nth + 1]?.from ?? '2090-01-03T00:00:00.000000Z')
  }
  const listed = await shop.read(`${product}/price_timeline?${shopper}${span}`)
  const own = listed.member[1]
  expect(own.segments).toEqual(all.slice(0, 100))
  expect((await walk(own.view.next)).flat()).toEqual(all.slice(100))
  expect(listed.member.map((each: Body) => each.view === undefined)).toEqual([true, false, true])
})

test('are listed of active variants in their order, page by page; an archived one keeps its own', async () => {
  await make(2, {})
  await shop.delete(variants[2]!, { status: 204 })
  const body = await shop.read(`${product}/price_timeline?${shopper}&itemsPerPage=1`)
  expect(body).toMatchObject({ '@type': 'Collection', totalItems: 2, member: [{ variant: variants[0] }] })
  const next = await shop.get(body.view.next, { status: 200 })
  expect(next.body.member).toMatchObject([{ variant: variants[1] }])
  expect((await timeline(2)).body.segments.map((each: Body) => each.resolvedPrice?.amount ?? null)).toEqual([
    null,
    '10.00',
    '10.00',
  ])
})

describe('is refused', () => {
  const ask = (query: string) => shop.get(`${variants[0]}/price_timeline?${query}`, { status: 422 })

  test('without channel and country, each named', async () => {
    for (const path of [`${variants[0]}/price_timeline`, `${product}/price_timeline`]) {
      const none = await shop.get(path, { status: 422 })
      expect(none.body.slug).toBe('pricing.resolve_context_incomplete')
      expect(slugs(none)).toHaveLength(2)
    }
    const one = await ask('resolveContext[channel]=web&until=never')
    expect(slugs(one)).toEqual([
      'until validation.instant',
      'resolveContext[country] pricing.resolve_context_incomplete',
    ])
  })

  test('where it ends before it begins, or spans more than five years', async () => {
    const reversed = await ask(`${shopper}&from=2026-02-01&until=2026-01-31T23:59:59.999999Z`)
    expect(reversed.body.slug).toBe('pricing.timeline_reversed')
    const long = await ask(`${shopper}&from=2024-02-29&until=2029-03-01`)
    expect(long.body.slug).toBe('pricing.timeline_too_long')
    expect(slugs(long)).toEqual(['until pricing.timeline_too_long'])
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

  test('to callers without read access to offers as well', async () => {
    const token = await shop.token({ scope: 'products:read' })
    for (const path of [`${variants[0]}/price_timeline`, `${product}/price_timeline`]) {
      const { headers } = await shop.get(path, { token, status: 403 })
      expect(headers.get('www-authenticate')).toContain('scope="products:read sale_offers:read"')
    }
  })
})

/** Prices of the moment of the request: `resolveContext[at]=now`. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { openShop, type Reply, type Shop } from '../../../test/support/shop.ts'

type Body = Reply['body']

const shopper = 'resolveContext[channel]=web&resolveContext[country]=FR'
const now = `?${shopper}&resolveContext[at]=now`

let shop: Shop
let variant: Body
/** The paths of all documents that contain the variant with its price. */
let paths: string[]
/** The moments at which the lower price starts and ends, and at which a worse offer ends. */
let start: string
let end: string
let worseEnd: string

const inMinutes = (count: number) => `${new Date(Date.now() + count * 60_000).toISOString().slice(0, 23)}000Z`
const moveTo = (moment: string) => vi.setSystemTime(new Date(moment))

const priceIn = (body: Body): Body => {
  const [inner] = body.member ?? body.variants ?? []
  return inner ? priceIn(inner) : body.resolvedPrice
}

/** The price now. All documents must contain the same price. */
async function priceNow(query = now): Promise<Body> {
  const prices = await Promise.all(paths.map(async (path) => priceIn(await shop.read(path + query))))
  for (const price of prices) expect(price).toEqual(prices[0])
  return prices[0]
}

beforeEach(async () => {
  shop = await openShop()
  const product = await shop.create('/api/products', { title: 'Mug', variants: [{}] })
  variant = product.variants[0]
  paths = ['/api/products', product['@id'], `${product['@id']}/variants`, variant['@id']]
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
  worseEnd = inMinutes(2)
  start = inMinutes(10)
  end = inMinutes(20)
  const past = '2020-01-01T00:00:00Z'
  for (const terms of [
    { amount: '10.00', priority: 1 },
    { amount: '8.00', priority: 2, validFrom: start, validUntil: end },
    { amount: '7.00', validFrom: past, validUntil: worseEnd },
    { amount: '6.00', minQuantity: 5, currency: 'USD', validUntil: worseEnd },
  ])
    await shop.create('/api/sale_offers', { variant: variant['@id'], currency: 'EUR', ...terms })
})
afterEach(() => {
  vi.useRealTimers()
})

describe('resolveContext[at]=now', () => {
  test('returns the price of the request, with the moment since which it applies', async () => {
    expect(await priceNow()).toMatchObject({ amount: '10.00', at: variant.createdAt, nextChangeAt: start })
    moveTo(start)
    expect(await priceNow()).toMatchObject({ amount: '8.00', at: start, nextChangeAt: end })
    moveTo(end)
    const last = await priceNow()
    expect(last).toMatchObject({ amount: '10.00', at: end, nextChangeAt: null })
    moveTo(inMinutes(5))
    expect(await priceNow(`${now}&resolveContext[knownAt]=now`)).toEqual(last)
    expect(await priceNow(`?${shopper}&resolveContext[at]=${last.at}`)).toEqual(last)
  })

  test('returns the same response until a price in it changes, and 304 for its entity tag', async () => {
    for (const path of paths) {
      const first = await shop.get(path + now, { status: 200 })
      const ask = (status: number) =>
        shop.get(path + now, { headers: { 'If-None-Match': first.headers.get('etag') }, status })
      const from = inMinutes(0)
      for (const moment of [worseEnd, inMinutes(9)]) {
        moveTo(moment)
        const same = await ask(304)
        expect(same.headers.get('service-priced-at')).toBe(moment)
        expect(same.headers.get('service-prices-until')).toBe(start)
        // Another isolate has not cached the response.
        shop.restart()
        expect((await shop.get(path + now)).text).toBe(first.text)
      }
      moveTo(start)
      expect(priceIn((await ask(200)).body)).toMatchObject({ amount: '8.00' })
      moveTo(from)
    }
  })

  test('is not returned from a cache after a price has changed, at whichever age the caller accepts', async () => {
    const headers = { 'Cache-Control': 'max-age=300' }
    const [path] = paths
    moveTo(new Date(Date.parse(start) - 1000).toISOString())
    const before = await shop.get(path + now, { status: 200 })
    const young = await shop.get(path + now, { headers, status: 200 })
    expect([young.text, young.headers.get('age')]).toEqual([before.text, '0'])
    moveTo(start)
    const after = await shop.get(path + now, { headers, status: 200 })
    expect([priceIn(after.body).amount, after.headers.get('age')]).toEqual(['8.00', null])
    expect(priceIn((await shop.get(path + now, { status: 200 })).body).amount).toBe('8.00')
  })

  test('changes with a write, and explains its candidates of the moment', async () => {
    const [, , , path] = paths
    const explained = async () =>
      priceIn(await shop.read(`${path}${now}&explain=price`)).candidates.map(
        ({ decidedBy }: { decidedBy: string | null }) => decidedBy,
      )
    expect(await explained()).toEqual([null, 'priority', 'window', 'minQuantity'])
    moveTo(worseEnd)
    expect(await explained()).toEqual([null, 'window', 'window', 'window'])
    await shop.create('/api/sale_offers', {
      variant: variant['@id'],
      currency: 'EUR',
      amount: '1.00',
      priority: 9,
    })
    expect(await priceNow()).toMatchObject({ amount: '1.00', at: variant.createdAt, nextChangeAt: null })
  })
})

test('Service-Priced-At repeats a requested moment', async () => {
  const { headers } = await shop.get(`/api/products?${shopper}&resolveContext[at]=2026-12-01T00:00:00Z`)
  expect(headers.get('service-priced-at')).toBe('2026-12-01T00:00:00.000000Z')
})

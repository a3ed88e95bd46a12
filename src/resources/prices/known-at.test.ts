/** Prices by the offers as recorded at a timestamp: `resolveContext[knownAt]`. */
import { beforeAll, describe, expect, test } from 'vitest'
import { sentBy } from '../../../test/support/sent.ts'
import { openShop, type Shop } from '../../../test/support/shop.ts'

const futureInstant = '2026-12-01T00:00:00.000000Z'

let shop: Shop
let product: string
let variant: string
/** The timestamps of the events, in order. */
let moments: string[]

const query = (parameters: Readonly<Record<string, string>>) =>
  new URLSearchParams(
    Object.entries({ channel: 'web', country: 'FR', ...parameters }).map(([name, value]) => [
      name === 'explain' ? name : `resolveContext[${name}]`,
      value,
    ]),
  ).toString()

beforeAll(async () => {
  shop = await openShop()
  const make = shop.create
  const created = await make('/api/products', { title: 'Mug', variants: [{ sku: 'M' }] })
  product = created['@id']
  variant = created.variants[0]['@id']
  const offer = await make('/api/sale_offers', { variant, currency: 'EUR', amount: '10.00' })
  await shop.update(offer['@id'], { amount: '8.00', compareAtAmount: '10.00' })
  const better = await make('/api/sale_offers', { variant, currency: 'EUR', amount: '7.00', channel: 'web' })
  await shop.delete(better['@id'], { status: 204 })
  await shop.update(offer['@id'], { validUntil: '2026-11-30T00:00:00Z' })
  const body = await shop.read('/api/events?topic=sale_offer/*')
  moments = body.member.map((event: { occurredAt: string }) => event.occurredAt)
})

/** The timestamp one microsecond earlier. */
const earlier = (moment: string) => {
  const micros = BigInt(Date.parse(moment)) * 1000n + BigInt(moment.slice(23, 26)) - 1n
  return `${new Date(Number(micros / 1000n)).toISOString().slice(0, 23)}${String(micros % 1000n).padStart(3, '0')}Z`
}

/** The paths of all documents that contain the variant with its price. */
const places = (): readonly [string, (body: Shown) => Shown][] => [
  ['/api/products', (body) => body.member[0].variants[0]],
  [product, (body) => body.variants[0]],
  [`${product}/variants`, (body) => body.member[0]],
  [variant, (body) => body],
]
type Shown = ReturnType<typeof JSON.parse>
/** Lists explain no prices. */
const explainingPlaces = () => places().filter(([path]) => path === product || path === variant)

/** The price at a timestamp as recorded at another one. All documents must contain the same price. */
async function priceIn(parameters: Readonly<Record<string, string>>): Promise<Shown> {
  const prices: Shown[] = []
  for (const [path, variantIn] of parameters.explain ? explainingPlaces() : places()) {
    const calls = await sentBy(async () => {
      const body = await shop.read(`${path}?${query(parameters)}`)
      prices.push(variantIn(body).resolvedPrice)
    })
    expect(calls).toHaveLength(1)
  }
  for (const price of prices) expect(price).toEqual(prices[0])
  return prices[0]
}

describe('a price with knownAt', () => {
  test('lists only recorded offers as candidates, neither archived ones nor later ones', async () => {
    const outcomes = async (knownAt: string) =>
      (await priceIn({ at: futureInstant, knownAt, explain: 'price' })).candidates.map(
        ({ outcome, decidedBy }: Shown) => `${outcome} ${decidedBy}`,
      )
    expect(await outcomes(earlier(moments[0]!))).toEqual([])
    expect(await outcomes(moments[0]!)).toEqual(['won null'])
    expect(await outcomes(moments[2]!)).toEqual(['won null', 'lost channel'])
    expect(await outcomes(moments[3]!)).toEqual(['won null'])
    expect(await outcomes(moments[4]!)).toEqual(['filtered window'])
  })

  test('equals the price without knownAt if knownAt is in the future', async () => {
    for (const [path] of explainingPlaces())
      for (const at of [moments[1]!, futureInstant]) {
        const now = await shop.get(`${path}?${query({ at, explain: 'price' })}`, { status: 200 })
        const recorded = await shop.get(
          `${path}?${query({ at, explain: 'price', knownAt: futureInstant })}`,
          {
            status: 200,
          },
        )
        expect(recorded.text.replace(/&resolveContext%5BknownAt%5D=[^"&]*/g, '')).toBe(now.text)
      }
  })
})

describe('a response', () => {
  test('stays the same before and after a write', async () => {
    const path = `${product}?${query({ at: moments[0]!, knownAt: moments[0]! })}`
    const first = await shop.get(path, { status: 200 })
    expect((await shop.get(path, { status: 200 })).text).toBe(first.text)
    await shop.create('/api/sale_offers', { variant, currency: 'USD', amount: '1.00', priority: -7 })
    expect((await shop.get(path, { status: 200 })).text).toBe(first.text)
  })
})

describe('a 422 error', () => {
  const slugs = ({ body }: { body: Shown }) =>
    body.violations.map(({ propertyPath, code }: Shown) => `${propertyPath} ${code}`)
  const ask = async (path: string, parameters: Readonly<Record<string, string>>) =>
    shop.get(`${path}?${query(parameters)}`, { status: 422 })

  test('rejects timestamps before the first event, for each document', async () => {
    const body = await shop.read('/api/events?itemsPerPage=1')
    const first = body.member[0].occurredAt
    for (const [path] of places()) {
      const reply = await ask(path, { at: futureInstant, knownAt: earlier(first) })
      expect(reply.body.slug).toBe('pricing.known_at_before_history')
      expect(reply.body.message).toContain(first)
      const at = await ask(path, { at: earlier(first), knownAt: first })
      expect(at.body.slug).toBe('pricing.at_before_history')
      const earlyReply = await ask(path, { at: earlier(first), knownAt: earlier(first) })
      expect(slugs(earlyReply)).toEqual(['resolveContext[at] PRI-1005', 'resolveContext[knownAt] PRI-1004'])
      await shop.get(`${path}?${query({ at: first, knownAt: first })}`, { status: 200 })
    }
  })

  test('rejects knownAt for a tenant without events', async () => {
    const empty = await openShop()
    const reply = await empty.get(`/api/products?${query({ at: futureInstant, knownAt: futureInstant })}`, {
      status: 422,
    })
    expect(reply.body.slug).toBe('validation.failed')
  })
})

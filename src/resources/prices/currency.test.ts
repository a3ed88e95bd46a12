/** Prices in one currency: `resolveContext[currency]`. */
import { beforeAll, describe, expect, test } from 'vitest'
import { openShop, type Reply, type Shop } from '../../../test/support/shop.ts'

type Body = Reply['body']

const start = '2027-02-01T00:00:00.000000Z'
const before = '2027-01-01T00:00:00.000000Z'

let shop: Shop
let product: string
let variant: string
/** The moment after the second offer was created. */
let recorded: string

beforeAll(async () => {
  shop = await openShop()
  const created = await shop.create('/api/products', { title: 'Mug', variants: [{}] })
  product = created['@id']
  variant = created.variants[0]['@id']
  const offer = (terms: object) => shop.create('/api/sale_offers', { variant, ...terms })
  await offer({ currency: 'EUR', amount: '10.00' })
  recorded = (await offer({ currency: 'USD', amount: '12.00', validFrom: start })).createdAt
  const francs = await offer({ currency: 'CHF', amount: '9.00', priority: -1 })
  await shop.update(francs['@id'], { amount: '8.00', compareAtAmount: '9.00' })
})

const queryOf = (parameters: Readonly<Record<string, string>>) =>
  Object.entries({ channel: 'web', country: 'FR', ...parameters })
    .map(([name, value]) => (name === 'explain' ? `${name}=${value}` : `resolveContext[${name}]=${value}`))
    .join('&')

const priceIn = (body: Body): Body => {
  const [inner] = body.member ?? body.variants ?? []
  return inner ? priceIn(inner) : body.resolvedPrice
}

/** The price in a context. All documents must contain the same price. */
async function priceOf(parameters: Readonly<Record<string, string>>, more = ''): Promise<Body> {
  const paths = [product, variant, ...(parameters.explain ? [] : ['/api/products', `${product}/variants`])]
  const query = `?${queryOf(parameters)}${more}`
  const prices = await Promise.all(paths.map(async (path) => priceIn(await shop.read(path + query))))
  for (const price of prices) expect(price).toEqual(prices[0])
  return prices[0]
}

describe('resolveContext[currency]', () => {
  test('lets only offers in this currency compete, in any case', async () => {
    expect(await priceOf({ at: start })).toMatchObject({ amount: '12.00', currency: 'USD' })
    for (const currency of ['EUR', 'eur'])
      expect(await priceOf({ at: start, currency })).toMatchObject({ amount: '10.00', currency: 'EUR' })
  })

  test('returns the reason and no amount if only offers in other currencies apply', async () => {
    const noPrice = {
      '@type': 'ResolvedPrice',
      reason: 'no_offer_in_currency',
      channel: 'web',
      country: 'FR',
      at: before,
      nextChangeAt: start,
      quantityBreaks: [],
    }
    expect(await priceOf({ at: before, currency: 'USD' })).toEqual(noPrice)
    expect(await priceOf({ at: before, currency: 'JPY' })).toEqual({ ...noPrice, nextChangeAt: null })
    const knownAt = recorded
    expect(await priceOf({ at: start, knownAt, currency: 'USD' })).toHaveProperty('amount', '12.00')
    expect(await priceOf({ at: start, knownAt, currency: 'CHF' })).not.toHaveProperty('amount')
    const now = await priceOf({ at: 'now', currency: 'JPY' })
    expect(now.at).toBe((await shop.read(variant)).createdAt)
    const { headers } = await shop.get(`${variant}?${queryOf({ at: before, currency: 'USD' })}`)
    expect(headers.get('service-prices-until')).toBe(start)
  })

  test('explains an offer in another currency as filtered', async () => {
    const { candidates, reason } = await priceOf({ at: before, currency: 'CHF', explain: 'price' })
    const outcomes = candidates.map(({ outcome, decidedBy }: Body) => `${outcome} ${decidedBy}`)
    expect([outcomes, reason]).toEqual([['won null', 'filtered currency', 'filtered currency'], undefined])
  })

  test('has the prior price of this currency', async () => {
    const price = await priceOf({ at: 'now', currency: 'CHF' }, '&expand=priorPrice')
    expect(price).toMatchObject({ amount: '8.00', priorPrice: { amount: '9.00', currency: 'CHF' } })
  })

  test('limits a timeline to this currency', async () => {
    for (const path of [variant, product]) {
      const query = `${queryOf({ currency: 'usd' })}&from=${before}&until=2027-03-01`
      const body = await shop.read(`${path}/price_timeline?${query}`)
      const { segments, currency } = body.member?.[0] ?? body
      const amounts = segments.map((segment: Body) => segment.resolvedPrice?.amount ?? null)
      expect([currency, amounts]).toEqual(['USD', [null, '12.00']])
    }
    expect(await shop.read(`${variant}/price_timeline?${queryOf({})}`)).not.toHaveProperty('currency')
  })

  test('requires the other parameters', async () => {
    const { body } = await shop.get('/api/products?resolveContext[currency]=EUR', { status: 422 })
    expect([body.slug, body.violations.length]).toEqual(['pricing.resolve_context_incomplete', 3])
  })
})

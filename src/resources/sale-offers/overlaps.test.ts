/** Warnings about sale offers of a variant that compete with each other. */
import { beforeEach, describe, expect, test } from 'vitest'
import { sentBy } from '../../../test/support/sent.ts'
import { openShop, type Reply, type Shop } from '../../../test/support/shop.ts'

type Body = Reply['body']

const offers = '/api/sale_offers'
const day = (number: number) => `2090-01-${String(number).padStart(2, '0')}T00:00:00.000000Z`

let shop: Shop
let variant: string
let base: Body

beforeEach(async () => {
  shop = await openShop()
  const product = await shop.create('/api/products', { title: 'Mug', variants: [{}] })
  variant = product.variants[0]['@id']
  base = await create({ countries: ['FR', 'BE'] })
})

const create = (terms: object): Promise<Body> =>
  shop.create(offers, {
    variant,
    channel: 'web',
    countries: ['BE', 'FR'],
    currency: 'EUR',
    amount: '10.00',
    ...terms,
  })

describe('the response to the write of one offer', () => {
  test('names the overlapping offer, the winner, the criterion and the period', async () => {
    expect(base).not.toHaveProperty('warnings')
    const period = { validFrom: day(2), validUntil: day(9) }
    const sale = await create(period)
    const warning = { code: 'overlapping_offer', saleOffer: base['@id'], from: day(2), until: day(9) }
    expect(sale.warnings).toEqual([{ ...warning, winner: sale['@id'], decidedBy: 'window' }])
    const changed = await shop.update(base['@id'], { priority: 3, validFrom: day(5) })
    const seen = { ...warning, saleOffer: sale['@id'], winner: base['@id'], from: day(5) }
    expect(changed.warnings).toEqual([{ ...seen, decidedBy: 'priority' }])
    expect((await shop.update(base['@id'], { priority: 3 })).warnings).toEqual(changed.warnings)
    expect(await shop.read(base['@id'])).not.toHaveProperty('warnings')
  })

  test.each<[string, object]>([
    ['another channel', { channel: 'shop' }],
    ['every channel', { channel: null }],
    ['other countries', { countries: ['FR'] }],
    ['every country', { countries: null }],
    ['another currency', { currency: 'USD' }],
    ['another quantity', { minQuantity: 2 }],
    ['a draft', { status: 'DRAFT' }],
    ['a period after the other', { validFrom: day(9) }],
    ['a period that is over', { validFrom: '2020-01-01T00:00:00Z', validUntil: '2021-01-01T00:00:00Z' }],
  ])('has no warning for %s, neither of a new offer nor of a changed one', async (_, terms) => {
    await shop.update(base['@id'], { validUntil: day(9) })
    const created = await create(terms)
    expect(created).not.toHaveProperty('warnings')
    await shop.delete(created['@id'], { status: 204 })
    const other = await create({ minQuantity: 7 })
    expect(await shop.update(other['@id'], { minQuantity: null, ...terms })).not.toHaveProperty('warnings')
    const { warnings } = await shop.update(other['@id'], {
      channel: 'web',
      countries: ['FR', 'BE'],
      currency: 'EUR',
      minQuantity: 1,
      status: 'ACTIVE',
      validFrom: null,
      validUntil: null,
    })
    expect(warnings.map(({ saleOffer }: Body) => saleOffer)).toContain(base['@id'])
  })

  test('has at most ten warnings', async () => {
    const bodies = Array.from({ length: 11 }, (_, index) => ({
      variant,
      channel: 'web',
      countries: ['FR', 'BE'],
      currency: 'EUR',
      amount: `${index}.00`,
    }))
    const { body } = await shop.post(offers, { body: bodies, status: 201 })
    for (const offer of body.member) expect(offer).not.toHaveProperty('warnings')
    expect((await create({ amount: '0.01' })).warnings).toHaveLength(10)
  })

  test('is repeated for the same idempotency key, and takes no further trip', async () => {
    const body = { variant, channel: 'web', countries: ['FR', 'BE'], currency: 'EUR', amount: '9.00' }
    const request = { body, headers: { 'Idempotency-Key': 'k' }, status: 201 }
    let first: Reply | undefined
    const trips = await sentBy(async () => {
      first = await shop.post(offers, request)
    })
    expect(trips).toHaveLength(2)
    expect(first?.body.warnings).toMatchObject([{ winner: first?.body['@id'], decidedBy: 'amount' }])
    expect((await shop.post(offers, request)).text).toBe(first?.text)
  })

  test('has no warnings for a caller that may not read offers', async () => {
    const token = await shop.token({ scope: 'sale_offers:write' })
    await create({ amount: '9.00' })
    const hidden = await shop.patch(base['@id'], { body: { priority: 2 }, token, status: 200 })
    expect(hidden.body).not.toHaveProperty('warnings')
    expect(await shop.update(base['@id'], { priority: 3 })).toHaveProperty('warnings')
  })

  test('leaves events as they are', async () => {
    await create({ amount: '9.00' })
    const { member } = await shop.read('/api/events?topic=sale_offer/*')
    expect(JSON.stringify(member)).not.toContain('warnings')
  })
})

/** `PUT` and `DELETE /api/price_policies/{country}`: a tenant's choice of policies. */
import { expect, test, vi } from 'vitest'
import { asOwner } from '../../../test/support/database.ts'
import { openShop } from '../../../test/support/shop.ts'
import { daysFrom, instantOf } from '../../core/instant.ts'

const germany = '/api/price_policies/DE'

test('a choice applies from now on, is shown at once, and decides the prices within a minute', async () => {
  vi.useFakeTimers({ now: new Date(), toFake: ['Date'] })
  try {
    const shop = await openShop()
    const start = instantOf(new Date())
    const inDays = (days: number) => daysFrom(start, days)
    const offers = [
      { currency: 'EUR', amount: '100.00' },
      {
        currency: 'EUR',
        amount: '90.00',
        compareAtAmount: '100.00',
        validFrom: inDays(40),
        validUntil: inDays(45),
      },
      { currency: 'EUR', amount: '80.00', compareAtAmount: '100.00', validFrom: inDays(45) },
    ]
    const { variants } = await shop.create('/api/products', {
      title: 'Bag',
      variants: [{ saleOffers: offers }],
    })
    const prior = async () => {
      const query = `expand=priorPrice&resolveContext[channel]=web&resolveContext[country]=DE&resolveContext[at]=${inDays(46)}`
      const { resolvedPrice } = await shop.read(`${variants[0]['@id']}?${query}`)
      return resolvedPrice.priorPrice?.amount ?? resolvedPrice.noPriorPrice.reason
    }
    expect(await prior()).toBe('90.00')
    const chosen = await shop.put(germany, { body: { series: 'increasing_uninterrupted' }, status: 200 })
    expect(chosen.body).toMatchObject({ country: 'DE', series: 'increasing_uninterrupted', verified: true })
    expect(chosen.body.chosenSince >= start).toBe(true)
    expect(await shop.read(germany)).toEqual(chosen.body)
    vi.setSystemTime(Date.now() + 61_000)
    expect(await prior()).toBe('100.00')

    expect(chosen.body.actRules).toEqual({
      days: 30,
      series: 'none',
      seriesDays: null,
      newerGoods: 'since_launch',
      perishables: 'exempt',
    })

    const unread = await shop.put(germany, {
      body: { series: 'successive_within', seriesDays: 20 },
      status: 200,
    })
    expect(unread.body).toMatchObject({ seriesDays: 20, verified: false })
    await shop.delete(germany, { status: 204 })
    await shop.get(germany, { status: 404 })
    vi.setSystemTime(Date.now() + 61_000)
    expect(await prior()).toBe('no_policy')
    const act = await shop.put(germany, { body: {}, status: 200 })
    expect(act.body).toMatchObject({ series: 'none', verified: true })
    const { body } = await shop.put('/api/price_policies/CH', { body: { days: 60 }, status: 200 })
    expect(body).toMatchObject({ country: 'CH', days: 60, source: null, actRules: null, verified: false })
  } finally {
    vi.useRealTimers()
  }
})

test('invalid choices are rejected, and change nothing', async () => {
  const shop = await openShop()
  const { body } = await shop.put(germany, {
    body: { days: 7, series: 'sometimes', seriesDays: 0 },
    status: 422,
  })
  expect(body.violations.map((each: { propertyPath: string }) => each.propertyPath)).toEqual([
    'days',
    'series',
    'seriesDays',
  ])
  await shop.put('/api/price_policies/XX', { body: {}, status: 404 })
  await shop.put('/api/price_policies/de', { body: {}, status: 404 })
  expect((await shop.read(germany)).chosenSince).toBeNull()
  const reader = await shop.token({ scope: 'sale_offers:read' })
  await shop.put(germany, { body: {}, token: reader, status: 403 })
  await shop.delete(germany, { token: reader, status: 403 })
})

test('a country is chosen a hundred times at most, and a choice of one tenant is no other’s', async () => {
  const [shop, other] = [await openShop(), await openShop()]
  const choices = JSON.stringify({
    DE: Array.from({ length: 99 }, () => ({ chosenAt: instantOf(new Date()), rules: {} })),
  })
  await asOwner('update tenants set price_policies = $1 where id = $2', [choices, shop.tenant.id])
  await shop.put(germany, { body: { days: 40 }, status: 200 })
  const { body } = await shop.put(germany, { body: { days: 50 }, status: 409 })
  expect(body.title).toBe('pricing.policy_limit')
  expect((await shop.read(germany)).days).toBe(40)
  expect((await other.read(germany)).days).toBe(30)
})

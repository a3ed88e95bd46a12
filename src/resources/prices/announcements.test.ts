/** `GET /api/price_announcements`: reductions that must not be announced as they are. */
import { afterEach, expect, test, vi } from 'vitest'
import { sentBy } from '../../../test/support/sent.ts'
import { openShop, type Reply } from '../../../test/support/shop.ts'
import { daysFrom, instantOf } from '../../core/instant.ts'

type Body = Reply['body']
const start = instantOf(new Date())
const inDays = (days: number) => daysFrom(start, days)

async function shopWithSales() {
  const shop = await openShop()
  /** Creates an active product of one variant with offers, and returns the IRIs of the offers. */
  const product = async (title: string, ...offers: readonly object[]) => {
    const body = await shop.create('/api/products', { title, status: 'ACTIVE', variants: [{}] })
    const iris: string[] = []
    for (const terms of offers) {
      const offer = { variant: body.variants[0]['@id'], currency: 'EUR', ...terms }
      iris.push((await shop.create('/api/sale_offers', offer))['@id'])
    }
    return { iri: body['@id'], variant: body.variants[0]['@id'], offers: iris }
  }
  const list = async (query = '', day = 45): Promise<Body> => {
    const context = `resolveContext[channel]=web&resolveContext[country]=DE&resolveContext[at]=${inDays(day)}`
    return await shop.read(`/api/price_announcements?${context}${query}`)
  }
  return { shop, product, list }
}

afterEach(() => {
  vi.useRealTimers()
})

const full = { amount: '100.00' }
const sale = { amount: '80.00', compareAtAmount: '100.00', validFrom: inDays(40) }

test('lists each reduction that the policy does not allow, with its problems and its price, in one round trip', async () => {
  const { shop, product, list } = await shopWithSales()
  await product('Allowed', full, sale)
  const differs = await product('Another amount', full, { ...sale, compareAtAmount: '120.00' })
  const higher = await product(
    'After a deeper sale',
    full,
    { ...sale, amount: '50.00', validFrom: inDays(30), validUntil: inDays(40) },
    sale,
  )
  const fresh = await product('Reduced from the start', sale)
  await product('Not reduced', full)
  await product('Not yet', full, { ...sale, compareAtAmount: '120.00', validFrom: inDays(50) })
  await product('Another channel', full, { ...sale, compareAtAmount: '120.00', channel: 'pos' })
  await product('For more', full, { ...sale, compareAtAmount: '120.00', minQuantity: 5 })
  await product('Beaten', full, { ...sale, compareAtAmount: '120.00' }, { ...sale, priority: 5 })
  await product('Exempt', full, { ...sale, compareAtAmount: '120.00', reductionReason: 'EXPIRING' })
  const draft = await product('Draft', full, { ...sale, compareAtAmount: '120.00' })
  await shop.patch(draft.iri, { body: { status: 'DRAFT' }, status: 200 })

  let body: Body
  expect(await sentBy(async () => (body = await list()))).toHaveLength(1)
  expect(body.member.map(({ saleOffer, problems }: Body) => [saleOffer, problems])).toEqual([
    [differs.offers[1], ['compare_at_differs']],
    [higher.offers[2], ['compare_at_differs', 'not_below_prior_price']],
    [fresh.offers[0], ['newer_than_period']],
  ])
  expect(body.member[0]).toMatchObject({
    '@type': 'PriceAnnouncement',
    variant: differs.variant,
    product: differs.iri,
    resolvedPrice: {
      amount: '80.00',
      compareAtAmount: '120.00',
      priorPrice: { amount: '100.00', policy: { country: 'DE' } },
    },
  })
  expect(body.member[2].resolvedPrice.noPriorPrice.reason).toBe('newer_than_period')
  expect(body.totalItems).toBeUndefined()
})

test('pages through the reduced offers, of which some are allowed and others do not apply', async () => {
  const { shop, product, list } = await shopWithSales()
  const wrong: string[] = []
  for (let n = 0; n < 8; n++) {
    const { offers } = await product(`Product ${n}`, full, {
      ...sale,
      compareAtAmount: n % 3 === 0 ? '120.00' : '100.00',
      ...(n === 4 && { channel: 'pos' }),
      ...(n === 5 && { validUntil: inDays(44) }),
    })
    if (n % 3 === 0) wrong.push(offers[1] ?? '')
  }
  const pages: string[][] = []
  let body: Body = await list('&itemsPerPage=2')
  for (;;) {
    pages.push(body.member.map(({ saleOffer }: Body) => saleOffer))
    if (body.view?.next === undefined) break
    body = await shop.read(body.view.next)
  }
  expect(pages).toEqual([[wrong[0]], [wrong[1]], [], [wrong[2]]])
  const previous = await shop.read((await shop.read(body.view.previous)).view.previous)
  expect(previous.member.map(({ saleOffer }: Body) => saleOffer)).toEqual([wrong[1]])
})

test('lists for now a reduction from the moment at which it begins, not from a cache', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
  const { shop, product } = await shopWithSales()
  const validFrom = instantOf(new Date(Date.now() + 10 * 60_000))
  const { offers } = await product('Reduced from the start', { ...sale, validFrom })
  const now = 'resolveContext[channel]=web&resolveContext[country]=DE&resolveContext[at]=now'
  const listNow = () => shop.get(`/api/price_announcements?${now}`, { status: 200 })
  const before = await listNow()
  expect([before.body.member, before.headers.get('service-prices-until')]).toEqual([[], validFrom])
  vi.setSystemTime(validFrom)
  const { body } = await listNow()
  expect(body.member.map(({ saleOffer }: Body) => saleOffer)).toEqual(offers)
})

test('lists nothing where no policy applies, and requires the context', async () => {
  const { shop, product } = await shopWithSales()
  await product('Wrong', full, { ...sale, compareAtAmount: '120.00' })
  const context = `resolveContext[channel]=web&resolveContext[at]=${inDays(45)}`
  const path = '/api/price_announcements'
  expect((await shop.read(`${path}?${context}&resolveContext[country]=CH`)).member).toEqual([])
  const { body } = await shop.get(`${path}?resolveContext[channel]=web`, { status: 422 })
  expect(body.violations.map(({ propertyPath }: Body) => propertyPath)).toEqual([
    'resolveContext[country]',
    'resolveContext[at]',
  ])
})

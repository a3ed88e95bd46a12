/** `POST /api/price_previews`: the prices that offers would give if they were saved. */
import { expect, test } from 'vitest'
import { sentBy } from '../../../test/support/sent.ts'
import { openShop, type Reply } from '../../../test/support/shop.ts'
import { daysFrom, instantOf } from '../../core/instant.ts'

type Body = Reply['body']
const path = '/api/price_previews'
const start = instantOf(new Date())
const inDays = (days: number) => daysFrom(start, days)
const germany = { channel: 'web', country: 'DE' }

async function openPreviews() {
  const shop = await openShop()
  const product = await shop.create('/api/products', {
    title: 'Shirt',
    status: 'ACTIVE',
    variants: [{ saleOffers: [{ currency: 'EUR', amount: '100.00' }] }],
  })
  const variant: string = product.variants[0]['@id']
  const offers = (await shop.read(`/api/sale_offers?variant=${variant}`)).member
  const preview = async (body: object, status = 200): Promise<Body> =>
    (await shop.post(path, { body: { contexts: [germany], ...body }, status })).body
  const refused = async (body: object, status = 422) =>
    ((await preview(body, status)).violations ?? []).map(({ propertyPath, type, code }: Body) => [
      propertyPath,
      code ?? type,
    ])
  return { shop, product, variant, full: String(offers[0]['@id']), preview, refused }
}

const amounts = ({ prices }: Body) =>
  prices.map(({ before, after }: Body) => [before?.amount ?? null, after?.amount ?? null])

test('a new offer, a change and a removal show prices before and after, with prior prices, in one round trip', async () => {
  const { shop, product, variant, full, preview } = await openPreviews()
  const sale = { variant, currency: 'EUR', amount: '80.00', compareAtAmount: '120.00' }
  const changeCount = (await shop.read('/api/events')).member.length
  let body: Body
  const body1 = { saleOffers: [sale], moments: ['now', inDays(40)] }
  expect(await sentBy(async () => (body = await preview(body1)))).toHaveLength(1)
  expect(amounts(body)).toEqual([
    ['100.00', '80.00'],
    ['100.00', '80.00'],
  ])
  expect(body.prices[1]).toMatchObject({
    variant,
    product: product['@id'],
    ...{ channel: 'web', country: 'DE', at: inDays(40) },
    before: { priorPrice: null, noPriorPrice: { reason: 'not_reduced' }, saleOffer: full },
    after: { saleOffer: '#/saleOffers/0', priorPrice: { amount: '100.00', reductionPercent: 20 } },
    problems: ['compare_at_differs'],
  })

  const later = await preview({
    saleOffers: [{ ...sale, validFrom: inDays(40) }],
    moments: [inDays(41)],
  })
  expect(later.prices[0].after).toMatchObject({
    priorPrice: { amount: '100.00', reductionPercent: 20, onSaleSince: inDays(40), evidence: [] },
  })
  expect(later.prices[0].problems).toEqual(['compare_at_differs'])

  expect(amounts(await preview({ changes: [{ saleOffer: full, amount: '90.00' }] }))).toEqual([
    ['100.00', '90.00'],
  ])
  expect(amounts(await preview({ changes: [{ saleOffer: full, status: 'ARCHIVED' }] }))).toEqual([
    ['100.00', null],
  ])
  expect(
    amounts(await preview({ changes: [{ saleOffer: full, status: 'ARCHIVED' }], saleOffers: [sale] })),
  ).toEqual([['100.00', '80.00']])
  const beaten = await preview({
    saleOffers: [
      { ...sale, priority: -1 },
      { ...sale, minQuantity: 3, amount: '70.00' },
    ],
  })
  expect([amounts(beaten), beaten.withoutEffect]).toEqual([[['100.00', '100.00']], ['#/saleOffers/0']])
  expect((await shop.read('/api/events')).member.length).toBe(changeCount)
  expect((await shop.read(full)).amount).toBe('100.00')
})

test('prices after are those that the service has once the offers are saved', async () => {
  const { shop, product, variant, full, preview } = await openPreviews()
  const category = await shop.create('/api/categories', {
    title: 'Soap',
    referenceUnit: { value: 100, unit: 'ml' },
  })
  await shop.patch(product['@id'], { body: { categories: [category['@id']] }, status: 200 })
  await shop.patch(variant, { body: { measure: { value: 750, unit: 'ml' } }, status: 200 })
  const offers = [
    { variant, currency: 'EUR', amount: '80.00', compareAtAmount: '100.00', validFrom: inDays(35) },
    {
      variant,
      currency: 'EUR',
      amount: '70.00',
      compareAtAmount: '100.00',
      validFrom: inDays(38),
      countries: ['DE'],
    },
    { variant, currency: 'USD', amount: '60.00', priority: -5 },
    { variant, currency: 'EUR', amount: '65.00', minQuantity: 5 },
  ]
  const changes = [{ saleOffer: full, amount: '95.00' }]
  const contexts = [germany, { channel: 'web', country: 'FR' }, { ...germany, currency: 'USD' }]
  const moments = [inDays(1), inDays(36), inDays(45)]
  const { prices } = await preview({ saleOffers: offers, changes, contexts, moments })
  const saved: string[] = []
  for (const offer of offers) saved.push((await shop.create('/api/sale_offers', offer))['@id'])
  await shop.patch(full, { body: { amount: '95.00' } })
  expect(prices).toHaveLength(9)
  expect(prices[0].after.unitPrice).toEqual({ amount: '12.67', per: { value: 100, unit: 'ml' } })
  for (const [index, { after }] of prices.entries()) {
    const { channel, country, currency } = contexts[Math.floor(index / 3)] as Body
    const query = new URLSearchParams({
      ...{ 'resolveContext[channel]': channel, 'resolveContext[country]': country },
      ...{ 'resolveContext[at]': moments[index % 3] ?? '', expand: 'priorPrice' },
      ...(currency ? { 'resolveContext[currency]': currency } : {}),
    })
    const { resolvedPrice } = await shop.read(`${variant}?${query}`)
    const text = JSON.stringify(after).replaceAll(/#\/saleOffers\/(\d)/g, (_, place) => saved[place] ?? '')
    const ownEvidence = ({ priorPrice, ...price }: Body) => ({
      ...price,
      priorPrice: priorPrice && { ...priorPrice, evidence: [] },
    })
    // The moment of saving is later than that of the preview.
    expect(ownEvidence(JSON.parse(text))).toEqual(ownEvidence(resolvedPrice))
  }
})

test('a preview is refused where a save would be, with all violations at once', async () => {
  const { shop, product, variant, full, preview, refused } = await openPreviews()
  const offer = { variant, currency: 'EUR', amount: '80.00' }
  const unknown = '01890000-0000-7000-8000-000000000000'
  expect(
    await refused({
      saleOffers: [{ ...offer, compareAtAmount: '70.00' }],
      changes: [{ saleOffer: full, currency: 'EURO' }],
    }),
  ).toMatchObject([
    ['saleOffers[0].compareAtAmount', expect.anything()],
    ['changes[0].currency', expect.anything()],
  ])
  // As in a save, stored rows are compared once the body is valid alone.
  expect(
    await refused({
      saleOffers: [{ ...offer, variant: `${product['@id']}/variants/${unknown}` }],
      changes: [
        { saleOffer: full, compareAtAmount: '1.00' },
        { saleOffer: `/api/sale_offers/${unknown}`, amount: '1.00' },
      ],
    }),
  ).toMatchObject([
    ['saleOffers[0].variant', expect.anything()],
    ['changes[0].compareAtAmount', expect.anything()],
    ['changes[1].saleOffer', expect.anything()],
  ])
  expect(await refused({ saleOffers: [{ variant }] })).toMatchObject([
    ['saleOffers[0].currency', expect.anything()],
    ['saleOffers[0].amount', expect.anything()],
  ])
  expect(await refused({ changes: [{ amount: '1.00' }] })).toMatchObject([
    ['changes[0].saleOffer', expect.anything()],
  ])
  expect(await refused({ changes: [{ saleOffer: full, amount: '1.001' }] })).toMatchObject([
    ['changes[0].amount', expect.anything()],
  ])
  expect(await refused({ changes: [{ saleOffer: full, amount: null }] })).toMatchObject([
    ['changes[0].amount', expect.anything()],
  ])
  expect(await refused({ changes: [{ saleOffer: full }, { saleOffer: full }] })).toMatchObject([
    ['changes[1].saleOffer', expect.anything()],
  ])
  expect(await refused({})).toMatchObject([['saleOffers', expect.anything()]])
  expect(await refused({ saleOffers: [offer], contexts: [] })).toMatchObject([
    ['contexts', expect.anything()],
  ])
  expect(await refused({ saleOffers: [offer], moments: ['tomorrow'] })).toMatchObject([
    ['moments[0]', expect.anything()],
  ])
  const { type } = await preview(
    {
      saleOffers: [{ ...offer, channel: 'pos', currency: 'USD' }],
      changes: [{ saleOffer: full, status: 'ARCHIVED' }],
      contexts: [{ ...germany, currency: 'CHF' }],
    },
    422,
  )
  expect(type).toContain('PRI-1011')

  await shop.patch(variant, { body: { status: 'ARCHIVED' } })
  expect((await preview({ saleOffers: [offer] }, 409)).violations[0].propertyPath).toBe(
    'saleOffers[0].variant',
  )
})

test('a taken external id is a conflict, and a preview that is too large is refused before it is computed', async () => {
  const { shop, variant, full, preview } = await openPreviews()
  await shop.patch(full, { body: { externalId: 'taken' } })
  const offer = { variant, currency: 'EUR', amount: '80.00' }
  expect(
    (await preview({ saleOffers: [{ ...offer, externalId: 'taken' }] }, 409)).violations[0].propertyPath,
  ).toBe('saleOffers[0].externalId')
  expect(
    amounts(await preview({ changes: [{ saleOffer: full, externalId: 'taken', amount: '9.00' }] })),
  ).toEqual([['100.00', '9.00']])
  const moments = Array.from({ length: 32 }, (_, day) => inDays(day + 1))
  const contexts = Array.from({ length: 32 }, (_, index) => ({ ...germany, channel: `c${index}` }))
  const { type, violations } = await preview({ saleOffers: [offer], moments, contexts }, 422)
  expect(type).toContain('PRI-1010')
  expect(JSON.stringify(violations[0])).toContain('1024 prices')
})

test('a preview needs the scope that reads offers, and no other', async () => {
  const { shop, variant } = await openPreviews()
  const body = { contexts: [germany], saleOffers: [{ variant, currency: 'EUR', amount: '80.00' }] }
  const status = async (scope: string) =>
    (await shop.post(path, { body, token: await shop.token({ scope }) })).status
  expect(await status('sale_offers:read')).toBe(200)
  expect(await status('products:read sale_offers:write')).toBe(403)
})

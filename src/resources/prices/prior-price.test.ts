/** Prior prices: `expand=priorPrice`, and the warning of `explain=price`. */
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { asOwner } from '../../../test/support/database.ts'
import { owner } from '../../../test/support/ledger.ts'
import { sentBy } from '../../../test/support/sent.ts'
import { openShop, type Reply, type Shop } from '../../../test/support/shop.ts'
import { daysFrom, instantOf } from '../../core/instant.ts'

type Body = Reply['body']

let shop: Shop
let start: string
beforeAll(async () => {
  shop = await openShop()
  start = instantOf(new Date())
})

const inDays = (days: number) => daysFrom(start, days)

/**
 * Creates a product of one variant with offers; returns the paths of the documents that contain the variant.
 */
async function priced(...offers: readonly object[]) {
  const body = await shop.create('/api/products', {
    title: 'Mug',
    status: 'ACTIVE',
    variants: [{ sku: crypto.randomUUID() }],
  })
  const [variant] = body.variants
  const offerIris: string[] = []
  for (const terms of offers) {
    const offer = { variant: variant['@id'], currency: 'EUR', ...terms }
    offerIris.push((await shop.create('/api/sale_offers', offer))['@id'])
  }
  const list = `/api/products?sku=${variant.sku}&`
  const places: readonly [path: string, of: (body: Body) => Body][] = [
    [list, (body) => body.member[0].variants[0]],
    [`${body['@id']}?`, (body) => body.variants[0]],
    [`${body['@id']}/variants?`, (body) => body.member[0]],
    [`${variant['@id']}?`, (body) => body],
    // The second request reads the cached documents.
    [list, (body) => body.member[0].variants[0]],
  ]
  return { product: body['@id'], variant: variant['@id'], offers: offerIris, places }
}

test('offers of one request are recorded some microseconds apart, and the first is no prior price of the second', async () => {
  const saleOffers = [
    { currency: 'EUR', amount: '100.00' },
    { currency: 'EUR', amount: '80.00', compareAtAmount: '100.00', validFrom: '2026-01-01T00:00:00Z' },
  ]
  const { variants } = await shop.create('/api/products', { title: 'New', variants: [{ saleOffers }] })
  const context = `resolveContext[channel]=web&resolveContext[country]=DE&resolveContext[at]=${inDays(1)}`
  const { resolvedPrice } = await shop.read(`${variants[0]['@id']}?${context}&expand=priorPrice`)
  expect([resolvedPrice.amount, resolvedPrice.noPriorPrice?.reason]).toEqual(['80.00', 'newer_than_period'])
})

type Priced = Awaited<ReturnType<typeof priced>>

/** The resolved price at a timestamp. All documents must contain the same price, each with one round trip. */
async function priceOf({ places }: Priced, at: string, query = 'expand=priorPrice'): Promise<Body> {
  const prices: Body[] = []
  // Lists explain no prices.
  const items = places.filter(([path]) => !/\/(?:products|variants)\?/.test(path))
  for (const [path, of] of query.includes('explain=') ? items : places) {
    const queryText = `resolveContext[channel]=web&resolveContext[country]=FR&resolveContext[at]=${at}&${query}`
    const calls = await sentBy(async () => {
      const headers = { 'cache-control': 'no-cache' }
      prices.push(of(await shop.read(path + queryText, { headers })).resolvedPrice)
    })
    expect(calls).toHaveLength(1)
    await shop.rest()
  }
  for (const price of prices) expect(price).toEqual(prices[0])
  return prices[0]
}

const reduced = { amount: '8.00', compareAtAmount: '10.00' }

describe('expand', () => {
  test('accepts priorPrice with other paths in any order, and rejects a path to it', async () => {
    const mug = await priced({ amount: '10.00' }, { ...reduced, validFrom: inDays(20) })
    for (const expand of ['children,priorPrice', 'priorPrice,children']) {
      const price = await priceOf({ ...mug, places: mug.places.slice(2, 4) }, inDays(25), `expand=${expand}`)
      expect(price.priorPrice.amount).toBe('10.00')
    }
    await shop.get('/api/products?expand=resolvedPrice.priorPrice', { status: 422 })
  })

  test('rejects priorPrice in operations that resolve no prices', async () => {
    await shop.get('/api/categories?expand=priorPrice', { status: 422 })
    await shop.post('/api/products?expand=priorPrice', { body: { title: 'Mug' }, status: 422 })
  })
})

describe('explain=price', () => {
  test('warns if the amount to compare with is above the prior price', async () => {
    const mug = await priced(
      { amount: '9.50' },
      { ...reduced, validFrom: inDays(20), validUntil: inDays(30) },
      { ...reduced, compareAtAmount: '9.50', validFrom: inDays(40) },
    )
    const explained = (day: number) => priceOf(mug, inDays(day), 'explain=price')
    const { warnings, candidates, ...price } = await explained(25)
    expect(candidates).toHaveLength(3)
    expect(price).not.toHaveProperty('priorPrice')
    expect(warnings).toEqual([
      {
        code: 'compare_at_above_prior',
        saleOffer: mug.offers[1],
        compareAtAmount: '10.00',
        priorPrice: expect.objectContaining({ amount: '9.50', currency: 'EUR', until: inDays(20) }),
      },
    ])
    expect((await explained(10)).warnings).toEqual([])
    expect((await explained(45)).warnings).toEqual([
      {
        ...warnings[0],
        saleOffer: mug.offers[2],
        compareAtAmount: '9.50',
        priorPrice: expect.objectContaining({ amount: '8.00' }),
      },
    ])
    const fullPrice = await priceOf(mug, inDays(25), 'explain=price&expand=priorPrice')
    expect(fullPrice.priorPrice).toEqual(fullPrice.warnings[0].priorPrice)
    expect((await priceOf(await priced(), inDays(1), 'explain=price')).warnings).toEqual([])
  })
})

test('a tenant with more days has a prior price from more days, and changing them invalidates cached responses', async () => {
  const standard = shop
  shop = await openShop({ priorPriceDays: 60 })
  try {
    const mug = await priced(
      { amount: '10.00' },
      { amount: '5.00', validFrom: inDays(8), validUntil: inDays(10) },
      { ...reduced, validFrom: inDays(60) },
    )
    expect((await priceOf(mug, inDays(61))).priorPrice).toMatchObject({ amount: '5.00' })
    const set = (days: number) =>
      owner((client) =>
        client.query('update tenants set prior_price_days = $2 where id = $1', [shop.tenant.id, days]),
      )
    await expect(set(29)).rejects.toMatchObject({ constraint: 'tenants_prior_price_days' })
    const query = `?resolveContext[channel]=web&resolveContext[country]=FR&resolveContext[at]=${inDays(61)}&expand=priorPrice`
    const currentPrice = async () => (await shop.read(mug.variant + query)).resolvedPrice.priorPrice
    expect((await currentPrice()).amount).toBe('5.00')
    await set(30)
    // Settings are cached for a minute.
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 61_000 })
    expect((await currentPrice()).amount).toBe('10.00')
  } finally {
    vi.useRealTimers()
    shop = standard
  }
})

test('a country without a policy has no prior price, and one that the tenant chose is used from then on', async () => {
  const choosing = await openShop()
  const list = async (query = '') => (await choosing.read(`/api/price_policies${query}`)).member
  expect((await list()).map(({ country }: Body) => country)).toHaveLength(30)
  expect(await list('?country=ch')).toEqual([])
  const [germany] = await list('?country=DE')
  expect(germany).toMatchObject({ days: 30, series: 'none', verified: true, chosenSince: null })
  expect(germany.source).toMatchObject({ section: '§ 11', readOn: '2026-11-29' })
  expect(await choosing.read('/api/price_policies/DE')).toMatchObject(germany)
  await choosing.get('/api/price_policies/CH', { status: 404 })
  await choosing.get('/api/price_policies?country=UK', { status: 422 })

  const body = await choosing.create('/api/products', {
    title: 'Mug',
    variants: [{ saleOffers: [{ currency: 'CHF', amount: '100.00' }] }],
  })
  const variant = body.variants[0]['@id']
  const sale = { variant, currency: 'CHF', compareAtAmount: '100.00' }
  await choosing.create('/api/sale_offers', {
    ...sale,
    amount: '50.00',
    validFrom: inDays(40),
    validUntil: inDays(50),
  })
  await choosing.create('/api/sale_offers', { ...sale, amount: '80.00', validFrom: inDays(50) })
  const priceIn = async (country: string) => {
    const context = `resolveContext[channel]=web&resolveContext[country]=${country}&resolveContext[at]=${inDays(55)}`
    const { resolvedPrice } = await choosing.read(`${variant}?${context}&expand=priorPrice`)
    return resolvedPrice.priorPrice?.amount ?? resolvedPrice.noPriorPrice
  }
  expect([await priceIn('DE'), await priceIn('PL'), await priceIn('FR')]).toEqual([
    '50.00',
    '50.00',
    '100.00',
  ])
  expect(await priceIn('CH')).toEqual({ reason: 'no_policy', policy: null })

  const choices = {
    CH: [{ chosenAt: start, rules: { series: 'successive_within', newerGoods: 'since_launch' } }],
    FR: [{ chosenAt: inDays(56), rules: { series: 'none' } }],
    PL: [
      { chosenAt: inDays(54), rules: { series: 'successive_within' } },
      { chosenAt: inDays(55), rules: null },
    ],
  }
  await asOwner('update tenants set price_policies = $2 where id = $1', [
    choosing.tenant.id,
    JSON.stringify(choices),
  ])
  // Settings are cached for a minute.
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 61_000 })
  try {
    expect([await priceIn('CH'), await priceIn('FR')]).toEqual(['100.00', '100.00'])
    expect(await priceIn('PL')).toEqual({ reason: 'no_policy', policy: null })
    const [chosen] = await list('?country=CH')
    expect(chosen).toMatchObject({
      source: null,
      verified: false,
      chosenSince: start,
      series: 'successive_within',
    })
  } finally {
    vi.useRealTimers()
  }
})

test('the launch of a product and the reason of a reduction decide, on every path', async () => {
  const mug = await priced({ amount: '10.00' }, { ...reduced, validFrom: inDays(20) })
  const [, sale = ''] = mug.offers
  const reasonOn = async (day: number) => (await priceOf(mug, inDays(day))).noPriorPrice?.reason
  expect(await reasonOn(25)).toBeUndefined()
  await shop.patch(mug.product, { body: { launchedAt: inDays(-60) }, status: 200 })
  expect(await reasonOn(25)).toBe('history_too_short')
  await shop.patch(mug.product, { body: { launchedAt: inDays(10) }, status: 200 })
  expect((await priceOf(mug, inDays(25))).priorPrice.period.from).toBe(inDays(10))
  const knownAt = instantOf(new Date())
  const context = `resolveContext[channel]=web&resolveContext[country]=DE&resolveContext[at]=${inDays(25)}&resolveContext[knownAt]=${knownAt}`
  const [[list] = ['']] = mug.places
  const { member } = await shop.read(
    `${list}${context}&expand=priorPrice&properties[variants][resolvedPrice][]=priorPrice`,
  )
  expect(member[0]).not.toHaveProperty('launchedAt')
  expect(member[0].variants[0].resolvedPrice.priorPrice.period.from).toBe(inDays(10))
  await shop.patch(sale, { body: { reductionReason: 'EXPIRING' }, status: 200 })
  expect(await reasonOn(25)).toBe('exempt')
  await shop.patch(sale, { body: { reductionReason: 'SEASON' }, status: 422 })
  await shop.patch(mug.product, { body: { launchedAt: 'yesterday' }, status: 422 })
  expect(await reasonOn(25)).toBe('exempt')
  await shop.patch(sale, { body: { reductionReason: null }, status: 200 })
  expect(await reasonOn(25)).toBeUndefined()
})

test('the history of a variant starts at the end of the first terms beyond 5,000', async () => {
  const tenantShop = await openShop()
  const body = await tenantShop.create('/api/products', {
    title: 'Mug',
    variants: [{ sku: 'MUG', saleOffers: [{ currency: 'EUR', amount: '9.00', compareAtAmount: '20.00' }] }],
  })
  /**
   * Inserts `earlier` terms of one minute each, of which the first is the cheapest. The price history starts
   * before them.
   */
  const priorPriceAfter = async (earlier: number) => {
    await asOwner(
      `update events set occurred_at = now() - interval '40 days' where tenant_id = $1 and sequence = 1`,
      [tenantShop.tenant.id],
    )
    await asOwner(`delete from sale_offer_terms where tenant_id = $1 and known_until < 'infinity'`, [
      tenantShop.tenant.id,
    ])
    await asOwner(
      `insert into sale_offer_terms
       select t.tenant_id, t.sale_offer_id, t.variant_id, t.known_from - n * interval '1 minute', t.known_from - (n - 1) * interval '1 minute',
              gen_random_uuid(), gen_random_uuid(), t.status, t.channel, t.countries, t.currency, case when n = $2::int then 1.00 else 10.00 + n % 7 end,
              null, null, null, t.priority, t.min_quantity, t.tax_included
         from sale_offer_terms t cross join generate_series(1, $2::int) n where t.tenant_id = $1`,
      [tenantShop.tenant.id, earlier],
    )
    const at = new Date(Date.now() + 60_000).toISOString()
    const queryText = `resolveContext[channel]=web&resolveContext[country]=FR&resolveContext[at]=${at}&expand=priorPrice`
    const item = (await tenantShop.read(`${body['@id']}?${queryText}`)).variants[0].resolvedPrice
    const list = (await tenantShop.read(`${body['@id']}/variants?${queryText}`)).member[0].resolvedPrice
    expect(list.priorPrice).toEqual(item.priorPrice)
    return item.priorPrice?.amount ?? item.noPriorPrice.reason
  }
  // The current terms are the 5,000th.
  expect(await priorPriceAfter(4999)).toBe('1.00')
  expect(await priorPriceAfter(5000)).toBe('history_too_short')
})

test('variants and products end early if their terms exceed the byte limits', async () => {
  const offers = [{ amount: '10.00' }, { ...reduced, validFrom: inDays(1) }]
  const products: string[] = []
  for (const title of ['Mug', 'Cup']) {
    const body = await shop.create('/api/products', {
      title,
      options: [{ title: 'Size', values: [{ title: 'S' }, { title: 'M' }] }],
      variants: ['S', 'M'].map((value) => ({
        optionValues: [{ option: 'Size', value }],
        saleOffers: offers.map((terms) => ({ currency: 'EUR', ...terms })),
      })),
    })
    products.push(body.id)
    await shop.get(body['@id'], { status: 200 })
  }
  await shop.rest()
  /** How many variants each product is read with, and how many lists of terms. */
  const sizesWith = (budgets: object) =>
    owner(async (client) => {
      await client.query(`select set_config('app.tenant', $1, false)`, [shop.tenant.id])
      const options = {
        withTranslations: false,
        withOptionsAndVariants: true,
        withCategories: true,
        withMetaobjects: true,
        maxVariants: 50,
        maxVariantBytes: 200_000,
        withPrices: true,
        explain: false,
        channel: 'web',
        country: 'FR',
        at: inDays(2),
        maxBytes: 6_000_000,
        categoryLevels: 0,
        maxChildren: 9,
        maxCategoryBytes: 9,
        priorDays: 30,
        maxPriorTerms: 5000,
        maxProductTermBytes: 50_000,
        maxTermBytes: 2_000_000,
        ...budgets,
      }
      const { rows } = await client.query('select line from read_product_parts($1, $2) as r(line)', [
        products,
        JSON.stringify(options),
      ])
      const [, ...shown] = rows.map(({ line }) => JSON.parse(line))
      return {
        variants: shown.map(({ parts }) => parts.variants.length),
        terms: shown.map(({ terms }) => Object.keys(terms).length),
      }
    })
  expect(await sizesWith({})).toEqual({ variants: [2, 2], terms: [2, 2] })
  expect(await sizesWith({ maxProductTermBytes: 1 })).toEqual({ variants: [2, 2], terms: [2, 2] })
  expect(await sizesWith({ maxProductTermBytes: 1, maxVariantBytes: 1 })).toEqual({
    variants: [1, 1],
    terms: [1, 1],
  })
  expect(await sizesWith({ maxTermBytes: 1 })).toEqual({ variants: [2], terms: [2] })
  expect(await sizesWith({ maxProductTermBytes: 1, knownAt: inDays(3) })).toEqual({
    variants: [2, 2],
    terms: [2, 2],
  })
  expect(await sizesWith({ maxProductTermBytes: 1, maxVariantBytes: 1, knownAt: inDays(3) })).toEqual({
    variants: [1, 1],
    terms: [1, 1],
  })
})

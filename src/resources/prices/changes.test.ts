/** The feed of price changes: its members, positions and refusals. `price-index.test.ts` compares random changes with the resolver. */
import { beforeAll, describe, expect, test } from 'vitest'
import { restoreAndRecover, saveRows } from '../../../test/support/earlier.ts'
import { owner } from '../../../test/support/ledger.ts'
import { openShop, type Shop } from '../../../test/support/shop.ts'

let shop: Shop
let product: string
let variant: string
let offer: string

const inDays = (days: number) => `${new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 23)}000Z`
const changesOf = async (query: string) => (await shop.read(`/api/price_changes?market=fr${query}`)).member

beforeAll(async () => {
  shop = await openShop()
  await shop.create('/api/markets', { key: 'fr', channel: 'web', country: 'FR', currency: 'EUR' })
  await shop.create('/api/markets', { key: 'jp', channel: 'web', country: 'JP', currency: 'JPY' })
  await shop.rest()
  const created = await shop.create('/api/products', { title: 'Mug', variants: [{ sku: 'MUG' }] })
  product = created['@id']
  variant = created.variants[0]['@id']
  const terms = { variant, amount: '18.5', currency: 'EUR', validUntil: inDays(1) }
  offer = (await shop.create('/api/sale_offers', terms))['@id']
  await shop.create('/api/sale_offers', { variant, amount: '1200', currency: 'JPY' })
})

describe('a change', () => {
  test('has the price before and after, the offer, the reason, and the position after it', async () => {
    const [change, ...others] = await changesOf('')
    expect(others).toEqual([])
    expect(change).toEqual({
      '@id': `${variant}#price-fr-${change.effectiveAt.replaceAll(':', '')}`,
      '@type': 'PriceChange',
      variant,
      product,
      effectiveAt: change.effectiveAt,
      before: null,
      after: '18.50',
      currency: 'EUR',
      saleOffer: offer,
      reason: 'EDIT',
      cursor: change.cursor,
    })
    expect(await changesOf(`&after=${change.cursor}`)).toEqual([])
    expect(await changesOf(`&after=${change.effectiveAt}`)).toEqual([])
    const [yen] = (await shop.read('/api/price_changes?market=jp')).member
    expect(yen).toMatchObject({ before: null, after: '1200', currency: 'JPY' })
  })

  test('of the coming days follows the offers of today', async () => {
    const end = inDays(1)
    const ending = { before: '18.50', after: null, saleOffer: null, reason: 'WINDOW' }
    expect(await changesOf('&ahead=P2D')).toMatchObject([ending])
    await shop.update(offer, { validUntil: inDays(5) })
    expect(await changesOf('&ahead=P2D')).toEqual([])
    const [later] = await changesOf('&ahead=P6D')
    expect(later).toMatchObject(ending)
    expect(later.effectiveAt > end).toBe(true)
    expect(await changesOf(`&ahead=P6D&after=${later.cursor}`)).toEqual([])
    await shop.update(offer, { validUntil: inDays(1) })
    // Neither edit changes the price of today.
    expect(await changesOf('')).toHaveLength(1)
  })
})

test('a page of 0 has no changes, and a link to the next ones', async () => {
  const next = async (query: string) => (await shop.read(`/api/price_changes?market=fr${query}`)).view?.next
  const all = await changesOf('')
  const link = await next('&itemsPerPage=0')
  expect((await shop.read(link)).member).toEqual(all)
  expect(link).not.toContain('itemsPerPage')
  expect(await next(`&itemsPerPage=0&after=${all[0].cursor}`)).toBeUndefined()
  expect((await shop.read(await next('&itemsPerPage=0&ahead=P2D'))).member).toEqual(
    await changesOf('&ahead=P2D'),
  )
})

test('a change by the period of an offer is still one after an edit of the offer', async () => {
  const other = await openShop()
  await other.create('/api/markets', { key: 'fr', channel: 'web', country: 'FR', currency: 'EUR' })
  await other.rest()
  const usual = { currency: 'EUR', amount: '7', validFrom: inDays(-1) }
  const { variants } = await other.create('/api/products', {
    title: 'Mug',
    variants: [{ saleOffers: [usual] }],
  })
  const terms = { currency: 'EUR', amount: '5', validFrom: inDays(1), validUntil: inDays(2) }
  const { '@id': iri } = await other.create('/api/sale_offers', { variant: variants[0]['@id'], ...terms })
  await owner((client) =>
    client.query(`update tenant_clock set last_at = last_at + interval '3 days' where tenant_id = $1`, [
      other.tenant.id,
    ]),
  )
  const reasons = async () =>
    (await other.read('/api/price_changes?market=fr')).member.map(({ reason }: { reason: string }) => reason)
  expect(await reasons()).toEqual(['EDIT', 'WINDOW', 'WINDOW'])
  await other.update(iri, { validFrom: null, validUntil: inDays(9), priority: 1 })
  expect(await reasons()).toEqual(['EDIT', 'WINDOW', 'WINDOW', 'EDIT'])
})

test('the prices with which a market begins are no changes, also while the clock of the tenant is ahead', async () => {
  const other = await openShop()
  await other.create('/api/products', {
    title: 'Mug',
    variants: [{ saleOffers: [{ currency: 'EUR', amount: '5' }] }],
  })
  await owner((client) =>
    client.query(`update tenant_clock set last_at = last_at + interval '1 hour' where tenant_id = $1`, [
      other.tenant.id,
    ]),
  )
  await other.create('/api/markets', { key: 'fr', channel: 'web', country: 'FR', currency: 'EUR' })
  await other.rest()
  expect((await other.read('/api/price_changes?market=fr')).member).toEqual([])
})

test('after a restore, a position of the lost time is 410', async () => {
  const saved = await saveRows(shop.tenant.id)
  await shop.update(offer, { amount: '17.00' })
  const { cursor } = (await changesOf('')).at(-1)
  await restoreAndRecover(shop.tenant.id, saved)
  shop.restart()
  const { body } = await shop.get(`/api/price_changes?market=fr&after=${cursor}`, { status: 410 })
  expect(body.slug).toBe('pricing.changes_expired')
  await shop.update(offer, { amount: '16.00' })
  expect(await changesOf('')).toMatchObject([{ before: '18.50', after: '16.00' }])
})

describe('a refused request', () => {
  test.each([
    ['', 'market', 'validation.required'],
    ['market=xx', 'market', 'pricing.market_unknown'],
    ['market=fr&after=yesterday', 'after', 'validation.pattern'],
    ['market=fr&ahead=7', 'ahead', 'validation.pattern'],
    ['market=fr&ahead=P', 'ahead', 'validation.pattern'],
    ['market=fr&ahead=P1828D', 'ahead', 'validation.pattern'],
  ])('%s names %s', async (query, path, slug) => {
    const { body } = await shop.get(`/api/price_changes?${query}`, { status: 422 })
    expect(body.violations).toMatchObject([{ propertyPath: path, slug }])
  })

  test('from before the prices of the market were complete is 410 with their moment', async () => {
    const { member } = await shop.read('/api/markets?key=fr')
    const { body } = await shop.get('/api/price_changes?market=fr&after=2020-01-01T00:00:00Z', {
      status: 410,
    })
    expect(body).toMatchObject({ slug: 'pricing.changes_expired' })
    expect(body.message).toContain(member[0].pricesCompleteAt)
  })

  test('of a market whose prices are being computed is 503, with the time to wait', async () => {
    await owner((client) =>
      client.query(`update markets set prices_complete_at = null where tenant_id = $1 and key = 'jp'`, [
        shop.tenant.id,
      ]),
    )
    const { body, headers } = await shop.get('/api/price_changes?market=jp', { status: 503 })
    expect(body).toMatchObject({ slug: 'pricing.market_incomplete' })
    expect(headers.get('retry-after')).toBe('5')
  })
})

import { expect, test } from 'vitest'
import { openShop, type Shop } from '../../../test/support/shop.ts'

/** Suggestions for markets: every channel, country and currency of a tenant's catalogue, without deleted ones. */

const suggestions = async (shop: Shop, token?: string) => {
  const { '@context': _, ...document } = (
    await shop.get('/api/market_suggestions', { status: 200, ...(token && { token }) })
  ).body
  return document
}
const named = { '@id': '/api/market_suggestions', '@type': 'MarketSuggestions' }

test('lists the names in offers and products, each once and in order', async () => {
  const shop = await openShop()
  expect(await suggestions(shop)).toEqual({ ...named, channels: [], countries: [], currencies: [] })
  const body = await shop.create('/api/products', {
    title: 'Lamp',
    channels: ['web', 'fair'],
    variants: [{ sku: 'LAMP' }],
  })
  const offer = { variant: body.variants[0]['@id'], currency: 'EUR', amount: '9.90' }
  const created = await shop.create('/api/sale_offers', [
    offer,
    { ...offer, channel: 'web', countries: ['FR', 'DE'] },
    { ...offer, channel: 'web', countries: ['FR'], status: 'DRAFT' },
    { ...offer, channel: 'outlet', countries: ['CH', 'FR'], currency: 'CHF' },
  ])
  expect(await suggestions(shop)).toEqual({
    ...named,
    channels: ['fair', 'outlet', 'web'],
    countries: ['CH', 'DE', 'FR'],
    currencies: ['CHF', 'EUR'],
  })
  const token = await shop.token({ scope: 'sale_offers:read' })
  expect(await suggestions(shop, token)).toMatchObject({ channels: ['outlet', 'web'] })
  await shop.delete(created.member[3]['@id'], { status: 204 })
  await shop.update(body['@id'], { channels: ['web'] })
  expect(await suggestions(shop)).toEqual({
    ...named,
    channels: ['web'],
    countries: ['DE', 'FR'],
    currencies: ['EUR'],
  })
})

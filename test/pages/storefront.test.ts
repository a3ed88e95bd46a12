/** The example storefront in a browser: categories, filters, the order by price, search, two markets and two languages. */
import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import storefront from '../../examples/storefront/storefront.ts'
import { openStorefront } from '../support/storefront.ts'
import { onDesktop } from './in-browser.ts'

const origin = 'http://shop.localhost'

onDesktop((of) => {
  let page: Page
  /** The requests to the catalogue since the last page. */
  let requests: string[] = []

  const titles = () => page.locator('.products a').allInnerTexts()
  /** Does what leads to another page, and waits for that. */
  const leave = (action: () => Promise<unknown>) => Promise.all([page.waitForEvent('load'), action()])
  const click = (name: string) => leave(() => page.getByRole('link', { name, exact: true }).click())

  beforeAll(async () => {
    const { shop } = of()
    // The page of the stage may only read from its own origin.
    page = await of().page.context().newPage()
    await shop.create('/api/markets', { key: 'fr', channel: 'web', country: 'FR', currency: 'EUR' })
    await shop.create('/api/markets', { key: 'us', channel: 'web', country: 'US', currency: 'USD' })
    const { '@id': parent } = await shop.create('/api/categories', { title: 'Clothing' })
    const { '@id': shirts } = await shop.create('/api/categories', { title: 'Shirts', parent })
    const translations = { 'en-US': { title: 'Shirts' }, 'fr-FR': { title: 'Chemises' } }
    await shop.put(`${shirts}/translations`, { body: { translations }, status: 200 })
    const shirt = (title: string, vendor: string, euros: string, more: object = {}) => ({
      title,
      vendor,
      status: 'ACTIVE',
      channels: ['web'],
      categories: [shirts],
      options: [{ title: 'Size', values: [{ title: 'S' }, { title: 'M' }] }],
      variants: ['S', 'M'].map((value, index) => ({
        optionValues: [{ option: 'Size', value }],
        saleOffers: [{ currency: 'EUR', countries: ['FR'], amount: `${Number(euros) + index}`, ...more }],
      })),
    })
    await shop.create('/api/products', [
      shirt('Linen shirt', 'Acme', '60'),
      shirt('Cotton shirt', 'Brume', '25', { compareAtAmount: '40' }),
      shirt('Silk shirt', 'Acme', '120'),
      { ...shirt('Secret shirt', 'Acme', '1'), status: 'DRAFT' },
    ])
    await shop.rest()
    const { host, key } = await openStorefront(shop)
    const bindings = {
      CATALOGUE: `http://${host}`,
      KEY: key,
      SEND: (request: Request) => {
        requests.push(new URL(request.url).pathname)
        return shop.fetch(request)
      },
    }
    await page.route(`${origin}/**`, async (route) => {
      requests = []
      const response = await storefront.request(route.request().url(), {}, bindings)
      const headers = Object.fromEntries(response.headers)
      await route.fulfill({ status: response.status, headers, body: await response.text() })
    })
  })

  test('a visitor finds a category, orders it by price, and filters it', async () => {
    await page.goto(`${origin}/fr/en`)
    await click('Clothing')
    await click('Shirts')
    expect(new URL(page.url()).pathname).toBe('/fr/en/c/clothing/shirts')
    expect((await titles()).toSorted()).toEqual(['Cotton shirt', 'Linen shirt', 'Silk shirt'])
    expect(requests).toHaveLength(2)
    await click('Price, low to high')
    expect(await titles()).toEqual(['Cotton shirt', 'Linen shirt', 'Silk shirt'])
    await click('Price, high to low')
    expect(await titles()).toEqual(['Silk shirt', 'Linen shirt', 'Cotton shirt'])
    await click('Acme (2)')
    expect(await titles()).toEqual(['Silk shirt', 'Linen shirt'])
    await click('50.00–99.99 (1)')
    expect(await titles()).toEqual(['Linen shirt'])
    expect(await page.locator('.products').innerText()).toContain('from €60.00')
    await click('Acme (1)')
    await click('50.00–99.99 (1)')
    await click('Reduced')
    expect(await titles()).toEqual(['Cotton shirt'])
  })

  test('a product page has its variants with their prices, in one request', async () => {
    await page.goto(`${origin}/fr/en/c/clothing/shirts`)
    await click('Cotton shirt')
    expect(await page.locator('.variants li').allInnerTexts()).toEqual(['S €25.00 €40.00', 'M €26.00 €40.00'])
    expect(requests).toHaveLength(1)
    await click('Clothing')
    expect(requests).toHaveLength(2)
    await click('Shirts')
    expect(await page.locator('main nav a').first().innerText()).toBe('Clothing')
    expect((await page.goto(`${origin}/fr/en/c/shirts`))?.status()).toBe(404)
    const missing = await page.goto(`${origin}/fr/en/p/secret-shirt`)
    expect(missing?.status()).toBe(404)
  })

  test('a search finds words, and another market and language show their prices and texts', async () => {
    await page.goto(`${origin}/fr/en`)
    await page.getByRole('searchbox').fill('linn')
    await leave(() => page.keyboard.press('Enter'))
    expect(await titles()).toEqual(['Linen shirt'])
    expect(requests).toHaveLength(1)
    await click('United States en')
    expect(await page.locator('.products').innerText()).toBe('Linen shirt Not sold here')
    await page.goto(`${origin}/fr/fr`)
    await click('Clothing')
    await click('Chemises')
    expect(await page.locator('.products').innerText()).toMatch(/dès 60,00\s€/)
    expect((await page.goto(`${origin}/de/de`))?.status()).toBe(404)
  })
})

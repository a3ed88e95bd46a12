/** The first steps in the pages: signing in, lists, products, languages, edits that are not lost, the reference. */
import type { Request } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { seriousIn } from './axe.ts'
import type { Stage } from './chromium.ts'
import { french } from './french.ts'
import { german } from './german.ts'
import { inBrowser } from './in-browser.ts'
import { safety } from './safety.ts'

inBrowser((of, size) => {
  let stage: Stage
  let token: string
  let mug: ReturnType<typeof JSON.parse>

  beforeAll(async () => {
    stage = of()
    token = await stage.shop.token()
    mug = stage.mug
  })

  test('/admin asks for a token, refuses a bad one and opens with a good one', async () => {
    const { page, origin, picture } = stage
    const transferred: Promise<number>[] = []
    const count = (request: Request) =>
      void transferred.push(request.sizes().then((each) => each.responseBodySize))
    page.on('requestfinished', count)
    await page.goto(`${origin}/admin`)
    await page.getByRole('heading', { name: 'Corner Shop' }).waitFor()
    await page.getByLabel('Access token').fill('a.b.c')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('alert').waitFor()
    await picture('admin-sign-in')
    await page.getByLabel('Access token').fill(token)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('Plate 30', { exact: true }).waitFor()
    page.off('requestfinished', count)
    // All that a visitor without a cache waits for: page, scripts, the service's documentation, rows.
    const bytes = (await Promise.all(transferred)).reduce((sum, each) => sum + each, 0)
    expect(bytes).toBeLessThanOrEqual(360_000)
    expect(
      await page.evaluate(() => Object.keys(localStorage).filter((each) => each.includes('token'))),
    ).toEqual([])
  })

  test('products are listed page by page with picture, price and categories, and can be searched', async () => {
    const { page, origin, picture } = stage
    await page.goto(`${origin}/admin#/products`)
    await page.getByText('1-25 of 31').waitFor()
    await page.getByRole('button', { name: 'Go to next page' }).click()
    const row = page.getByRole('row', { name: /Stoneware mug/ })
    await row.waitFor()
    expect(await row.innerText()).toMatch(/from €18\.00[\s\S]*Atelier Brume[\s\S]*Tableware/)
    const drawn = () => row.locator('img').evaluate((image: { naturalWidth: number }) => image.naturalWidth)
    await expect.poll(drawn).toBeGreaterThan(0)
    await picture('admin-products')
    await page.getByPlaceholder('Search products').fill('stoneware')
    await page.getByText('1-1 of 1').waitFor()
  })

  test('a link that names another host as a product leads nowhere', async () => {
    const { page, origin } = stage
    const asked: string[] = []
    page.on('request', (request: { url(): string }) => asked.push(new URL(request.url()).host))
    // The address alone changes; the page that is there reads it.
    await page.goto(`${origin}/admin#/products/${encodeURIComponent('http://host.example/steal')}`)
    await page.getByText('Not found').first().waitFor()
    expect(asked).not.toContain('host.example')
  })

  test('a changed product keeps what was not touched', async () => {
    const { page, origin, shop, picture, writes } = stage
    await page.goto(`${origin}/admin#/products/${encodeURIComponent(mug['@id'])}`)
    await page.getByRole('textbox', { name: 'Sea blue, SKU' }).waitFor()
    await page.getByText('€21.50').first().waitFor()
    await picture('admin-product')
    const before = await shop.read(mug['@id'])
    writes.splice(0)
    await page.getByLabel('Vendor').fill('Kettleworks')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Product saved').waitFor()
    expect(writes).toEqual([{ method: 'PATCH', path: mug['@id'], body: { vendor: 'Kettleworks' } }])
    const { version, updatedAt, ...after } = await shop.read(mug['@id'])
    expect(after).toEqual({ ...after, ...withoutStamps(before), vendor: 'Kettleworks' })
  })

  test('an error is shown at its input', async () => {
    const { page, picture } = stage
    await page.getByLabel('Handle').fill('No Handle!')
    await page.getByRole('button', { name: 'Save' }).click()
    await page
      .locator('p', { hasText: 'single hyphens between them, such as summer-sale-2026' })
      .first()
      .waitFor()
    await picture('admin-refused')
    await page.getByLabel('Handle').fill('stoneware-mug')
  })

  test('a new product with options, whose values are separated by commas, and a price is created, shown and archived', async () => {
    const { page, origin, shop, picture, writes } = stage
    await page.goto(`${origin}/admin#/products`)
    await page.getByRole('link', { name: 'New product' }).click()
    await page.getByLabel('Title').first().fill('Enamel plate')
    await page.getByRole('combobox', { name: 'Channels' }).fill('pos-2')
    await page.getByRole('option', { name: 'Create the new channel “pos-2”?' }).click()
    await page.getByRole('textbox', { name: 'Price' }).fill('14.50')
    await page.getByRole('button', { name: 'Options' }).click()
    await page.getByRole('button', { name: 'Add' }).first().click()
    await page.getByLabel('Option, such as Size').fill('Colour')
    const values = page.getByLabel('Values, such as S, M, L')
    await values.fill('Blue, White,1,5 l')
    await values.press('Enter')
    await page.getByRole('button', { name: '1,5 l' }).press('Backspace')
    await picture('admin-new-product')
    writes.splice(0)
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Variants (2)').waitFor()
    expect(writes.map(({ method, path }) => `${method} ${path}`)).toEqual(['POST /api/products'])
    await page.getByRole('cell', { name: '€14.50' }).nth(1).waitFor()
    const cell = page.getByRole('textbox', { name: 'White, Every channel, every country, EUR' })
    await expect.poll(() => cell.inputValue()).toBe('14.50')
    await picture('admin-made-product')
    const [made] = (await shop.read('/api/products?q=enamel')).member
    expect(made).toMatchObject({
      title: 'Enamel plate',
      status: 'ACTIVE',
      channels: ['web', 'pos-2'],
      variantsTotal: 2,
    })
    const takeDown = async () => {
      await page.getByRole('button', { name: 'Archive' }).click()
      await page.getByRole('button', { name: 'Archive', exact: true }).click()
    }
    // Concurrent changes are shown before the product is archived.
    await shop.update(made['@id'], { vendor: 'Late & Co' })
    await takeDown()
    const asked = page.getByRole('dialog', { name: /Another user/ })
    await asked.getByText(/^Vendor was: .*, now: Late & Co$/).waitFor()
    await picture('admin-taken-down', false)
    await asked.getByRole('button', { name: 'Cancel' }).click()
    await page.getByText('Nothing was deleted').waitFor()
    expect((await shop.read(made['@id'])).status).toBe('ACTIVE')
    await takeDown()
    writes.splice(0)
    await asked.getByRole('button', { name: 'Delete anyway' }).click()
    await page.getByText('Product archived').waitFor()
    expect(writes).toEqual([{ method: 'DELETE', path: made['@id'], body: null }])
    expect((await shop.read(made['@id'])).status).toBe('ARCHIVED')
  })

  test('a variant is added, with a value that the option did not have', async () => {
    const { page, origin, shop } = stage
    await page.goto(`${origin}/admin#/products/${encodeURIComponent(mug['@id'])}`)
    await page.getByRole('link', { name: 'Add a variant' }).click()
    await page.getByLabel('Colour').fill('Moss')
    const made = page.waitForResponse((each) => each.url().endsWith('/api/option_values'))
    await page.getByRole('option', { name: /Moss/ }).click()
    await (await made).finished()
    // The input takes the new value over in a moment; a person is never that fast.
    await stage.settled()
    await page.getByLabel('SKU').fill('MUG-Moss')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Variants (3)').waitFor()
    const { options, variants } = await shop.read(mug['@id'])
    expect(options[0].values.map((each: { title: string }) => each.title)).toEqual([
      'Sand',
      'Sea blue',
      'Moss',
    ])
    expect(variants[2]).toMatchObject({ title: 'Moss', sku: 'MUG-Moss' })
  })

  test('texts are read and written in the chosen language', async () => {
    const { page, origin, shop } = stage
    await page.goto(`${origin}/admin#/products/${encodeURIComponent(mug['@id'])}`)
    await page.getByLabel('Language of the catalogue').locator('..').click()
    await page.getByRole('option', { name: 'French' }).click()
    await page.getByRole('heading', { name: 'Mug en grès', level: 1 }).waitFor()
    await page.getByLabel('Title').first().fill('Tasse en grès')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Product saved').waitFor()
    const titleIn = async (locale: string) => (await shop.get(mug['@id'], { locale })).body.title
    expect([await titleIn('fr-FR'), await titleIn('en-US')]).toEqual(['Tasse en grès', 'Stoneware mug'])
    await page.getByLabel('Language of the catalogue').locator('..').click()
    await page.getByRole('option', { name: 'American English' }).click()
  })

  test('a subscription is made, its secret shown once, and opened again', async () => {
    const { page, origin, picture } = stage
    await page.goto(`${origin}/admin#/webhook_subscriptions/create`)
    await page.getByLabel('Topic').fill('product/upd')
    await page.getByRole('option', { name: 'product/updated' }).click()
    await page.getByLabel('Callback URL').fill('http://127.0.0.1:9/hook')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Store this secret').waitFor()
    expect(await page.getByRole('dialog').getByRole('textbox').inputValue()).toMatch(/^whsec_/)
    await picture('admin-secret')
    await page.getByRole('button', { name: 'I have stored it' }).click()
    await page.getByText('http://127.0.0.1:9/hook').click()
    await page.getByLabel('Callback URL').waitFor()
  })

  french(of)
  german(of)
  if (size === 'phone') return

  safety(of)

  test('/docs shows an operation before Scalar is there, and calls are tried from it', async () => {
    const { page, origin, picture } = stage
    const documents: string[] = []
    page.on('request', (each) => {
      if (each.url().includes('/api/openapi.json')) documents.push(each.url())
    })
    await page.goto(`${origin}/docs#2026-10/tag/product/GET/api/products`)
    await page.getByText('Corner Shop: API reference').waitFor()
    const open = page.getByRole('button', { name: /^Test Request.*api\/products\)?$/ }).first()
    await open.waitFor()
    const shown = await page.evaluate<number>(`performance.getEntriesByName('first operation')[0].startTime`)
    expect(shown).toBeLessThan(await page.evaluate<number>('performance.now()'))
    // Of the versions the chosen one alone is read.
    expect(documents).toHaveLength(1)
    expect(await page.getByLabel('Version').inputValue()).toBe('2026-10')
    await picture('docs', false)
    // Sent at once: the page draws the rest for seconds, and a mouse would wait until it is still.
    await open.dispatchEvent('click')
    const asked = page.waitForRequest((each) => new URL(each.url()).pathname === '/api/products')
    await page.getByRole('button', { name: /^Send/ }).first().dispatchEvent('click')
    const sent = await asked
    // The token of this tab is used here as well; optional parameters are offered, and those of the example sent.
    expect(sent.headers()).toMatchObject({
      authorization: `Bearer ${token}`,
      'service-api-version': '2026-10',
    })
    expect([...new URL(sent.url()).searchParams.keys()].toSorted()).toEqual([
      'itemsPerPage',
      'q',
      'resolveContext[at]',
      'resolveContext[channel]',
      'resolveContext[country]',
    ])
    expect((await sent.response())?.status()).toBe(200)
    await page.getByText('"totalItems"').first().waitFor()
    await picture('docs-try', false)
  })

  test('/docs shows the version that its address names, to everyone', async () => {
    const { page, origin } = stage
    const description = '/api/openapi.json?version=2026-04'
    const asked = page.waitForRequest((each) => each.url().endsWith(description))
    // Scalar draws one operation like all others, of which there are hundreds.
    const body = await stage.shop.read(description)
    const paths = { '/api/products': { get: body.paths['/api/products'].get } }
    await page.route(/openapi\.json\?version=2026-04/, (route) => route.fulfill({ json: { ...body, paths } }))
    // Below the guide, Scalar draws an operation when it is near the window or in the address.
    await page.goto(`${origin}/docs?api=2026-04#2026-04/tag/product/GET/api/products`)
    await asked
    await page.getByText('v2026-04').first().waitFor()
    await page
      .getByRole('button', { name: /^Test Request/ })
      .first()
      .waitFor()
    await page.unrouteAll()
    await stage.settled()
    const found = await seriousIn(page)
    await page.emulateMedia({ colorScheme: 'dark' })
    await stage.settled()
    await page.locator('body.dark-mode').waitFor()
    found.push(...(await seriousIn(page)))
    await page.emulateMedia({ colorScheme: null })
    expect(found).toEqual([])
  })
})

function withoutStamps({ version, updatedAt, ...document }: Record<string, unknown>) {
  return document
}

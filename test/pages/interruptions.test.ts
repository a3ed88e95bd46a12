/** Edits in /admin survive what interrupts them: an expired token, a cut network, a proxy's error page, a closed tab. */
import type { Page, Request } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Stage, signIn } from './chromium.ts'
import { inBrowser } from './in-browser.ts'

inBrowser((of) => {
  let stage: Stage
  let page: Page
  let lamp: string

  beforeAll(async () => {
    stage = of()
    page = stage.page
    page.setDefaultTimeout(20_000)
    await signIn(stage)
    await page.getByPlaceholder('Search products').waitFor()
  })

  const newProduct = async (body: object): Promise<string> =>
    (await stage.shop.post('/api/products', { body, status: 201 })).body['@id']
  const stored = async (iri = lamp) => (await stage.shop.get(iri, { status: 200 })).body
  const openPage = async (path: string) => {
    await page.goto(`${stage.origin}/admin#/categories`)
    await page.getByRole('link', { name: 'Tableware' }).waitFor()
    await page.goto(`${stage.origin}/admin#${path}`)
  }
  const open = async (iri = lamp) => {
    await openPage(`/products/${encodeURIComponent(iri)}`)
    await page.getByLabel('Vendor').waitFor()
    await stage.settled()
  }
  const save = () => page.getByRole('button', { name: 'Save', exact: true }).click()
  const vendor = () => page.getByLabel('Vendor').inputValue()

  /** Gives the tab a token of the same person that the service rejects as expired. */
  const expireToken = async () => {
    const token = await stage.shop.token({ claims: { exp: Math.floor(Date.now() / 1000) - 3600 } })
    await page.evaluate(`sessionStorage.setItem('catalogue.token', ${JSON.stringify(token)})`)
  }
  const dialog = () => page.getByRole('dialog', { name: 'Sign in again to continue' })
  const signInWith = async (token: string) => {
    await dialog().getByLabel('Access token').fill(token)
    await dialog().getByRole('button', { name: 'Sign in' }).click()
  }
  const signInAgain = async () => {
    await signInWith(await stage.shop.token())
    await dialog().waitFor({ state: 'detached' })
  }

  describe('an expired token', () => {
    beforeAll(async () => {
      lamp = await newProduct({ title: 'Brass lamp', vendor: 'Lumen', status: 'ACTIVE' })
    })

    test('asks for a new one over the form, then saves the version that was edited', async () => {
      await open()
      const { version } = await stored()
      await page.getByLabel('Vendor').fill('Kettleworks')
      await expireToken()
      const sent: Request[] = []
      const listen = (request: Request) => request.method() === 'PATCH' && sent.push(request)
      page.on('request', listen)
      await save()
      await dialog().waitFor()
      await stage.picture('admin-sign-in-again', false)
      expect(await page.getByText('Element updated').count()).toBe(0)
      expect(await vendor()).toBe('Kettleworks')
      expect((await stored()).vendor).toBe('Lumen')
      await signInAgain()
      await page.getByText('Element updated').waitFor()
      page.off('request', listen)
      expect((await stored()).vendor).toBe('Kettleworks')
      const tags = await Promise.all(sent.map((request) => request.headerValue('if-match')))
      expect(tags).toHaveLength(2)
      for (const tag of tags) expect(tag).toMatch(new RegExp(`^"${version}\\.`))
      expect(page.url()).toContain(encodeURIComponent(lamp))
    })

    test('keeps the form when the person does not sign in, and asks again with the next Save', async () => {
      await open()
      await page.getByLabel('Vendor').fill('Second try')
      await expireToken()
      await save()
      await dialog().getByRole('button', { name: 'Not now' }).click()
      const summary = page.getByRole('alert').filter({ hasText: 'Not saved' })
      await summary.getByText('Nothing that you typed is lost.').waitFor()
      expect(await page.getByText('Element updated').count()).toBe(0)
      expect(await vendor()).toBe('Second try')
      await summary.getByRole('button', { name: 'Try again' }).click()
      await dialog().waitFor()
      await signInAgain()
      await page.getByText('Element updated').waitFor()
      expect((await stored()).vendor).toBe('Second try')
    })

    test('is not replaced by a token of another person or tenant', async () => {
      await open()
      await page.getByLabel('Vendor').fill('Third try')
      await expireToken()
      await save()
      await signInWith(await stage.shop.token({ client: 'somebody-else' }))
      await dialog().getByText('This token belongs to somebody-else.').waitFor()
      await signInWith(await stage.shop.token({ claims: { aud: 'https://other.test/api' } }))
      await dialog().getByText('This token belongs to somebody-else.').waitFor({ state: 'detached' })
      await dialog().getByRole('alert').waitFor()
      expect((await stored()).vendor).toBe('Second try')
      await signInAgain()
      await page.getByText('Element updated').waitFor()
      expect((await stored()).vendor).toBe('Third try')
    })

    test('signs out from the dialog and removes the edits', async () => {
      await open()
      await page.getByLabel('Vendor').fill('Never saved')
      await expireToken()
      await save()
      page.once('dialog', (question) => question.accept())
      await dialog().getByRole('button', { name: 'Sign out' }).click()
      await page.getByRole('heading', { name: 'Corner Shop' }).waitFor()
      await page.getByLabel('Access token').fill(await stage.shop.token())
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByLabel('Vendor').waitFor()
      expect(await vendor()).toBe('Third try')
    })

    test('asks once for all that a page reads, and the page continues', async () => {
      await expireToken()
      await page.goto(`${stage.origin}/admin#/collections`)
      await dialog().waitFor()
      expect(await dialog().count()).toBe(1)
      await signInAgain()
      await page.getByRole('cell', { name: 'Favourites' }).waitFor()
    })

    test('keeps prices typed into the grid, and saves them after signing in', async () => {
      const cup = await newProduct({ title: 'Tin cup', variants: [{ sku: 'CUP' }], channels: ['web'] })
      await openPage(`/price_grid/${encodeURIComponent(cup)}`)
      const cell = page.locator('[data-row="0"][data-column="0"]')
      await cell.fill('12.50')
      await expireToken()
      await page.getByRole('button', { name: 'Save prices' }).click()
      await dialog().waitFor()
      expect(await cell.inputValue()).toBe('12.50')
      await signInAgain()
      await page.getByText('The prices are saved').waitFor()
      const { member } = (await stage.shop.get(`/api/sale_offers?product=${encodeURIComponent(cup)}`)).body
      expect(member).toMatchObject([{ amount: '12.50' }])
    })

    test('keeps translations, and saves them after signing in', async () => {
      await openPage(`/translate/${encodeURIComponent(lamp)}`)
      await page.getByLabel(/^Title \(French\)/).fill('Lampe en laiton')
      await expireToken()
      await save()
      await dialog().waitFor()
      await signInAgain()
      await page.getByText('The translation is saved').waitFor()
      const { title } = (await stage.shop.get(lamp, { locale: 'fr-FR', status: 200 })).body
      expect(title).toBe('Lampe en laiton')
    })
  })
})

/** Signing in to /admin at the tenant's issuer, a real OpenID provider. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { asOwner } from '../support/database.ts'
import type { Stage } from './chromium.ts'
import { onDesktop } from './in-browser.ts'
import { type Issuer, startIssuer } from './issuer.ts'

onDesktop((of) => {
  let stage: Stage
  let page: Page
  let issuer: Issuer

  beforeAll(async () => {
    stage = of()
    page = stage.page
    issuer = await startIssuer('admin', `${stage.origin}/admin`)
    await asOwner('update tenants set issuer = $2, jwks = $3, admin_client = $4 where id = $1', [
      stage.shop.tenant.id,
      issuer.issuer,
      JSON.stringify(issuer.jwks),
      'admin',
    ])
    stage.shop.restart()
  })
  afterAll(() => issuer?.close())

  const stored = (name: string) =>
    page.evaluate<string | null>(`sessionStorage.getItem(${JSON.stringify(`catalogue.${name}`)})`)

  /** Requests of the browser to the issuer, and the fonts that its pages do without. */
  function forgetIssuer(): void {
    expect(
      stage.troubles().filter((each) => !/login\.localhost|fonts\.googleapis|NAME_NOT_RESOLVED/.test(each)),
    ).toEqual([])
  }

  /** The two pages of the provider: the name, then the consent. */
  async function answerProvider(at: Page, person: string): Promise<void> {
    await at.locator('[name=login]').fill(person)
    await at.locator('[name=password]').fill('any')
    await at.locator('[type=submit]').click()
    await at.getByRole('button', { name: 'Continue' }).click()
  }

  test('signing in at the issuer opens the page of the address', async () => {
    await page.goto(`${stage.origin}/admin#/categories`)
    await page.getByRole('button', { name: /^Sign in at login\.localhost/ }).click()
    await answerProvider(page, 'ines')
    await page.getByRole('link', { name: 'Tableware' }).waitFor()
    expect(page.url()).toBe(`${stage.origin}/admin#/categories`)
    forgetIssuer()
  })

  test('an expired token is replaced without a question, and so is the token that renews it', async () => {
    const before = await stored('refresh')
    expect(before).not.toBeNull()
    await page.evaluate(`sessionStorage.setItem('catalogue.token', 'expired')`)
    await page.goto(`${stage.origin}/admin#/collections`)
    await page
      .getByRole('heading', { name: 'Collections' })
      .or(page.getByText('No Collections'))
      .first()
      .waitFor()
    await expect.poll(() => stored('token')).not.toBe('expired')
    expect(await stored('refresh')).not.toBe(before)
    expect(await page.getByText('Sign in again to continue').count()).toBe(0)
    forgetIssuer()
  })

  test('where the issuer renews nothing, the person signs in again in another window, and the page keeps its edits', async () => {
    await page.goto(`${stage.origin}/admin#/products/${encodeURIComponent(stage.mug['@id'])}`)
    await page.locator('input[name=title]').fill('Mug of Ines')
    // At once, because a request of the page may open the dialog before.
    await page.evaluate(`
      sessionStorage.setItem('catalogue.token', 'expired')
      sessionStorage.removeItem('catalogue.refresh')
      document.querySelector('button[type=submit]').click()`)
    const opened = page.waitForEvent('popup')
    await page.getByRole('button', { name: /^Sign in at/ }).click()
    const window = await opened
    const closed = window.waitForEvent('close')
    await window.getByRole('button', { name: 'Continue' }).click()
    await closed
    await expect
      .poll(async () => (await stage.shop.read(stage.mug['@id'], { token: await stored('token') })).title)
      .toBe('Mug of Ines')
    forgetIssuer()
  })
})

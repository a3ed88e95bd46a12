/** The interface of /admin in German. */
import { describe, expect, test } from 'vitest'
import { byMenu, type Stage, signIn } from './chromium.ts'

/** On the stage's own product of pottery; it ends in English again. */
export function german(of: () => Stage): void {
  describe('in German', () => {
    test('the list and the product page have German labels, enum values, numbers and messages', async () => {
      const { page, origin, picture } = of()
      await signIn(of())
      await page.goto(`${origin}/admin#/products`)
      await page.getByRole('button', { name: /^(Account: |Profile$)/ }).click()
      await page.getByRole('menuitem', { name: 'Deutsch' }).click()
      await byMenu(page, 'Preise', 'Menü öffnen')
      await page.goto(`${origin}/admin#/products?filter=%7B%7D`)
      expect(await page.evaluate<string>('document.documentElement.lang')).toBe('de')
      await page.getByText(/^1-25 von \d+$/).waitFor()
      await page.getByPlaceholder('Produkte suchen').fill('stoneware')
      const row = page.getByRole('row', { name: /Stoneware mug/ })
      await row.getByText('ab 18,00 €').waitFor()
      expect(await row.innerText()).toContain('Aktiv')
      await page.getByRole('columnheader', { name: 'Marke' }).waitFor()
      expect(await page.title()).toBe('Produkte · Corner Shop')
      await picture('admin-products-de')
      await row.click()
      await page.getByLabel('Marke').waitFor()
      await page.getByText('Wo es verkauft wird').first().waitFor()
      expect(await page.getByRole('button', { name: 'Suchmaschinen' }).isVisible()).toBe(true)
      expect(await page.getByRole('button', { name: 'Open', exact: true }).count()).toBe(0)
      await picture('admin-product-de')
      const vendor = await page.getByLabel('Marke').inputValue()
      await page.getByLabel('Marke').fill('Atelier Nebel')
      await page.getByRole('button', { name: 'Speichern' }).click()
      await page.getByText('Produkt gespeichert').waitFor()
      await page.getByLabel('Marke').fill(vendor)
      await page.getByRole('button', { name: 'Speichern' }).click()
      await page.getByText('Produkt gespeichert').waitFor()
      await page.reload()
      await page.getByLabel('Marke').waitFor()
      await page.getByRole('button', { name: /^(Konto|Profil$)/ }).click()
      await page.getByRole('menuitem', { name: 'English' }).click()
      await page.getByLabel('Vendor').waitFor()
    })

    test('a browser in Austrian German signs in in German', async () => {
      const { page, origin, size } = of()
      const context = await page.context().browser()!.newContext({ locale: 'de-AT', viewport: size })
      const austrian = await context.newPage()
      await austrian.goto(`${origin}/admin`)
      await austrian.getByLabel('Zugriffstoken').waitFor()
      expect(await austrian.getByRole('button', { name: 'Anmelden' }).isVisible()).toBe(true)
      expect(await austrian.evaluate<string>('document.documentElement.lang')).toBe('de')
      await context.close()
    })
  })
}

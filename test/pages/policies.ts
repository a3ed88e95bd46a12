/** The policies of prior prices in /admin: shown, chosen, and removed. */
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { byMenu, type Stage } from './chromium.ts'
import { fitsOnPhone } from './in-browser.ts'

/** The tests change the policies of the stage's tenant, and end with those of the acts. */
export function policies(of: () => Stage): void {
  describe('price policies', () => {
    let stage: Stage
    let page: Page

    beforeAll(() => {
      stage = of()
      page = stage.page
    })

    const path = (country: string) => `/api/price_policies/${country}`
    const policyOf = (country: string) => stage.shop.read(path(country))
    const row = (country: string) => page.getByRole('row', { name: country })
    const press = (name: string) => page.getByRole('button', { name, exact: true }).click()
    const daysIn = (shown = page) => shown.getByRole('spinbutton', { name: 'Days', exact: true })
    const notPermitted = () => page.getByText('These rules are not those of the act')

    async function openList(shown = page) {
      await shown.goto(`${stage.origin}/admin#/categories`)
      await byMenu(shown, 'Price policies')
      await shown.getByRole('row', { name: 'Germany (DE)' }).waitFor()
    }

    async function open(country: string, shown = page) {
      await openList(shown)
      await shown.getByRole('row', { name: country }).click()
      await shown.getByRole('heading', { name: `Price policy of ${country}`, level: 1 }).waitFor()
      await daysIn(shown).waitFor()
    }

    async function choose(label: string, option: string) {
      await page.getByRole('combobox', { name: label }).click()
      await page.getByRole('option', { name: option, exact: true }).click()
    }

    test('the list shows the rules of each country with its act, and whether they were verified', async () => {
      await openList()
      const cells = await row('Germany (DE)').getByRole('cell').allInnerTexts()
      expect(cells.map((cell) => cell.trim())).toEqual([
        'Germany (DE)',
        '30',
        'Each reduction has its own',
        'Lowest since their first price',
        'No prior price',
        'Preisangabenverordnung (PAngV), § 11',
        'yes',
        'no',
      ])
      const act = row('Germany (DE)').getByRole('link', { name: 'Preisangabenverordnung (PAngV), § 11' })
      expect(await act.getAttribute('href')).toMatch(/^https:/)
      await row('France (FR)')
        .getByText(/without a gap, within 30 days$/)
        .waitFor()
      await row('Belgium (BE)').getByText('not verified').waitFor()
      await stage.picture('admin-price-policies')
      await fitsOnPhone(page)
    })

    test('the optional series of the act is chosen without a warning, and the act alone again', async () => {
      await open('Germany (DE)')
      await choose('Prior price in a series', 'Shared while a reduction increases')
      expect(await notPermitted().count()).toBe(0)
      const put = page.waitForRequest((request) => request.method() === 'PUT')
      await press('Save')
      expect((await put).postDataJSON()).toEqual({ series: 'increasing_uninterrupted' })
      await page.getByText('Price policy saved').waitFor()
      const { series, seriesDays, days, verified, chosenSince, actRules } = await policyOf('DE')
      expect({ series, seriesDays, days, verified, act: actRules.series }).toEqual({
        series: 'increasing_uninterrupted',
        seriesDays: null,
        days: 30,
        verified: true,
        act: 'none',
      })
      await row('Germany (DE)')
        .getByText(String(new Date(chosenSince).getFullYear()))
        .waitFor()
      await open('Germany (DE)')
      await page.getByText(/^This shop has chosen its rules since /).waitFor()
      await fitsOnPhone(page)
      await press('As the act')
      await row('Germany (DE)').getByText('Each reduction has its own').waitFor()
      expect(await policyOf('DE')).toMatchObject({ series: 'none', days: 30, verified: true, version: 2 })
    })

    test('a rule that the act does not permit has a warning, and the service’s error is at its input', async () => {
      await open('Germany (DE)')
      await daysIn().fill('45')
      expect(await notPermitted().count()).toBe(0)
      await daysIn().fill('7')
      await notPermitted().waitFor()
      await press('Save')
      await page.getByRole('heading', { name: 'Not saved' }).waitFor()
      expect(await daysIn().getAttribute('aria-invalid')).toBe('true')
      await daysIn().fill('30')
      await choose('Prior price in a series', 'Shared by reductions without a gap')
      await page.getByLabel('Longest series, in days').fill('20')
      await notPermitted().waitFor()
      await stage.picture('admin-price-policy')
      await press('Save')
      await row('Germany (DE)').getByText('not verified').waitFor()
      await row('Germany (DE)')
        .getByText(/within 20 days$/)
        .waitFor()
      await open('Germany (DE)')
      await press('As the act')
      await row('Germany (DE)').getByText('yes', { exact: true }).waitFor()
    })

    test('no policy is chosen after a question, and a policy for a country without one', async () => {
      await open('Norway (NO)')
      await press('No policy')
      const question = page.getByRole('dialog')
      await question.getByText(/^From now on, prices in this country have no prior price/).waitFor()
      await question.getByRole('button', { name: 'Delete' }).click()
      await page.getByText('Price policy deleted').waitFor()
      await row('Germany (DE)').waitFor()
      expect(await row('Norway (NO)').count()).toBe(0)
      await stage.shop.get(path('NO'), { status: 404 })
      for (const [country, days] of [['Norway (NO)'], ['Switzerland (CH)', '60']] as const) {
        await openList()
        await page.getByRole('link', { name: 'New price policy' }).click()
        const input = page.getByRole('combobox', { name: 'Country' })
        await input.fill('Germany')
        await page.getByText('No options').waitFor()
        await input.fill(country)
        await page.getByRole('option', { name: country }).click()
        if (days !== undefined) await daysIn().fill(days)
        await press('Save')
        await page.getByRole('heading', { name: `Price policy of ${country}`, level: 1 }).waitFor()
      }
      const { actRules, ...norway } = await policyOf('NO')
      expect(norway).toMatchObject(actRules)
      expect(await policyOf('CH')).toMatchObject({
        days: 60,
        newerGoods: 'not_announced',
        source: null,
        actRules: null,
        verified: false,
      })
      await stage.shop.delete(path('CH'), { status: 204 })
    })

    test('the price of a product leads to the policy of its country', async () => {
      const [{ '@id': variant }] = stage.mug.variants
      const reduced = { variant, currency: 'EUR', amount: '1.00', compareAtAmount: '90.00', priority: 9 }
      const offer = await stage.shop.create('/api/sale_offers', { ...reduced, channel: 'fair' })
      await page.goto(`${stage.origin}/admin#/products/${encodeURIComponent(stage.mug['@id'])}`)
      await page.getByRole('button', { name: 'Why this price' }).click()
      await page.getByRole('combobox', { name: 'Channel', exact: true }).fill('fair')
      await page.getByLabel('Country (two letters)').fill('DE')
      await page.getByRole('link', { name: 'Rule of Germany (DE):' }).click()
      await page.getByRole('heading', { name: 'Price policy of Germany (DE)', level: 1 }).waitFor()
      await stage.shop.delete(offer['@id'], { status: 204 })
    })

    test('without the scope that writes prices, policies are read only', async () => {
      const tab = await page.context().newPage()
      try {
        await tab.setViewportSize(stage.size)
        const scope = 'products:read categories:read sale_offers:read'
        await tab.goto(`${stage.origin}/admin#token=${await stage.shop.token({ scope })}`)
        await tab.getByPlaceholder('Search products').waitFor()
        await openList(tab)
        expect(await tab.getByRole('link', { name: 'New price policy' }).count()).toBe(0)
        await open('Germany (DE)', tab)
        await tab.getByText('Your token may read policies, but not choose them.').waitFor()
        expect(await daysIn(tab).isEditable()).toBe(false)
        for (const name of ['Save', 'As the act', 'No policy'])
          expect(await tab.getByRole('button', { name, exact: true }).count()).toBe(0)
        for (const input of await tab.getByRole('combobox', { name: /series|goods/ }).all())
          expect(await input.isDisabled()).toBe(true)
      } finally {
        await tab.close()
      }
    })
  })
}

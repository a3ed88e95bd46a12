/** The list of products in /admin: filters that combine, saved views, and archived products that are restored. */
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Stage, signIn } from './chromium.ts'
import { onDesktop } from './in-browser.ts'

onDesktop((of) => {
  describe('the list of products', () => {
    let stage: Stage
    let page: Page

    beforeAll(async () => {
      stage = of()
      page = stage.page
      await signIn(stage)
      const products = await stage.shop.create('/api/products', [
        { title: 'Red pot', vendor: 'Kiln' },
        { title: 'Blue pot', vendor: 'Kiln' },
        { title: 'Old pot', vendor: 'Kiln', status: 'ARCHIVED' },
        { title: 'Green pot', vendor: 'Wheel' },
      ])
      const [red, , , green] = products.member
      const { '@id': pots } = await stage.shop.create('/api/collections', { title: 'Pots' })
      for (const each of [red, green]) await stage.shop.create(`${pots}/products`, { product: each['@id'] })
    }, 90_000)

    const openList = async (filter: object) => {
      await page.goto('about:blank')
      const query = new URLSearchParams({ filter: JSON.stringify(filter) })
      await page.goto(`${stage.origin}/admin#/products?${query}`)
      await page.getByRole('row').nth(1).waitFor()
    }
    const row = (name: string) => page.getByRole('row').filter({ hasText: name })
    const openFilters = () => page.getByRole('button', { name: 'Add filter' }).click()

    test('filters by a collection and a vendor at once, and keeps the filters under a name', async () => {
      await openList({ vendor: 'Kiln' })
      await row('Blue pot').waitFor()
      await openFilters()
      await page.getByRole('menuitemcheckbox', { name: 'Collection' }).click()
      await page.getByLabel('Collection', { exact: true }).fill('Po')
      await page.getByRole('option', { name: 'Pots' }).click()
      await row('Blue pot').waitFor({ state: 'detached' })
      await row('Red pot').waitFor()
      expect(await row('Green pot').count()).toBe(0)
      await openFilters()
      await page.getByRole('menuitem', { name: 'Save current query...' }).click()
      await page.getByLabel('Query name').fill('Pots of Kiln')
      await page.getByRole('button', { name: 'Save' }).click()

      await openList({ vendor: 'Wheel' })
      await row('Green pot').waitFor()
      await openFilters()
      await page.getByRole('menuitem', { name: 'Pots of Kiln' }).first().click()
      await row('Red pot').waitFor()
      expect([await row('Green pot').count(), await row('Blue pot').count()]).toEqual([0, 0])
    })

    test('restores archived products that are chosen', async () => {
      await openList({ vendor: 'Kiln', status: 'ARCHIVED' })
      await row('Old pot').getByRole('checkbox').check()
      await page.getByRole('button', { name: 'Change', exact: true }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Status').click()
      await page.getByRole('option', { name: 'Draft' }).click()
      await dialog.getByRole('button', { name: 'Apply' }).click()
      await dialog.getByText(/^1 /).waitFor()
      const { member } = await stage.shop.read('/api/products?vendor=Kiln&status=DRAFT&q=old')
      expect(member).toMatchObject([{ title: 'Old pot' }])
    })
  })
})

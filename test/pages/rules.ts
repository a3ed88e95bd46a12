/** The rules of a collection in /admin: chosen from existing values, counted during the input. */
import { beforeAll, describe, expect, test } from 'vitest'
import type { Stage } from './chromium.ts'
import { fitsOnPhone } from './in-browser.ts'

/** Products of a vendor of their own. */
export function rules(of: () => Stage): void {
  describe('rules of a collection', () => {
    let stage: Stage

    beforeAll(async () => {
      stage = of()
      const { shop } = stage
      const body = ['Oak bowl', 'Oak spoon', 'Ash spoon'].map((title) => ({
        title,
        vendor: 'Woodwright',
        tags: title.startsWith('Oak') ? ['oakwood'] : ['ashwood'],
      }))
      await shop.create('/api/products', body)
    })

    test('are built from values of products, and show how many products they find', async () => {
      const { page, origin, shop, picture } = stage
      await page.goto(`${origin}/admin#/collections/create`)
      await page.getByRole('radio', { name: 'by rules' }).check()
      await page.getByLabel('Title').first().fill('Spoons of oak')
      const found = page.getByRole('status').filter({ hasText: /rule|product/i })
      await page.getByText('Without a rule no product is in it.').waitFor()
      await page.getByRole('button', { name: 'Add' }).click()
      await page.getByRole('combobox', { name: 'What' }).click()
      await page.getByRole('option', { name: 'vendor' }).click()
      await page.getByText('Complete each rule').waitFor()
      await page.getByRole('combobox', { name: 'vendor' }).fill('woodw')
      await page.getByRole('option', { name: 'Woodwright' }).click()
      await page.getByText('Finds 3 products.').waitFor()
      await page.getByRole('button', { name: 'Add', exact: true }).click()
      await page.getByRole('combobox', { name: 'What' }).last().click()
      await page.getByRole('option', { name: 'tag' }).click()
      await page.getByRole('combobox', { name: 'tag' }).fill('oakwood')
      await page.getByText('Finds 2 products.').waitFor()
      await fitsOnPhone(page)
      // Products that are added meanwhile are counted with the next change of a rule.
      await shop.create('/api/products', { title: 'Oak plate', vendor: 'Woodwright', tags: ['ashwood'] })
      await page.getByRole('radio', { name: 'one of these rules matches' }).check()
      await page.getByText('Finds 4 products.').waitFor()
      expect(await found.count()).toBe(1)
      await picture('admin-rules')
      await page.getByRole('button', { name: 'Save', exact: true }).click()
      await page.getByText(/ created$/).waitFor()
      const [made] = (await shop.read('/api/collections?handle=spoons-of-oak')).member
      expect(made.rules).toEqual({
        match: 'ANY',
        conditions: [
          { field: 'vendor', operator: 'EQUALS', value: 'Woodwright' },
          { field: 'tag', operator: 'EQUALS', value: 'oakwood' },
        ],
      })
    })
  })
}

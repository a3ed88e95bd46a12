/** The interface of /admin in its other language. */
import { describe, expect, test } from 'vitest'
import { byMenu, type Stage, signIn } from './chromium.ts'

/** On the stage's own product of pottery; it ends in English again. */
export function french(of: () => Stage): void {
  describe('in French', () => {
    test('menu, labels, enum values, numbers and the page itself are French; texts of the catalogue stay', async () => {
      const { page, origin, picture } = of()
      await page.goto(`${origin}/admin#/products`)
      await page.getByRole('button', { name: /^(Account: |Profile$)/ }).click()
      await page.getByRole('menuitem', { name: 'Français' }).click()
      await byMenu(page, 'Prix', 'Ouvrir le menu')
      await page.goto(`${origin}/admin#/products`)
      expect(await page.evaluate<string>('document.documentElement.lang')).toBe('fr')
      await page.getByPlaceholder('Chercher des produits').fill('stoneware')
      const row = page.getByRole('row', { name: /Stoneware mug/ })
      await row.getByText('dès 18,00 €').waitFor()
      expect(await row.innerText()).toContain('Actif')
      await page.getByRole('columnheader', { name: 'Marque' }).waitFor()
      expect(await page.title()).toBe('Produits · Corner Shop')
      await picture('admin-products-fr')
      await row.click()
      await page.getByLabel('Marque').waitFor()
      expect(await page.getByRole('button', { name: 'Moteurs de recherche' }).isVisible()).toBe(true)
      // The texts of Material's own components.
      expect(await page.getByRole('button', { name: 'Ouvrir', exact: true }).count()).toBeGreaterThan(0)
      expect(await page.getByRole('button', { name: 'Open', exact: true }).count()).toBe(0)
      await picture('admin-product-fr')
      await page.reload()
      await page.getByLabel('Marque').waitFor()
      await page.getByRole('button', { name: /^(Compte|Profil$)/ }).click()
      await page.getByRole('menuitem', { name: 'English' }).click()
      await page.getByLabel('Vendor').waitFor()
      expect(await page.evaluate<string>('document.documentElement.lang')).toBe('en')
    })

    test('the latest changes name labels, rules, types and options instead of codes and addresses', async () => {
      const { page, origin, shop, mug } = of()
      await signIn(of())
      await shop.create('/api/products', {
        title: 'Bow tie',
        options: [{ title: 'Knot', values: [{ title: 'Tied' }] }],
        variants: [{ sku: 'BOW', optionValues: [{ option: 'Knot', value: 'Tied' }] }],
      })
      await shop.create('/api/collections', {
        title: 'Ties',
        type: 'RULE_BASED',
        rules: {
          match: 'ANY',
          conditions: [{ field: 'productType', operator: 'NOT_EQUALS', value: 'Scarf' }],
        },
      })
      const type = '/api/metafield_definition_types/list.date'
      const definition = await shop.create('/api/metaobject_definitions', {
        type: 'fair',
        displayNameField: 'town',
        fieldDefinitions: [
          { key: 'days', type, validations: [{ name: 'list.max', value: '3' }] },
          { key: 'open', name: 'Open to all', type: '/api/metafield_definition_types/boolean' },
          { key: 'town', name: 'Town', type: '/api/metafield_definition_types/single_line_text_field' },
        ],
      })
      await shop.create('/api/metaobjects', {
        definition: definition['@id'],
        fields: { town: 'Lyon', open: 'true', days: '["1998-05-01"]' },
      })
      await page.goto(`${origin}/admin#/products`)
      await page.getByRole('button', { name: /^(Account: |Profile$)/ }).click()
      await page.getByRole('menuitem', { name: 'Français' }).click()
      await page.goto(`${origin}/admin#/latest-changes`)
      const changes = page.getByRole('list', { name: 'Modifications' })
      await changes.getByText('Valeurs : Tied').waitFor()
      await changes.getByText('Option : Knot').waitFor()
      const text = (await changes.innerText()).replaceAll('\u00a0', ' ')
      expect(text).toContain('Règles : L’une de ces règles est remplie :\ntype n’est pas Scarf\n')
      expect(text).toContain(
        'Champs : days (Liste : Date, Entrées au plus : 3),\nOpen to all (Oui ou non),\n',
      )
      expect(text).toContain('Champ du nom affiché : Town')
      expect(text).toContain('days : 1 mai 1998\nOpen to all : oui\nTown : Lyon')
      expect(text).not.toContain('/api/')
      await page.goto(`${origin}/admin#/price_grid/${encodeURIComponent(mug['@id'])}`)
      expect(await page.getByRole('textbox', { name: /EUR$/ }).first().inputValue()).toMatch(/^\d+,\d\d$/)
      await page.getByRole('button', { name: /^(Compte|Profil$)/ }).click()
      await page.getByRole('menuitem', { name: 'English' }).click()
    })
  })
}

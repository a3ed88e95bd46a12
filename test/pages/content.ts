/** Custom data, records and their kinds in /admin, by forms that are made from definitions. */
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Stage } from './chromium.ts'
import { fitsOnPhone } from './in-browser.ts'

const typeIri = (slug: string) => `/api/metafield_definition_types/${slug}`

/** A kind of records of its own, and a product that one refers to. */
export function content(of: () => Stage): void {
  describe('content', () => {
    let stage: Stage
    let page: Page
    let teapot: string

    beforeAll(async () => {
      stage = of()
      page = stage.page
      const body = { title: 'Iron teapot', status: 'ACTIVE', variants: [{ sku: 'TEAPOT' }] }
      teapot = (await stage.shop.create('/api/products', body))['@id']
    })

    const save = () => page.getByRole('button', { name: 'Save', exact: true }).click()
    const choose = async (label: string, text: string, option: RegExp | string = text) => {
      await page.getByRole('combobox', { name: label }).last().fill(text)
      await page.getByRole('option', { name: option, exact: true }).click()
    }
    const recipes = async () => (await stage.shop.read('/api/metaobjects?type=recipe')).member
    const valuesOf = ({ fields }: { fields: { key: string; value: string }[] }) =>
      Object.fromEntries(fields.map(({ key, value }) => [key, value]))

    test('a kind of records is made with its fields and their rules', async () => {
      await page.goto(`${stage.origin}/admin#/metaobject_definitions`)
      await page.getByRole('link', { name: 'New content type' }).first().click()
      await page.getByRole('textbox', { name: 'Type' }).first().fill('recipe')
      await page.getByLabel('Name').first().fill('Recipe')
      const add = page.getByRole('button', { name: 'Add', exact: true })
      await add.click()
      await page.getByRole('textbox', { name: 'Key' }).fill('title')
      await choose('Type', 'Single', 'Single-line text')
      await page.getByLabel('Translatable').check()
      await page.getByRole('button', { name: 'Add', exact: true }).first().click()
      await page.getByRole('combobox', { name: 'Rule' }).click()
      await page.getByRole('option', { name: 'At most' }).click()
      await page.getByLabel('Value of the rule').fill('20')
      await page.getByRole('combobox', { name: 'Display name field' }).click()
      await page.getByRole('option', { name: 'title' }).click()
      await stage.picture('admin-definition')
      await save()
      await page.getByText(/ created$/).waitFor()
      const [made] = (await stage.shop.read('/api/metaobject_definitions?type=recipe')).member
      expect(made).toMatchObject({
        type: 'recipe',
        name: 'Recipe',
        displayNameField: 'title',
        fieldDefinitions: [
          {
            key: 'title',
            type: typeIri('single_line_text_field'),
            translatable: true,
            validations: [{ name: 'max', value: '20' }],
          },
        ],
      })
      const field = (key: string, slug: string, more: object = {}) => ({ key, type: typeIri(slug), ...more })
      const fieldDefinitions = [
        ...made.fieldDefinitions,
        field('serves', 'number_integer', { name: 'Serves', validations: [{ name: 'min', value: '1' }] }),
        field('cost', 'money'),
        field('vegan', 'boolean'),
        field('course', 'single_line_text_field', {
          validations: [{ name: 'choices', value: '["Starter","Main"]' }],
        }),
        field('since', 'date'),
        field('pot', 'product_reference'),
        field('steps', 'list.single_line_text_field'),
      ]
      await stage.shop.update(made['@id'], { fieldDefinitions })
    })

    test('an entry has an input for each field by its type, which shows its error', async () => {
      await page.goto(`${stage.origin}/admin#/metaobjects`)
      await page.goto(`${stage.origin}/admin#/metaobjects/create`)
      await choose('Definition', 'Recipe')
      await page.getByRole('textbox', { name: 'title' }).fill('A soup that is called by far too many words')
      await page.getByText('At most 20 characters.').waitFor()
      await page.getByLabel('Serves').fill('4')
      await page.getByLabel('cost: amount').fill('12,50')
      await page.getByLabel('cost: currency').fill('eur')
      await page.getByRole('combobox', { name: 'vegan' }).click()
      await page.getByRole('option', { name: 'Yes' }).click()
      await page.getByRole('combobox', { name: 'course' }).click()
      await page.getByRole('option', { name: 'Main' }).click()
      await page.getByLabel('since').fill('2026-11-01')
      await choose('pot', 'teapot', 'Iron teapot')
      for (const [at, step] of ['Boil', 'Stir'].entries()) {
        await page.getByRole('button', { name: 'Add to steps' }).click()
        await page.getByLabel(`steps ${at + 1}`, { exact: true }).fill(step)
      }
      await page.getByRole('button', { name: 'Move steps 2 up' }).click()
      await fitsOnPhone(page)
      await save()
      await page.getByRole('alert').filter({ hasText: 'Not saved' }).waitFor()
      // The rule stays visible next to the error.
      await page.getByText('At most 20 characters.').waitFor()
      expect(await recipes()).toEqual([])
      await page.getByRole('textbox', { name: 'title' }).fill('Tomato soup')
      await save()
      await page.getByText(/ created$/).waitFor()
      const [made] = await recipes()
      expect(made).toMatchObject({ displayName: 'Tomato soup', status: 'DRAFT', handle: 'tomato-soup' })
      expect(valuesOf(made)).toEqual({
        title: 'Tomato soup',
        serves: '4',
        cost: '{"amount":"12.50","currency":"EUR"}',
        vegan: 'true',
        course: 'Main',
        since: '2026-11-01',
        pot: teapot,
        steps: '["Stir","Boil"]',
      })
    })

    test('two people who change one record meet where both wrote, and nowhere else', async () => {
      const [{ '@id': iri }] = await recipes()
      await page.goto(`${stage.origin}/admin#/metaobjects?filter=${encodeURIComponent('{}')}`)
      await page.getByRole('cell', { name: 'Tomato soup', exact: true }).click()
      await page.getByLabel('Serves').fill('6')
      await page.getByRole('combobox', { name: 'pot' }).waitFor()
      expect(await page.getByRole('combobox', { name: 'pot' }).inputValue()).toBe('Iron teapot')
      await stage.picture('admin-record')
      await stage.shop.update(iri, { fields: { serves: '5', course: 'Starter' } })
      stage.writes.splice(0)
      await save()
      const dialog = page.getByRole('dialog', { name: /Another user/ })
      await dialog.getByRole('radio', { name: /Mine: 6/ }).check()
      await dialog.getByRole('button', { name: 'Save these' }).click()
      await page.getByText(/(?<!Not) saved$/).waitFor()
      expect(valuesOf((await recipes())[0])).toMatchObject({ serves: '6', course: 'Starter', vegan: 'true' })
    })

    test('a fallback text is marked, and translating it does not change the source', async () => {
      const [{ '@id': iri }] = await recipes()
      await page.getByRole('combobox', { name: /Language/ }).click()
      await page.getByRole('option', { name: 'French' }).click()
      await page.goto(`${stage.origin}/admin#/metaobjects/${encodeURIComponent(iri)}`)
      await page.getByText('Not translated yet: readers see this text in English.').waitFor()
      await page.getByRole('textbox', { name: 'title' }).fill('Soupe à la tomate')
      await save()
      await page.getByText(/(?<!Not) saved$/).waitFor()
      await page.getByRole('combobox', { name: /Language/ }).click()
      await page.getByRole('option', { name: 'American English' }).click()
      const titleIn = async (locale: string) => (await stage.shop.read(iri, { locale })).displayName
      expect([await titleIn('en-US'), await titleIn('fr-FR')]).toEqual(['Tomato soup', 'Soupe à la tomate'])
    })

    test('custom data of a product is added, changed and removed, each by its key', async () => {
      const { shop, writes } = stage
      await page.goto(`${stage.origin}/admin#/products/${encodeURIComponent(teapot)}`)
      await page.getByRole('button', { name: 'Custom data' }).click()
      await page.getByRole('textbox', { name: 'Key' }).fill('care.washing')
      await page.getByRole('button', { name: 'Add the field' }).click()
      await page.getByRole('textbox', { name: 'care.washing' }).fill('By hand')
      await page.getByRole('textbox', { name: 'Key' }).fill('litres')
      await choose('Type of its value', 'Decimal', 'Decimal number')
      await page.getByRole('textbox', { name: 'Key' }).press('Enter')
      await page.getByRole('textbox', { name: 'litres' }).fill('0,8')
      await shop.update(teapot, { fields: { origin: 'Nambu' } })
      await save()
      // Additions of the other user are shown, and need no choice.
      const dialog = page.getByRole('dialog', { name: /Another user/ })
      await dialog.getByRole('radio', { name: /Theirs: .*Nambu/, checked: true }).waitFor()
      await dialog.getByRole('button', { name: 'Save these' }).click()
      await page.getByText(/(?<!Not) saved$/).waitFor()
      const fields = async () => valuesOf(await shop.read(teapot))
      expect(await fields()).toEqual({ 'care.washing': 'By hand', litres: '0.8', origin: 'Nambu' })
      await page.getByRole('button', { name: 'Remove the field litres' }).click()
      writes.splice(0)
      await save()
      await expect.poll(() => writes.map(({ body }) => body)).toEqual([{ fields: { litres: null } }])
      await expect.poll(fields).toEqual({ 'care.washing': 'By hand', origin: 'Nambu' })
    })
  })
}

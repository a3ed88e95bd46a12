/** The options of a product in /admin, as a person changes them. */
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { asked, type Stage } from './chromium.ts'
import { fitsOnPhone } from './in-browser.ts'

type Value = { readonly '@id': string; readonly title: string }
type Stored = {
  readonly '@id': string
  readonly options: readonly {
    readonly '@id': string
    readonly title: string
    readonly values: readonly Value[]
  }[]
  readonly variants: readonly { readonly '@id': string; readonly title: string }[]
}

/** Its own product on the stage's service. */
export function options(of: () => Stage): void {
  describe('options', () => {
    let stage: Stage
    let page: Page
    let scarf: Stored

    beforeAll(async () => {
      stage = of()
      page = stage.page
      const body = {
        title: 'Wool scarf',
        status: 'ACTIVE',
        options: [
          { title: 'Length', values: [{ title: 'Short' }, { title: 'Long' }] },
          { title: 'Colour', values: [{ title: 'Red' }, { title: 'Blue' }, { title: 'Grey' }] },
        ],
        variants: [
          ['Short', 'Red'],
          ['Long', 'Red'],
          ['Short', 'Blue'],
        ].map(([length, colour]) => ({
          sku: `SCARF-${length}-${colour}`,
          optionValues: [
            { option: 'Length', value: length },
            { option: 'Colour', value: colour },
          ],
        })),
      }
      scarf = await stage.shop.create('/api/products', body)
      const red = scarf.options[1]!.values[0]!['@id']
      await stage.shop.update(red, { title: 'Rouge' }, { locale: 'fr-FR' })
    })

    const open = async () => {
      await page.goto(`${stage.origin}/admin#/categories`)
      await page.getByRole('link', { name: 'Tableware' }).waitFor()
      await page.goto(`${stage.origin}/admin#/products/${encodeURIComponent(scarf['@id'])}`)
      await page.getByRole('button', { name: 'Edit options' }).click()
      await dialog().getByRole('list', { name: 'Values of' }).first().waitFor()
    }
    const dialog = () => page.getByRole('dialog', { name: 'Options and their values' })
    const values = (option: string) => dialog().getByRole('list', { name: `Values of ${option}` })
    const value = (option: string, place: number) => values(option).getByRole('textbox').nth(place)
    const save = () => dialog().getByRole('button', { name: 'Save options' }).click()
    const saved = async () => {
      await save()
      await dialog().waitFor({ state: 'detached' })
    }
    const stored = async (locale = 'en-US'): Promise<Stored> =>
      await stage.shop.read(scarf['@id'], { locale })
    const shown = ({ options }: Stored) =>
      options.map((each) => `${each.title}: ${each.values.map(({ title }) => title).join(', ')}`)
    const sent = () => stage.writes.splice(0).map(({ method, body }) => [method, body])
    const lift = async (name: string, key: string) => {
      await dialog()
        .getByRole('button', { name: `Move ${name}`, exact: true })
        .focus()
      await page.keyboard.press('Space')
      await page.getByText(/^Lifted from place/).waitFor({ state: 'attached' })
      await page.keyboard.press(key)
      await page.getByText(/^Now at place/).waitFor({ state: 'attached' })
      await page.keyboard.press('Space')
      await page.getByText(/^Put down at place/).waitFor({ state: 'attached' })
    }

    test('values are named, added and moved by the keyboard, in as few requests as changes; translations stay', async () => {
      await open()
      await value('Colour', 0).fill('Crimson')
      await values('Colour').getByText('Was: Red').waitFor()
      await dialog().getByLabel('New value of Colour').fill('Green, Gold')
      await page.keyboard.press('Enter')
      await dialog().getByRole('button', { name: 'Remove Gold' }).click()
      await lift('Grey', 'ArrowUp')
      await expect.poll(() => value('Colour', 1).inputValue()).toBe('Grey')
      await dialog().getByText('3 changes to save.').waitFor()
      await stage.picture('admin-options', false)
      stage.writes.splice(0)
      await saved()
      expect(sent()).toEqual([
        ['PATCH', { title: 'Crimson' }],
        ['PATCH', { position: 2 }],
        ['POST', expect.objectContaining({ title: 'Green', position: 3 })],
      ])
      expect(shown(await stored())).toEqual(['Length: Short, Long', 'Colour: Crimson, Grey, Blue, Green'])
      expect((await stored('fr-FR')).options[1]!.values[0]!.title).toBe('Rouge')
      // The page around it shows it at once.
      await page.getByRole('cell', { name: 'Short / Crimson' }).waitFor()
    })

    test('options are dragged, and a new one is added with its values', async () => {
      await open()
      const [from, to] = await Promise.all(
        ['Length', 'Colour'].map(async (name) => {
          const box = await dialog()
            .getByRole('button', { name: `Move ${name}`, exact: true })
            .boundingBox()
          return { x: box!.x + box!.width / 2, y: box!.y + box!.height / 2 }
        }),
      )
      await page.mouse.move(to!.x, to!.y)
      await page.mouse.down()
      await page.mouse.move(to!.x, to!.y - 20, { steps: 4 })
      await page.mouse.move(from!.x, from!.y - 10, { steps: 12 })
      await page.mouse.up()
      await expect
        .poll(() => dialog().getByLabel('Option', { exact: true }).nth(0).inputValue())
        .toBe('Colour')
      await dialog().getByRole('button', { name: 'Add an option' }).click()
      await dialog().getByLabel('Option', { exact: true }).nth(2).fill('Fringe')
      await dialog().getByText('Existing variants have no value of it').waitFor()
      await dialog().getByLabel('New value of Fringe').fill('With')
      await dialog().getByRole('button', { name: 'Add value' }).last().click()
      stage.writes.splice(0)
      await saved()
      expect(sent()).toMatchObject([
        ['PATCH', { position: expect.any(Number) }],
        ['POST', { title: 'Fringe', position: 2 }],
        ['POST', { title: 'With', position: 0 }],
      ])
      expect(shown(await stored())).toEqual([
        'Colour: Crimson, Grey, Blue, Green',
        'Length: Short, Long',
        'Fringe: With',
      ])
    })

    test('the variants that a removal would archive are shown before, and it can be undone', async () => {
      await open()
      await fitsOnPhone(page)
      await dialog().getByRole('button', { name: 'Remove Grey' }).click()
      await dialog().getByText('Grey is removed when you save.').waitFor()
      await dialog().getByRole('button', { name: 'Remove Crimson' }).click()
      const warning = page.getByRole('dialog', { name: 'Remove Crimson' })
      expect(await warning.innerText()).toMatch(
        /Crimson is in 2 variants that are sold[\s\S]*SCARF-Short-Red[\s\S]*SCARF-Long-Red/,
      )
      await stage.picture('admin-options-removal', false)
      await warning.getByRole('button', { name: 'Keep it' }).click()
      await warning.waitFor({ state: 'detached' })
      await dialog().getByRole('button', { name: 'Remove Blue' }).click()
      await page.getByRole('button', { name: 'Remove Blue and archive one variant' }).click()
      const errorAlert = dialog().getByRole('alert').filter({ hasText: 'Grey is removed' })
      await errorAlert.getByRole('button', { name: 'Undo' }).click()
      await expect.poll(() => value('Colour', 1).inputValue()).toBe('Grey')
      const blue = scarf.variants.find(({ title }) => title === 'Short / Blue')
      await stage.shop.update(blue!['@id'], { sku: 'SCARF-NAVY' })
      await save()
      await dialog().getByRole('alert').filter({ hasText: 'user has changed Short / Blue' }).waitFor()
      expect((await stored()).variants).toHaveLength(3)
      stage.writes.splice(0)
      await saved()
      expect(stage.writes.map(({ method }) => method)).toEqual(['DELETE', 'DELETE'])
      const now = await stored()
      expect(shown(now)[0]).toBe('Colour: Crimson, Grey, Green')
      expect(now.variants.map(({ title }) => title)).toHaveLength(2)
    })

    test('concurrent changes are not overwritten, and my edits stay', async () => {
      await open()
      await value('Colour', 0).fill('Scarlet')
      await value('Length', 0).fill('Tiny')
      const [crimson] = (await stored()).options[0]!.values
      await stage.shop.update(crimson!['@id'], { title: 'Ruby' })
      await save()
      await dialog().getByRole('alert').filter({ hasText: 'Another user has changed Crimson' }).waitFor()
      await values('Colour').getByText('Was: Ruby').waitFor()
      expect([await value('Colour', 0).inputValue(), await value('Length', 0).inputValue()]).toEqual([
        'Scarlet',
        'Tiny',
      ])
      expect(shown(await stored())[0]).toBe('Colour: Ruby, Grey, Green')
      await saved()
      expect(shown(await stored()).slice(0, 2)).toEqual([
        'Colour: Scarlet, Grey, Green',
        'Length: Tiny, Long',
      ])
    })

    test('edits of the product stay, and are saved on the changed options', async () => {
      await open()
      await dialog().getByRole('button', { name: 'Close' }).click()
      await page.getByLabel('Type', { exact: true }).fill('Shawl')
      await page.getByRole('button', { name: 'Edit options' }).click()
      await value('Length', 0).fill('Compact')
      await saved()
      await page.getByText('Compact').first().waitFor()
      expect(await page.getByLabel('Type', { exact: true }).inputValue()).toBe('Shawl')
      stage.writes.splice(0)
      await page.getByRole('button', { name: 'Save', exact: true }).click()
      await page.getByText('Product saved').waitFor()
      expect(sent()).toContainEqual(['PATCH', { productType: 'Shawl' }])
      expect((await stage.shop.read(scarf['@id'])).productType).toBe('Shawl')
      expect(shown(await stored())[1]).toBe('Length: Compact, Long')
    })

    test('names that are missing or there twice cannot be saved, and closing asks', async () => {
      await open()
      await value('Colour', 1).fill('Scarlet')
      await values('Colour').getByText('Another one has this name.').first().waitFor()
      expect(await dialog().getByRole('button', { name: 'Save options' }).isDisabled()).toBe(true)
      const close = () => dialog().getByRole('button', { name: 'Close' }).click()
      expect(await asked(page, 'accept', close)).toMatch(/are not saved/)
      await dialog().waitFor({ state: 'detached' })
    })
  })
}

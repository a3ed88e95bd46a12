/** Translations in /admin, side by side with their sources. */
import { beforeAll, describe, expect, test } from 'vitest'
import { seriousIn } from './axe.ts'
import { asked, byMenu, type Stage } from './chromium.ts'
import { fitsOnPhone } from './in-browser.ts'
import { countSteps } from './steps.ts'

type Made = ReturnType<typeof JSON.parse>

/** A product of its own, half of it in French. */
export function texts(of: () => Stage): void {
  describe('texts in two languages', () => {
    let stage: Stage
    let scarf: Made
    let category: Made

    beforeAll(async () => {
      stage = of()
      const { shop } = stage
      const body = {
        title: 'Wool scarf',
        description: 'Woven in the hills.',
        seo: { title: 'Scarves' },
        options: [{ title: 'Shade', values: [{ title: 'Heather' }, { title: 'Stone' }] }],
      }
      scarf = await shop.create('/api/products', body)
      const [shade] = scarf.options
      const french = { locale: 'fr-FR', status: 200 }
      await shop.patch(scarf['@id'], { body: { title: 'Écharpe en laine' }, ...french })
      await shop.patch(shade.values[1]['@id'], { body: { title: 'Pierre' }, ...french })
      const body2 = { title: 'Scarves', description: 'For the neck.' }
      category = await shop.create('/api/categories', body2)
    })

    const open = async () => {
      const { page, origin } = stage
      await page.goto(`${origin}/admin#/products`)
      await page.getByPlaceholder('Search products').waitFor()
      await page.goto(`${origin}/admin#/products/${encodeURIComponent(scarf['@id'])}`)
      await page.getByRole('button', { name: 'Languages', exact: true }).click()
      await page.getByRole('link', { name: 'Translate into French' }).click()
      await page.getByRole('heading', { name: 'Translate Wool scarf', level: 1 }).waitFor()
    }
    const inFrench = async (iri: string) => {
      const { translations } = await stage.shop.read(`${iri}/translations`)
      return translations['fr-FR']
    }
    const save = () => stage.page.getByRole('button', { name: 'Save', exact: true }).click()

    test('missing texts of a product and its options are marked, and only new texts are saved', async () => {
      const { page, writes } = stage
      await open()
      const own = page.getByRole('region', { name: 'Texts' })
      expect(await own.innerText()).toMatch(
        /Wool scarf[\s\S]*Woven in the hills\.[\s\S]*Readers see the text in/,
      )
      expect(await own.getByLabel(/^Title \(French\)/).inputValue()).toBe('Écharpe en laine')
      await stage.picture('admin-translate')
      await own.getByLabel(/^Description \(French\)/).fill('Tissée dans les collines.')
      await page.getByLabel(/^Title: Shade \(French\)/).fill('Nuance')
      await page.getByLabel(/^Title: Heather \(French\)/).fill('Bruyère')
      expect(await page.getByLabel(/^Title: Stone \(French\)/).inputValue()).toBe('Pierre')
      writes.splice(0)
      await save()
      await page.getByText('3 translations are saved').waitFor()
      const [shade] = scarf.options
      expect(writes.map(({ path, body }) => [path, body])).toEqual([
        [scarf['@id'], { description: 'Tissée dans les collines.' }],
        [shade['@id'], { title: 'Nuance' }],
        [shade.values[0]['@id'], { title: 'Bruyère' }],
      ])
      expect(await inFrench(scarf['@id'])).toEqual({
        title: 'Écharpe en laine',
        description: 'Tissée dans les collines.',
      })
      // English stays as it was, and is what one still translates from.
      expect((await stage.shop.read(scarf['@id'])).description).toBe('Woven in the hills.')
    })

    test('a text that two users translate at once is chosen, and the other texts of both stay', async () => {
      const { page, shop } = stage
      await open()
      await page.getByLabel(/^Title \(French\)/).fill('Mon écharpe')
      await page.getByLabel(/^Title for search engines \(French\)/).fill('Écharpes')
      const theirs = { title: 'Leur écharpe', description: 'Tissée au village.' }
      await shop.update(scarf['@id'], theirs, { locale: 'fr-FR' })
      await fitsOnPhone(page)
      await save()
      const dialog = page.getByRole('dialog', { name: /Another user/ })
      const title = dialog.getByRole('group', { name: /^Title ?was: Écharpe en laine/ })
      await title.getByRole('radio', { name: /Mine/ }).check()
      await dialog.getByRole('button', { name: 'Save these' }).click()
      await page.getByText('The translation is saved').waitFor()
      expect(await inFrench(scarf['@id'])).toEqual({
        title: 'Mon écharpe',
        description: 'Tissée au village.',
        seo: { title: 'Écharpes' },
      })
    })

    test('an edit elsewhere in the product is no reason to ask', async () => {
      const { page, shop } = stage
      await open()
      await page.getByLabel(/^Title: Stone \(French\)/).fill('Galet')
      await page.getByLabel(/^Title \(French\)/).fill('Écharpe')
      await shop.update(scarf['@id'], { vendor: 'Hill Weavers' })
      await save()
      await page.getByText('2 translations are saved').waitFor()
      expect((await inFrench(scarf['@id'])).title).toBe('Écharpe')
      expect(await inFrench(scarf.options[0].values[1]['@id'])).toEqual({ title: 'Galet' })
    })

    test('a source that was changed after its translation is shown then and now', async () => {
      const { page, shop } = stage
      const cup = await shop.create('/api/products', {
        title: 'Cup',
        description: 'Blue.',
        seo: { title: 'Cups' },
        options: [{ title: 'Size', values: [{ title: 'Small' }] }],
      })
      const [size] = cup.options
      const french = { locale: 'fr-FR' }
      await shop.update(cup['@id'], { title: 'Tasse', description: 'Bleue.' }, french)
      await shop.update(size['@id'], { title: 'Taille' }, french)
      await shop.update(cup['@id'], { title: 'Tea cup', description: 'Green.', seo: { title: 'Tea cups' } })
      await shop.update(cup['@id'], { title: 'Cup for tea' })
      await shop.update(size['@id'], { title: 'Volume' })
      await shop.update(cup['@id'], { description: 'Verte.' }, french)
      await page.goto(`${stage.origin}/admin#/translate/${encodeURIComponent(cup['@id'])}?into=fr-FR`)
      const notes = page.getByRole('note')
      const then = 'Changed after it was translated. The text was:'
      await expect.poll(() => notes.allInnerTexts()).toEqual([`${then}\nCup`, `${then}\nSize`])
      expect(await page.getByRole('region', { name: 'Texts' }).innerText()).toMatch(/Cup for tea\n+Changed/)
      expect(await seriousIn(page)).toEqual([])
      await page.getByLabel(/^Title \(French\)/).fill('Tasse à thé')
      await save()
      await expect.poll(() => notes.allInnerTexts()).toEqual([`${then}\nSize`])
    })

    test('untranslated texts are counted by language, listed and translated from there', async () => {
      const { page, shop, picture } = stage
      await page.goto(`${stage.origin}/admin#/categories`)
      await page.getByRole('link', { name: 'Scarves' }).waitFor()
      await byMenu(page, 'Untranslated')
      const { totalItems } = await shop.read('/api/translations/categories?missing=fr-FR&itemsPerPage=0')
      await page.getByRole('link', { name: `Categories, French: ${totalItems}`, exact: true }).click()
      const list = page.getByRole('region', { name: 'Untranslated in French' })
      const row = list.getByRole('row', { name: /Scarves/ })
      expect(await row.innerText()).toMatch(/Title, Description/)
      await fitsOnPhone(page)
      await picture('admin-untranslated')
      await row.getByRole('link', { name: 'Translate: Scarves' }).click()
      await page.getByLabel(/^Description \(French\)/).fill('Pour le cou.')
      await save()
      await page.getByText('The translation is saved').waitFor()
      expect(await inFrench(category['@id'])).toEqual({ description: 'Pour le cou.' })
    })

    test('a source is copied, languages are swapped, and edits are not dropped without a question', async () => {
      const { page, origin } = stage
      await page.goto(`${origin}/admin#/translate/${encodeURIComponent(category['@id'])}?into=fr-FR`)
      await page.getByRole('button', { name: /^Copy the source into Title \(French\)/ }).click()
      const intoEnglish = async () => {
        await page.getByRole('combobox', { name: 'Into' }).click()
        await page.getByRole('option', { name: /English/ }).click()
      }
      expect(await asked(page, 'dismiss', intoEnglish)).toMatch(/not saved/)
      expect(await page.getByLabel(/^Title \(French\)/).inputValue()).toBe('Scarves')
      // The choice for the previous text does not apply to this one.
      await page.getByText('The translation is saved').waitFor({ state: 'hidden' })
      await save()
      await page.getByText('The translation is saved').waitFor()
      await intoEnglish()
      expect(await page.getByLabel(/^Title \(English\)/).inputValue()).toBe('Scarves')
      expect(await inFrench(category['@id'])).toMatchObject({ title: 'Scarves' })
    })

    describe('one product after the other', () => {
      const missing = '/api/translations/products?missing=fr-FR&itemsPerPage=0'
      const left = async (): Promise<number> => (await stage.shop.read(missing)).totalItems
      const openList = async () => {
        await stage.page.goto('about:blank')
        await stage.page.goto(`${stage.origin}/admin#/untranslated?kind=products&missing=fr-FR`)
      }
      /** The product that is open, once its first empty text has the focus. */
      const opened = async (before: string | null) => {
        const { page } = stage
        await expect
          .poll(() => page.evaluate<string | null>('document.querySelector("h1, h2")?.textContent ?? null'))
          .not.toBe(before)
        await expect.poll(() => page.evaluate('document.activeElement.value')).toBe('')
        return page.getByRole('heading', { level: 1 }).innerText()
      }

      test('ten products are translated with eleven clicks and keys', async () => {
        const { page, shop, mug } = stage
        const whole = {
          title: 'Entier',
          description: 'Entière.',
          seo: { title: 'Entiers', description: 'De grès' },
        }
        for (const { '@id': iri } of [mug, scarf]) await shop.update(iri, whole, { locale: 'fr-FR' })
        const before = await left()
        await openList()
        const steps = await countSteps(page)
        await page
          .getByRole('link', { name: /^Translate: Plate/ })
          .first()
          .click()
        let title: string | null = null
        for (let at = 0; at < 10; at += 1) {
          title = await opened(title)
          expect(title).toMatch(/^Translate Plate \d+$/)
          await page.keyboard.insertText(title.replace('Translate Plate', 'Assiette'))
          await page.keyboard.press('Control+Enter')
        }
        await opened(title)
        expect(await steps()).toBe(11)
        await page.getByText(`Products untranslated in French: ${before - 10}`).waitFor()
        expect(await left()).toBe(before - 10)
        const number = title?.replace('Translate Plate ', '')
        const { member } = await shop.read(`/api/products?q=${encodeURIComponent(`Plate ${number}`)}`)
        const plate = member.find((each: Made) => each.title === `Plate ${number}`)
        expect(await inFrench(plate['@id'])).toEqual({ title: `Assiette ${number}` })
        expect(await seriousIn(page)).toEqual([])
        await fitsOnPhone(page)
      })

      test('a rejected text and the text of another user stay open, and a skipped product is not shown again', async () => {
        const { page, shop, writes } = stage
        const body = ['Bowl', 'Jug', 'Vase'].map((title) => ({ title }))
        const { member: made } = await shop.create('/api/products', body)
        await openList()
        const next = () => page.getByRole('button', { name: 'Save and next' }).click()
        await page.goto(`${stage.origin}/admin#/translate/${encodeURIComponent(made[0]['@id'])}?into=fr-FR`)
        const bowl = await opened(null)
        expect(bowl).toBe('Translate Bowl')
        await page.keyboard.insertText('b'.repeat(1000))
        await page.keyboard.press('Control+Enter')
        const title = page.getByLabel(/^Title \(French\)/)
        await page.getByRole('alert').getByRole('button', { name: 'Title (French)' }).click()
        expect(await title.getAttribute('aria-invalid')).toBe('true')
        expect(await title.inputValue()).toBe('b'.repeat(1000))
        await title.fill('Bol')
        await shop.update(made[0]['@id'], { title: 'Jatte' }, { locale: 'fr-FR' })
        await next()
        const dialog = page.getByRole('dialog', { name: /Another user/ })
        await dialog.getByRole('radio', { name: /Mine/ }).check()
        await dialog.getByRole('button', { name: 'Save these' }).click()
        const skipped = await opened(bowl)
        expect(await inFrench(made[0]['@id'])).toEqual({ title: 'Bol' })
        writes.splice(0)
        await next()
        const after = await opened(skipped)
        await next()
        expect(await opened(after)).not.toBe(skipped)
        expect(writes).toEqual([])
      })
    })
  })
}

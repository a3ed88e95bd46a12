/** The page of a product in /admin: SKUs and prices of its variants are saved with it. */
import { beforeAll, describe, expect, test } from 'vitest'
import { seriousIn } from './axe.ts'
import type { Stage } from './chromium.ts'
import { fitsOnPhone } from './in-browser.ts'
import { countSteps } from './steps.ts'

type Made = ReturnType<typeof JSON.parse>

export function productPage(of: () => Stage): void {
  describe('the page of a product', () => {
    let stage: Stage
    let bowl: Made

    beforeAll(async () => {
      stage = of()
      const sizes = ['Small', 'Large']
      bowl = await stage.shop.create('/api/products', {
        title: 'Salad bowl',
        status: 'ACTIVE',
        channels: ['web'],
        options: [{ title: 'Size', values: sizes.map((title) => ({ title })) }],
        variants: sizes.map((value) => ({
          sku: `BOWL-${value}`,
          optionValues: [{ option: 'Size', value }],
          saleOffers: [{ amount: '18.00', currency: 'EUR' }],
        })),
      })
    })

    const cell = (name: string) => stage.page.getByRole('textbox', { name, exact: true })
    const price = (variant: string) => cell(`${variant}, Every channel, every country, EUR`)
    const open = async () => {
      await stage.page.goto('about:blank')
      await stage.page.goto(`${stage.origin}/admin#/products/${encodeURIComponent(bowl['@id'])}`)
      await price('Small').waitFor()
      stage.writes.splice(0)
    }
    const save = () => stage.page.getByRole('button', { name: 'Save', exact: true }).click()
    const isSaved = () => stage.page.getByText('Product saved').waitFor()
    const offersOf = async (variant: Made): Promise<string[]> => {
      const list = await stage.shop.read(`/api/sale_offers?variant=${encodeURIComponent(variant['@id'])}`)
      return list.member.map(({ amount }: Made) => amount)
    }
    const paths = () => stage.writes.map(({ method, path }) => `${method} ${path.split('/')[2]}`)

    test('the price of one variant changes with two clicks', async () => {
      const { page } = stage
      await open()
      const steps = await countSteps(page)
      await price('Small').click()
      await page.keyboard.insertText('19.50')
      await save()
      await isSaved()
      expect(await steps()).toBe(2)
      expect(paths()).toEqual(['PATCH sale_offers'])
      expect(await offersOf(bowl.variants[0])).toEqual(['19.50'])
      await expect.poll(() => price('Small').inputValue()).toBe('19.50')
      await stage.settled()
      expect(await seriousIn(page)).toEqual([])
      await fitsOnPhone(page)
    })

    test('the title, SKUs and prices are one save', async () => {
      const { page, shop } = stage
      await open()
      await page.getByLabel('Title').first().fill('Big bowl')
      await cell('Large, SKU').fill('BOWL-L')
      await price('Large').fill('25')
      await page.keyboard.press('Control+s')
      await isSaved()
      expect(paths()).toEqual(['PATCH products', 'PATCH sale_offers', 'PATCH products'])
      const { title, variants } = await shop.read(bowl['@id'])
      expect([title, variants[1].sku]).toEqual(['Big bowl', 'BOWL-L'])
      expect(await offersOf(variants[1])).toEqual(['25.00'])
      // The next save begins with the saved versions.
      await cell('Large, SKU').fill('BOWL-XL')
      await page.getByText('Product saved').waitFor({ state: 'hidden' })
      await save()
      await isSaved()
      expect((await shop.read(bowl['@id'])).variants[1].sku).toBe('BOWL-XL')
    })

    test('an invalid price sends nothing, and a rejected SKU keeps its text while the others are saved', async () => {
      const { page, shop } = stage
      await open()
      await price('Small').fill('cheap')
      await save()
      await page.getByText('This is not one number.', { exact: false }).first().waitFor()
      expect(paths()).toEqual([])
      await price('Small').fill('21')
      await cell('Small, SKU').fill('BOWL-XL')
      await save()
      await expect.poll(() => cell('Small, SKU').getAttribute('aria-invalid')).toBe('true')
      expect(await cell('Small, SKU').inputValue()).toBe('BOWL-XL')
      expect(await offersOf(bowl.variants[0])).toEqual(['21.00'])
      await cell('Small, SKU').fill('BOWL-S')
      await save()
      await isSaved()
      expect((await shop.read(bowl['@id'])).variants[0].sku).toBe('BOWL-S')
    })

    test('a price that applies for a time is edited, and the price grid has the others', async () => {
      const { page, shop } = stage
      await shop.create('/api/sale_offers', {
        variant: bowl.variants[0]['@id'],
        amount: '15.00',
        currency: 'EUR',
        validUntil: '2099-01-01T00:00:00Z',
      })
      await open()
      await expect.poll(() => price('Small').inputValue()).toBe('15.00')
      await price('Small').fill('14')
      await save()
      await isSaved()
      expect((await offersOf(bowl.variants[0])).toSorted()).toEqual(['14.00', '21.00'])
      await page.getByRole('link', { name: '1 more price' }).click()
      await page.getByRole('heading', { name: /^Prices of/ }).waitFor()
    })
  })
}

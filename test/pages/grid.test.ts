/** The grid of many products in /admin: prices and properties that are pasted, checked, saved at once and undone. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { performBulkOperations } from './bulk-operations.ts'
import { type Stage, signIn } from './chromium.ts'
import { fitsOnPhone, onDesktop } from './in-browser.ts'
import { countSteps } from './steps.ts'

onDesktop((of) => {
  describe('many products in a grid', () => {
    let stage: Stage
    let page: Page
    let stopBulkOperations: () => Promise<void>

    beforeAll(async () => {
      stage = of()
      page = stage.page
      await signIn(stage)
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: stage.origin })
      stopBulkOperations = await performBulkOperations(stage.shop.tenant.id)
      for (const first of [0, 50, 100]) {
        const body = Array.from({ length: 50 }, (_, at) => ({
          title: `Spoon ${first + at}`,
          vendor: 'Griddle',
          tags: ['steel'],
          status: 'ACTIVE',
          channels: ['web'],
          variants: [
            {
              sku: `SP-${first + at}`,
              weight: { value: 40, unit: 'g' },
              saleOffers: [{ amount: '10.00', currency: 'EUR' }],
            },
          ],
        }))
        await stage.shop.create('/api/products', body)
      }
    }, 90_000)
    afterAll(() => stopBulkOperations?.())

    const cell = (name: string | RegExp) => page.getByRole('textbox', { name })
    const ofVendor = async () => {
      await page.goto('about:blank')
      await page.goto(`${stage.origin}/admin#/products?filter=${encodeURIComponent('{"vendor":"Griddle"}')}`)
      await page.getByText('1-25 of 150').waitFor()
    }
    const openGrid = async (filter: object) => {
      await page.goto('about:blank')
      await page.goto(`${stage.origin}/admin#/grid/${encodeURIComponent(JSON.stringify(filter))}`)
      await cell(/EUR$/).first().waitFor()
    }
    const copy = (lines: readonly (readonly unknown[])[]) =>
      page.evaluate<void>(
        `navigator.clipboard.writeText(${JSON.stringify(lines.map((line) => line.join('\t')).join('\r\n'))})`,
      )
    /** The amounts of SKUs in the service. */
    const amounts = async (skus: readonly string[]) => {
      const found = new Map<string, string>()
      for (const sku of skus) {
        const { member } = await stage.shop.read(`/api/products?sku=${sku}`)
        const [variant] = member[0].variants.filter((each: { sku: string }) => each.sku === sku)
        const { member: own } = await stage.shop.read(
          `/api/sale_offers?variant=${encodeURIComponent(variant['@id'])}`,
        )
        found.set(sku, own.map(({ amount }: { amount: string }) => amount).join())
      }
      return found
    }
    const skus = Array.from({ length: 40 }, (_, at) => `SP-${at * 3}`)

    test('40 prices of 40 products come from a spreadsheet with four clicks and keys, and are undone', async () => {
      await ofVendor()
      await copy([['SKU', 'Price'], ...skus.toReversed().map((sku, at) => [sku, `€ ${20 + at}.50`])])
      const steps = await countSteps(page)
      stage.writes.splice(0)
      await page.getByRole('link', { name: 'Edit in grid' }).click()
      await expect.poll(() => page.evaluate('document.activeElement?.ariaLabel')).toMatch(/EUR$/)
      await page.keyboard.press('Control+v')
      await page.getByText('40 changed', { exact: true }).waitFor()
      await page.getByRole('button', { name: 'Save', exact: true }).click()
      await page.getByText('40 prices change', { exact: true }).waitFor()
      await stage.picture('admin-grid-preview')
      expect([...(await amounts(skus.slice(0, 2))).values()]).toEqual(['10.00', '10.00'])
      await page.getByRole('button', { name: 'Apply the changes' }).click()
      await page.getByText('40 changes are saved.').waitFor()
      expect(await steps()).toBe(4)
      expect(stage.writes.map(({ method, path }) => `${method} ${path}`)).toEqual([
        'POST /api/bulk_operations',
        'POST /api/bulk_operations',
      ])
      expect(await amounts(skus)).toEqual(
        new Map(skus.map((sku, at) => [sku, `${20 + (39 - at)}.50`] as const)),
      )
      await page.getByRole('button', { name: 'Undo the changes' }).click()
      await page.getByText('40 restored.').waitFor()
      expect(new Set((await amounts(skus)).values())).toEqual(new Set(['10.00']))
    })

    test('unknown and duplicate SKUs are listed before anything is pasted', async () => {
      await openGrid({ vendor: 'Griddle' })
      await copy([
        ['SP-1', '11'],
        ['NOPE', '12'],
        ['SP-2', '13'],
        ['SP-2', '14'],
      ])
      await page.keyboard.press('Control+v')
      const report = page.getByRole('alert').filter({ hasText: 'Nothing is pasted yet' })
      await report.getByText('One SKU has no row here: NOPE').waitFor()
      await report.getByText('One SKU is in several lines: SP-2').waitFor()
      await page.getByText('Nothing is changed yet.').waitFor()
      await report.getByRole('button', { name: 'Paste the other line' }).click()
      await page.getByText('1 changed', { exact: true }).waitFor()
      await page.getByLabel('Find a variant').fill('SP-1')
      await page.getByLabel('Changed rows only').check()
      expect(await cell('Spoon 1, Every channel, every country, EUR').inputValue()).toBe('11')
      expect(await cell(/EUR$/).count()).toBe(1)
      await page.getByRole('button', { name: 'Drop changes' }).click()
    })

    test('few rows are drawn of many, and the keyboard reaches all of them', async () => {
      await openGrid({ vendor: 'Griddle' })
      const drawn = () => page.getByRole('textbox', { name: /EUR$/ }).count()
      expect(await drawn()).toBeLessThan(40)
      await cell(/EUR$/).first().click()
      for (let row = 0; row < 60; row += 1) await page.keyboard.press('Enter')
      expect(await page.evaluate('document.activeElement.dataset.row')).toBe('60')
      await page.keyboard.type('7')
      await page.mouse.move(600, 500)
      await page.mouse.wheel(0, 100_000)
      await cell('Spoon 0, Every channel, every country, EUR').waitFor()
      expect(await drawn()).toBeLessThan(40)
      expect(await page.evaluate('document.activeElement.value')).toBe('7')
      for (let row = 0; row < 20; row += 1) await page.keyboard.press('Shift+ArrowDown')
      await page.getByText('21 × 1 cells are selected.').waitFor()
      await page.keyboard.press('Control+d')
      const status = (text: string) => page.getByText(`21 × 1 cells are selected. ${text}`).waitFor()
      await status('21 changed')
      await page.keyboard.press('Control+z')
      await status('1 changed')
      await page.keyboard.press('Control+y')
      await status('21 changed')
      await page.getByRole('button', { name: 'Drop changes' }).click()
    })

    test('a column of prices changes by percent and to an ending, and texts are replaced', async () => {
      await openGrid({ 'sku[]': ['SP-1', 'SP-2', 'GONE'] })
      await page.getByText('One of the names has no product: GONE').waitFor()
      const names = ['Spoon 1', 'Spoon 2'].map((name) => `${name}, Every channel, every country, EUR`)
      const texts = () => Promise.all(names.map((name) => cell(name).inputValue()))
      const change = async (fill: () => Promise<void>) => {
        await page.getByRole('button', { name: 'Change cells' }).click()
        await fill()
        await page.getByRole('button', { name: 'Apply', exact: true }).click()
      }
      await change(async () => {
        await page.getByLabel(/^Percent/).fill('5')
        await page.getByRole('combobox', { name: 'Rounding' }).click()
        await page.getByRole('option', { name: 'down to an ending of .95' }).click()
      })
      expect(await texts()).toEqual(['9.95', '9.95'])
      await change(async () => {
        await page.getByRole('combobox', { name: 'What' }).click()
        await page.getByRole('option', { name: 'Find and replace' }).click()
        await page.getByLabel('Find', { exact: true }).fill('9.')
        await page.getByLabel('Replace by').fill('11.')
      })
      expect(await texts()).toEqual(['11.95', '11.95'])
      await fitsOnPhone(page)
      await page.getByRole('button', { name: 'Save', exact: true }).click()
      await page.getByText('The changes are saved').waitFor()
      expect([...(await amounts(['SP-1', 'SP-2'])).values()]).toEqual(['11.95', '11.95'])
    })

    test('properties are columns to choose; formulas are texts, and errors are at their cells', async () => {
      await openGrid({ 'handle[]': ['spoon-3', 'spoon-4'] })
      await page.getByRole('button', { name: 'Columns' }).click()
      for (const name of ['Vendor', 'Tags', 'Weight', 'Status'])
        await page.getByRole('menuitemcheckbox', { name }).click()
      await page.keyboard.press('Escape')
      await copy([['=SUM(A1:A9)', 'steel, new']])
      await cell('Spoon 3, Vendor').click()
      await page.keyboard.press('Control+v')
      expect(await cell('Spoon 3, Tags').inputValue()).toBe('steel, new')
      await cell('Spoon 4, Status').fill('draft')
      await cell('Spoon 4, Weight').fill('heavy')
      await page.getByText('Write a number and g, kg, oz or lb, such as 180 g.').waitFor()
      await cell('Spoon 4, Weight').fill('0.5 kg')
      const price = cell('Spoon 3, Every channel, every country, EUR')
      await copy([['=1+1']])
      await price.click()
      await page.keyboard.press('Control+v')
      await page.getByText('This is not one number.', { exact: false }).waitFor()
      await price.fill('10.00')
      await page.getByText('3 products and variants').waitFor()
      await page.getByRole('button', { name: 'Save', exact: true }).click()
      await page.getByText('The changes are saved').waitFor()
      const read = async (handle: string) =>
        (await stage.shop.read(`/api/products?handle=${handle}`)).member[0]
      expect(await read('spoon-3')).toMatchObject({ vendor: '=SUM(A1:A9)', tags: ['steel', 'new'] })
      const { status, variants } = await read('spoon-4')
      expect([status, variants[0].weight]).toEqual(['DRAFT', { value: 0.5, unit: 'kg' }])
    })

    test('the price of a broader place is shown in a cell without its own', async () => {
      await openGrid({ 'sku[]': ['SP-5'] })
      await page.getByRole('button', { name: 'Add a column' }).click()
      await page.getByRole('combobox', { name: 'Channel' }).fill('web')
      await page.getByRole('option', { name: 'web', exact: true }).click()
      await page.getByLabel('Currency').fill('EUR')
      await page.getByRole('button', { name: 'Add', exact: true }).click()
      const own = cell('Spoon 5, web, every country, EUR')
      expect(await own.inputValue()).toBe('')
      expect(await own.getAttribute('placeholder')).toBe('10.00')
    })

    test('nine SKUs of nine variants are one save', async () => {
      const values = Array.from({ length: 9 }, (_, at) => `Size ${at}`)
      await stage.shop.create('/api/products', {
        title: 'Ring',
        handle: 'ring',
        status: 'ACTIVE',
        options: [{ title: 'Size', values: values.map((title) => ({ title })) }],
        variants: values.map((value) => ({ optionValues: [{ option: 'Size', value }] })),
      })
      await openGrid({ 'handle[]': ['ring'] })
      await copy(values.map((_, at) => [`RING-${at}`]))
      await cell('Ring, Size 0, SKU').click()
      const steps = await countSteps(page)
      await page.keyboard.press('Control+v')
      await page.getByText('9 products and variants').waitFor()
      await page.getByRole('button', { name: 'Save', exact: true }).click()
      await page.getByText('The changes are saved').waitFor()
      expect(await steps()).toBe(2)
      const [ring] = (await stage.shop.read('/api/products?handle=ring')).member
      expect(ring.variants.map(({ sku }: { sku: string }) => sku)).toEqual(
        values.map((_, at) => `RING-${at}`),
      )
    })

    test('a paste of 100,000 cells is refused in a sentence at once', async () => {
      await openGrid({ vendor: 'Griddle' })
      await copy(Array.from({ length: 10_000 }, () => Array(10).fill('1')))
      const start = Date.now()
      await page.keyboard.press('Control+v')
      await page.getByText('it has 100,000 cells, and a paste has at most 20,000', { exact: false }).waitFor()
      expect(Date.now() - start).toBeLessThan(3000)
      await page.getByText('Nothing is changed yet.').waitFor()
    })

    test('a rejected cell stays red with its reason, the others are saved, and an expired token loses nothing', async () => {
      const [rejected, ...others] = Array.from({ length: 25 }, (_, at) => `SP-${100 + at}`)
      const { member } = await stage.shop.read(`/api/products?sku=${rejected}`)
      const { member: own } = await stage.shop.read(
        `/api/sale_offers?product=${encodeURIComponent(member[0]['@id'])}`,
      )
      await stage.shop.update(own[0]['@id'], { compareAtAmount: '12.00' })
      await openGrid({ 'sku[]': [rejected, ...others] })
      await copy([rejected, ...others].map((sku) => [sku, '13']))
      await page.keyboard.press('Control+v')
      await page.getByText('25 changed', { exact: true }).waitFor()
      const expired = await stage.shop.token({ claims: { exp: Math.floor(Date.now() / 1000) - 3600 } })
      await page.evaluate(`sessionStorage.setItem('catalogue.token', ${JSON.stringify(expired)})`)
      await page.getByRole('button', { name: 'Save', exact: true }).click()
      const dialog = page.getByRole('dialog', { name: 'Sign in again to continue' })
      await dialog.getByLabel('Access token').fill(await stage.shop.token())
      await dialog.getByRole('button', { name: 'Sign in' }).click()
      await page.getByText('24 prices change, one line is rejected', { exact: true }).waitFor()
      const cellRejected = cell(/^Spoon 100, .*EUR$/)
      const isRed = () => cellRejected.getAttribute('aria-invalid')
      expect(await isRed()).toBe('true')
      await page.getByRole('button', { name: 'Apply the changes' }).click()
      await page.getByText('24 changes are saved.').waitFor()
      expect([await isRed(), await cellRejected.inputValue()]).toEqual(['true', '13'])
      await page.getByText('The comparison price must be higher than the price.').waitFor()
      expect([...(await amounts([rejected ?? '', ...others.slice(0, 3)])).values()]).toEqual([
        '10.00',
        '13.00',
        '13.00',
        '13.00',
      ])
      await page.getByRole('button', { name: 'Drop changes' }).click()
    })
  })
})

/** Prices in /admin: shown and edited. */
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { allScopes } from '../../src/resources/index.ts'
import { asked, byMenu, focused, type Stage } from './chromium.ts'
import { fitsOnPhone } from './in-browser.ts'
import { settled } from './settled.ts'

/** Products and prices of their own on the stage's service. */
export function prices(of: () => Stage): void {
  describe('prices', () => {
    let stage: Stage
    let page: Page
    let bowl: ReturnType<typeof JSON.parse>

    beforeAll(async () => {
      stage = of()
      page = stage.page
      const { shop } = stage
      const body = {
        title: 'Glass bowl',
        status: 'ACTIVE',
        channels: ['web'],
        options: [{ title: 'Size', values: [{ title: 'Small' }, { title: 'Large' }] }],
        variants: ['Small', 'Large'].map((value) => ({
          sku: `BOWL-${value}`,
          optionValues: [{ option: 'Size', value }],
        })),
      }
      bowl = await shop.create('/api/products', body)
      const small = bowl.variants[0]['@id']
      const offer = async (terms: object) =>
        (
          await shop.create('/api/sale_offers', { variant: small, currency: 'EUR', channel: 'web', ...terms })
        )['@id']
      const standing = await offer({ amount: '20.00' })
      await offer({
        amount: '15.00',
        compareAtAmount: '22.00',
        validFrom: inDays(10),
        validUntil: inDays(20),
      })
      await offer({ amount: '9.00', minQuantity: 10 })
      await offer({ amount: '7.00', channel: 'pos' })
      const ada = await shop.token({ sub: 'ada', permissions: ['identity:sale_offers:write'] })
      await shop.update(standing, { amount: '22.00' }, { token: ada })
      const cost = { variant: small, supplier: 'glass-works', cost: '8.80', currency: 'EUR' }
      await shop.create('/api/purchase_offers', cost)
    })

    const open = async (part: string) => {
      await page.goto(`${stage.origin}/admin#/categories`)
      await page.getByRole('link', { name: 'Tableware' }).waitFor()
      await page.goto(`${stage.origin}/admin#/products/${encodeURIComponent(bowl['@id'])}`)
      await page.getByRole('button', { name: part }).click()
    }

    test('the history of a price is a chart and a table: past and future prices, and the cause of each step', async () => {
      await open('Price over time')
      await page.getByText(/Times in Europe\/Paris \(GMT/).waitFor()
      const table = page.getByRole('table', { name: 'Price of Small over time' })
      await table.getByText(/ada changed it on/).waitFor()
      const tableRows = async () => {
        const rows = await table.getByRole('row').allInnerTexts()
        return rows.slice(1).map((row) => row.replaceAll(/\s+/g, ' '))
      }
      // Who caused a step is read for each.
      await expect
        .poll(tableRows)
        .toEqual([
          expect.stringContaining('no price'),
          expect.stringMatching(/€20\.00 .* added a price on/),
          expect.stringMatching(/€20\.00 from 10 pieces: €9\.00 .* added a price on/),
          expect.stringMatching(/€22\.00 from 10 pieces: €9\.00 ada changed it on .*Amount: 20\.00 → 22\.00/),
          expect.stringMatching(/€15\.00 €22\.00 .*A price began, by its own dates\./),
          expect.stringMatching(/€22\.00 .*A price ended, by its own dates\./),
        ])
      const chart = page.getByRole('figure', { name: 'Price of Small over time' })
      const { width = 0, height = 0 } = (await chart.boundingBox()) ?? {}
      const tip = page.getByRole('tooltip')
      // Where a step stands depends on how wide the chart is.
      for (let part = 0.5; part < 0.9 && !(await tip.getByText(/€22\.00/).isVisible()); part += 0.015) {
        await chart.hover({ position: { x: width * part, y: height / 2 } })
        await stage.settled()
      }
      expect(await tip.innerText()).toMatch(/ada changed it on/)
      await stage.picture('admin-price-history')
      await page.mouse.move(0, 0)
      await fitsOnPhone(page)
    })

    test('other variants and ranges can be chosen, and an empty range has a text', async () => {
      await open('Price over time')
      await page.getByRole('button', { name: '± 1 year' }).click()
      await page.getByRole('table', { name: 'Price of Small over time' }).waitFor()
      await page.getByRole('combobox', { name: 'Variant' }).click()
      await page.getByRole('option', { name: 'Large' }).click()
      await page.getByText('There was no price in this time').waitFor()
    })

    test('a price is explained, for a chosen customer and time, with its margin', async () => {
      await open('Why this price')
      await page.getByText('€22.00 is what one piece costs.').waitFor()
      await page.getByText('Margin: €13.20 (60%), with a cost of €8.80 from glass-works.').waitFor()
      const table = page.getByRole('table', { name: 'Prices that were considered' })
      await table.getByText(/^€22\.00, channel web/).waitFor()
      const rows = await table.getByRole('row').allInnerTexts()
      expect(rows.slice(1).map((row) => row.replaceAll(/\s+/g, ' ').trim())).toEqual([
        'Wins €22.00, channel web, every country It is the only price that applies.',
        expect.stringMatching(/^Does not apply €15\.00 instead of €22\.00, .* It begins on /),
        'Does not apply €7.00, channel pos, every country It is for the channel pos.',
        'Does not apply €9.00, channel web, every country, from 10 pieces It is for 10 pieces and more.',
      ])
      await stage.picture('admin-why-price')
      await page.getByLabel('Date and time').fill(`${inDays(15).slice(0, 10)}T12:00`)
      await page.getByText('€15.00 is what one piece costs.').waitFor()
      await table.getByText('Its dates are more open than those of the winner').waitFor()
      await page.getByLabel('Date and time').fill('')
      await page.getByRole('combobox', { name: 'Channel', exact: true }).fill('fax')
      await page.getByText('There is no price for this customer at this time.').waitFor()
      await fitsOnPhone(page)
    })

    test('a reduced price has its prior price with the rule of the country, or the reason why there is none', async () => {
      await open('Why this price')
      await page.getByText('€22.00 is what one piece costs.').waitFor()
      expect(await page.getByText(/^(?:No p|P)rior price:/).count()).toBe(0)
      await page.getByLabel('Date and time').fill(`${inDays(15).slice(0, 10)}T12:00`)
      await page
        .getByText(/^Prior price: €20\.00, the lowest from .+ until .+\. The reduction is 25%\.$/)
        .waitFor()
      await page.getByText('Rule of France (FR):').waitFor()
      const act = page.getByRole('link', { name: 'Code de la consommation, article L112-1-1' })
      expect(await act.getAttribute('href')).toMatch(/^https:/)
      await stage.picture('admin-prior-price')
      await fitsOnPhone(page)
      const country = page.getByLabel('Country (two letters)')
      await country.fill('BE')
      await page.getByText('No prior price: the goods are too new for the rule of this country.').waitFor()
      await page.getByText(/^Rule of Belgium .* The text of the act was not read\./).waitFor()
      await country.fill('US')
      await page.getByText('No prior price: the service has no rule for this country.').waitFor()
      expect(await page.getByText(/^Rule of/).count()).toBe(0)
    })

    test('a price has the unit price of the content, for the quantity of the category', async () => {
      const small = bowl.variants[0]['@id']
      await page.goto(`${stage.origin}/admin#/variants/${encodeURIComponent(small)}`)
      await page.getByLabel('Content of one package').fill('200')
      await page.getByRole('combobox', { name: 'Unit' }).nth(1).click()
      await page.getByRole('option', { name: 'ml' }).click()
      await page.getByRole('button', { name: 'Save' }).click()
      await expect
        .poll(async () => (await stage.shop.read(small)).measure)
        .toEqual({ value: 200, unit: 'ml' })
      await open('Why this price')
      await page.getByText('€110.00 per l', { exact: true }).waitFor()

      const category = await stage.shop.create('/api/categories', { title: 'Bowls' })
      await stage.shop.update(bowl['@id'], { categories: [category['@id']] })
      await page.goto(`${stage.origin}/admin#/categories/${encodeURIComponent(category['@id'])}`)
      await page.getByLabel('Unit prices per').fill('100')
      await page.getByRole('combobox', { name: 'Unit' }).click()
      await page.getByRole('option', { name: 'ml' }).click()
      await stage.picture('admin-category-unit')
      await page.getByRole('button', { name: 'Save' }).click()
      await expect
        .poll(async () => (await stage.shop.read(category['@id'])).referenceUnit)
        .toEqual({ value: 100, unit: 'ml' })
      await open('Why this price')
      await page.getByText('€11.00 per 100 ml', { exact: true }).waitFor()
    })

    test('who may not read costs sees prices without margins, and no page of costs', async () => {
      const scope = allScopes.filter((each) => !each.startsWith('purchase_offers:')).join(' ')
      // A tab has a token of its own.
      const tab = await page.context().newPage()
      try {
        await tab.setViewportSize(stage.size)
        await tab.goto(`${stage.origin}/admin#token=${await stage.shop.token({ scope })}`)
        await tab.getByPlaceholder('Search products').waitFor()
        await byMenu(tab, 'Prices')
        expect(await tab.getByRole('menuitem', { name: 'Supplier costs' }).count()).toBe(0)
        // The list may still be opening, and would replace the page of the product.
        await settled(tab)
        await tab.goto(`${stage.origin}/admin#/products/${encodeURIComponent(bowl['@id'])}`)
        await tab.getByRole('button', { name: 'Why this price' }).waitFor()
        await settled(tab)
        await tab.getByRole('button', { name: 'Why this price' }).click()
        await tab.getByText('€22.00 is what one piece costs.').waitFor()
        await tab.getByRole('table', { name: 'Prices that were considered' }).waitFor()
        expect(await tab.getByText(/Margin|8\.80|glass-works/).count()).toBe(0)
      } finally {
        await tab.close()
      }
    })

    test('a warning is a sentence, and an unknown one its code', async () => {
      const asked = /explain=price/
      await page.route(asked, async (route) => {
        const { pathname, search } = new URL(route.request().url())
        const body = await stage.shop.read(pathname + search)
        body.resolvedPrice.warnings = [
          { code: 'compare_at_above_prior', compareAtAmount: '22.00', priorPrice: { amount: '20.00' } },
          { code: 'unheard_of' },
        ]
        await route.fulfill({ json: body })
      })
      try {
        await open('Why this price')
        await page.getByText(/reduced from €22\.00, but the lowest price .* was €20\.00/).waitFor()
        await page.getByText('The service warns: unheard_of').waitFor()
      } finally {
        await page.unroute(asked)
      }
    })

    const cell = (name: string) => page.getByRole('textbox', { name })
    const paste = (name: string, text: string) =>
      cell(name).evaluate((input: { dispatchEvent: (event: unknown) => void }, pasted: string) => {
        const { DataTransfer, ClipboardEvent } = globalThis as unknown as Clipboards
        const clipboardData = new DataTransfer()
        clipboardData.setData('text/plain', pasted)
        input.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
      }, text)

    /** The text that Ctrl+C puts on the clipboard. */
    const copied = () =>
      page.evaluate<string>(`(() => {
        const clipboardData = new DataTransfer()
        document.activeElement.dispatchEvent(new ClipboardEvent('copy', { clipboardData, bubbles: true, cancelable: true }))
        return clipboardData.getData('text/plain')
      })()`)

    test('prices are typed, pasted, undone, selected and filled down in a grid, which the keyboard moves in', async () => {
      await open('Price over time')
      await page.getByRole('link', { name: 'Edit prices in a grid' }).click()
      await page.getByRole('heading', { name: 'Prices of Glass bowl', level: 1 }).waitFor()
      const web = cell('Small, web, every country, EUR')
      expect(await web.inputValue()).toBe('22.00')
      const around = page.getByRole('cell').filter({ has: web })
      expect(await around.innerText()).toMatch(/€9\.00 from 10 pieces/)
      expect(await around.innerText()).toMatch(/€15\.00 .* – /)
      await web.click()
      await page.keyboard.type('23.5')
      await page.keyboard.press('Enter')
      await page.keyboard.type('24,O')
      await page.getByText('This is not one number. Write it like 1234.50.').waitFor()
      expect(await page.getByRole('button', { name: 'Save prices' }).isDisabled()).toBe(true)
      await page.keyboard.press('Backspace')
      await page.keyboard.press('Backspace')
      await page.getByText('1 new, 1 changed').waitFor()
      await page.keyboard.press('ArrowUp')
      await page.keyboard.press('ArrowLeft')
      expect(await focused(page, 'aria-label')).toBe('Small, pos, every country, EUR')
      await page.keyboard.type('7.20')
      await page.keyboard.press('Control+d')
      expect(await cell('Large, pos, every country, EUR').inputValue()).toBe('7.20')
      await page.getByText('2 new, 2 changed').waitFor()
      await page.getByRole('button', { name: 'Undo' }).click()
      expect(await cell('Large, pos, every country, EUR').inputValue()).toBe('')
      await paste('Small, pos, every country, EUR', '€6.50\t25\r\n6.75\t26\r\n')
      const texts = () =>
        page.getByRole('textbox', { name: /EUR$/ }).evaluateAll<string[], { value: string }>((inputs) => {
          return inputs.map(({ value }) => value)
        })
      const [before, after] = [
        ['7.20', '23.5', '', '24'],
        ['6.50', '25', '6.75', '26'],
      ]
      expect(await texts()).toEqual(after)
      await cell('Small, pos, every country, EUR').focus()
      await page.keyboard.press('Control+z')
      expect(await texts()).toEqual(before)
      await paste('Small, pos, every country, EUR', '€6.50\t25\r\n6.75\t26\r\n')
      await page.keyboard.press('Shift+ArrowDown')
      await page.keyboard.press('Shift+ArrowRight')
      await page.getByText('2 × 2 cells are selected.').waitFor()
      await stage.picture('admin-price-grid')
      expect(await copied()).toBe('6.50\t25\n6.75\t26')
      await page.keyboard.press('Control+d')
      expect(await texts()).toEqual(['6.50', '25', '6.50', '25'])
      await page.keyboard.press('Delete')
      expect(await texts()).toEqual(['', '', '', ''])
      for (const _ of ['Delete', 'fill down']) await page.keyboard.press('Control+z')
      expect(await texts()).toEqual(after)
    })

    test('a concurrent change is shown at its cell; the rest is one request and a change', async () => {
      const pos = (await shopOffers('channel=pos'))[0]
      await stage.shop.update(pos['@id'], { amount: '8.00' })
      stage.writes.splice(0)
      await page.getByRole('button', { name: 'Save prices' }).click()
      await page.getByText(/^Nothing was saved: another user has changed one/).waitFor()
      await page.getByText(/Another user has set €8\.00 in the meantime/).waitFor()
      expect(stage.writes).toEqual([])
      await stage.picture('admin-price-grid-overtaken')
      await page.getByRole('button', { name: 'Take theirs' }).click()
      await page.getByText('2 new, 1 changed').waitFor()
      await page.getByRole('button', { name: 'Save prices' }).click()
      await page.getByText('The prices are saved').waitFor()
      expect(stage.writes.map(({ method, body }) => [method, body])).toEqual([
        [
          'POST',
          [
            expect.objectContaining({ amount: '6.75', channel: 'pos' }),
            expect.objectContaining({ amount: '26', channel: 'web' }),
          ],
        ],
        ['PATCH', { amount: '25' }],
      ])
      expect((await shopOffers()).map(({ amount }) => amount).toSorted()).toEqual([
        '15.00',
        '25.00',
        '26.00',
        '6.75',
        '8.00',
        '9.00',
      ])
      await page.getByText('Nothing is changed yet.').waitFor()
    })

    test('an error is shown at its cell, an emptied cell is archived, and leaving asks', async () => {
      const small = bowl.variants[0]['@id']
      const web = (await shopOffers('channel=web')).find((each) => each.amount === '25.00')
      await stage.shop.update(web['@id'], { compareAtAmount: '30.00' })
      await page.goto(`${stage.origin}/admin#/categories`)
      await page.getByRole('link', { name: 'Tableware' }).waitFor()
      await page.goto(`${stage.origin}/admin#/price_grid/${encodeURIComponent(bowl['@id'])}`)
      // As visible as the outlines of other inputs.
      await cell('Small, web, every country, EUR').waitFor()
      const outline = await page.evaluate<string>(
        `getComputedStyle(document.querySelector('[data-row][data-column]')).borderTopColor`,
      )
      expect(outline).toBe('rgba(0, 0, 0, 0.38)')
      await cell('Small, web, every country, EUR').fill('31')
      await cell('Large, pos, every country, EUR').fill('')
      await page.getByRole('button', { name: 'Save prices' }).click()
      await page.getByText('The comparison price must be higher than the price.').waitFor()
      await page.getByText('One cell was not saved. It shows the error.').waitFor()
      expect((await shopOffers('channel=pos')).map(({ variant }) => variant)).toEqual([small])
      await fitsOnPhone(page)
      const back = () => page.getByRole('link', { name: 'Back to the product' }).click()
      expect(await asked(page, 'accept', back)).toMatch(/changes/)
      await page.getByRole('heading', { name: 'Glass bowl', level: 1 }).waitFor()
    })

    test('a sale is made of products, places, times and a percentage, seen before it is sent', async () => {
      await page.goto(`${stage.origin}/admin#/sale_offers`)
      await page.getByRole('link', { name: 'New sale' }).click()
      await page.getByLabel('Search products').fill('glass bowl')
      await page.getByText('One product is found.').waitFor()
      await page.getByRole('checkbox', { name: 'Choose Glass bowl' }).check()
      await page.getByRole('combobox', { name: 'Channels' }).fill('outlet')
      await page.getByRole('option', { name: 'Create the new channel “outlet”?' }).waitFor()
      await page.getByRole('combobox', { name: 'Channels' }).fill('')
      await page.keyboard.press('Escape')
      await page.getByLabel('From').fill('2030-03-01T00:00')
      await page.getByLabel('Until').fill('2030-03-04T00:00')
      expect(await page.getByRole('combobox', { name: 'Time zone' }).inputValue()).toBe('Europe/Paris')
      await page.getByText(/in the time of Europe\/Paris \(GMT\+1\)/).waitFor()
      await page.getByLabel(/^Reduction in/).fill('20')
      await page.getByRole('combobox', { name: 'Rounding' }).click()
      await page.getByRole('option', { name: 'down to an ending of .99' }).click()
      stage.writes.splice(0)
      await page.getByRole('button', { name: 'Calculate the new prices' }).click()
      const table = page.getByRole('table', { name: 'New prices' })
      await table.waitFor()
      const rows = await table.getByRole('row').allInnerTexts()
      expect(rows.slice(1).map((row) => row.replaceAll(/\s+/g, ' ').trim())).toEqual([
        'Glass bowl, Small web, every country €25.00 €19.99 €11.19 (56%) It is reduced already; its reduced price counts as the old one.',
        'Glass bowl, Large web, every country €26.00 €19.99 –',
      ])
      await table.getByRole('checkbox', { name: 'Lower the price of Glass bowl, Large' }).uncheck()
      await stage.picture('admin-sale')
      await fitsOnPhone(page)
      expect(stage.writes).toEqual([])
      await page.getByRole('button', { name: 'Start the sale with one price' }).click()
      await page.getByText('One price is in the sale.').waitFor()
      const period = { validFrom: '2030-02-28T23:00:00.000Z', validUntil: '2030-03-03T23:00:00.000Z' }
      expect(stage.writes.map(({ body }) => body)).toEqual([
        { name: expect.stringMatching(/^Sale of /), ...period },
        [
          {
            variant: bowl.variants[0]['@id'],
            campaign: expect.stringMatching(/^\/api\/campaigns\//),
            channel: 'web',
            countries: [],
            currency: 'EUR',
            amount: '19.99',
            compareAtAmount: '25.00',
            taxIncluded: true,
            priority: 0,
            ...period,
          },
        ],
      ])
      await page.getByRole('link', { name: 'Look at the prices' }).click()
      await page.getByText('Only the prices of a sale are shown.').waitFor()
      await page.getByText('1-1 of 1').waitFor()
      await page.getByRole('row', { name: /Glass bowl.*€19\.99/ }).waitFor()
      await page.getByRole('button', { name: 'Show all prices' }).click()
      await page.getByText('1-1 of 1').waitFor({ state: 'detached' })
      const asked = await stage.shop.get(
        `${bowl.variants[0]['@id']}?resolveContext[channel]=web&resolveContext[country]=FR&resolveContext[at]=2030-03-02T00:00:00Z`,
      )
      expect(asked.body.resolvedPrice).toMatchObject({ amount: '19.99', compareAtAmount: '25.00' })
    })

    test('a reduction that a country does not allow is seen with its reason before the sale is sent', async () => {
      const jug = { title: 'Clay jug', status: 'ACTIVE', channels: ['web'], variants: [{}] }
      const { '@id': iri, variants } = await stage.shop.create('/api/products', jug)
      for (const terms of [
        { amount: '15.00', validUntil: '2031-02-01T00:00:00Z' },
        { amount: '20.00', validFrom: '2031-02-01T00:00:00Z' },
      ])
        await stage.shop.create('/api/sale_offers', {
          variant: variants[0]['@id'],
          currency: 'EUR',
          ...terms,
        })
      await page.goto(`${stage.origin}/admin#/sale?product=${encodeURIComponent(iri)}`)
      await page.getByLabel('From').fill('2031-02-10T00:00')
      await page.getByLabel('Until').fill('2031-02-12T00:00')
      const notesAt = async (percent: string) => {
        await page.getByLabel(/^Reduction in/).fill(percent)
        await page.getByRole('button', { name: 'Calculate the new prices' }).click()
        const row = page.getByRole('table', { name: 'New prices' }).getByRole('row', { name: 'Clay jug' })
        return row.getByText(/^In FR, this reduction must not be announced as it is:/).innerText()
      }
      expect(await notesAt('30')).toMatch(/: the prior price is €15\.00\.$/)
      expect(await notesAt('20')).toMatch(/: it is not below the prior price, €15\.00\.$/)
      await fitsOnPhone(page)
      expect((await stage.shop.read(`/api/sale_offers?product=${iri}`)).totalItems).toBe(2)
    })

    test('the dates of a price are shown and typed by the clocks of the shop', async () => {
      const [sale] = (await shopOffers('channel=web')).filter(({ amount }) => amount === '19.99')
      await page.goto(`${stage.origin}/admin#/sale_offers/${encodeURIComponent(sale['@id'])}`)
      const until = page.getByLabel('Until', { exact: true })
      await until.waitFor()
      expect(await page.getByLabel('From', { exact: true }).inputValue()).toBe('2030-03-01T00:00')
      expect(await until.inputValue()).toBe('2030-03-04T00:00')
      await page.getByText(/^In Europe\/Paris \(GMT\+[12]\)\. Leave empty for no end\.$/).waitFor()
      // Over there the clocks have gone forward by then.
      await until.fill('2030-04-05T00:00')
      await until.blur()
      await page.getByRole('combobox', { name: 'Channel' }).fill('fax')
      await page.getByRole('option', { name: 'Create the new channel “fax”?' }).waitFor()
      await page.getByRole('combobox', { name: 'Channel' }).fill('')
      await page.getByRole('combobox', { name: 'Countries' }).fill('spai')
      await page.getByRole('option', { name: 'Sell in Spain (ES) for the first time?' }).click()
      stage.writes.splice(0)
      await page.getByRole('button', { name: 'Save' }).click()
      await expect
        .poll(() => stage.writes.map(({ body }) => body))
        .toEqual([{ countries: ['ES'], validUntil: '2030-04-04T22:00:00.000Z' }])
      const stored = async () => (await stage.shop.read(sale['@id'])).validUntil
      await expect.poll(stored).toBe('2030-04-04T22:00:00.000000Z')
      await page.goto(`${stage.origin}/admin#/latest-changes`)
      await page.getByRole('list', { name: 'Changes' }).waitFor()
      await page.getByText(/Mar 4, 2030, 12:00\sAM → Apr 5, 2030, 12:00\sAM/).waitFor()
    })

    test('the shopper is chosen from existing channels and countries; new ones need a confirmation', async () => {
      await page.goto(`${stage.origin}/admin#/categories`)
      await page.getByRole('button', { name: 'Prices: web · FR' }).click()
      const channel = page.getByRole('combobox', { name: 'Channel' })
      await channel.click()
      await page.getByRole('option', { name: 'pos', exact: true }).waitFor()
      await channel.fill('fair')
      await page.getByRole('option', { name: 'Create the new channel “fair”?' }).waitFor()
      await channel.fill('po')
      await page.getByRole('option', { name: 'pos', exact: true }).click()
      await page.getByRole('combobox', { name: 'Country' }).fill('ital')
      await page.getByRole('option', { name: 'Sell in Italy (IT) for the first time?' }).click()
      await stage.picture('admin-shopper')
      await page.getByRole('button', { name: 'Show these prices' }).click()
      await page.getByRole('button', { name: 'Prices: pos · IT' }).waitFor()
      await page.evaluate("localStorage.removeItem('catalogue.shopper')")
      await page.reload()
      await page.getByRole('button', { name: 'Prices: web · FR' }).waitFor()
    })

    async function shopOffers(query = ''): Promise<ReturnType<typeof JSON.parse>[]> {
      return (await stage.shop.read(`/api/sale_offers?product=${bowl['@id']}&${query}`)).member
    }
  })
}

function inDays(days: number): string {
  return new Date(Date.now() + days * 86_400_000).toISOString()
}

/** A global of the browser that this process has not. */
type Clipboards = {
  readonly DataTransfer: new () => { setData(type: string, text: string): void }
  readonly ClipboardEvent: new (type: string, about: object) => unknown
}

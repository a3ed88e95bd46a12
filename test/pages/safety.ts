/** No input in /admin is lost or changed without notice. */
import type { Dialog, Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { asked, byMenu, focused, type Stage } from './chromium.ts'
import { fitsOnPhone } from './in-browser.ts'

/** Its own products on the stage's service, so that no other test sees them. */
export function safety(of: () => Stage): void {
  describe('work is safe', () => {
    let stage: Stage
    let page: Page
    let lamp: string

    beforeAll(async () => {
      stage = of()
      page = stage.page
      const body = {
        title: 'Brass lamp',
        vendor: 'Lumen',
        tags: ['brass'],
        status: 'ACTIVE',
        variants: [{ sku: 'LAMP' }],
      }
      lamp = (await stage.shop.create('/api/products', body))['@id']
    })

    const open = async () => {
      await page.goto(`${stage.origin}/admin#/categories`)
      await page.getByRole('link', { name: 'Tableware' }).waitFor()
      await page.goto(`${stage.origin}/admin#/products/${encodeURIComponent(lamp)}`)
      await page.getByLabel('Vendor').waitFor()
    }
    const stored = async () => await stage.shop.read(lamp)
    const save = () => page.getByRole('button', { name: 'Save', exact: true }).click()

    const elsewhere = () => byMenu(page, 'Categories')
    const toFrench = async () => {
      await page.getByRole('combobox', { name: /Language/ }).click()
      await page.getByRole('option', { name: 'French' }).click()
    }
    const otherShopper = async () => {
      await page.getByRole('button', { name: /Prices:/ }).click()
      await page.getByRole('combobox', { name: 'Channel' }).fill('pos')
      await page.getByRole('option', { name: /pos/ }).click()
      await page.getByRole('button', { name: 'Show these prices' }).click()
    }

    test('leaving by the menu, another language and another shopper ask before they drop an edit', async () => {
      await open()
      await page.getByLabel('Vendor').fill('Half writt')
      const menu = elsewhere
      expect(await asked(page, 'dismiss', menu)).toMatch(/changes/)
      expect(await asked(page, 'dismiss', toFrench)).toMatch(/not saved/)
      expect(await asked(page, 'dismiss', otherShopper)).toMatch(/not saved/)
      await page.keyboard.press('Escape')
      expect(await page.getByLabel('Vendor').inputValue()).toBe('Half writt')
      expect(await asked(page, 'accept', toFrench)).toMatch(/not saved/)
      // The other language begins with the stored texts, not with the dropped ones.
      await page
        .getByRole('combobox', { name: /Language/ })
        .getByText(/^(French|FR)/)
        .waitFor()
      await page.getByLabel('Vendor').waitFor()
      expect(await page.getByLabel('Vendor').inputValue()).toBe('Lumen')
      await page.getByRole('combobox', { name: /Language/ }).click()
      await page.getByRole('option', { name: 'American English' }).click()
      expect((await stored()).vendor).toBe('Lumen')
    })

    test('concurrent changes are shown next to mine, and each property is chosen', async () => {
      await open()
      await page.getByLabel('Vendor').fill('Mine & Co')
      await page.getByLabel('Type', { exact: true }).fill('Table lamp')
      await stage.shop.update(lamp, { vendor: 'Theirs Ltd', tags: ['brass', 'desk'] })
      await save()
      const dialog = page.getByRole('dialog', { name: /Another user/ })
      await dialog.waitFor()
      await stage.picture('admin-collision', false)
      const vendor = dialog.getByRole('group', { name: /Vendor/ })
      expect(await vendor.innerText()).toMatch(/was: Lumen[\s\S]*Mine: Mine & Co[\s\S]*Theirs: Theirs Ltd/)
      expect(await dialog.getByRole('group', { name: /Tags/ }).innerText()).toContain('Theirs: brass, desk')
      const confirm = dialog.getByRole('button', { name: 'Save these' })
      expect(await confirm.isDisabled()).toBe(true)
      await vendor.getByRole('radio', { name: /Mine/ }).check()
      stage.writes.splice(0)
      await confirm.click()
      await page.getByText(/(?<!Not) saved$/).waitFor()
      expect(stage.writes.map(({ body }) => body)).toEqual([
        { vendor: 'Mine & Co', productType: 'Table lamp' },
      ])
      expect(await stored()).toMatchObject({
        vendor: 'Mine & Co',
        productType: 'Table lamp',
        tags: ['brass', 'desk'],
      })
    })

    test('going back from that choice saves nothing and keeps the edit', async () => {
      await open()
      await page.getByLabel('Vendor').fill('Mine again')
      await stage.shop.update(lamp, { vendor: 'Theirs again' })
      await save()
      await page.getByRole('button', { name: 'Back to the form' }).click()
      await page.getByRole('alert').getByText('Nothing was saved').waitFor()
      expect(await page.getByLabel('Vendor').inputValue()).toBe('Mine again')
      expect((await stored()).vendor).toBe('Theirs again')
      expect(await asked(page, 'accept', elsewhere)).toMatch(/changes/)
    })

    test('a write that touches no property of mine is no reason to ask', async () => {
      await open()
      await page.getByLabel('Type', { exact: true }).fill('Desk lamp')
      await stage.shop.create(`${lamp}/product_options`, { title: 'Finish' })
      await save()
      await page.getByText(/(?<!Not) saved$/).waitFor()
      expect((await stored()).productType).toBe('Desk lamp')
    })

    /** Delays the next change of a product until the test releases it. */
    const holdChange = async (iri: string) => {
      let release = () => {}
      const held = new Promise<void>((resolve) => {
        release = resolve
      })
      const isOfProduct = (url: URL) => url.pathname === iri
      const passed = new Promise<void>((resolve) => {
        void page.route(isOfProduct, async (route) => {
          if (route.request().method() !== 'PATCH') return route.continue()
          await held
          await route.continue()
          resolve()
        })
      })
      return async () => {
        release()
        await passed
        await page.unroute(isOfProduct)
      }
    }

    test('input during a save stays, leaving asks, and the next save contains it', async () => {
      await open()
      await page.getByLabel('Type', { exact: true }).fill('Reading lamp')
      const letThrough = await holdChange(lamp)
      await save()
      await page.getByLabel('Vendor').fill('Typed meanwhile')
      await letThrough()
      await page.getByText(/(?<!Not) saved$/).waitFor()
      expect(await stored()).toMatchObject({ productType: 'Reading lamp', vendor: 'Theirs again' })
      expect(await page.getByLabel('Vendor').inputValue()).toBe('Typed meanwhile')
      expect(await asked(page, 'dismiss', elsewhere)).toMatch(/changes/)
      stage.writes.splice(0)
      await save()
      await expect.poll(async () => (await stored()).vendor).toBe('Typed meanwhile')
      expect(stage.writes.map(({ body }) => body)).toEqual([{ vendor: 'Typed meanwhile' }])
    })

    test('leaving during a save continues after it, and asks if it fails', async () => {
      await open()
      await page.getByLabel('Type', { exact: true }).fill('Floor lamp')
      let letThrough = await holdChange(lamp)
      await save()
      await elsewhere()
      await page.getByLabel('Type', { exact: true }).waitFor()
      await letThrough()
      await page.getByRole('link', { name: 'Tableware' }).waitFor()
      expect((await stored()).productType).toBe('Floor lamp')
      await open()
      await page.getByLabel('Handle').fill('No Handle!')
      letThrough = await holdChange(lamp)
      await save()
      await elsewhere()
      expect(await asked(page, 'dismiss', letThrough)).toMatch(/not saved/)
      await page.getByRole('alert').filter({ hasText: 'Not saved' }).waitFor()
      expect(await asked(page, 'accept', elsewhere)).toMatch(/changes/)
    })

    test('edits of an archived product are dropped without a question', async () => {
      const body = { title: 'Tin lamp' }
      const tin = (await stage.shop.create('/api/products', body))['@id']
      await page.goto(`${stage.origin}/admin#/products/${encodeURIComponent(tin)}`)
      await page.getByLabel('Vendor').fill('Nobody')
      await page.getByRole('button', { name: 'Archive' }).click()
      const questions: string[] = []
      const hear = (question: Dialog) => {
        questions.push(question.message())
        return question.accept()
      }
      page.on('dialog', hear)
      await page.getByRole('button', { name: 'Archive', exact: true }).click()
      await page.getByText('Product archived').waitFor()
      await page.getByPlaceholder('Search products').waitFor()
      page.off('dialog', hear)
      expect(questions).toEqual([])
    })

    test('errors are listed in view, each line links to its field, and Save stays visible', async () => {
      await open()
      // A copy of the product that arrives later replaces the values of an unchanged form.
      await stage.settled()
      await page.getByRole('button', { name: 'Pictures' }).click()
      await page.getByRole('button', { name: 'Add by URL' }).click()
      await page.getByLabel('URL (https://…)').fill('no address')
      await page.getByRole('button', { name: 'Pictures' }).click()
      await page.getByLabel('Handle').fill('No Handle!')
      expect(await inSight(page, 'Save')).toBe(true)
      await fitsOnPhone(page)
      await save()
      const summary = page.getByRole('alert').filter({ hasText: 'Not saved' })
      await summary.waitFor()
      await page.locator('[role=alert]:focus').filter({ hasText: 'Not saved' }).waitFor()
      await summary.getByRole('button', { name: 'Handle' }).click()
      await expect.poll(() => focused(page, 'name')).toBe('handle')
      await summary.getByRole('button', { name: 'URL' }).click()
      await page.getByLabel('URL (https://…)').waitFor({ state: 'visible' })
      await expect.poll(() => focused(page, 'name')).toBe('media.0.url')
      await stage.picture('admin-mistakes', false)
      expect(await asked(page, 'accept', () => elsewhere())).toMatch(/changes/)
    })

    test('a new product is a draft until it has a price, which is typed as people write it', async () => {
      await page.goto(`${stage.origin}/admin#/products/create`)
      await page.getByLabel('Title').first().fill('Oak stool')
      const status = page.getByRole('combobox', { name: 'Status' })
      expect(await status.innerText()).toBe('Draft')
      const price = page.getByRole('textbox', { name: 'Price' })
      await price.fill('89,9O')
      await save()
      const summary = page.getByRole('alert').filter({ hasText: 'Not saved' })
      expect(await summary.innerText()).toContain('This is not one number')
      await price.fill('89,90')
      await page.getByText('= €89.90').waitFor()
      expect(await status.innerText()).toBe('Active')
      stage.writes.splice(0)
      await save()
      await page.getByText('Variants (1)').waitFor()
      expect(stage.writes).toMatchObject([
        {
          method: 'POST',
          path: '/api/products',
          body: { status: 'ACTIVE', variants: [{ saleOffers: [{ amount: '89.90' }] }] },
        },
      ])
      await page.getByRole('cell', { name: '€89.90' }).first().waitFor()
    })

    test('a change is listed with the values before and after, and restored by an ordinary change', async () => {
      await stage.shop.update(lamp, { vendor: 'Lumen' })
      await stage.shop.update(lamp, { vendor: 'Spoilt' })
      await open()
      await page.getByRole('button', { name: 'History' }).click()
      const changes = page.getByRole('list', { name: 'Changes' })
      await changes.getByText('Vendor: Lumen → Spoilt').waitFor()
      await stage.picture('admin-history')
      await changes.getByRole('button', { name: 'Restore Vendor to Lumen' }).first().click()
      const dialog = page.getByRole('dialog', { name: 'Restore Vendor?' })
      expect(await dialog.innerText()).toMatch(/Now: Spoilt[\s\S]*Afterwards: Lumen/)
      stage.writes.splice(0)
      await dialog.getByRole('button', { name: 'Restore', exact: true }).click()
      await page.getByText('Previous value restored').waitFor()
      expect(stage.writes.map(({ body }) => body)).toEqual([{ vendor: 'Lumen' }])
      await changes.getByText('Vendor: Spoilt → Lumen').waitFor()
      expect(await page.getByLabel('Vendor', { exact: true }).inputValue()).toBe('Lumen')
    })

    test('a category, a collection and a price are restored as a product is', async () => {
      const { shop } = stage
      const shelf = await shop.create('/api/categories', { title: 'Shelf' })
      const gifts = await shop.create('/api/collections', { title: 'Gifts' })
      const product = await shop.read(lamp)
      const price = await shop.create('/api/sale_offers', {
        variant: product.variants[0]['@id'],
        amount: '20.00',
        currency: 'EUR',
      })
      for (const [resource, iri, member, label, before, now] of [
        ['categories', shelf['@id'], 'title', 'Title', 'Shelf', 'Shlef'],
        ['collections', gifts['@id'], 'title', 'Title', 'Gifts', 'Gfits'],
        ['sale_offers', price['@id'], 'amount', 'Amount', '20.00', '2.00'],
      ] as const) {
        await shop.update(iri, { [member]: now })
        await page.goto(`${stage.origin}/admin#/${resource}/${encodeURIComponent(iri)}`)
        await page.getByRole('button', { name: 'History' }).click()
        const changes = page.getByRole('list', { name: 'Changes' })
        await changes.waitFor()
        await stage.settled()
        await changes.getByRole('button', { name: `Restore ${label} to ${before}` }).click()
        const dialog = page.getByRole('dialog', { name: `Restore ${label}?` })
        stage.writes.splice(0)
        await dialog.getByRole('button', { name: 'Restore', exact: true }).click()
        await changes.getByText(`${label}: ${now} → ${before}`).waitFor()
        expect(stage.writes.map(({ body }) => body)).toEqual([{ [member]: before }])
        expect((await shop.read(iri))[member]).toBe(before)
      }
    })

    test('the history of a product includes the changes of its prices', async () => {
      await open()
      await page.getByRole('button', { name: 'History' }).click()
      const changes = page.getByRole('list', { name: 'Changes' })
      await changes.getByText('Amount: 2.00 → 20.00').waitFor()
      await changes.getByText('Vendor: Spoilt → Lumen').waitFor()
      await changes.getByRole('link').first().click()
      await page.getByRole('heading', { name: /^Price \(/, level: 1 }).waitFor()
    })

    test('the history of a product shows all of its prices, ten at once', async () => {
      const { shop } = stage
      const body = { title: 'Twelve prices', variants: [{ sku: 'TWELVE' }] }
      const { '@id': iri, variants } = (await shop.post('/api/products', { body, status: 201 })).body
      for (const [at, country] of [...'FR DE ES IT PT NL BE LU AT IE FI SE'.split(' ')].entries()) {
        const price = {
          variant: variants[0]['@id'],
          countries: [country],
          currency: 'EUR',
          amount: `${at + 1}`,
        }
        await shop.post('/api/sale_offers', { body: price, status: 201 })
      }
      await page.goto(`${stage.origin}/admin#/products/${encodeURIComponent(iri)}`)
      let requests = 0
      page.on('request', (request) => {
        if (/audit_trail|sale_offers\?|events\?/.test(request.url())) requests += 1
      })
      await page.getByRole('button', { name: 'History' }).click()
      const changes = page.getByRole('list', { name: 'Changes' })
      const prices = changes.getByRole('link', { name: 'Twelve prices' })
      await prices.first().waitFor()
      expect(await prices.count()).toBe(10)
      // The product and its variant were created before its first prices, which the next page shows.
      expect(await changes.getByRole('listitem').count()).toBe(10)
      expect(requests).toBeLessThanOrEqual(1 + 2 * 11)
      await page.getByRole('button', { name: 'Earlier changes' }).click()
      await expect.poll(() => prices.count()).toBe(12)
      expect(await changes.getByRole('listitem').count()).toBe(14)
      expect(requests).toBeLessThanOrEqual(2 * (1 + 2 * 11))
    })

    test('the category of a rule is chosen, and what a rule cannot ask is not offered', async () => {
      await page.goto(`${stage.origin}/admin#/collections/create`)
      await page.getByRole('radio', { name: 'by rules' }).check()
      await page.getByLabel('Title').first().fill('On the table')
      await page.getByRole('button', { name: 'Add' }).click()
      await page.getByRole('combobox', { name: 'What' }).click()
      await page.getByRole('option', { name: 'category' }).click()
      await page.getByRole('combobox', { name: 'How' }).click()
      expect(await page.getByRole('option').allInnerTexts()).toEqual(['is', 'is not'])
      await page.getByRole('option', { name: 'is', exact: true }).click()
      await page.getByRole('combobox', { name: 'category' }).fill('table')
      await page.getByRole('option', { name: 'Tableware' }).click()
      stage.writes.splice(0)
      await save()
      await page.getByText(/ created$/).waitFor()
      const { rules } = (await stage.shop.read('/api/collections?handle=on-the-table')).member[0]
      const tableware = (await stage.shop.get('/api/categories?handle=tableware')).body.member[0]['@id']
      expect(rules.conditions).toEqual([{ field: 'category', operator: 'EQUALS', value: tableware }])
    })

    test('an error of the price of a new product is shown at the price, and nothing is created', async () => {
      await page.goto(`${stage.origin}/admin#/products/create`)
      await page.getByLabel('Title').first().fill('Pine stool')
      await page.getByRole('textbox', { name: 'Price' }).fill('12.345')
      await save()
      const summary = page.getByRole('alert').filter({ hasText: 'Not saved' })
      await summary.getByRole('button', { name: 'Price' }).click()
      await expect.poll(() => focused(page, 'name')).toBe('price.amount')
      expect((await stage.shop.read('/api/products?q=pine')).totalItems).toBe(0)
      expect(await asked(page, 'accept', elsewhere)).toMatch(/changes/)
    })
  })
}

async function inSight(page: Page, name: string): Promise<boolean> {
  const box = await page.getByRole('button', { name, exact: true }).boundingBox()
  const size = page.viewportSize()
  return box !== null && size !== null && box.y >= 0 && box.y + box.height <= size.height
}

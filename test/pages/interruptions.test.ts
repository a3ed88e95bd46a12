/** Edits in /admin survive what interrupts them: an expired token, a cut network, a proxy's error page, a closed tab. */
import type { Dialog, Page, Request, Route } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { asked, byMenu, type Stage, signIn } from './chromium.ts'
import { onDesktop } from './in-browser.ts'

onDesktop((of) => {
  let stage: Stage
  let page: Page
  let lamp: string

  beforeAll(async () => {
    stage = of()
    page = stage.page
    page.setDefaultTimeout(20_000)
    await signIn(stage)
    await page.getByPlaceholder('Search products').waitFor()
  })

  const newProduct = async (body: object): Promise<string> =>
    (await stage.shop.create('/api/products', body))['@id']
  const stored = async (iri = lamp) => await stage.shop.read(iri)
  const openPage = async (path: string) => {
    await page.goto(`${stage.origin}/admin#/categories`)
    await page.getByRole('link', { name: 'Tableware' }).waitFor()
    await page.goto(`${stage.origin}/admin#${path}`)
  }
  const open = async (iri = lamp) => {
    await openPage(`/products/${encodeURIComponent(iri)}`)
    await page.getByLabel('Vendor').waitFor()
    await stage.settled()
  }
  const save = () => page.getByRole('button', { name: 'Save', exact: true }).click()
  const vendor = () => page.getByLabel('Vendor').inputValue()

  /** Gives the tab a token of the same person that the service rejects as expired. */
  const expireToken = async () => {
    const token = await stage.shop.token({ claims: { exp: Math.floor(Date.now() / 1000) - 3600 } })
    await page.evaluate(`sessionStorage.setItem('catalogue.token', ${JSON.stringify(token)})`)
  }
  const dialog = () => page.getByRole('dialog', { name: 'Sign in again to continue' })
  const signInWith = async (token: string) => {
    await dialog().getByLabel('Access token').fill(token)
    await dialog().getByRole('button', { name: 'Sign in' }).click()
  }
  const signInAgain = async () => {
    await signInWith(await stage.shop.token())
    await dialog().waitFor({ state: 'detached' })
  }

  describe('an expired token', () => {
    beforeAll(async () => {
      lamp = await newProduct({ title: 'Brass lamp', vendor: 'Lumen', status: 'ACTIVE' })
    })

    test('asks for a new one over the form, then saves the version that was edited', async () => {
      await open()
      const { version } = await stored()
      await page.getByLabel('Vendor').fill('Kettleworks')
      await expireToken()
      const sent: Request[] = []
      const listen = (request: Request) => request.method() === 'PATCH' && sent.push(request)
      page.on('request', listen)
      await save()
      await dialog().waitFor()
      await stage.picture('admin-sign-in-again', false)
      expect(await page.getByText(/(?<!Not) saved$/).count()).toBe(0)
      expect(await vendor()).toBe('Kettleworks')
      expect((await stored()).vendor).toBe('Lumen')
      await signInAgain()
      await page.getByText(/(?<!Not) saved$/).waitFor()
      page.off('request', listen)
      expect((await stored()).vendor).toBe('Kettleworks')
      const tags = await Promise.all(sent.map((request) => request.headerValue('if-match')))
      expect(tags).toHaveLength(2)
      for (const tag of tags) expect(tag).toMatch(new RegExp(`^"${version}\\.`))
      expect(page.url()).toContain(encodeURIComponent(lamp))
    })

    test('keeps the form when the person does not sign in, and asks again with the next Save', async () => {
      await open()
      await page.getByLabel('Vendor').fill('Second try')
      await expireToken()
      await save()
      await dialog().getByRole('button', { name: 'Not now' }).click()
      const summary = page.getByRole('alert').filter({ hasText: 'Not saved' })
      await summary.getByText('Nothing that you typed is lost.').waitFor()
      expect(await page.getByText(/(?<!Not) saved$/).count()).toBe(0)
      expect(await vendor()).toBe('Second try')
      await summary.getByRole('button', { name: 'Try again' }).click()
      await dialog().waitFor()
      await signInAgain()
      await page.getByText(/(?<!Not) saved$/).waitFor()
      expect((await stored()).vendor).toBe('Second try')
    })

    test('is not replaced by a token of another person or tenant', async () => {
      await open()
      await page.getByLabel('Vendor').fill('Third try')
      await expireToken()
      await save()
      await signInWith(await stage.shop.token({ client: 'somebody-else' }))
      await dialog().getByText('This token belongs to somebody-else.').waitFor()
      await signInWith(await stage.shop.token({ claims: { aud: 'https://other.test/api' } }))
      await dialog().getByText('This token belongs to somebody-else.').waitFor({ state: 'detached' })
      await dialog().getByRole('alert').waitFor()
      expect((await stored()).vendor).toBe('Second try')
      await signInAgain()
      await page.getByText(/(?<!Not) saved$/).waitFor()
      expect((await stored()).vendor).toBe('Third try')
    })

    test('signs out from the dialog and removes the edits', async () => {
      await open()
      await page.getByLabel('Vendor').fill('Never saved')
      await expireToken()
      await save()
      page.once('dialog', (question) => question.accept())
      await dialog().getByRole('button', { name: 'Sign out' }).click()
      await page.getByRole('heading', { name: 'Corner Shop' }).waitFor()
      await page.getByLabel('Access token').fill(await stage.shop.token())
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByLabel('Vendor').waitFor()
      expect(await vendor()).toBe('Third try')
    })

    test('asks once for all that a page reads, and the page continues', async () => {
      await expireToken()
      await page.goto(`${stage.origin}/admin#/collections`)
      await dialog().waitFor()
      expect(await dialog().count()).toBe(1)
      await signInAgain()
      await page.getByRole('cell', { name: 'Favourites' }).waitFor()
    })

    test('keeps prices typed into the grid, and saves them after signing in', async () => {
      const cup = await newProduct({ title: 'Tin cup', variants: [{ sku: 'CUP' }], channels: ['web'] })
      await openPage(`/price_grid/${encodeURIComponent(cup)}`)
      const cell = page.locator('[data-row="0"][data-column="0"]')
      await cell.fill('12.50')
      await expireToken()
      await page.getByRole('button', { name: 'Save prices' }).click()
      await dialog().waitFor()
      expect(await cell.inputValue()).toBe('12.50')
      await signInAgain()
      await page.getByText('The prices are saved').waitFor()
      const { member } = (await stage.shop.get(`/api/sale_offers?product=${encodeURIComponent(cup)}`)).body
      expect(member).toMatchObject([{ amount: '12.50' }])
    })

    test('keeps translations, and saves them after signing in', async () => {
      await openPage(`/translate/${encodeURIComponent(lamp)}`)
      await page.getByLabel(/^Title \(French\)/).fill('Lampe en laiton')
      await expireToken()
      await save()
      await dialog().waitFor()
      await signInAgain()
      await page.getByText('The translation is saved').waitFor()
      const { title } = await stage.shop.read(lamp, { locale: 'fr-FR' })
      expect(title).toBe('Lampe en laiton')
    })
  })

  const reload = async () => {
    // The browser asks only after a click or a key.
    const leave = (question: Dialog) => question.accept()
    page.on('dialog', leave)
    await page.reload()
    page.off('dialog', leave)
  }
  const offer = () => page.getByRole('alert').filter({ hasText: 'that are not saved' })
  const restore = () => offer().getByRole('button', { name: 'Restore them' }).click()
  const draftCount = () =>
    page.evaluate<number>(
      "Object.keys(sessionStorage).filter((key) => key.startsWith('catalogue.draft')).length",
    )

  describe('a draft', () => {
    beforeAll(async () => {
      lamp = await newProduct({
        title: 'Copper lamp',
        vendor: 'Lumen',
        productType: 'Lamp',
        tags: ['copper'],
      })
    })

    test('is offered after a reload with the stored and the typed values, and removed by saving', async () => {
      await open()
      await page.getByLabel('Vendor').fill('Half written')
      await page.getByLabel('Type', { exact: true }).fill('Table lamp')
      await reload()
      await offer().waitFor()
      await stage.picture('admin-draft', false)
      expect(await offer().innerText()).toMatch(
        /Vendor[\s\S]*Stored: Lumen → Typed: Half written[\s\S]*Type[\s\S]*Stored: Lamp → Typed: Table lamp/,
      )
      expect(await vendor()).toBe('Lumen')
      await restore()
      await expect.poll(vendor).toBe('Half written')
      stage.writes.splice(0)
      await save()
      await page.getByText(/(?<!Not) saved$/).waitFor()
      expect(stage.writes.map(({ body }) => body)).toEqual([
        { vendor: 'Half written', productType: 'Table lamp' },
      ])
      await expect.poll(draftCount).toBe(0)
      await page.reload()
      await page.getByLabel('Vendor').waitFor()
      expect(await offer().count()).toBe(0)
    })

    test('names later changes of another person, and is saved on the newest version', async () => {
      await open()
      await page.getByLabel('Vendor').fill('Mine & Co')
      await stage.shop.update(lamp, { vendor: 'Theirs Ltd', tags: ['new'] })
      await reload()
      await offer().getByText('Stored: Theirs Ltd → Typed: Mine & Co').waitFor()
      await offer().getByText('It was Half written when you typed. It has changed since.').waitFor()
      await restore()
      await save()
      await page.getByText(/(?<!Not) saved$/).waitFor()
      expect(await stored()).toMatchObject({ vendor: 'Mine & Co', tags: ['new'] })
    })

    test('stays next to newer edits until the person decides, and is removed by discarding it', async () => {
      await open()
      await page.getByLabel('Vendor').fill('First')
      await reload()
      await offer().waitFor()
      await page.getByLabel('Type', { exact: true }).fill('Second')
      await reload()
      await offer().getByText('Typed: First').waitFor()
      await offer().getByText('Typed: Second').waitFor()
      await offer().getByRole('button', { name: 'Discard them' }).click()
      await offer().waitFor({ state: 'detached' })
      expect(await draftCount()).toBe(0)
    })

    test('is offered in a tab that the browser opens again', async () => {
      await open()
      await page.getByLabel('Vendor').fill('In the closed tab')
      // A tab that a script opens begins with a copy of the session storage, as a restored one does.
      const opened = page.waitForEvent('popup')
      await page.evaluate('void window.open(location.href)')
      const tab = await opened
      await tab.setViewportSize(stage.size)
      await tab.getByText('Typed: In the closed tab').waitFor()
      await tab.getByRole('button', { name: 'Restore them' }).click()
      await expect.poll(() => tab.getByLabel('Vendor').inputValue()).toBe('In the closed tab')
      await tab.close()
      expect(await asked(page, 'accept', () => byMenu(page, 'Categories'))).toMatch(/changes/)
      await page.getByRole('link', { name: 'Tableware' }).waitFor()
      expect(await draftCount()).toBe(0)
    })

    test('of a new product is offered after a reload', async () => {
      await openPage('/products/create')
      await page.getByLabel('Title').first().fill('Oak table')
      await reload()
      await offer().getByText('Typed: Oak table').waitFor()
      await restore()
      await save()
      await page.getByText('Variants (1)').waitFor()
      expect((await stage.shop.get('/api/products?q=oak%20table')).body.totalItems).toBe(1)
      await expect.poll(draftCount).toBe(0)
    })

    test('of the price grid holds the cells and the columns that were added', async () => {
      const jug = await newProduct({ title: 'Tin jug', variants: [{ sku: 'JUG' }], channels: ['web'] })
      await openPage(`/price_grid/${encodeURIComponent(jug)}`)
      const cell = page.locator('[data-row="0"][data-column="0"]')
      await cell.fill('7.50')
      await reload()
      await offer().getByText('Typed: 7.50').waitFor()
      await restore()
      expect(await cell.inputValue()).toBe('7.50')
      await page.getByRole('button', { name: 'Save prices' }).click()
      await page.getByText('The prices are saved').waitFor()
      await expect.poll(draftCount).toBe(0)
    })

    test('of translations names the text and its language', async () => {
      await openPage(`/translate/${encodeURIComponent(lamp)}`)
      await page.getByLabel(/^Title \(French\)/).fill('Lampe en cuivre')
      await reload()
      await offer().getByText('Title (French)').waitFor()
      await offer().getByText('Typed: Lampe en cuivre').waitFor()
      await restore()
      await save()
      await page.getByText('The translation is saved').waitFor()
      await expect.poll(draftCount).toBe(0)
    })
  })

  /** Sends a request of the page to the service, and cuts the connection before the page has the response. */
  const loseResponse = async (route: Route) => {
    const request = route.request()
    const sent = request.headers()
    const names = ['idempotency-key', 'if-match', 'service-api-version', 'service-locale', 'content-type']
    const headers = Object.fromEntries(names.map((name) => [name, sent[name] ?? null]))
    const body = request.postData()
    const { pathname } = new URL(request.url())
    if (request.method() === 'POST') await stage.shop.create(pathname, body, { headers })
    else await stage.shop.update(pathname, body, { headers })
    await route.abort()
  }

  /** Edits outside of forms: how a person opens the place, types, saves and sees that they are saved. */
  type Place = {
    readonly open: () => Promise<void>
    readonly type: () => Promise<void>
    /** The lines of the offer. */
    readonly offered: RegExp
    readonly isRestored: () => Promise<unknown>
    /** The token can expire right before the last click. */
    readonly save: (beforeLastClick?: () => Promise<void>) => Promise<void>
    readonly saved: () => Promise<void>
    /** A header that the first two writes of one document share. */
    readonly header: readonly [name: string, value: RegExp]
  }
  const optionsDialog = () => page.getByRole('dialog', { name: 'Options and their values' })
  const bulkDialog = () => page.getByRole('dialog', { name: 'Change many products' })
  const values = () => optionsDialog().getByRole('list', { name: 'Values of Colour' }).getByRole('textbox')
  const newHat = () =>
    newProduct({
      title: 'Wool hat',
      status: 'ACTIVE',
      options: [{ title: 'Colour', values: [{ title: 'Red' }, { title: 'Blue' }] }],
      variants: [{ sku: crypto.randomUUID(), optionValues: [{ option: 'Colour', value: 'Red' }] }],
    })
  const colours = async (iri: string) =>
    (await stored(iri)).options.map(({ title, values }: { title: string; values: { title: string }[] }) =>
      [title, ...values.map((value) => value.title)].join(' '),
    )
  const openOptions = () => page.getByRole('button', { name: 'Edit options' }).click()
  const typeOptions = async () => {
    await openOptions()
    await values().first().fill('Crimson')
    await optionsDialog().getByLabel('New value of Colour').fill('Green')
    await page.keyboard.press('Enter')
    await expect.poll(() => values().count()).toBe(3)
  }
  const places: Readonly<Record<string, () => Promise<Place>>> = {
    options: async () => {
      const hat = await newHat()
      const { version } = (await stage.shop.get((await stored(hat)).options[0].values[0]['@id'])).body
      return {
        open: () => open(hat),
        type: typeOptions,
        offered: /Colour\s+Stored: Colour \(Red, Blue\) → Typed: Colour \(Crimson, Blue, Green\)/,
        isRestored: () =>
          expect
            .poll(async () => [await values().first().inputValue(), await values().count()])
            .toEqual(['Crimson', 3]),
        async save(beforeLastClick) {
          await beforeLastClick?.()
          await optionsDialog().getByRole('button', { name: 'Save options' }).click()
        },
        async saved() {
          await page.getByText('The options are saved').waitFor()
          expect(await colours(hat)).toEqual(['Colour Crimson Blue Green'])
        },
        header: ['if-match', new RegExp(`^"${version}\\.`)],
      }
    },
    sales: async () => {
      const title = `Sold ${crypto.randomUUID().slice(0, 8)}`
      const saleOffers = [{ amount: '20.00', currency: 'EUR' }]
      const iri = await newProduct({
        title,
        status: 'ACTIVE',
        channels: ['web'],
        variants: [{ sku: title, saleOffers }],
      })
      return {
        open: () => openPage('/sale'),
        async type() {
          await page.getByLabel('Search products').fill(title)
          await page.getByRole('checkbox', { name: `Choose ${title}` }).check()
          await page.getByLabel('From').fill('2030-03-01T00:00')
          await page.getByLabel('Until').fill('2030-03-04T00:00')
          await page.getByLabel(/^Reduction in/).fill('20')
        },
        offered: new RegExp(
          `Product\\s+Stored: nothing → Typed: ${title}[\\s\\S]*From[\\s\\S]*Typed: 2030-03-01 00:00[\\s\\S]*Reduction in %[\\s\\S]*Typed: 20`,
        ),
        isRestored: () => expect.poll(() => page.getByLabel(/^Reduction in/).inputValue()).toBe('20'),
        async save(beforeLastClick) {
          await page.getByRole('button', { name: 'Calculate the new prices' }).click()
          const start = page.getByRole('button', { name: 'Start the sale with one price' })
          await start.waitFor()
          await beforeLastClick?.()
          await start.click()
        },
        async saved() {
          await page.getByText('One price is in the sale.').waitFor()
          const { member } = (await stage.shop.get(`/api/sale_offers?product=${encodeURIComponent(iri)}`))
            .body
          const amounts = member.map(({ amount }: { amount: string }) => amount)
          expect(amounts.toSorted()).toEqual(['16.00', '20.00'])
        },
        header: ['idempotency-key', /./],
      }
    },
    'bulk actions': async () => {
      const vendor = `Mill ${crypto.randomUUID().slice(0, 8)}`
      const [scarf, shawl] = [
        await newProduct({ title: 'Bulk scarf', vendor }),
        await newProduct({ title: 'Bulk shawl', vendor }),
      ]
      const { version } = await stored(scarf)
      return {
        async open() {
          await openPage(`/products?filter=${encodeURIComponent(JSON.stringify({ vendor }))}`)
          await page.getByText('1-2 of 2').waitFor()
          // The list remembers the rows that another test has selected.
          const unselect = page.getByRole('button', { name: 'Unselect' })
          if (await unselect.isVisible()) await unselect.click()
        },
        async type() {
          for (const at of [1, 2]) await page.getByRole('checkbox').nth(at).check()
          await page.getByRole('button', { name: 'Change', exact: true }).click()
          await bulkDialog().getByRole('combobox', { name: 'What' }).click()
          await page.getByRole('option', { name: 'Add tags' }).click()
          await bulkDialog().getByLabel('Values').fill('wool, warm')
        },
        offered:
          /Which products[\s\S]*the 2 selected: Bulk (?:scarf, Bulk shawl|shawl, Bulk scarf)[\s\S]*What[\s\S]*Add tags[\s\S]*Values[\s\S]*wool, warm/,
        isRestored: () =>
          expect.poll(() => bulkDialog().getByLabel('Values').inputValue()).toBe('wool, warm'),
        async save(beforeLastClick) {
          await beforeLastClick?.()
          await bulkDialog().getByRole('button', { name: 'Apply' }).click()
        },
        async saved() {
          await bulkDialog().getByText('2 changed.').waitFor()
          for (const iri of [scarf, shawl]) expect((await stored(iri)).tags).toEqual(['wool', 'warm'])
          await expect.poll(draftCount).toBe(0)
          await bulkDialog().getByRole('button', { name: 'Close' }).click()
        },
        header: ['if-match', new RegExp(`^"${version}\\.`)],
      }
    },
  }

  describe.each(Object.entries(places))('the draft of %s', (name, newPlace) => {
    test('is offered after a reload with the typed values, and removed by saving', async () => {
      const place = await newPlace()
      await place.open()
      await place.type()
      await reload()
      await offer().waitFor()
      await stage.picture(`admin-draft-${name.replace(' ', '-')}`, false)
      expect(await offer().innerText()).toMatch(place.offered)
      await restore()
      await place.isRestored()
      await place.save()
      await place.saved()
      await expect.poll(draftCount).toBe(0)
      await place.open()
      await stage.settled()
      expect(await offer().count()).toBe(0)
    })

    test('is removed by discarding it', async () => {
      const place = await newPlace()
      await place.open()
      await place.type()
      await reload()
      await offer().getByRole('button', { name: 'Discard them' }).click()
      await offer().waitFor({ state: 'detached' })
      expect(await draftCount()).toBe(0)
    })

    test('stays in the page when the token expires, and is saved with the same headers', async () => {
      const place = await newPlace()
      await place.open()
      await place.type()
      const sent: Request[] = []
      const listen = (request: Request) => ['PATCH', 'POST'].includes(request.method()) && sent.push(request)
      page.on('request', listen)
      await place.save(expireToken)
      await dialog().waitFor()
      expect(await page.getByText(/are saved|in the sale\.|changed\./).count()).toBe(0)
      await signInAgain()
      await place.saved()
      page.off('request', listen)
      const [header, value] = place.header
      const headers = await Promise.all(sent.slice(0, 2).map((request) => request.headerValue(header)))
      for (const text of headers) expect(text).toMatch(value)
      const urls = sent.slice(0, 2).map((request) => request.url())
      expect(new Set(headers).size).toBe(new Set(urls).size)
      await expect.poll(draftCount).toBe(0)
    })

    test('is removed by signing out', async () => {
      const place = await newPlace()
      await place.open()
      await place.type()
      await expect.poll(draftCount).toBe(1)
      await place.save(expireToken)
      page.once('dialog', (question) => question.accept())
      await dialog().getByRole('button', { name: 'Sign out' }).click()
      await page.getByRole('heading', { name: 'Corner Shop' }).waitFor()
      expect(await draftCount()).toBe(0)
      await page.getByLabel('Access token').fill(await stage.shop.token())
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByLabel('Access token').waitFor({ state: 'detached' })
      await place.open()
      await stage.settled()
      expect(await offer().count()).toBe(0)
    })
  })

  test('the draft of options is not offered if another person has saved the same', async () => {
    const hat = await newHat()
    await open(hat)
    await openOptions()
    await values().first().fill('Crimson')
    await expect.poll(draftCount).toBe(1)
    const red = (await stored(hat)).options[0].values[0]['@id']
    await stage.shop.update(red, { title: 'Crimson' })
    await reload()
    await page.getByRole('button', { name: 'Edit options' }).waitFor()
    expect(await offer().count()).toBe(0)
    expect(await draftCount()).toBe(0)
  })

  describe('a service that cannot be reached', () => {
    beforeAll(async () => {
      lamp = await newProduct({ title: 'Steel lamp', vendor: 'Lumen' })
    })

    /** Requests that the browser itself reports as failed. */
    const forgetFailures = () =>
      expect(
        stage.troubles().filter((text) => !/ERR_INTERNET_DISCONNECTED|ERR_FAILED|status of 502/.test(text)),
      ).toEqual([])
    const summary = () => page.getByRole('alert').filter({ hasText: 'Not saved' })
    const tryAgain = () => page.getByRole('button', { name: 'Try again' }).first().click()

    test('offline, Save gives the reason and keeps the edits, and Try again saves them', async () => {
      await open()
      await page.getByLabel('Vendor').fill('Typed offline')
      await page.context().setOffline(true)
      await save()
      await summary().getByText('This device is offline. Nothing that you typed is lost.').waitFor()
      await stage.picture('admin-offline', false)
      expect(await page.getByText(/(?<!Not) saved$/).count()).toBe(0)
      await page.context().setOffline(false)
      await tryAgain()
      await page.getByText(/(?<!Not) saved$/).waitFor()
      expect((await stored()).vendor).toBe('Typed offline')
      forgetFailures()
    })

    test('a proxy that answers in HTML is named by its status, and Try again saves', async () => {
      await open()
      await page.getByLabel('Vendor').fill('Through a proxy')
      const isWrite = (url: URL) => url.pathname === lamp
      await page.route(isWrite, (route) =>
        route.request().method() === 'PATCH'
          ? route.fulfill({ status: 502, contentType: 'text/html', body: '<h1>Bad gateway</h1>' })
          : route.continue(),
      )
      await save()
      await summary().getByText('did not send a valid response (HTTP 502). Nothing that you typed').waitFor()
      expect(await vendor()).toBe('Through a proxy')
      await page.unroute(isWrite)
      await tryAgain()
      await page.getByText(/(?<!Not) saved$/).waitFor()
      expect((await stored()).vendor).toBe('Through a proxy')
      forgetFailures()
    })

    test('a page that could not be read offers to read it again, and stays where it is', async () => {
      await open()
      await page.context().setOffline(true)
      await page.goto(`${stage.origin}/admin#/collections`)
      await page.getByRole('alert').getByText('This device is offline.').first().waitFor()
      await page.context().setOffline(false)
      await tryAgain()
      await page.getByRole('cell', { name: 'Favourites' }).waitFor()
      forgetFailures()
    })

    test('the price grid keeps its cells, and Try again saves them', async () => {
      const pan = await newProduct({ title: 'Tin pan', variants: [{ sku: 'PAN' }], channels: ['web'] })
      await openPage(`/price_grid/${encodeURIComponent(pan)}`)
      await page.locator('[data-row="0"][data-column="0"]').fill('9.50')
      await page.context().setOffline(true)
      await page.getByRole('button', { name: 'Save prices' }).click()
      await page.getByText('This device is offline. Nothing that you typed is lost.').waitFor()
      await page.context().setOffline(false)
      await page.locator('form').getByRole('button', { name: 'Try again' }).click()
      await page.getByText('The prices are saved').waitFor()
      forgetFailures()
    })

    test('options are created once if reading them fails after the requests, and Try again reads them', async () => {
      const hat = await newHat()
      await open(hat)
      await typeOptions()
      const isRead = (url: URL) => url.pathname === `${hat}/product_options`
      await page.route(isRead, (route) => route.abort())
      stage.writes.splice(0)
      await optionsDialog().getByRole('button', { name: 'Save options' }).click()
      await optionsDialog().getByText('The catalogue cannot be reached.').waitFor()
      expect(await page.getByText('The options are saved').count()).toBe(0)
      await page.unroute(isRead)
      await optionsDialog().getByRole('button', { name: 'Try again' }).click()
      await page.getByText('The options are saved').waitFor()
      expect(stage.writes.map(({ method }) => method)).toEqual(['PATCH', 'POST'])
      expect(await colours(hat)).toEqual(['Colour Crimson Blue Green'])
      await expect.poll(draftCount).toBe(0)
      forgetFailures()
    })

    test('an option whose response is lost is created once, when the person saves again', async () => {
      const hat = await newHat()
      await open(hat)
      await typeOptions()
      const isCreation = (url: URL) => url.pathname === '/api/option_values'
      await page.route(isCreation, loseResponse)
      await optionsDialog().getByRole('button', { name: 'Save options' }).click()
      await optionsDialog().getByText('One change was saved before the error').waitFor()
      await page.unroute(isCreation)
      await optionsDialog().getByText('Nothing is changed yet.').waitFor()
      expect(await values().count()).toBe(3)
      expect(await colours(hat)).toEqual(['Colour Crimson Blue Green'])
      await optionsDialog().getByRole('button', { name: 'Close' }).click()
      await expect.poll(draftCount).toBe(0)
      forgetFailures()
    })

    test('a bulk price change that fails midway can be undone for the prices that it has written', async () => {
      const vendor = `Mill ${crypto.randomUUID().slice(0, 8)}`
      const saleOffers = ['web', 'store', 'outlet'].map((channel) => ({
        channel,
        amount: '10.00',
        currency: 'EUR',
      }))
      const iri = await newProduct({ title: 'Bulk rug', vendor, variants: [{ sku: vendor, saleOffers }] })
      const amounts = async () => {
        const { member } = (await stage.shop.get(`/api/sale_offers?product=${encodeURIComponent(iri)}`)).body
        return member.map(({ amount }: { amount: string }) => amount).toSorted()
      }
      await openPage(`/products?filter=${encodeURIComponent(JSON.stringify({ vendor }))}`)
      await page.getByText('1-1 of 1').waitFor()
      await page.getByRole('checkbox').nth(1).check()
      await page.getByRole('button', { name: 'Change', exact: true }).click()
      await bulkDialog().getByRole('combobox', { name: 'What' }).click()
      await page.getByRole('option', { name: 'Change prices by percent' }).click()
      await bulkDialog().getByLabel('Percent').fill('-10')
      await expect.poll(draftCount).toBe(1)
      let count = 0
      const isOffer = (url: URL) => url.pathname.startsWith('/api/sale_offers/')
      // The response to the second write is lost.
      await page.route(isOffer, (route) =>
        route.request().method() === 'PATCH' && ++count === 2 ? loseResponse(route) : route.continue(),
      )
      await bulkDialog().getByRole('button', { name: 'Apply' }).click()
      await bulkDialog().getByText('1 changed. 1 could not be changed:').waitFor()
      expect(await amounts()).toEqual(['10.00', '9.00', '9.00'])
      // A price that is lowered already would be lowered twice.
      expect(await bulkDialog().getByRole('button', { name: 'Try again' }).count()).toBe(0)
      expect(await draftCount()).toBe(0)
      await page.unroute(isOffer)
      await bulkDialog().getByRole('button', { name: 'Undo' }).click()
      await bulkDialog().getByText('2 restored.').waitFor()
      expect(await amounts()).toEqual(['10.00', '10.00', '10.00'])
      await bulkDialog().getByRole('button', { name: 'Close' }).click()
      forgetFailures()
    })
  })

  describe('a lost response', () => {
    test('of a new product creates one product, when the person tries again', async () => {
      await openPage('/products/create')
      await page.getByLabel('Title').first().fill('Walnut stool')
      const isCreation = (url: URL) => url.pathname === '/api/products'
      await page.route(isCreation, (route) =>
        route.request().method() === 'POST' ? loseResponse(route) : route.continue(),
      )
      await save()
      await page.getByText('The catalogue cannot be reached. Nothing that you typed is lost.').waitFor()
      await page.unroute(isCreation)
      await page.getByRole('button', { name: 'Try again' }).click()
      await page.getByText('Variants (1)').waitFor()
      expect((await stage.shop.get('/api/products?q=walnut')).body.totalItems).toBe(1)
      expect(stage.troubles().filter((text) => !text.includes('ERR_FAILED'))).toEqual([])
    })
  })

  describe('a link with a token', () => {
    const openLink = async (token: string) => {
      await page.goto('about:blank')
      await page.goto(`${stage.origin}/admin#token=${token}`)
    }
    const account = () =>
      page.evaluate<string>("JSON.parse(atob(sessionStorage['catalogue.token'].split('.')[1])).sub")

    test('asks before it replaces the session of another person', async () => {
      await openPage('/categories')
      const token = await stage.shop.token({ client: 'visitor' })
      const question = page.waitForEvent('dialog').then(async (shown) => {
        await shown.dismiss()
        return shown.message()
      })
      await openLink(token)
      expect(await question).toMatch(/signed in as shop-client.*visitor/)
      await page.getByPlaceholder('Search products').waitFor()
      expect(await account()).toBe('shop-client')
      page.once('dialog', (shown) => shown.accept())
      await openLink(token)
      await page.getByPlaceholder('Search products').waitFor()
      expect(await account()).toBe('visitor')
      expect(page.url()).not.toContain(token)
    })

    test('is ignored if its token lives longer than an hour, and on a deployment', async () => {
      const now = Math.floor(Date.now() / 1000)
      await page.evaluate('sessionStorage.clear()')
      await openLink(await stage.shop.token({ claims: { iat: now, exp: now + 7200 } }))
      await page.getByLabel('Access token').waitFor()
      const about = /\/admin\/catalogue\.json$/
      await page.route(about, async (route) => {
        const body = await stage.shop.read('/admin/catalogue.json', { token: null })
        await route.fulfill({ json: { ...body, signsInByLink: false } })
      })
      await openLink(await stage.shop.token())
      await page.getByLabel('Access token').waitFor()
      expect(page.url()).not.toContain('token=')
      expect(await page.evaluate("sessionStorage.getItem('catalogue.token')")).toBe(null)
      await page.unroute(about)
      await openLink(await stage.shop.token())
      await page.getByPlaceholder('Search products').waitFor()
    })

    test('is not needed for a page that is opened without a session: signing in leads there at once', async () => {
      await page.evaluate('sessionStorage.clear()')
      await page.goto('about:blank')
      await page.goto(`${stage.origin}/admin#/collections`)
      await page.getByLabel('Access token').waitFor({ timeout: 8000 })
      await page.getByLabel('Access token').fill(await stage.shop.token())
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByRole('cell', { name: 'Favourites' }).waitFor()
    })
  })
})

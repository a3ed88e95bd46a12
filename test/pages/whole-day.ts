/** Many products at once, the latest changes and the health of webhooks, as a person works with them. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { byMenu, type Stage } from './chromium.ts'
import { fitsOnPhone } from './in-browser.ts'

/** On things of its own on the stage's service. */
export function wholeDay(of: () => Stage): void {
  describe('the whole day', () => {
    let stage: Stage
    let page: Page
    let bowls: string[]

    beforeAll(async () => {
      stage = of()
      page = stage.page
      const body = ['one', 'two', 'three'].map((name) => ({
        title: `Bowl ${name}`,
        vendor: 'Bowlery',
        tags: ['deep'],
        status: 'ACTIVE',
        variants: [{ sku: `BOWL-${name}`, saleOffers: [{ amount: '19.95', currency: 'EUR' }] }],
      }))
      const made = await stage.shop.create('/api/products', body)
      bowls = made.member.map((each: { '@id': string }) => each['@id'])
    })

    const ofBowls = async () => {
      await page.goto(`${stage.origin}/admin#/products?filter=${encodeURIComponent('{"vendor":"Bowlery"}')}`)
      await page.getByRole('row', { name: /Bowl three/ }).waitFor()
    }
    const openBulk = async () => {
      await page
        .getByRole('row', { name: /Bowl three/ })
        .getByRole('checkbox')
        .check()
      await page.getByRole('button', { name: 'Change', exact: true }).click()
      return page.getByRole('dialog', { name: 'Change many products' })
    }
    const choose = async (what: string) => {
      await page.getByRole('combobox', { name: 'What' }).click()
      await page.getByRole('option', { name: what }).click()
    }

    test('a product is duplicated with its options, prices and custom data, as a draft', async () => {
      const original = await stage.shop.create('/api/products', {
        title: 'Vase',
        vendor: 'Vasery',
        externalId: 'vase',
        tags: ['tall'],
        options: [{ title: 'Size', values: [{ title: 'S' }, { title: 'M' }] }],
        variants: ['S', 'M'].map((value) => ({
          sku: `VASE-${value}`,
          weight: { value: 1.5, unit: 'kg' },
          optionValues: [{ option: 'Size', value }],
          saleOffers: [
            { amount: '19.95', currency: 'EUR', channel: 'web' },
            { amount: '9.95', currency: 'EUR', validUntil: '2020-01-01T00:00:00Z' },
          ],
        })),
      })
      await page.goto(`${stage.origin}/admin#/products/${encodeURIComponent(original['@id'])}`)
      await page.getByRole('heading', { name: 'Vase', level: 1 }).waitFor()
      await page.getByRole('button', { name: 'Duplicate' }).click()
      await page.getByRole('heading', { name: 'Copy of Vase', level: 1 }).waitFor()
      const [copy] = (await stage.shop.read('/api/products?q=copy%20of%20vase')).member
      const kept = { vendor: 'Vasery', tags: ['tall'], status: 'DRAFT', externalId: null }
      expect(copy).toMatchObject({ title: 'Copy of Vase', ...kept })
      const variants = copy.variants.map(({ sku, weight, optionValues: [value] }: typeof copy) => [
        sku,
        weight,
        value.title,
      ])
      expect(variants).toEqual(['S', 'M'].map((value) => [null, { value: 1.5, unit: 'kg' }, value]))
      const offers = await stage.shop.read(`/api/sale_offers?product=${encodeURIComponent(copy['@id'])}`)
      expect(offers.member).toMatchObject(Array(2).fill({ amount: '19.95', channel: 'web', validFrom: null }))
    })

    test('tags are added to all products of the list, on concurrent changes, and the change is undone', async () => {
      await ofBowls()
      const dialog = await openBulk()
      await dialog.getByRole('radio', { name: 'all 3 that the list finds' }).check()
      await choose('Add tags')
      await dialog.getByRole('textbox', { name: /Values/ }).fill('sale, blue')
      const [first = ''] = bowls
      await stage.shop.update(first, { tags: ['deep', 'new'] })
      await dialog.getByRole('button', { name: 'Apply' }).click()
      await dialog.getByText('3 changed.').waitFor()
      const body = await stage.shop.read(first)
      expect(body.tags.toSorted()).toEqual(['blue', 'deep', 'new', 'sale'])
      await dialog.getByRole('button', { name: 'Undo' }).click()
      await dialog.getByText('3 restored.').waitFor()
      expect((await stage.shop.read('/api/products?tag=sale')).totalItems).toBe(0)
      await dialog.getByRole('button', { name: 'Close' }).click()
    })

    test('prices change by percent, to the cent', async () => {
      await ofBowls()
      const dialog = await openBulk()
      await choose('Change prices by percent')
      await dialog.getByRole('textbox', { name: /Percent/ }).fill('-10')
      await stage.picture('admin-bulk', false)
      await dialog.getByRole('button', { name: 'Apply' }).click()
      await dialog.getByText('1 changed.').waitFor()
      const { body } = await stage.shop.get(`/api/sale_offers?product=${encodeURIComponent(bowls[2] ?? '')}`)
      expect(body.member.map((each: { amount: string }) => each.amount)).toEqual(['17.96'])
      await dialog.getByRole('button', { name: 'Close' }).click()
    })

    test('status, channels and a category are set for many, and undone', async () => {
      const category = await stage.shop.create('/api/categories', { title: 'Bowls of all kinds' })
      const changes: readonly [string, () => Promise<void>, string][] = [
        [
          'Set the status',
          async () => {
            await page.getByRole('combobox', { name: 'Status' }).last().click()
            await page.getByRole('option', { name: 'Draft' }).click()
          },
          'status=DRAFT',
        ],
        [
          'Add channels',
          async () => {
            await page.getByRole('combobox', { name: 'Channels' }).fill('bazaar')
            await page.getByRole('option', { name: 'Create the new channel “bazaar”?' }).click()
          },
          'channel=bazaar',
        ],
        [
          'Add a category',
          async () => {
            await page.getByRole('combobox', { name: 'Category' }).last().click()
            await page.getByRole('option', { name: 'Bowls of all kinds' }).click()
          },
          `category=${encodeURIComponent(category['@id'])}`,
        ],
      ]
      for (const [what, fill, filter] of changes) {
        const found = async () => (await stage.shop.read(`/api/products?vendor=Bowlery&${filter}`)).totalItems
        await ofBowls()
        const dialog = await openBulk()
        await dialog.getByRole('radio', { name: 'all 3 that the list finds' }).check()
        await choose(what)
        await fill()
        await dialog.getByRole('button', { name: 'Apply' }).click()
        await dialog.getByText('3 changed.').waitFor()
        expect(await found(), what).toBe(3)
        await dialog.getByRole('button', { name: 'Undo' }).click()
        await dialog.getByText('3 restored.').waitFor()
        expect(await found(), what).toBe(0)
        await dialog.getByRole('button', { name: 'Close' }).click()
      }
    })

    test('the latest changes are filtered by resource and user, and link to the changed documents', async () => {
      await page.goto(`${stage.origin}/admin#/products`)
      await byMenu(page, 'Latest changes')
      const changes = page.getByRole('list', { name: 'Changes' })
      await page.getByText(/^Times are in Europe\/Paris \(GMT/).waitFor()
      await page.getByRole('combobox', { name: 'Resource' }).click()
      await page.getByRole('option', { name: 'prices', exact: true }).click()
      await changes.getByText('Amount: 19.95 → 17.96').waitFor()
      await page.getByRole('combobox', { name: 'Resource' }).click()
      await page.getByRole('option', { name: 'products', exact: true }).click()
      await page.getByRole('textbox', { name: 'User or client' }).fill('nobody at all')
      await page.getByText('Nothing was changed here').waitFor()
      await page.getByRole('textbox', { name: 'User or client' }).fill('')
      await changes.getByRole('link', { name: /Bowl/ }).first().waitFor()
      await stage.picture('admin-latest-changes')
      await fitsOnPhone(page)
      await changes.getByRole('link', { name: /Bowl/ }).first().click()
      await page.getByLabel('Vendor').waitFor()
    })

    test('a webhook shows its health; a test, a preview, a replay and a new secret say what they do', async () => {
      const body = { topic: 'product/*', callbackUrl: 'http://127.0.0.1:9/health' }
      const { '@id': hook } = await stage.shop.create('/api/webhook_subscriptions', body)
      await page.goto(`${stage.origin}/admin#/webhook_subscriptions/${encodeURIComponent(hook)}`)
      await page.getByText('Longest wait').waitFor()
      const dialog = page.getByRole('dialog')
      const act = async (name: string) => {
        await page.getByRole('button', { name, exact: true }).click()
        await dialog.waitFor()
      }
      await act('Send test')
      await dialog.getByText('Sends one signed sample').waitFor()
      await dialog.getByRole('button', { name: 'Send test' }).click()
      await dialog.getByText('did not accept it').waitFor()
      await dialog.getByRole('button', { name: 'Close' }).click()
      await act('Preview')
      await dialog.getByRole('textbox', { name: /Address/ }).fill(bowls[0] ?? '')
      await dialog.getByRole('button', { name: 'Preview' }).click()
      await dialog.getByText(/webhook-signature/).waitFor()
      await dialog.getByRole('button', { name: 'Close' }).click()
      await act('Replay')
      await dialog.getByLabel('From').fill(new Date(Date.now() - 3_600_000).toISOString().slice(0, 16))
      await dialog.getByRole('button', { name: 'Replay' }).click()
      await dialog.getByText(/deliveries were opened/).waitFor()
      await dialog.getByRole('button', { name: 'Close' }).click()
      await act('Replace the secret')
      await dialog.getByRole('button', { name: 'Replace the secret' }).click()
      expect(await dialog.getByRole('textbox', { name: 'Secret' }).inputValue()).toMatch(/^whsec_/)
      await dialog.getByRole('button', { name: 'I have stored it' }).click()
      await page.getByText(/Two secrets sign until/).waitFor()
      // The body is of this very event, whatever happened to the product later.
      const oldest = page.getByRole('button', { name: /^Details product/ }).last()
      const sequence = Number(/\d+$/.exec((await oldest.getAttribute('aria-label')) ?? '')?.[0])
      const feed = await stage.shop.read(`/api/events?after=${sequence - 1}&itemsPerPage=1`)
      const [{ id, document }] = feed.member
      await oldest.click()
      await dialog.getByRole('button', { name: 'Show the body' }).click()
      const sent = dialog.getByText(`webhook-id: ${id}_`)
      await sent.waitFor()
      await stage.picture('admin-delivery-body', false)
      expect(await sent.innerText()).toContain(`"updatedAt": "${document.updatedAt}"`)
      await dialog.getByRole('button', { name: 'Send again' }).click()
      await dialog.waitFor({ state: 'hidden' })
      await stage.picture('admin-webhook')
      await fitsOnPhone(page)
      await stage.shop.delete(hook, { status: 204 })
    })

    test('an attempt shows its durations, and the response that the subscription records', async () => {
      const receiver = createServer((request, response) =>
        request.resume().on('end', () => {
          response.writeHead(500, { 'content-type': 'text/plain' }).end('The warehouse is closed.')
        }),
      )
      await once(receiver.listen(0, '127.0.0.1'), 'listening')
      const callbackUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`
      const { '@id': hook } = await stage.shop.create('/api/webhook_subscriptions', {
        topic: 'product/*',
        callbackUrl,
      })
      await page.goto(`${stage.origin}/admin#/webhook_subscriptions/${encodeURIComponent(hook)}`)
      await page.getByLabel('Record responses').check()
      await page.getByRole('button', { name: 'Save' }).click()
      await expect
        .poll(async () => (await stage.shop.read('/api/webhook_subscriptions')).member[0].recordResponses)
        .toBe(true)
      // Saving leads to the list. Later, that would close the dialog.
      await page.waitForURL(/#\/webhook_subscriptions$/)
      await page.goto(`${stage.origin}/admin#/webhook_subscriptions/${encodeURIComponent(hook)}`)
      const dialog = page.getByRole('dialog')
      await page.getByRole('button', { name: 'Send test', exact: true }).click()
      await dialog.getByRole('button', { name: 'Send test' }).click()
      await dialog.getByText(/500 · rejected · address \d+ ms · headers \d+ ms · body \d+ ms/).waitFor()
      await dialog.getByText('The warehouse is closed.').waitFor()
      await dialog.getByRole('button', { name: 'Close' }).click()
      await stage.shop.post(`${hook}/replay`, { body: { afterSequence: 0 }, status: 202 })
      const [delivery] = (await stage.shop.read(`${hook}/deliveries?itemsPerPage=1`)).member
      const attempt = {
        number: 1,
        startedAt: delivery.createdAt,
        httpStatus: 500,
        error: 'http_status',
        durations: { address: 12, headers: 40, body: null },
        response: 'The warehouse is closed.',
      }
      const waiting = { ...delivery, status: 'PENDING', waitsFor: 'next_attempt', log: [attempt] }
      await page.route(
        (url) => url.pathname === delivery['@id'],
        (route) => route.fulfill({ json: waiting }),
      )
      await page.reload()
      await page
        .getByRole('button', { name: /^Details product/ })
        .first()
        .click()
      await dialog.getByText(/500 · rejected · address 12 ms · headers 40 ms(?! · body)/).waitFor()
      await dialog.getByText('The warehouse is closed.').waitFor()
      await stage.picture('admin-delivery-response', false)
      await fitsOnPhone(page)
      await page.unrouteAll()
      await stage.shop.delete(hook, { status: 204 })
      receiver.closeAllConnections()
      receiver.close()
    })

    test('a disabled webhook shows the reason when it is opened', async () => {
      const body = { topic: 'product/*', callbackUrl: 'http://127.0.0.1:9/nobody' }
      const made = await stage.shop.create('/api/webhook_subscriptions', body)
      const hook = made['@id']
      const isOfHook = (url: URL) => url.pathname === hook
      await page.route(isOfHook, (route) =>
        route.fulfill({ json: { ...made, status: 'DISABLED', disabledReason: 'gone' } }),
      )
      await page.goto(`${stage.origin}/admin#/webhook_subscriptions/${encodeURIComponent(hook)}`)
      await page.getByRole('alert').getByText('the receiver responded 410').waitFor()
      await page.unroute(isOfHook)
      await stage.shop.delete(hook, { status: 204 })
    })
  })
}

/** Campaigns in /admin: a sale of a collection is started, ended early and undone, with few clicks. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { seriousIn } from './axe.ts'
import { performBulkOperations } from './bulk-operations.ts'
import { type Stage, signIn } from './chromium.ts'
import { onDesktop } from './in-browser.ts'

onDesktop((of) => {
  describe('campaigns', () => {
    let stage: Stage
    let page: Page
    let stopBulkOperations: () => Promise<void>

    beforeAll(async () => {
      stage = of()
      page = stage.page
      await signIn(stage)
      stopBulkOperations = await performBulkOperations(stage.shop.tenant.id)
      const body = Array.from({ length: 30 }, (_, at) => ({
        title: `Scarf ${at}`,
        status: 'ACTIVE',
        channels: ['web'],
        variants: [{ sku: `SC-${at}`, saleOffers: [{ amount: '10.00', currency: 'EUR' }] }],
      }))
      const { member } = await stage.shop.create('/api/products', body)
      const { '@id': collection } = await stage.shop.create('/api/collections', { title: 'Scarves' })
      for (const { '@id': product } of member) await stage.shop.create(`${collection}/products`, { product })
    }, 90_000)
    afterAll(() => stopBulkOperations?.())

    const steps = () => page.evaluate('steps')
    const campaign = async () => (await stage.shop.read('/api/campaigns')).member[0]
    const ends = async () => {
      const { '@id': iri } = await campaign()
      const { member } = await stage.shop.read(`/api/sale_offers?campaign=${iri}&itemsPerPage=100`)
      return member.map(({ validUntil }: { validUntil: string }) => validUntil)
    }

    test('a sale of a collection takes at most six clicks and keys next to typing, and is a campaign', async () => {
      await page.goto('about:blank')
      await page.goto(`${stage.origin}/admin#/campaigns`)
      await page.getByText('There is no campaign yet').waitFor()
      await page.evaluate(countSteps)
      await page.getByRole('link', { name: 'New sale' }).click()
      await page.getByLabel('Name of the sale').fill('Scarf week')
      await page.getByRole('combobox', { name: 'Collection' }).click()
      await page.getByRole('option', { name: 'Scarves' }).click()
      await page.getByText('30 products are found.').waitFor()
      await page.getByRole('button', { name: 'Choose all 30' }).click()
      await page.getByLabel('From', { exact: true }).fill('2026-01-01T00:00')
      await page.getByLabel('Until', { exact: true }).fill('2090-01-01T00:00')
      await page.getByLabel('Reduction in %').fill('20')
      await page.getByRole('button', { name: 'Calculate the new prices' }).click()
      await page.getByRole('button', { name: 'Start the sale with 30 prices' }).click()
      await page.getByText('30 prices are in the sale.').waitFor()
      expect(await steps()).toBeLessThanOrEqual(6)
      expect(await campaign()).toMatchObject({ name: 'Scarf week', offers: 30 })
    }, 120_000)

    test('the sale ends early with two clicks, and the end is undone', async () => {
      const before = new Set(await ends())
      await page.getByRole('link', { name: 'Open the campaign' }).click()
      await page.getByRole('button', { name: 'End now' }).waitFor()
      await stage.settled()
      expect(await seriousIn(page)).toEqual([])
      await page.evaluate(countSteps)
      await page.getByRole('button', { name: 'End now' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'End now' }).click()
      await page.getByText('31 changes are made.').waitFor()
      expect(await steps()).toBeLessThanOrEqual(2)
      const now = await ends()
      expect([new Set(now).size, now.every((end: string) => new Date(end) <= new Date())]).toEqual([1, true])
      await page.getByText('Ended ·', { exact: false }).waitFor()
      await page.getByRole('button', { name: 'Undo' }).click()
      await page.getByText('31 changes are undone.').waitFor()
      expect(new Set(await ends())).toEqual(before)
    }, 120_000)

    test('the end is changed, and the list shows the campaign', async () => {
      await page.getByLabel('New end').fill('2089-06-01T00:00')
      await page.getByRole('button', { name: 'Change the end' }).click()
      await page.getByText('31 changes are made.').waitFor()
      expect(new Set(await ends())).toEqual(new Set([(await campaign()).validUntil]))
      await page.goto('about:blank')
      await page.goto(`${stage.origin}/admin#/campaigns`)
      const row = page.getByRole('row').filter({ hasText: 'Scarf week' })
      await row.getByText('Running').waitFor()
      await row.getByText('30', { exact: true }).waitFor()
      expect(await seriousIn(page)).toEqual([])
    }, 120_000)
  })
})

/** Counts clicks and keys of the user. */
const countSteps = `(() => {
  const isNew = !('steps' in globalThis)
  globalThis.steps = 0
  if (isNew) for (const type of ['pointerdown', 'keydown']) addEventListener(type, (event) => { steps += event.isTrusted }, true)
})()`

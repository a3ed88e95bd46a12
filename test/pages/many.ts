/** Changes of many products at once in /admin. */
import { beforeAll, describe, expect, test } from 'vitest'
import { openClient } from '../../src/local/cli/http.ts'
import { noProgress } from '../../src/local/cli/output.ts'
import { importProducts } from '../../src/local/import/command.ts'
import { readGroups } from '../../src/local/import/file.ts'
import { Report } from '../../src/local/import/report.ts'
import type { Stage } from './chromium.ts'

/** More products than a list shows at once, on the stage's service. */
export function many(of: () => Stage): void {
  describe('many products at once', () => {
    let stage: Stage

    beforeAll(async () => {
      stage = of()
      for (const half of [0, 50, 100]) {
        const body = Array.from({ length: 50 }, (_, at) => ({
          title: `Fork “${half + at}”, steel`,
          productType: 'Cutlery',
          tags: ['steel', 'set'],
          status: 'ACTIVE',
          channels: ['web'],
          variants: [{ sku: `FORK-${half + at}`, saleOffers: [{ amount: '3.90', currency: 'EUR' }] }],
        }))
        await stage.shop.create('/api/products', body)
      }
    })

    test('those that were archived together come back as they were, with their channels', async () => {
      const { page, origin, shop } = stage
      const body = ['Ladle', 'Whisk'].map((title) => ({
        title,
        vendor: 'Undone',
        status: 'ACTIVE',
        channels: ['web', 'store'],
        variants: [{ sku: title }],
      }))
      const { member } = await shop.create('/api/products', body)
      const stored = async () =>
        (await shop.read('/api/products?vendor=Undone&updatedAt[after]=2020-01-01')).member.map(
          ({ status, channels }: { status: string; channels: string[] }) => `${status} ${channels}`,
        )
      await page.goto(`${origin}/admin#/products?filter=${encodeURIComponent('{"vendor":"Undone"}')}`)
      await page.getByText('1-2 of 2').waitFor()
      for (const at of [1, 2]) await page.getByRole('checkbox').nth(at).check()
      await page.getByRole('button', { name: 'Change', exact: true }).click()
      const dialog = page.getByRole('dialog', { name: 'Change many products' })
      await dialog.getByRole('combobox', { name: 'Status' }).click()
      await page.getByRole('option', { name: 'Archived' }).click()
      await dialog.getByRole('button', { name: 'Apply' }).click()
      await dialog.getByText('2 changed.').waitFor()
      expect(await stored()).toEqual(['ARCHIVED ', 'ARCHIVED '])
      await dialog.getByRole('button', { name: 'Undo' }).click()
      await dialog.getByText('2 restored.').waitFor()
      expect(await stored()).toEqual(['ACTIVE web,store', 'ACTIVE web,store'])
      await dialog.getByRole('button', { name: 'Close' }).click()
      for (const each of member) await shop.delete(each['@id'], { status: 204 })
    })

    test('a sale says how many products it has at most before they are chosen', async () => {
      const { page, origin } = stage
      await page.goto(`${origin}/admin#/sale`)
      await page.getByText('A sale has at most 150 products.').waitFor()
      await page.getByRole('button', { name: 'Choose the first 150' }).click()
      await page.getByText('150 products are chosen.').waitFor()
      await page.getByText('Choose a start and an end.').waitFor()
      await page
        .getByRole('checkbox', { name: /^Choose Fork/, checked: true })
        .first()
        .uncheck()
      await page.getByText('149 products are chosen.').waitFor()
      await page.getByRole('button', { name: 'Choose none' }).click()
    })

    test('all that a search finds is exported, on however many pages, and importing it changes nothing', async () => {
      const { page, origin, shop } = stage
      await page.goto(`${origin}/admin#/products?filter=${encodeURIComponent('{}')}`)
      const { totalItems } = await shop.read('/api/products?itemsPerPage=0')
      expect(totalItems).toBeGreaterThan(100)
      await page.getByText(`1-25 of ${totalItems}`).waitFor()
      await page.getByRole('button', { name: 'Export' }).click()
      const dialog = page.getByRole('dialog', { name: 'Export products' })
      const file = page.waitForEvent('download')
      await dialog.getByRole('button', { name: 'Write the file' }).click()
      const download = await file
      expect(download.suggestedFilename()).toBe('products-web-EUR.csv')
      await dialog.getByText(`${totalItems} products were written.`).waitFor()
      await stage.picture('admin-export', false)
      await dialog.getByRole('button', { name: 'Close' }).click()
      const client = openClient({
        port: Number(new URL(origin).port),
        host: shop.host,
        token: await shop.token(),
      })
      try {
        const target = { channel: 'web', currency: 'EUR' }
        const { signal } = new AbortController()
        const report = new Report()
        const given = { client, target, progress: noProgress, report, signal, bulkAbove: 1000 }
        const { counts, refusals } = await importProducts(readGroups(await download.path()), given)
        expect(refusals).toEqual([])
        expect(counts.products).toEqual({ created: 0, changed: 0, unchanged: totalItems, rejected: 0 })
        expect([counts.variants.created, counts.variants.changed]).toEqual([0, 0])
        expect([counts.prices.created, counts.prices.changed]).toEqual([0, 0])
        expect(counts.prices.unchanged).toBeGreaterThanOrEqual(100)
      } finally {
        client.close()
      }
    })
  })
}

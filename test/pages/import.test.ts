/** The import of a file in /admin: columns are mapped, a dry run checks it, and the import is undone. */
import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { seriousIn } from './axe.ts'
import { performBulkOperations } from './bulk-operations.ts'
import { asked, byMenu, type Stage, signIn } from './chromium.ts'
import { fitsOnPhone, onDesktop } from './in-browser.ts'

onDesktop((of) => {
  describe('a file of products', () => {
    let stage: Stage
    let page: Page
    let isPaused = false
    let stopBulkOperations: () => Promise<void>

    beforeAll(async () => {
      stage = of()
      page = stage.page
      await signIn(stage)
      stopBulkOperations = await performBulkOperations(stage.shop.tenant.id, () => isPaused)
      await stage.shop.create('/api/products', {
        title: 'Tea cup',
        handle: 'tea-cup',
        vendor: 'Kiln',
        variants: [{ sku: 'CUP', saleOffers: [{ amount: '8.00', currency: 'EUR', channel: 'web' }] }],
      })
    }, 90_000)
    afterAll(() => stopBulkOperations?.())

    const button = (name: string | RegExp) => page.getByRole('button', { name })
    const open = async (name: string, text: string | Buffer) => {
      await page.goto('about:blank')
      await page.goto(`${stage.origin}/admin#/import`)
      await button('Choose a file').waitFor()
      await page
        .locator('input[type=file]')
        .setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(text) })
    }
    const product = async (handle: string) =>
      (await stage.shop.read(`/api/products?handle=${handle}`)).member[0]

    const header = 'Handle,Title,Vendor,Status,Variant SKU,Variant Barcode,Variant Price'
    const rows = [
      "bowl,'=1+1,Kiln,active,BOWL,,12.50",
      'jug,Jug,Kiln,active,JUG,4006381333931,30',
      'tea-cup,Tea cup,Atelier,draft,CUP,,9.00',
      'vase,Vase,Kiln,active,VASE,4006381333932,40',
      'copy,Copy of a mug,Kiln,active,MUG-San,,18',
    ]

    test('is checked, imported without its rejected rows, and undone', async () => {
      await open('shop.csv', [header, ...rows].join('\r\n'))
      await page.getByText('shop.csv: 5 rows, utf-8').waitFor()
      expect(await seriousIn(page)).toEqual([])
      await fitsOnPhone(page)
      await stage.picture('admin-import-columns')
      await button('Check the file').click()
      await page.getByText('One product of the catalogue has no external id.').waitFor()
      await button('Give external ids and check').click()
      await page.getByText('2 would be created, 1 changed, 0 unchanged, 2 rejected.').waitFor()
      await page.getByText('The check digit of this GTIN-13 is wrong: it would be 1.').waitFor()
      expect(await seriousIn(page)).toEqual([])
      await stage.picture('admin-import-checked')
      expect(await product('jug')).toBeUndefined()
      expect(await product('tea-cup')).toMatchObject({ vendor: 'Kiln' })

      const download = page.waitForEvent('download')
      await button('Download the rejected rows').click()
      const file = await download
      expect(file.suggestedFilename()).toBe('shop.rejected.csv')
      const lines = (await readFile(await file.path(), 'utf8')).trimEnd().split('\n')
      expect(lines[0]).toBe(`\uFEFFRejected because,${header}`)
      expect(lines[1]).toContain(`it would be 1.,${rows[3]}`)
      expect(lines[2]).toMatch(/^"?Variant SKU: .+,copy,Copy of a mug,/)
      expect(lines).toHaveLength(3)

      await button('Import 3 products').click()
      await page.getByText('2 created, 1 changed, 0 unchanged, 2 rejected.').waitFor()
      expect(await product('bowl')).toMatchObject({ title: '=1+1', status: 'ACTIVE', channels: ['web'] })
      expect(await product('tea-cup')).toMatchObject({ vendor: 'Atelier' })
      expect(await product('copy')).toBeUndefined()

      await button('Undo the import').click()
      await page.getByText(/^\d+ restored\.$/).waitFor()
      expect(await product('tea-cup')).toMatchObject({ vendor: 'Kiln' })
      expect(await product('jug')).toBeUndefined()
    })

    test('from the export of the list changes nothing', async () => {
      await stage.shop.create('/api/products', {
        title: 'Wooden tray',
        externalId: 'tray',
        vendor: 'Joiner',
        variants: [{ sku: 'TRAY', saleOffers: [{ amount: '15.00', currency: 'EUR', channel: 'web' }] }],
      })
      await page.goto('about:blank')
      await page.goto(`${stage.origin}/admin#/products?filter=${encodeURIComponent('{"vendor":"Joiner"}')}`)
      await button('Export').click()
      const download = page.waitForEvent('download')
      await button('Write the file').click()
      const text = await readFile(await (await download).path(), 'utf8')
      expect(text).toContain('wooden-tray')
      await open('products.csv', text)
      await button('Check the file').click()
      await page.getByText('0 would be created, 0 changed, 1 unchanged, 0 rejected.').waitFor()
    })

    test.each([
      ['utf-16le', (text: string) => Buffer.from(`\uFEFF${text}`, 'utf16le')],
      ['windows-1252', (text: string) => Buffer.from(text, 'latin1')],
    ])('in %s is read', async (encoding, bytesIn) => {
      await open('cafe.tsv', bytesIn('Handle\tTitle\tPrice\ncafe\tCafé à Évry\t7\n'))
      await page.getByText(`cafe.tsv: 1 row, ${encoding}`).waitFor()
      await page.getByRole('cell', { name: 'Café à Évry' }).waitFor()
      await button('Check the file').click()
      await page.getByText('1 would be created, 0 changed, 0 unchanged, 0 rejected.').waitFor()
    })

    test('with other names of columns is mapped by hand, and reads decimal commas', async () => {
      await open('artikel.csv', 'Artikel;Größe;Preis\nTeller;S;9,50\nTeller;L;12,00\n')
      await page.getByText('Choose the column of the handle or of the title.').waitFor()
      expect(await button('Check the file').isDisabled()).toBe(true)
      expect(await page.getByLabel('Amounts have a decimal comma').isChecked()).toBe(true)
      for (const [column, field] of [
        ['Artikel', 'Title'],
        ['Größe', 'Value of option 1'],
        ['Preis', 'Price'],
      ] as const)
        await page.getByLabel(`Imported as, column ${column}`).selectOption(field)
      await button('Check the file').click()
      await page.getByText('1 would be created').waitFor()
      await button('Import one product').click()
      await page.getByText('1 created').waitFor()
      const { variants } = await product('teller')
      expect(variants.map(({ title }: { title: string }) => title)).toEqual(['S', 'L'])
    })

    test('is cancelled during the check, and leaving the page asks', async () => {
      isPaused = true
      try {
        await open('one.csv', 'Handle,Title\nsaucer,Saucer\n')
        await button('Check the file').click()
        await page.getByText('The file is checked 0 of 1').waitFor()
        const question = await asked(page, 'dismiss', () => byMenu(page, 'Products'))
        expect(question).not.toBe('')
        await page.getByText('The file is checked 0 of 1').waitFor()
        await button('Cancel').click()
        await button('Check the file').waitFor()
        const { member } = await stage.shop.read('/api/bulk_operations?itemsPerPage=1')
        expect(member[0]).toMatchObject({ status: 'CANCELLED', dryRun: true })
      } finally {
        isPaused = false
      }
    })

    test('of too many rows is refused with the limits', async () => {
      await open('many.csv', `Handle,Title\n${'a,A\n'.repeat(100_001)}`)
      await page.getByRole('alert').getByText('A file has at most 50 MB and 100,000 rows.').waitFor()
    })
  })
})

/** The lists of a catalogue in which nothing is yet. */
import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { openShop } from '../support/shop.ts'
import { resize, type Stage, sizes } from './chromium.ts'
import { lists } from './lists.ts'

/** Pages that need a document of another list first. */
const first = [
  ['/sale', 'products'],
  ['/sale_offers/create', 'products'],
  ['/purchase_offers/create', 'products'],
  ['/metaobjects/create', 'metaobject_definitions'],
] as const

/** In a tab of its own, on a tenant of its own. */
export function empty(of: () => Stage): void {
  test('an empty list has a text and a link to the first step, in English and in French', async () => {
    const shop = await openShop({ host: `fresh-${randomUUID().slice(0, 8)}.localhost`, name: 'New Shop' })
    const page = await of().page.context().newPage()
    page.setDefaultTimeout(45_000)
    try {
      const { port } = new URL(of().origin)
      await resize(page, sizes.phone)
      const faults: string[] = []
      for (const [locale, nothing] of [
        ['en', /\bno .* yet|there (is|are) no/i],
        ['fr', /aucun|pas encore|pas de/i],
      ] as const) {
        if (locale === 'en') await page.goto(`http://${shop.host}:${port}/admin#token=${await shop.token()}`)
        else {
          await page.evaluate(`localStorage.setItem('RaStore.locale', '"${locale}"')`)
          await page.reload()
        }
        for (const name of lists) {
          await page.goto(`http://${shop.host}:${port}/admin#/${name}`)
          const main = page.getByRole('main')
          const hasText = await main
            .getByText(nothing)
            .first()
            .waitFor()
            .then(
              () => true,
              () => false,
            )
          const leads = await main.locator(`a[href$="/${name}/create"]`).count()
          const isInvited = await main.locator('.RaEmpty-message').count()
          const text = await main.innerText()
          if (!hasText || leads === 0 || isInvited === 0 || text.includes('npm'))
            faults.push(`${locale} ${name}: ${leads} ${text}`)
        }
        for (const [path, needed] of first) {
          await page.goto(`http://${shop.host}:${port}/admin#${path}`)
          const link = page
            .getByRole('alert')
            .filter({ hasText: nothing })
            .locator(`a[href$="/${needed}/create"]`)
          const isThere = await link.waitFor().then(
            () => true,
            () => false,
          )
          if (!isThere) faults.push(`${locale} ${path}: ${await page.getByRole('main').innerText()}`)
        }
      }
      expect(faults).toEqual([])
    } finally {
      await page.close()
    }
  })
}

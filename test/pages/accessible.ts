/** What a checker of accessibility (axe-core) finds on the pages of /admin. */
import axe from 'axe-core'
import { describe, expect, test } from 'vitest'
import { type Stage, sideways, sizes } from './chromium.ts'

const judged = `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) =>
  violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.slice(0, 3).map(({ html }) => id + ': ' + html.slice(0, 200))))`

const lists = [
  'products',
  'categories',
  'collections',
  'sale_offers',
  'purchase_offers',
  'webhook_subscriptions',
]

/** Each list, form and thing of the stage's service, light on a desk and dark on a phone. */
export function accessible(of: () => Stage): void {
  describe('everyone can use it', () => {
    test.each([
      ['light', sizes.wide],
      ['dark', sizes.phone],
    ])('in %s colours', async (theme, size) => {
      const { page, origin, shop, settled } = of()
      const paths = ['/latest-changes']
      for (const name of lists) {
        const [first] = (await shop.get(`/api/${name}?itemsPerPage=1`, { status: 200 })).body.member
        paths.push(`/${name}`, `/${name}/create`, `/${name}/${encodeURIComponent(first['@id'])}`)
      }
      await page.setViewportSize(size)
      await page.goto(`${origin}/admin#/products`)
      await page.evaluate(`localStorage.setItem('RaStore.theme', '"${theme}"')`)
      await page.reload()
      const found: string[] = []
      for (const path of paths) {
        await page.goto(`${origin}/admin#${path}`)
        await page
          .locator('main :is(h1, h2, h3, h4, h5, h6, tr, form, li)')
          .first()
          .waitFor({ state: 'attached' })
        await settled()
        await page.getByText('Please wait').waitFor({ state: 'detached' })
        await page.evaluate(axe.source)
        const findings = await page.evaluate<string[]>(judged)
        found.push(...findings.map((each) => `${decodeURIComponent(path)}: ${each}`))
        const wider = await sideways(page)
        if (wider > 0) found.push(`${path} is ${wider} pixels wider than its window`)
      }
      await page.evaluate(`localStorage.setItem('RaStore.theme', '"light"')`)
      await page.setViewportSize(sizes.wide)
      await page.reload()
      expect(found).toEqual([])
    })
  })
}

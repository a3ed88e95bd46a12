/** What a checker of accessibility (axe-core) finds on the pages of /admin. */
import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Stage, sideways, sizes } from './chromium.ts'
import { lists } from './lists.ts'

/** A page, and the buttons that open parts of it. */
type Seen = readonly [path: string, ...opened: (string | RegExp)[]]

/** What depends on the colours alone is asked anew where only they have changed. */
const ofColours = ['color-contrast', 'link-in-text-block']

/** Every page of the stage's service, in each of two themes on a desk and on a phone. */
export function accessible(of: () => Stage): void {
  describe('everyone can use it', () => {
    let stage: Stage
    let page: Page
    const first: Record<string, string> = {}

    beforeAll(async () => {
      stage = of()
      page = stage.page
      const { shop, mug } = stage
      const type = '/api/metafield_definition_types/single_line_text_field'
      const definition = {
        type: 'maker',
        name: 'Maker',
        displayNameField: 'name',
        fieldDefinitions: [{ key: 'name', name: 'Name', type }],
      }
      const kind = (await shop.post('/api/metaobject_definitions', { body: definition, status: 201 })).body
      const maker = { definition: kind['@id'], fields: { name: 'Ada' } }
      await shop.post('/api/metaobjects', { body: maker, status: 201 })
      await shop.patch(mug['@id'], { body: { fields: { 'care.washing': 'By hand' } }, status: 200 })
      for (const name of lists) {
        const { member } = (await shop.get(`/api/${name}?itemsPerPage=1`, { status: 200 })).body
        first[name] = encodeURIComponent(member[0]['@id'])
      }
      const hook = decodeURIComponent(first.webhook_subscriptions ?? '')
      await shop.post(`${hook}/replay`, {
        body: { from: new Date(Date.now() - 3_600_000).toISOString() },
        status: 202,
      })
      first.mug = encodeURIComponent(mug['@id'])
      first.variant = encodeURIComponent(mug.variants[0]['@id'])
    })

    test.each<[what: string, pages: () => readonly Seen[]]>([
      ['lists', () => [...lists.map((name): Seen => [`/${name}`]), ['/latest-changes'], [untranslated]]],
      ['new things', () => [...lists.map((name): Seen => [`/${name}/create`]), ['/sale']]],
      ['things', () => lists.map((name): Seen => [`/${name}/${first[name]}`])],
      [
        'what belongs to a product',
        () => [
          [`/products/${first.mug}`, ...sections],
          [`/products/${first.mug}`, 'Edit options'],
          [`/variants/${first.variant}`],
          [`/price_grid/${first.mug}`],
          [`/translate/${first.mug}?into=fr-FR`],
        ],
      ],
      [
        'what opens',
        () => [
          [`/webhook_subscriptions/${first.webhook_subscriptions}`, /^Details /],
          ['/products', 'Export'],
          // What is chosen in a list stays so.
          ['/products', 'Choose', 'Change'],
        ],
      ],
    ])('%s', async (_, pages) => {
      const found: string[] = []
      for (const [path, ...opened] of pages()) {
        const told = (finding: string) => `${decodeURIComponent(path)}: ${finding}`
        await show(path, opened)
        found.push(...(await findings()).map(told))
        await wear('dark')
        found.push(...(await findings(ofColours)).map(told))
        await page.setViewportSize(sizes.phone)
        await stage.settled()
        found.push(...(await findings()).map(told))
        const wider = await sideways(page)
        if (wider > 0) found.push(told(`${wider} pixels wider than its window`))
        await wear('light')
        found.push(...(await findings(ofColours)).map(told))
      }
      await page.setViewportSize(sizes.wide)
      expect([...new Set(found)]).toEqual([])
    })

    async function show(path: string, opened: readonly (string | RegExp)[]): Promise<void> {
      await page.setViewportSize(sizes.wide)
      // What is open on a page stays so where its address is the same.
      const nowhere = page.getByText('Not Found')
      await page.goto(`${stage.origin}/admin#/none`)
      await nowhere.waitFor()
      await page.goto(`${stage.origin}/admin#${path}`)
      await nowhere.waitFor({ state: 'detached' })
      await page
        .locator('main :is(h1, h2, h3, h4, h5, h6, tr, form, li)')
        .first()
        .waitFor({ state: 'attached' })
      await stage.settled()
      for (const name of opened)
        await page.getByRole('button', { name }).or(page.getByRole('checkbox', { name })).first().click()
      await stage.settled()
    }

    /** As another tab of the same person would. */
    const wear = (theme: string) =>
      page.evaluate<void, string>((newValue) => {
        const { dispatchEvent, StorageEvent } = globalThis as unknown as Storages
        localStorage.setItem('RaStore.theme', newValue)
        dispatchEvent(new StorageEvent('storage', { key: 'RaStore.theme', newValue }))
      }, JSON.stringify(theme))

    async function findings(rules?: readonly string[]): Promise<string[]> {
      if (!(await page.evaluate('"axe" in globalThis'))) await page.evaluate(axe.source)
      const options = { resultTypes: ['violations'], ...(rules && { runOnly: rules }) }
      const found = await page.evaluate<readonly Violation[]>(
        `axe.run(document, ${JSON.stringify(options)}).then(({ violations }) => violations)`,
      )
      return found
        .filter(({ impact }) => impact === 'serious' || impact === 'critical')
        .flatMap(({ id, nodes }) =>
          nodes.slice(0, 3).map((each) => `${id}: ${each.html.slice(0, 200)} ${each.failureSummary}`),
        )
    }
  })
}

const untranslated = '/untranslated?kind=products&missing=fr-FR'

const sections = ['Pictures', 'Custom data', 'Languages', 'Price over time', 'Why this price', 'History']

type Violation = {
  readonly id: string
  readonly impact: string | null
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[]
}

/** What a browser has and this process has not. */
type Storages = {
  readonly dispatchEvent: (event: unknown) => void
  readonly StorageEvent: new (type: string, about: object) => unknown
}

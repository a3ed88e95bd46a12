/** Accessibility (axe-core) of the pages of /admin. */
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { findings, seriousIn, type Theme } from './axe.ts'
import { resize, type Stage } from './chromium.ts'
import { lists } from './lists.ts'

/** A page, and the buttons that open parts of it. */
type Seen = readonly [path: string, ...opened: (string | RegExp)[]]

/** Every page of the stage's service, on a desk and on a phone, in two themes. */
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
      const kind = await shop.create('/api/metaobject_definitions', definition)
      const maker = { definition: kind['@id'], fields: { name: 'Ada' } }
      await shop.create('/api/metaobjects', maker)
      await shop.update(mug['@id'], { fields: { 'care.washing': 'By hand' } })
      for (const name of lists) {
        const { member } = await shop.read(`/api/${name}?itemsPerPage=1`)
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
      [
        'lists',
        () => [
          // Filters stay, whichever test set them.
          ...lists.map((name): Seen => [`/${name}?filter=%7B%7D`]),
          ['/price_policies'],
          ['/latest-changes'],
          [untranslated],
          ['/attention?type=no_picture'],
        ],
      ],
      [
        'new things',
        () => [
          ...lists.map((name): Seen => [`/${name}/create`]),
          ['/price_policies/create'],
          ['/sale'],
          ['/grid'],
        ],
      ],
      // Products come below, with all that opens.
      [
        'things',
        () => [
          ...lists.slice(1).map((name): Seen => [`/${name}/${first[name]}`]),
          ['/price_policies/%2Fapi%2Fprice_policies%2FDE'],
          ['/price_policies/%2Fapi%2Fprice_policies%2FDE', 'No policy'],
        ],
      ],
      [
        'what belongs to a product',
        () => [
          [`/products/${first.mug}`, ...sections],
          [`/products/${first.mug}`, 'Edit options'],
          [`/variants/${first.variant}`],
          [`/price_grid/${first.mug}`],
          ['/grid/%7B%7D'],
          ['/grid/%7B%7D', 'Columns'],
          ['/grid/%7B%7D', 'Change cells'],
          [`/translate/${first.mug}?into=fr-FR`],
        ],
      ],
      [
        'what opens',
        () => [
          [`/webhook_subscriptions/${first.webhook_subscriptions}`, /^Details /],
          ['/products?filter=%7B%7D', 'Export'],
          // The choice in a list stays.
          ['/products', 'Choose', 'Change'],
        ],
      ],
    ])('%s', async (_, pages) => {
      const found: string[] = []
      for (const [nth, [path, ...opened]] of pages().entries()) {
        await show(path, opened)
        // Pages share their components: each theme is checked at both sizes, and each page in both.
        const onDesk = nth % 2 === 0 ? 'light' : 'dark'
        const here = await findings(page, stage.settled, (theme) => wear(page, theme), onDesk)
        found.push(...here.map((finding) => `${decodeURIComponent(path)}: ${finding}`))
      }
      expect(found).toEqual([])
    })

    test('colours follow the system until a person chooses others', async () => {
      const background = () => page.evaluate<string>('getComputedStyle(document.body).backgroundColor')
      await page.evaluate("localStorage.removeItem('RaStore.theme')")
      await page.reload()
      await page.emulateMedia({ colorScheme: 'dark' })
      const found: string[] = []
      for (const path of [
        '/products',
        `/products/${first.mug}`,
        '/sale_offers',
        '/sale',
        '/latest-changes',
      ]) {
        await show(path, [])
        found.push(...(await seriousIn(page)))
      }
      expect(found).toEqual([])
      expect(await background()).toBe('rgb(16, 20, 19)')
      await wear(page, 'light')
      await expect.poll(background).toBe('rgb(246, 247, 247)')
      await page.emulateMedia({ colorScheme: 'light' })
    })

    test('at 200 % zoom no bar covers the focused input', async () => {
      await resize(page, { width: 640, height: 360 })
      const found: (string | null)[] = []
      for (const path of [`/products/${first.mug}`, `/price_grid/${first.mug}`, '/sale_offers/create']) {
        await show(path, [])
        await page.locator('main input').first().focus()
        for (let presses = 0; presses < 40; presses += 1) {
          await page.keyboard.press('Tab')
          found.push(await page.evaluate<string | null>(coveredInput))
        }
      }
      expect(found.filter((input) => input !== null)).toEqual([])
      await resize(page, stage.size)
    })

    async function show(path: string, opened: readonly (string | RegExp)[]): Promise<void> {
      // Open sections of a page stay open if its address is the same.
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
  })
}

/** Changes colours as another tab of the same person would. */
export function wear(page: Page, theme: Theme): Promise<void> {
  return page.evaluate<void, string>((newValue) => {
    const { dispatchEvent, StorageEvent } = globalThis as unknown as Storages
    localStorage.setItem('RaStore.theme', newValue)
    dispatchEvent(new StorageEvent('storage', { key: 'RaStore.theme', newValue }))
  }, JSON.stringify(theme))
}

const untranslated = '/untranslated?kind=products&missing=fr-FR'

/** The focused input if something else is over its middle or its lower edge. */
const coveredInput = `(() => {
  const input = document.activeElement
  if (!input.matches('main :is(input:not([type=checkbox]), textarea)')) return null
  const { left, top, width, height } = input.getBoundingClientRect()
  const isSeen = (y) => {
    const over = document.elementFromPoint(left + width / 2, y)
    return over?.contains(input) || input.parentElement.contains(over)
  }
  return isSeen(top + height / 2) && isSeen(top + height - 2) ? null : input.outerHTML.slice(0, 200)
})()`

const sections = ['Pictures', 'Custom data', 'Languages', 'Price over time', 'Why this price', 'History']

/** A global of the browser that this process has not. */
type Storages = {
  readonly dispatchEvent: (event: unknown) => void
  readonly StorageEvent: new (type: string, about: object) => unknown
}

/** The guide pages in a browser: colours, languages of requests, search, copies, and reading without JavaScript. */
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { readPages } from '../../src/local/guides/pages.ts'
import { findings } from './axe.ts'
import { onDesktop } from './in-browser.ts'

onDesktop((of) => {
  let page: Page
  let guides: string

  beforeAll(() => {
    page = of().page
    guides = `${of().origin}/docs/guides`
  })

  const shown = () =>
    page
      .locator('.request')
      .first()
      .locator('.variant:visible')
      .evaluateAll((all: { dataset: Record<string, string> }[]) => all.map((each) => each.dataset.language))

  describe('everyone can use', () => {
    test.each(['', ...readPages().map(({ slug }) => `/${slug}`)])('/docs/guides%s', async (path) => {
      await page.goto(`${guides}${path}`)
      const wear = (theme: string) =>
        page.evaluate<void>(`document.documentElement.dataset.theme = '${theme}'`)
      expect(await findings(page, of().settled, wear)).toEqual([])
    })
  })

  test('a visitor finds the guides from the landing page and the reference, and each page from the list', async () => {
    const { origin } = of()
    await page.goto(origin)
    await page.getByRole('link', { name: 'Guides' }).click()
    await page.getByRole('link', { name: 'Prior prices' }).click()
    await page.getByRole('heading', { level: 1, name: 'Prior prices' }).waitFor()
    expect(await page.locator('.series [aria-current=page]').innerText()).toBe('Prior prices')
    await page.getByRole('link', { name: 'Next' }).click()
    await page.getByRole('heading', { level: 1, name: 'Unit prices' }).waitFor()
    await page.goBack()
    await page.getByRole('link', { name: 'Markdown' }).click()
    expect(await page.locator('body').innerText()).toMatch(/^# Prior prices\n/)
  })

  test('the language of requests is chosen for all pages', async () => {
    await page.goto(`${guides}/unit-prices`)
    expect(await shown()).toEqual(['http'])
    await page.getByRole('button', { name: 'Python' }).nth(1).click()
    expect(await shown()).toEqual(['python'])
    await page.goto(`${guides}/prior-prices`)
    expect(await shown()).toEqual(['python'])
    expect(await page.getByRole('button', { name: 'Python', pressed: true }).count()).toBeGreaterThan(3)
  })

  test('code is copied', async () => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    const block = page.locator('figure.code:visible').first()
    await block.hover()
    await block.getByRole('button', { name: 'Copy' }).click()
    await block.getByRole('button', { name: 'Copied' }).waitFor()
    expect(await page.evaluate<string>('navigator.clipboard.readText()')).toBe(
      await block.locator('pre').innerText(),
    )
  })

  test('colours follow the system until the visitor chooses', async () => {
    const ground = () => page.evaluate<string>('getComputedStyle(document.body).backgroundColor')
    await page.emulateMedia({ colorScheme: 'dark' })
    await page.goto(`${guides}/unit-prices`)
    const dark = await ground()
    await page.getByRole('button', { name: 'Light colours' }).click()
    expect(await ground()).toBe('rgb(255, 255, 255)')
    await page.goto(`${guides}/prior-prices`)
    expect(await ground()).toBe('rgb(255, 255, 255)')
    await page.getByRole('button', { name: 'Dark colours' }).click()
    expect(await ground()).toBe(dark)
    await page.emulateMedia({ colorScheme: null })
  })

  test('the search finds sections, by the keyboard alone', async () => {
    await page.goto(guides)
    await page.getByRole('searchbox').focus()
    await page.keyboard.type('coffee another quantity')
    await page.getByText('Unit prices: Another quantity').waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Unit prices' }).waitFor()
    expect(page.url()).toBe(`${guides}/unit-prices#another-quantity`)
    await page.getByRole('searchbox').fill('nothing has these words')
    await page.getByText('0 found').waitFor()
  })

  test('without JavaScript, a page shows each language', async () => {
    await page.route('**/docs/guides.js', (route) =>
      route.fulfill({ contentType: 'text/javascript', body: '' }),
    )
    await page.goto(`${guides}/unit-prices`)
    expect(await shown()).toEqual(['http', 'curl', 'ts', 'python'])
    expect(await page.getByRole('searchbox').count()).toBe(0)
    await page.unrouteAll()
  })
})

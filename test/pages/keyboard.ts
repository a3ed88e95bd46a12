/** Work without a pointer. */
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { wear } from './accessible.ts'
import { findings } from './axe.ts'
import type { Stage } from './chromium.ts'

/** On the stage's own mug; one page is loaded, and what leads from it to the others is pressed. */
export function keyboard(of: () => Stage): void {
  describe('by the keyboard alone', () => {
    let stage: Stage
    let page: Page

    beforeAll(() => {
      stage = of()
      page = stage.page
    })

    const press = (key: string) => page.keyboard.press(key)
    const type = (text: string) => page.keyboard.type(text)

    test('one signs out, and in by a token, on a page that everyone can use', async () => {
      await page.goto(`${stage.origin}/admin#/products`)
      await page.getByRole('heading', { name: 'Products' }).or(page.getByRole('table')).first().waitFor()
      await reach(page, 'Account: ')
      await press('Enter')
      await reach(page, 'Sign out', 'ArrowDown')
      await press('Enter')
      await page.getByLabel('Access token').waitFor()
      expect((await focusOf(page))?.name).toMatch(/^Access token/)
      expect(await findings(page, stage.settled, (theme) => wear(page, theme))).toEqual([])
      await page.keyboard.insertText(await stage.shop.token())
      await reach(page, 'Sign in')
      await press('Enter')
      await page.getByRole('table').waitFor()
    })

    test('from anywhere to the search and the first row by two keys; a product is saved by one', async () => {
      await press('/')
      expect((await focusOf(page))?.name).toMatch(/^Search/)
      await type('Stoneware mug?')
      await page.getByText('1-1 of 1').waitFor()
      await press('ArrowDown')
      expect((await focusOf(page))?.name).toContain('Stoneware mug')
      await press('Enter')
      await page.getByRole('heading', { name: 'Stoneware mug', level: 1 }).waitFor()
      await stage.settled()
      await reach(page, /^Type$/)
      await press('Control+a')
      await type('Saved by a key')
      await press('Control+s')
      await page.getByText(/(?<!Not) saved$/).waitFor()
      expect((await stage.shop.read(stage.mug['@id'])).productType).toBe('Saved by a key')
      await page.goto(`${stage.origin}/admin#/products?filter=%7B%7D`)
      await page.getByRole('row').nth(1).waitFor()
    })

    test('a list is filtered, and what is chosen in it is changed', async () => {
      await reach(page, 'Status')
      await choose(page, 'Active')
      await page.getByText('1-1 of 1').waitFor()
      await reach(page, 'Add filter')
      await press('Enter')
      await reach(page, 'Vendor', 'ArrowDown')
      await press('Enter')
      await reach(page, 'Vendor')
      await type('Atelier Brume')
      await reach(page, 'Choose')
      await press('Space')
      await page.getByText('1 product selected').waitFor()
      await reach(page, 'Change', 'Shift+Tab')
      await press('Enter')
      const dialog = page.getByRole('dialog', { name: 'Change many products' })
      await dialog.waitFor()
      await reach(page, 'What')
      await choose(page, 'Add tags')
      await reach(page, 'Values')
      await type('pressed')
      await reach(page, 'Apply')
      await press('Enter')
      await dialog.getByText('1 changed.').waitFor()
      await reach(page, 'Close')
      await press('Enter')
      await dialog.waitFor({ state: 'detached' })
      expect((await focusOf(page))?.name).toBe('Select all')
      expect((await stage.shop.read(stage.mug['@id'])).tags).toContain('pressed')
    })

    test('the catalogue is read in another language', async () => {
      await reach(page, 'Language of the catalogue', 'Shift+Tab')
      await choose(page, 'French')
      await page.getByRole('row', { name: /Mug en grès/ }).waitFor()
      expect((await focusOf(page))?.name).toContain('Language of the catalogue')
      await choose(page, 'American English')
      await page.getByRole('row', { name: /Stoneware mug/ }).waitFor()
    })

    test('a product is opened by its row, changed and saved', async () => {
      await reach(page, 'Stoneware mug')
      await press('Enter')
      await page.getByRole('heading', { name: 'Stoneware mug', level: 1 }).waitFor()
      await stage.settled()
      await reach(page, 'Vendor')
      await press('Control+a')
      await type('Typed alone')
      await reach(page, 'Sold since', 'Shift+Tab')
      await type('063020251045A')
      await reach(page, 'Save')
      await press('Enter')
      await page.getByText(/(?<!Not) saved$/).waitFor()
      const { vendor, launchedAt } = await stage.shop.read(stage.mug['@id'])
      expect([vendor, launchedAt]).toEqual(['Typed alone', '2025-06-30T08:45:00.000000Z'])
    })

    test('a value is removed and put back; the question has the focus, and Escape gives it back', async () => {
      await reach(page, 'Edit options', 'Shift+Tab')
      await press('Enter')
      await page.getByRole('list', { name: 'Values of Colour' }).waitFor()
      await reach(page, 'Remove Sand')
      await press('Enter')
      const question = page.getByRole('dialog', { name: 'Remove Sand' })
      await question.waitFor()
      expect((await focusOf(page))?.name).toBe('Keep it')
      await press('Escape')
      await question.waitFor({ state: 'detached' })
      expect((await focusOf(page))?.name).toBe('Remove Sand')
      await press('Enter')
      await reach(page, 'Remove Sand and archive')
      await press('Enter')
      await page.getByText('Sand is removed and one variant is archived').waitFor()
      expect((await focusOf(page))?.name).toBe('Undo')
      await press('Enter')
      expect((await focusOf(page))?.name).toBe('Value')
      await page.getByText('Nothing is changed yet.').waitFor()
      await press('Escape')
      await page.getByRole('dialog').waitFor({ state: 'detached' })
      expect((await focusOf(page))?.name).toBe('Edit options')
    })

    test('a webhook is tested', async () => {
      await reach(page, 'Webhooks', 'Shift+Tab')
      await press('Enter')
      await page.getByRole('row', { name: /127\.0\.0\.1/ }).waitFor()
      await reach(page, 'http://127.0.0.1:9/first')
      await press('Enter')
      await page.getByText('Longest wait').waitFor()
      await stage.settled()
      await reach(page, 'Send test')
      await press('Enter')
      const dialog = page.getByRole('dialog', { name: 'Send test' })
      await dialog.waitFor()
      await reach(page, 'Send test')
      await press('Enter')
      await dialog.getByText('did not accept it').waitFor()
      await press('Escape')
      await dialog.waitFor({ state: 'detached' })
      expect((await focusOf(page))?.name).toBe('Send test')
    })

    test('a price policy is chosen, and the act again', async () => {
      await reach(page, 'Price policies', 'Shift+Tab')
      await press('Enter')
      await page.getByRole('row', { name: 'Germany (DE)' }).waitFor()
      await reach(page, 'Germany (DE)')
      await press('Enter')
      await page.getByRole('heading', { name: 'Price policy of Germany (DE)', level: 1 }).waitFor()
      await stage.settled()
      await reach(page, 'Prior price in a series')
      await choose(page, 'Shared while')
      await reach(page, 'Save')
      await press('Enter')
      await page.getByText('Price policy saved').waitFor()
      await reach(page, 'Germany (DE)')
      await press('Enter')
      await page.getByText(/^This shop has chosen its rules since/).waitFor()
      await reach(page, 'As the act')
      await press('Enter')
      await page.getByText('Germany (DE)').first().waitFor()
      await expect
        .poll(() => stage.shop.read('/api/price_policies/DE'))
        .toMatchObject({ series: 'none', version: 2 })
    })

    test('products, pages and actions are opened by their names, and the keys are listed', async () => {
      for (const [typed, heading] of [
        ['stonware', 'Stoneware mug'],
        ['webhooks', 'Webhooks'],
        ['create: category', 'New category'],
      ] as const) {
        await press('Control+k')
        const dialog = page.getByRole('dialog', { name: 'Go to' })
        await dialog.waitFor()
        await type(typed)
        await dialog.getByRole('option').first().waitFor()
        await expect.poll(() => dialog.getByRole('option').count()).toBe(1)
        expect(await findings(page, stage.settled, (theme) => wear(page, theme))).toEqual([])
        await press('Enter')
        await page.getByRole('heading', { name: heading, level: 1 }).waitFor()
      }
      await page.locator('body').click({ position: { x: 5, y: 300 } })
      await press('?')
      await page.getByRole('dialog', { name: 'Keys' }).waitFor()
      expect(await findings(page, stage.settled, (theme) => wear(page, theme))).toEqual([])
      await press('Escape')
      await page.getByRole('dialog').waitFor({ state: 'detached' })
    })

    test('a draft with a price is made', async () => {
      await reach(page, 'Products', 'Shift+Tab')
      await press('Enter')
      // Whether products still match the filters from before.
      await page.getByRole('link', { name: 'New product' }).waitFor()
      await reach(page, 'New product')
      await press('Enter')
      await page.getByLabel('Title').first().waitFor()
      await reach(page, 'Title')
      await type('Pressed bowl')
      await reach(page, /^Price$/)
      await type('12,50')
      await reach(page, 'Status')
      await choose(page, 'Draft')
      await reach(page, 'Save')
      await press('Enter')
      await page.getByText('Variants (1)').waitFor()
      const [made] = (await stage.shop.read('/api/products?q=pressed')).member
      expect(made).toMatchObject({ title: 'Pressed bowl', status: 'DRAFT' })
      const offers = await stage.shop.get(`/api/sale_offers?product=${encodeURIComponent(made['@id'])}`)
      expect(offers.body.member).toMatchObject([{ amount: '12.50' }])
    })
  })
}

type Focus = { readonly name: string; readonly isSeen: boolean; readonly html: string }

/** Opens the focused element, goes to one of its choices, and chooses it. */
async function choose(page: Page, name: string): Promise<void> {
  await page.keyboard.press('Enter')
  await page.getByRole('option', { name }).waitFor()
  await page.keyboard.press('Home')
  await reach(page, name, 'ArrowDown')
  await page.keyboard.press('Enter')
  await page.getByRole('listbox').waitFor({ state: 'detached' })
}

/** Tabs until what is called so has the focus. Whatever has it on the way is seen to have it, and has a name. */
async function reach(page: Page, name: string | RegExp, key = 'Tab'): Promise<void> {
  const way: string[] = []
  for (let presses = 0; presses < 120; presses += 1) {
    // A menu opens with the focus in it.
    const isThere = presses === 0 && key === 'ArrowDown'
    if (!isThere) await page.keyboard.press(key)
    const focus = await focusOf(page)
    if (focus === null) continue
    expect(focus, focus.html).toMatchObject({ isSeen: true, name: expect.stringMatching(/\S/) })
    way.push(focus.name)
    if (typeof name === 'string' ? focus.name.includes(name) : name.test(focus.name)) return
  }
  throw new Error(`Nothing that is called “${name}” was reached: ${way.join(' | ')}`)
}

function focusOf(page: Page): Promise<Focus | null> {
  return page.evaluate<Focus | null>(focused)
}

/**
 * Compares the focused element, its surroundings and its outline with how they look without the focus. Each element is compared when it
 * gets the focus. An input for a time has one Tab stop for each part. Focusing it again returns to the first part, and blur() works for
 * that part only.
 */
const focused = `(async () => {
  const drawn = () => new Promise((next) => setTimeout(next))
  await drawn()
  const it = document.activeElement
  if (!it || it === document.body) return null
  const isNew = window.comparedElement !== it
  window.comparedElement = it
  const around = [it, it.parentElement, it.parentElement.parentElement, it.parentElement.querySelector('fieldset')].filter(Boolean)
  const look = () => JSON.stringify(around.map((each) => {
    const { outline, boxShadow, backgroundColor, borderColor, borderWidth } = getComputedStyle(each)
    return [outline, boxShadow, backgroundColor, borderColor, borderWidth]
  }))
  const labels = [...(it.labels ?? [])].map((each) => each.textContent)
  const named = (it.getAttribute('aria-labelledby') ?? '').split(' ').map((id) => document.getElementById(id)?.textContent)
  const name = [it.getAttribute('aria-label'), ...named, ...labels, it.getAttribute('placeholder'), it.textContent, it.title].find((each) => each?.trim()) ?? ''
  const html = it.outerHTML.slice(0, 160)
  if (!isNew) return { name: name.trim(), isSeen: true, html }
  if (it.type === 'datetime-local') it.focus({ focusVisible: true, preventScroll: true })
  const withFocus = look()
  it.blur()
  await drawn()
  const without = look()
  it.focus({ focusVisible: true, preventScroll: true })
  await drawn()
  return { name: name.trim(), isSeen: withFocus !== without, html }
})()`

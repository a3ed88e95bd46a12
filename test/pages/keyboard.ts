/** What a person does who has no pointer. */
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { type Stage, sizes } from './chromium.ts'

/** On the stage's own mug. */
export function keyboard(of: () => Stage): void {
  describe('by the keyboard alone', () => {
    test('one goes from the menu to a product by its row, changes it and saves; what has the focus is seen and named', async () => {
      const { page, origin, shop, mug } = of()
      await page.setViewportSize(sizes.wide)
      await page.goto(`${origin}/admin#/categories`)
      await of().settled()
      await reach(page, 'Products')
      await page.keyboard.press('Enter')
      await page.getByPlaceholder('Search products').waitFor()
      await reach(page, 'Search products')
      await page.keyboard.type('stoneware')
      await page.getByText('1-1 of 1').waitFor()
      await reach(page, 'Stoneware mug')
      await page.keyboard.press('Enter')
      await page.getByLabel('Vendor').waitFor()
      await of().settled()
      await reach(page, 'Vendor')
      await page.keyboard.press('Control+a')
      await page.keyboard.type('Typed alone')
      await reach(page, 'Save')
      await page.keyboard.press('Enter')
      await page.getByText('Element updated').waitFor()
      expect((await shop.get(mug['@id'], { status: 200 })).body.vendor).toBe('Typed alone')
    })
  })
}

type Focus = { readonly name: string; readonly isSeen: boolean; readonly html: string }

/** Tabs until what is called so has the focus. Whatever has it on the way is seen to have it, and has a name. */
async function reach(page: Page, name: string): Promise<void> {
  const way: string[] = []
  for (let tabs = 0; tabs < 120; tabs += 1) {
    await page.keyboard.press('Tab')
    const focus = await page.evaluate<Focus | null>(focused)
    if (focus === null) continue
    expect(focus, focus.html).toMatchObject({ isSeen: true, name: expect.stringMatching(/\S/) })
    way.push(focus.name)
    if (focus.name.includes(name)) return
  }
  throw new Error(`Nothing that is called “${name}” was reached: ${way.join(' | ')}`)
}

/** Compared with how the same thing looks without the focus, as are what is around an input and its outline. */
const focused = `(async () => {
  const drawn = () => new Promise((next) => requestAnimationFrame(() => setTimeout(next)))
  await drawn()
  const it = document.activeElement
  if (!it || it === document.body) return null
  const around = [it, it.parentElement, it.parentElement.parentElement, it.parentElement.querySelector('fieldset')].filter(Boolean)
  const look = () => JSON.stringify(around.map((each) => {
    const { outline, boxShadow, backgroundColor, borderColor, borderWidth } = getComputedStyle(each)
    return [outline, boxShadow, backgroundColor, borderColor, borderWidth]
  }))
  const labels = [...(it.labels ?? [])].map((each) => each.textContent)
  const named = (it.getAttribute('aria-labelledby') ?? '').split(' ').map((id) => document.getElementById(id)?.textContent)
  const name = [it.getAttribute('aria-label'), ...named, ...labels, it.getAttribute('placeholder'), it.textContent, it.title].find((each) => each?.trim()) ?? ''
  const withFocus = look()
  it.blur()
  await drawn()
  const without = look()
  it.focus({ focusVisible: true, preventScroll: true })
  await drawn()
  return { name: name.trim(), isSeen: withFocus !== without, html: it.outerHTML.slice(0, 160) }
})()`

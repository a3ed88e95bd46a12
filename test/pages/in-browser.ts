import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect } from 'vitest'
import { noBrowser, openStage, resize, type Size, type Stage, sideways, sizes } from './chromium.ts'

/**
 * Tests with their own browser and tenant, on a desktop and on a phone. An error of the browser fails its test,
 * and writes a screenshot of the page to test/artefacts.
 */
export function inBrowser(
  tests: (of: () => Stage, size: Size) => void,
  sizes: readonly Size[] = ['wide', 'phone'],
): void {
  if (noBrowser !== null) console.log(`The pages are not looked at: ${noBrowser}`)
  const each = describe.skipIf(noBrowser !== null).each(sizes)
  each('in a browser, %s', { timeout: 90_000 }, (size) => {
    let stage: Stage

    beforeAll(async () => {
      stage = await openStage(size)
    }, 180_000)
    afterAll(() => stage?.close())
    afterEach(async ({ task }) => {
      if (task.result?.state === 'fail') await stage.failed(task.name)
      expect(stage.troubles()).toEqual([])
    })

    tests(() => stage, size)
  })
}

/** Tests that work the same at each size of the window: on a desktop alone. Those of layouts choose their sizes themselves. */
export const onDesktop = (tests: (of: () => Stage) => void): void => inBrowser(tests, ['wide'])

/** Nothing on the page is wider than the window of a phone. The page returns to its size. */
export async function fitsOnPhone(page: Page): Promise<void> {
  const before = page.viewportSize() ?? sizes.wide
  await resize(page, sizes.phone)
  await expect.poll(() => sideways(page)).toBe(0)
  await resize(page, before)
}

import { afterAll, afterEach, beforeAll, describe, expect } from 'vitest'
import { noBrowser, openStage, type Size, type Stage } from './chromium.ts'

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

/** Tests whose results do not depend on the size of the window: on a desktop alone. */
export const onDesktop = (tests: (of: () => Stage) => void): void => inBrowser(tests, ['wide'])

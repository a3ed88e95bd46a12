import { afterAll, afterEach, beforeAll, describe, expect } from 'vitest'
import { noBrowser, openStage, type Size, type Stage } from './chromium.ts'

/**
 * Tests in a browser that is their own, as is their tenant, at a desk and again with a phone; whatever the browser complains of fails the test in which it did.
 * With it the page as it was is kept in test/artefacts.
 */
export function inBrowser(
  tests: (of: () => Stage) => void,
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

    tests(() => stage)
  })
}

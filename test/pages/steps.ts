import type { Page } from 'playwright-core'

/** Counts clicks and keys of the user from now on; holding Control or Shift is part of a key. Texts that are typed in are not counted. */
export async function countSteps(page: Page): Promise<() => Promise<number>> {
  await page.evaluate(`(() => {
    const isCounted = 'steps' in globalThis
    globalThis.steps = 0
    if (isCounted) return
    const count = (event) => { if (event.isTrusted && !['Control', 'Shift'].includes(event.key)) steps += 1 }
    addEventListener('click', count, true)
    addEventListener('keydown', count, true)
  })()`)
  return () => page.evaluate<number>('steps')
}

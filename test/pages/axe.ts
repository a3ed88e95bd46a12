/** The findings of axe-core, a checker of accessibility, on a page. */
import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { resize, sideways, sizes } from './chromium.ts'

export type Theme = 'dark' | 'light'

/** On a desk in one theme and on a phone in the other; the page ends at the size that it had, in light colours. */
export async function findings(
  page: Page,
  settled: () => Promise<void>,
  wear: (theme: Theme) => Promise<void>,
  onDesk: Theme = 'light',
): Promise<string[]> {
  const before = page.viewportSize() ?? sizes.wide
  await resize(page, sizes.wide)
  await wear(onDesk)
  const found = await seriousIn(page)
  await wear(onDesk === 'light' ? 'dark' : 'light')
  await resize(page, sizes.phone)
  await settled()
  found.push(...(await seriousIn(page)))
  const wider = await sideways(page)
  if (wider > 0) found.push(`${wider} pixels wider than its window`)
  await wear('light')
  await resize(page, before)
  return [...new Set(found)]
}

/** The serious and critical findings of a page in its current state. */
export async function seriousIn(page: Page): Promise<string[]> {
  if (!(await page.evaluate('"axe" in globalThis'))) await page.evaluate(axe.source)
  // No rule that counts here reads style sheets.
  const options = { resultTypes: ['violations'], preload: false }
  const found = await page.evaluate<readonly Violation[]>(
    `axe.run(document, ${JSON.stringify(options)}).then(({ violations }) => violations)`,
  )
  return found
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) =>
      nodes.slice(0, 3).map((each) => `${id}: ${each.html.slice(0, 200)} ${each.failureSummary}`),
    )
}

type Violation = {
  readonly id: string
  readonly impact: string | null
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[]
}

/** What a checker of accessibility (axe-core) finds on a page. */
import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { sideways, sizes } from './chromium.ts'

/** What depends on the colours alone is asked anew where only they have changed. */
const ofColours = ['color-contrast', 'link-in-text-block']

/** The same in each of two themes on a desk and on a phone, which the page ends as, in light colours. */
export async function findings(
  page: Page,
  settled: () => Promise<void>,
  wear: (theme: 'dark' | 'light') => Promise<void>,
): Promise<string[]> {
  const found: string[] = []
  found.push(...(await seriousIn(page)))
  await wear('dark')
  found.push(...(await seriousIn(page, ofColours)))
  await page.setViewportSize(sizes.phone)
  await settled()
  found.push(...(await seriousIn(page)))
  const wider = await sideways(page)
  if (wider > 0) found.push(`${wider} pixels wider than its window`)
  await wear('light')
  found.push(...(await seriousIn(page, ofColours)))
  return [...new Set(found)]
}

/** What is serious or critical on a page as it is. */
export async function seriousIn(page: Page, rules?: readonly string[]): Promise<string[]> {
  if (!(await page.evaluate('"axe" in globalThis'))) await page.evaluate(axe.source)
  // No rule that counts here reads style sheets.
  const options = { resultTypes: ['violations'], preload: false, ...(rules && { runOnly: rules }) }
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

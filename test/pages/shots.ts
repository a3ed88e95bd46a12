/** Pictures of every page of /admin, at both sizes, for looking at; the service is running. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { chromium, type Page } from 'playwright-core'
import { tokenFor } from '../../src/local/token.ts'
import { executablePath } from './executable.ts'
import { lists } from './lists.ts'

const help = `Takes pictures of every page of /admin at 1360 and 390 pixels, into test/artefacts/shots. "npm start" is running.

  npm run shots

  --port NUMBER   the port of the running service (default 8787)
  --only WORD     the pages whose name has that word
  --dark          in dark colours
  --help          this text`

const sizes = [
  ['wide', { width: 1360, height: 900 }],
  ['phone', { width: 390, height: 844 }],
] as const

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '8787' },
    only: { type: 'string', default: '' },
    dark: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) console.log(help)
else await takeAll()

async function takeAll(): Promise<void> {
  const to = fileURLToPath(new URL('../artefacts/shots', import.meta.url).href)
  mkdirSync(to, { recursive: true })
  const origin = `http://acme.localhost:${values.port}`
  const token = await tokenFor('acme')
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
  try {
    const context = await browser.newContext({ colorScheme: values.dark ? 'dark' : 'light' })
    const page = await context.newPage()
    await page.addInitScript(
      (theme: string) => localStorage.setItem('RaStore.theme', theme),
      values.dark ? '"dark"' : '"light"',
    )
    await page.goto(`${origin}/admin#token=${token}`)
    for (const [name, path, opened] of await pagesOf(page, token)) {
      if (!name.includes(values.only)) continue
      for (const [size, viewport] of sizes) {
        await page.setViewportSize(viewport)
        await page.goto(`${origin}/admin#${path}`)
        await page.waitForLoadState('networkidle')
        if (opened) {
          // The same address changes nothing: what was opened at the other size is closed.
          await page.reload()
          await page.getByRole('button', { name: opened }).click()
          await page.waitForLoadState('networkidle')
        }
        // Transitions of the library end within this.
        await page.waitForTimeout(400)
        const sideways = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
        await page.screenshot({ path: join(to, `${name}-${size}.png`), fullPage: true })
        console.log(`${name}-${size}.png${sideways > 0 ? `  scrolls sideways by ${sideways} px` : ''}`)
      }
    }
  } finally {
    await browser.close()
  }
}

/** Each list, its form for new things and its first thing; with the button that opens a part of it. */
async function pagesOf(page: Page, token: string): Promise<[name: string, path: string, opened?: string][]> {
  const pages: [string, string, string?][] = [['latest-changes', '/latest-changes']]
  for (const name of lists) {
    pages.push([name, `/${name}`], [`${name}-new`, `/${name}/create`])
    const first = await page.evaluate(firstOf, [`/api/${name}?itemsPerPage=1`, token] as const)
    if (!first) continue
    const one = `/${name}/${encodeURIComponent(first)}`
    pages.push([`${name}-one`, one])
    if (name !== 'products') continue
    pages.push([`${name}-pictures`, one, 'Pictures'], [`${name}-options`, one, 'Edit options'])
    pages.push(['translate', `/translate/${encodeURIComponent(first)}?into=fr-FR`])
    pages.push(['prices-grid', `/price_grid/${encodeURIComponent(first)}`])
  }
  pages.push(['sale', '/sale'], ['untranslated', '/untranslated?kind=products&missing=de-DE'])
  return pages
}

/** In the browser, which resolves the tenants' hosts. */
async function firstOf([path, token]: readonly [string, string]): Promise<string | undefined> {
  const answer = await fetch(path, { headers: { Authorization: `Bearer ${token}` } })
  const { member } = (await answer.json()) as { member: { '@id': string }[] }
  return member[0]?.['@id']
}

/** Pictures of every page of /admin, at three sizes, for looking at; the service is running. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Browser, chromium, type Page } from 'playwright-core'
import { tokenFor } from '../../src/local/token.ts'
import { commandOptions } from '../support/command-options.ts'
import { executablePath } from './executable.ts'
import { type Scene, type Visit, visitsOf } from './scenes.ts'
import { settled } from './settled.ts'
import { shownCatalogue } from './shots-catalogue.ts'

const help = `Takes pictures of every page of /admin at 1360, 640 (200 % zoom) and 390 pixels, into test/artefacts/shots. "npm start" is running,
with the same DATA_DIRECTORY.

  npm run shots

  --port NUMBER   the port of the running service (default 8787)
  --only WORD     the pages whose name has that word
  --dark          every page in dark colours; else the busiest
  --language CODE every page in German (de) or French (fr); else the busiest in French
  --help          this text

They are of two tenants that the first run makes, shots.localhost and shots-empty.localhost. Exit code: 0 all were taken,
1 a page could not be brought to what it should show, or scrolls sideways.`

const sizes = [
  ['wide', { width: 1360, height: 900 }],
  // A window of 1280 × 800 at 200 % zoom.
  ['zoomed', { width: 640, height: 400 }],
  ['phone', { width: 390, height: 844 }],
] as const

const values = commandOptions('shots', {
  port: { type: 'string', default: '8787' },
  only: { type: 'string', default: '' },
  dark: { type: 'boolean', default: false },
  language: { type: 'string', default: '' },
  help: { type: 'boolean', default: false },
})
if (values.help) console.log(help)
else await takeAll()

async function takeAll(): Promise<void> {
  const to = fileURLToPath(new URL('../artefacts/shots', import.meta.url).href)
  mkdirSync(to, { recursive: true })
  const shown = await shownCatalogue(Number(values.port), (text) => console.log(text))
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
  try {
    const look: Parameters<typeof visitsOf>[1] = {
      ...(values.dark && { theme: 'dark' }),
      ...((values.language === 'de' || values.language === 'fr') && { language: values.language }),
    }
    const visits = (await visitsOf(shown, look))
      .map((visit) => ({ ...visit, scenes: visit.scenes.filter(({ name }) => name.includes(values.only)) }))
      .filter(({ scenes }) => scenes.length > 0)
    const all = visits.reduce((sum, { scenes }) => sum + scenes.length, 0)
    let taken = 0
    for (const visit of visits) {
      await walk(browser, visit, to, (name, faults) => {
        taken += 1
        console.log([`${taken}/${all} ${name}`, ...faults].join('  '))
        if (faults.length > 0) process.exitCode = 1
      })
    }
  } finally {
    await browser.close()
    shown.client.close()
  }
}

type Reporter = (name: string, faults: readonly string[]) => void

/** One load for all scenes of a visit: addresses behind `#` load nothing. */
async function walk(
  browser: Browser,
  { host, theme, language, isSignedIn, scenes }: Visit,
  to: string,
  report: Reporter,
) {
  const origin = `http://${host}:${values.port}`
  const stored = { 'RaStore.theme': theme, 'RaStore.locale': language }
  const localStorage = Object.entries(stored).map(([name, value]) => ({ name, value: JSON.stringify(value) }))
  const context = await browser.newContext({
    locale: { de: 'de-DE', en: 'en-US', fr: 'fr-FR' }[language],
    reducedMotion: 'reduce',
    storageState: { cookies: [], origins: [{ origin, localStorage }] },
  })
  const page = await context.newPage()
  page.setDefaultTimeout(8000)
  // Edits that a scene has left behind.
  page.on('dialog', (dialog) => dialog.accept())
  await page.goto(`${origin}/admin${isSignedIn ? `#token=${await tokenFor(host)}` : ''}`)
  // A page that does not start is no picture.
  await page.locator('main, form').first().waitFor({ timeout: 30_000 })
  for (const scene of scenes) report(scene.name, await take(page, scene, to))
  await context.close()
}

/** Takes its pictures; gives what is wrong. */
async function take(page: Page, { name, path, act }: Scene, to: string): Promise<string[]> {
  const faults: string[] = []
  const [[, wide]] = sizes
  await page.setViewportSize(wide)
  if (path !== '') {
    // Open sections of a page stay open if its address is the same.
    await goTo(page, '/none')
    // A page that is still starting shows another one first.
    await page
      .locator('.not-found')
      .waitFor({ timeout: 30_000 })
      .catch(() => {})
    await goTo(page, path)
    // A page that is loaded for the first time comes a moment later.
    await page
      .locator('.not-found')
      .waitFor({ state: 'detached', timeout: 30_000 })
      .catch(() => {})
  }
  await settled(page)
  try {
    await act?.(page)
  } catch (error) {
    faults.push(String(error).split('\n')[0] ?? '')
  }
  for (const [size, viewport] of sizes) {
    await page.setViewportSize(viewport)
    await settled(page)
    await page.evaluate('scrollTo(0, 0)')
    const sideways = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
    if (sideways > 0) faults.push(`${size} scrolls sideways by ${sideways} px`)
    // A dialog is in the middle of the window, however long the page.
    const isOver = await page.locator('[role=dialog], [role=presentation].MuiModal-root').first().isVisible()
    await page.screenshot({ path: join(to, `${name}-${size}.png`), fullPage: !isOver })
  }
  // A dialog stays open when its address changes.
  const over = page.locator('[role=dialog], [role=presentation].MuiModal-root')
  for (let left = 3; left > 0 && (await over.count()) > 0; left -= 1) {
    await page.keyboard.press('Escape')
    await settled(page)
  }
  return faults
}

/** Within the page that is open. */
async function goTo(page: Page, path: string): Promise<void> {
  await page.evaluate(`location.hash = ${JSON.stringify(`#${path}`)}`)
  await settled(page)
}

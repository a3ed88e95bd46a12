/** A browser in front of the Worker as it is deployed: workerd, its files, the database of the run. */
import { randomUUID } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chromium, type Page } from 'playwright-core'
import { inject } from 'vitest'
import { openShop, type Shop } from '../support/shop.ts'
import { executablePath } from './executable.ts'
import { pottery } from './pottery.ts'
import { settled } from './settled.ts'

/** Why there is nothing to see; null where there is a browser. */
export const noBrowser =
  executablePath === undefined
    ? 'no Chromium: install it with apt-get install chromium, or name one in CHROMIUM'
    : null

/** A desk and a phone. */
export const sizes = { wide: { width: 1360, height: 900 }, phone: { width: 390, height: 844 } } as const

/** By how many pixels the page is wider than its window. */
export function sideways(page: Page): Promise<number> {
  return page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
}

/** Gives the window a size, and waits until the page is drawn in it. A page that then draws nothing has its size set again. */
export async function resize(page: Page, size: { width: number; height: number }): Promise<void> {
  for (let attempt = 0; attempt < 4; attempt++) {
    await page.setViewportSize({ ...size, height: size.height + (attempt % 2) })
    if (attempt % 2 === 0 && (await draws(page))) return
  }
  throw new Error('The page draws nothing after its size was changed.')
}

/** Whether the page draws a frame within five seconds. */
function draws(page: Page): Promise<boolean> {
  return page.evaluate<boolean>(
    'new Promise((resolve) => { requestAnimationFrame(() => resolve(true)); setTimeout(resolve, 5_000, false) })',
  )
}

/** Does what opens a question of the browser's, answers it, and gives its text. */
export async function asked(
  page: Page,
  answer: 'accept' | 'dismiss',
  act: () => Promise<unknown>,
): Promise<string> {
  const dialogShown = page.waitForEvent('dialog').then(async (dialog) => {
    await dialog[answer]()
    return dialog.message()
  })
  const [message] = await Promise.all([dialogShown, act()])
  return message
}

/** Goes where the menu leads, which a phone shows when asked. */
export async function byMenu(page: Page, name: string, opener = 'Open menu'): Promise<void> {
  const item = page.getByRole('menuitem', { name, exact: true })
  const menu = page.getByRole('button', { name: opener })
  await item.or(menu).first().waitFor()
  if (!(await item.isVisible())) await menu.click()
  await item.click()
}

/** Opens /admin with a token of every scope unless the browser is signed in: each group of tests can be run alone. */
export async function signIn({ page, origin, shop }: Stage): Promise<void> {
  const isSignedIn =
    page.url().startsWith(origin) && (await page.evaluate<boolean>("'catalogue.token' in sessionStorage"))
  if (isSignedIn) return
  // Within the page that is open it would be a change of its address alone.
  await page.goto('about:blank')
  await page.goto(`${origin}/admin#token=${await shop.token()}`)
}

export type Size = keyof typeof sizes

export type Stage = {
  /** The default size of these tests; those that use the other size as well return to it. */
  readonly size: (typeof sizes)[Size]
  readonly shop: Shop
  /** A product with one of everything. */
  readonly mug: ReturnType<typeof JSON.parse>
  readonly page: Page
  /** `http://….localhost:port` */
  readonly origin: string
  /** Errors of the browser, and its requests to other hosts; reading empties the list. */
  readonly troubles: () => string[]
  /** Bodies of the writes that the page sent. */
  readonly writes: { readonly method: string; readonly path: string; readonly body: unknown }[]
  /** Kept in test/artefacts where PICTURES is set: forty of them take as long as ten tests. */
  readonly picture: (name: string, fullPage?: boolean) => Promise<void>
  /** Keeps the page as it is after a test that failed. */
  readonly failed: (test: string) => Promise<void>
  /** Waits until the page has drawn all that it asked for. */
  readonly settled: () => Promise<void>
  readonly close: () => Promise<void>
}

const artefacts = fileURLToPath(new URL('../artefacts', import.meta.url).href)

export async function openStage(name: Size): Promise<Stage> {
  const size = sizes[name]
  const host = `shop-${randomUUID().slice(0, 8)}.localhost`
  // Not the browser's: what is shown and typed goes by the shop's clocks.
  const timeZone = 'Europe/Paris'
  const [shop, port] = await Promise.all([openShop({ host, name: 'Corner Shop', timeZone }), portOfWorker()])
  const origin = `http://${shop.host}:${port}`
  const mug = await pottery(shop, origin)
  const profile = mkdtempSync(join(tmpdir(), 'catalogue-chromium-'))
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: executablePath!,
    headless: true,
    viewport: size,
    locale: 'en-US',
    // Moving costs half of a browser's time where no card draws it.
    reducedMotion: 'reduce',
    args: [
      // Other hosts are not found; a route that rejects them would cost the browser its cache.
      '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE *.localhost',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })
  const page = context.pages()[0] ?? (await context.newPage())
  page.setDefaultTimeout(45_000)
  const troubles: string[] = []
  const writes = listen(page, origin, troubles)
  const keep = async (shown: string, fullPage: boolean) => {
    const file = `${shown.replaceAll('/', ' ')}, ${name}.png`
    await page.screenshot({ path: join(artefacts, file), fullPage })
  }
  mkdirSync(artefacts, { recursive: true })
  return {
    size,
    shop,
    mug,
    page,
    origin,
    writes,
    troubles: () => troubles.splice(0),
    async picture(name, fullPage = true) {
      if (process.env.PICTURES) await keep(name, fullPage)
    },
    failed: (test) => keep(`failed: ${test}`, true),
    settled: () => settled(page),
    async close() {
      await context.close()
      rmSync(profile, { recursive: true, force: true })
    },
  }
}

async function portOfWorker(): Promise<number> {
  const answer = await fetch(inject('pagesWorker'))
  const dialogShown = await answer.text()
  if (!answer.ok) throw new Error(`The Worker behind the pages did not start: ${dialogShown}`)
  return Number(dialogShown)
}

function listen(page: Page, origin: string, troubles: string[]): Stage['writes'][number][] {
  const writes: Stage['writes'][number][] = []
  page.on('pageerror', (error) => troubles.push(`error: ${error.message}`))
  page.on('console', (message) => {
    // The browser itself logs rejected requests, and the page shows them.
    const refusal = /the server responded with a status of 4\d\d/.test(message.text())
    if (message.type() === 'error' && !refusal) troubles.push(`console: ${message.text()}`)
  })
  page.on('request', (request) => {
    const asked = new URL(request.url())
    if (asked.protocol.startsWith('http') && asked.origin !== origin) troubles.push(`asked ${asked.origin}`)
    const method = request.method()
    // A preview writes nothing.
    if (!['POST', 'PATCH', 'DELETE'].includes(method) || asked.pathname === '/api/price_previews') return
    const isFile = /^image\/|ndjson/.test(request.headers()['content-type'] ?? '')
    writes.push({
      method,
      path: asked.pathname,
      body: isFile ? null : request.postDataJSON(),
    })
  })
  return writes
}

/** An attribute of the focused element; null if it is missing. */
export function focused(page: Page, attribute: 'name' | 'aria-label'): Promise<string | null> {
  return page.evaluate<string | null>(
    `document.activeElement?.getAttribute(${JSON.stringify(attribute)}) ?? null`,
  )
}

/** A browser in front of the Worker as it is deployed: workerd, its files, the database of the run. */
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type BrowserContext, chromium, type Page } from 'playwright-core'
import { inject } from 'vitest'
import { createTestHarness, unstable_readConfig } from 'wrangler'
import { openShop, type Shop } from '../support/shop.ts'
import { executablePath } from './executable.ts'

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

/** Opens /admin with a token of every scope, where nobody is signed in yet: each group of tests can be run alone. */
export async function signIn({ page, origin, shop }: Stage): Promise<void> {
  const isSignedIn =
    page.url().startsWith(origin) && (await page.evaluate<boolean>("'catalogue.token' in sessionStorage"))
  if (isSignedIn) return
  // Within the page that is open it would be a change of its address alone.
  await page.goto('about:blank')
  await page.goto(`${origin}/admin#token=${await shop.token()}`)
}

export type Stage = {
  readonly shop: Shop
  readonly page: Page
  /** `http://….localhost:port` */
  readonly origin: string
  /** What the browser complained of, and whom it asked beside this host; emptied by whoever reads it. */
  readonly troubles: () => string[]
  /** Bodies of the writes that the page sent. */
  readonly writes: { readonly method: string; readonly path: string; readonly body: unknown }[]
  readonly picture: (name: string, fullPage?: boolean) => Promise<void>
  readonly close: () => Promise<void>
}

const artefacts = fileURLToPath(new URL('../artefacts', import.meta.url).href)

export async function openStage(): Promise<Stage> {
  await builtAssets()
  const shop = await openShop({
    host: `shop-${Date.now().toString(36)}.localhost`,
    name: 'Corner Shop',
    // Not the browser's: what is shown and typed goes by the shop's clocks.
    timeZone: 'Europe/Paris',
  })
  const worker = await startWorker()
  const origin = `http://${shop.host}:${worker.port}`
  const profile = mkdtempSync(join(tmpdir(), 'catalogue-chromium-'))
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: executablePath!,
    headless: true,
    viewport: sizes.wide,
    locale: 'en-US',
    args: [
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
  await answerStrangers(context, origin, troubles)
  const writes = listen(page, troubles)
  mkdirSync(artefacts, { recursive: true })
  return {
    shop,
    page,
    origin,
    writes,
    troubles: () => troubles.splice(0),
    async picture(name, fullPage = true) {
      await page.screenshot({ path: join(artefacts, `${name}.png`), fullPage })
    },
    async close() {
      await context.close()
      await worker.close()
      rmSync(profile, { recursive: true, force: true })
    },
  }
}

/** In a process of its own: a build stands still for seconds. */
async function builtAssets(): Promise<void> {
  const script = fileURLToPath(new URL('../../src/local/build.ts', import.meta.url).href)
  await promisify(execFile)(process.execPath, [script])
}

async function startWorker(): Promise<{ port: number; close(): Promise<void> }> {
  Object.assign(process.env, {
    WRANGLER_SEND_METRICS: 'false',
    WRANGLER_LOG: 'error',
    CLOUDFLARE_CF_FETCH_ENABLED: 'false',
  })
  const { assets, compatibility_date, compatibility_flags, r2_buckets } = unstable_readConfig({
    config: 'wrangler.toml',
  })
  const server = createTestHarness({
    workers: [
      {
        config: {
          name: 'catalogue',
          main: 'src/worker.ts',
          compatibility_date: compatibility_date!,
          compatibility_flags,
          assets,
          r2_buckets,
          queues: {
            producers: [
              { binding: 'EVENTS', queue: 'pages-events' },
              { binding: 'DELIVERIES', queue: 'pages-deliveries' },
            ],
          },
          vars: {
            DATABASE_URL: inject('appUrl'),
            NEON_FETCH_ENDPOINT: inject('bridgeEndpoint'),
            ENVIRONMENT: 'local',
            CALLBACKS: 'loopback',
          },
        },
      },
    ],
  })
  const { url } = await server.listen()
  return { port: Number(url.port), close: () => server.close() }
}

/** A catalogue's pictures are drawn here; anything else that is asked of a stranger is a trouble, and is refused. */
async function answerStrangers(context: BrowserContext, origin: string, troubles: string[]): Promise<void> {
  const drawing = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><rect width="8" height="8" fill="#c2410c"/><circle cx="4" cy="4" r="2.4" fill="#fed7aa"/></svg>`
  await context.route('**/*', (route) => {
    const { origin: asked, hostname } = new URL(route.request().url())
    if (asked === origin) return route.continue()
    if (hostname === 'pictures.example.com')
      return route.fulfill({ contentType: 'image/svg+xml', body: drawing })
    troubles.push(`asked ${asked}`)
    return route.abort()
  })
}

function listen(page: Page, troubles: string[]): Stage['writes'][number][] {
  const writes: Stage['writes'][number][] = []
  page.on('pageerror', (error) => troubles.push(`error: ${error.message}`))
  page.on('console', (message) => {
    // What the service refuses is logged by the browser itself, and is shown by the page.
    const refusal = /the server responded with a status of 4\d\d/.test(message.text())
    if (message.type() === 'error' && !refusal) troubles.push(`console: ${message.text()}`)
  })
  page.on('request', (request) => {
    const method = request.method()
    if (!['POST', 'PATCH', 'DELETE'].includes(method)) return
    const isFile = request.headers()['content-type']?.startsWith('image/')
    writes.push({
      method,
      path: new URL(request.url()).pathname,
      body: isFile ? null : request.postDataJSON(),
    })
  })
  return writes
}

/** What has the focus, told by one of its attributes; null where it has none. */
export function focused(page: Page, attribute: 'name' | 'aria-label'): Promise<string | null> {
  return page.evaluate<string | null>(
    `document.activeElement?.getAttribute(${JSON.stringify(attribute)}) ?? null`,
  )
}

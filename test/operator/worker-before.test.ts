/**
 * Migrations are applied before the Worker that needs them is deployed, and a deployment may be rolled back. So the Worker of the
 * commit before the newest migration reads and writes on today's schema, next to today's Worker.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest'
import { freePort } from '../../src/local/network.ts'
import { kinds } from '../../src/resources/events/topics.ts'
import { resources } from '../../src/resources/index.ts'
import { checkOut } from '../bench/service/commit.ts'
import { ask, type Method } from '../bench/service/request.ts'
import { openWorld } from '../checklist/world.ts'
import { createApp } from '../support/app.ts'
import { root } from '../support/bundle.ts'
import { databaseUrls } from '../support/database.ts'
import { executionContext } from '../support/later.ts'

/** The file that the oldest supported Worker needs. Older Workers send other options and steps to functions, and were not released. */
const oldestWorkerFile = 'migrations/functions/30_reads.sql'

/**
 * The commit of main before its last migration, or the oldest supported Worker if that is later; null in a copy without that part of the history. A migration that is not
 * committed yet comes after all that is.
 */
function commitBefore(): string | null {
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  try {
    if (git('status', '--porcelain', '--', 'migrations') !== '') return git('rev-parse', 'HEAD')
    const added = git(
      'log',
      '--first-parent',
      '-m',
      '--diff-filter=A',
      '--format=%H',
      '-1',
      '--',
      'migrations',
    )
    const files = git(
      'diff',
      '--name-only',
      '--diff-filter=A',
      `${added}^1`,
      added,
      '--',
      'migrations',
    ).split('\n')
    return files.includes(oldestWorkerFile) ? added : git('rev-parse', '--verify', `${added}^1`)
  } catch {
    return null
  }
}

const commit = commitBefore()
const directory = mkdtempSync(join(tmpdir(), 'worker-before-'))
const things = new AsyncDisposableStack()
things.defer(() => rmSync(directory, { recursive: true, force: true }))
let port: number

beforeAll(async () => {
  if (commit === null) return
  const tree = checkOut(commit)
  things.defer(tree.remove)
  // The starter of that tree, which builds that tree.
  const { startWorker }: typeof import('../../src/local/worker-process.ts') = await import(
    join(tree.directory, 'src/local/worker-process.ts')
  )
  port = await freePort()
  const variables = {
    DATABASE_URL: databaseUrls().appUrl,
    NEON_FETCH_ENDPOINT: inject('bridgeEndpoint'),
    CALLBACKS: 'loopback',
  }
  const worker = await startWorker({ port, verbose: false, variables, directory })
  things.defer(worker.stop)
  await answering(port)
}, 120_000)
afterAll(() => things.disposeAsync())

async function answering(at: number): Promise<void> {
  const alive = () =>
    ask(at, { method: 'GET', path: '/health', headers: {} }).then(
      ({ status }) => status === 200,
      () => false,
    )
  await vi.waitFor(async () => expect(await alive()).toBe(true), { timeout: 60_000, interval: 100 })
}

/** The Worker of before, as the service of a shop. */
const app = {
  async fetch(request: Request): Promise<Response> {
    const { host, pathname, search } = new URL(request.url)
    const { status, headers, text } = await ask(port, {
      method: request.method as Method,
      path: `${pathname}${search}`,
      headers: { ...Object.fromEntries(request.headers), host },
      body: await request.text(),
    })
    const named = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
      value === undefined ? [] : [[name, String(value)]],
    )
    return new Response([204, 304].includes(status) ? null : text, { status, headers: named })
  },
}

/** The lists of all that is recorded. */
const lists = Object.values(kinds).flatMap(({ shape: { collection } }) =>
  !collection.includes('{') &&
  resources.some(({ operations }) =>
    operations.some(({ method, path }) => method === 'GET' && path === collection),
  )
    ? [collection]
    : [],
)

test.skipIf(commit === null)(
  "the Worker of before the last migration continues next to today's",
  { timeout: 120_000 },
  async () => {
    const { shop, iri, fill } = await openWorld({ app })
    const today = createApp()
    const asToday = async (path: string) => {
      const headers = { authorization: `Bearer ${await shop.token()}` }
      const request = new Request(`http://${shop.host}${path}`, { headers })
      const response = await today.fetch(request, shop.bindings, executionContext)
      return { status: response.status, body: await response.json<{ member: { '@id': string }[] }>() }
    }

    const product = iri('product')
    await shop.update(product, { title: 'Shirt of linen', tags: ['thin'] })
    await shop.update(iri('variant'), { sku: 'SKU-2' })
    await shop.update(iri('saleOffer'), { amount: '9.00' })
    await shop.update(iri('category'), { parent: null })
    await shop.update(iri('metaobject'), { handle: 'linen' })
    await shop.put(`${product}/translations/fr-FR`, { body: { title: 'Chemise' } })
    await shop.create('/api/products', fill({ title: 'Sent with its prices', variants: [{ sku: '{new}' }] }))
    await shop.post('/api/collections', {
      body: {
        title: 'Thin',
        type: 'AUTOMATED',
        rules: [{ property: 'tag', operator: 'EQUALS', value: 'thin' }],
      },
    })
    await shop.delete(iri('leaf'), { status: 204 })

    expect(lists.length).toBeGreaterThan(5)
    for (const path of lists) {
      const { body: list } = await shop.get(path)
      // The resource is new.
      if (!list.member) continue
      const own = await asToday(path)
      expect([path, own.status]).toEqual([path, 200])
      expect(list.member.map((each: { '@id': string }) => each['@id'])).toEqual(
        own.body.member.map((each) => each['@id']),
      )
    }
    const prices = new URLSearchParams({
      'resolveContext[channel]': 'web',
      'resolveContext[country]': 'FR',
      'resolveContext[at]': new Date().toISOString(),
    })
    const body = await shop.read(`${product}?${prices}`)
    expect(body).toMatchObject({
      title: 'Shirt of linen',
      variants: [{ sku: 'SKU-2', resolvedPrice: { amount: '9.00' } }],
    })
    const feed = await shop.read('/api/events?itemsPerPage=100')
    const topics = feed.member.map((each: { topic: string }) => each.topic)
    expect(topics).toEqual(
      expect.arrayContaining(['product/updated', 'sale_offer/updated', 'category/deleted']),
    )
    await shop.delete(product, { status: 204 })
    expect((await asToday(product)).body).toMatchObject({ status: 'ARCHIVED' })
  },
)

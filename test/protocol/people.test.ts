/** The responses of the web pages; test/pages tests the pages in a browser. */
import { randomUUID } from 'node:crypto'
import { expect, inject, test } from 'vitest'
import type { Tenant } from '../../src/core/context.ts'
import { createApp } from '../support/app.ts'
import { executionContext } from '../support/later.ts'
import { openShop } from '../support/shop.ts'

/** Files as the platform keeps them. */
const files: Readonly<Record<string, string>> = {
  '/docs/index.html': '<!doctype html><title>Docs</title>',
  '/docs/welcome.html': '<!doctype html><title>Welcome</title>',
  '/admin/index.html': '<!doctype html><title>Admin</title>',
  '/admin/main-Ab3_xY-9.js': 'export {}',
  '/guides/index.html': '<!doctype html><title>Guides</title>',
  '/guides/webhooks.html': '<!doctype html><title>Webhooks</title>',
  '/guides/webhooks.md': '# Webhooks',
  '/guides/llms.txt': '# Product catalogue',
}
const types: Readonly<Record<string, string>> = { js: 'text/javascript', md: 'text/markdown; charset=utf-8' }
const ASSETS = {
  async fetch(url: string, init?: RequestInit) {
    const { pathname } = new URL(url)
    const file = files[pathname]
    if (file === undefined) return new Response(null, { status: 404 })
    const type = types[pathname.split('.').at(-1)!] ?? 'text/html; charset=utf-8'
    const etag = `"${file.length}"`
    const known = new Headers(init?.headers).get('if-none-match') === etag
    const headers = { 'content-type': type, etag, 'cache-control': 'public, max-age=0' }
    return new Response(known ? null : file, { status: known ? 304 : 200, headers })
  },
}

async function pages(bindingsOfTest: object = {}, tenant: Partial<Tenant> = {}) {
  const shop = await openShop({ name: 'Corner shop', ...tenant })
  const app = createApp()
  const bindings = {
    DATABASE_URL: inject('appUrl'),
    NEON_FETCH_ENDPOINT: inject('bridgeEndpoint'),
    ENVIRONMENT: 'local',
    ASSETS,
    ...bindingsOfTest,
  }
  return async (path: string, init: RequestInit = {}, host = shop.host) =>
    app.fetch(new Request(`http://${host}${path}`, init), bindings, executionContext)
}

test.each(['/docs', '/docs/', '/admin', '/admin/', '/docs/guides', '/docs/guides/webhooks'])(
  '%s needs no token and has a strict policy',
  async (path) => {
    const page = await (await pages())(path)
    expect(page.status).toBe(200)
    expect(await page.text()).toContain('<!doctype html>')
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(page.headers.get('cache-control')).toBe('public, no-cache')
    const policy = page.headers.get('content-security-policy')
    expect(policy).toContain("default-src 'none'; script-src 'self';")
    expect(policy).toContain("connect-src 'self'")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(page.headers.get('referrer-policy')).toBe('no-referrer')
  },
)

test.each([
  ['/docs/guides/webhooks.md', '# Webhooks'],
  ['/llms.txt', '# Product catalogue'],
])('%s needs no token and is revalidated', async (path, text) => {
  const ask = await pages()
  const file = await ask(path)
  expect([file.status, await file.text()]).toEqual([200, text])
  expect(file.headers.get('cache-control')).toBe('public, no-cache')
  const again = await ask(path, { headers: { 'if-none-match': file.headers.get('etag')! } })
  expect([again.status, await again.text()]).toEqual([304, ''])
  const head = await ask(path, { method: 'HEAD' })
  expect([head.status, await head.text(), head.headers.get('etag')]).toEqual([
    200,
    '',
    file.headers.get('etag'),
  ])
})

test('the root is a landing page for browsers, and leads programs to the entry point', async () => {
  const ask = await pages()
  const page = await ask('/', { headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } })
  expect([page.status, await page.text()]).toEqual([200, '<!doctype html><title>Welcome</title>'])
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
  for (const accept of ['*/*', 'application/ld+json']) {
    const answer = await ask('/', { headers: { accept } })
    expect([answer.status, answer.headers.get('location')]).toEqual([302, '/api'])
    expect(answer.headers.get('vary')).toContain('Accept')
  }
})

test('only /admin loads pictures, from hosts of its tenant alone, and nothing else from elsewhere', async () => {
  const host = `shop-${randomUUID()}.test`
  const hosts = [host, `www.${host}`]
  const ask = await pages({}, { host, hosts, imageHosts: ['images.example.com', 'cdn.example'] })
  const policyOf = async (path: string) =>
    Object.fromEntries(
      ((await ask(path, {}, host)).headers.get('content-security-policy') ?? '').split('; ').map((each) => {
        const [name, ...sources] = each.split(' ')
        return [name, sources]
      }),
    )
  const own = hosts.map((each) => `http://${each}`)
  const images = ["'self'", 'data:', ...own, 'https://images.example.com', 'https://cdn.example']
  const policy = {
    'default-src': ["'none'"],
    'script-src': ["'self'"],
    'style-src': ["'self'", "'unsafe-inline'"],
    'img-src': images,
    'font-src': ["'self'", 'data:'],
    'connect-src': ["'self'"],
    'base-uri': ["'none'"],
    'form-action': ["'none'"],
    'frame-ancestors': ["'none'"],
  }
  expect(await policyOf('/admin')).toEqual(policy)
  expect(await policyOf('/admin/main-Ab3_xY-9.js')).toEqual(policy)
  expect(await policyOf('/docs')).toEqual({ ...policy, 'img-src': ["'self'", 'data:'] })
  const about = await ask('/admin/catalogue.json', {}, host)
  expect(await about.json()).toMatchObject({ imageSources: images.slice(2) })
})

test('where people sign in at the issuer, /admin alone may call it', async () => {
  const ask = await pages({}, { issuer: 'https://login.example.com/acme', adminClient: 'catalogue-admin' })
  const sourcesOf = async (path: string) =>
    /connect-src ([^;]*)/.exec((await ask(path)).headers.get('content-security-policy') ?? '')?.[1]
  expect(await sourcesOf('/admin')).toBe("'self' https://login.example.com")
  expect(await sourcesOf('/docs')).toBe("'self'")
  expect(await (await ask('/admin/catalogue.json')).json()).toMatchObject({
    signIn: { issuer: 'https://login.example.com/acme', client: 'catalogue-admin' },
  })
  expect(await (await (await pages())('/admin/catalogue.json')).json()).toMatchObject({ signIn: null })
})

test('a page is sent again when its policy has changed', async () => {
  const [before, after] = [await pages(), await pages({}, { imageHosts: ['images.example.com'] })]
  const etag = (await before('/docs')).headers.get('etag')!
  expect((await before('/docs', { headers: { 'if-none-match': etag } })).status).toBe(304)
  expect((await after('/docs', { headers: { 'if-none-match': etag } })).status).toBe(304)
  const old = (await before('/admin')).headers.get('etag')!
  const page = await after('/admin', { headers: { 'if-none-match': old } })
  expect([page.status, await page.text()]).toEqual([200, '<!doctype html><title>Admin</title>'])
})

test('a file with a hash in its name is cached permanently, a page is revalidated', async () => {
  const ask = await pages()
  const file = await ask('/admin/main-Ab3_xY-9.js')
  expect(file.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
  const page = await ask('/admin')
  const again = await ask('/admin', { headers: { 'if-none-match': page.headers.get('etag')! } })
  expect([again.status, await again.text()]).toEqual([304, ''])
})

test.each([
  '/admin/nothing.js',
  '/admin/..%2fdocs%2findex.html',
  '/admin/%00',
  '/docs/%zz',
  '/docs/guides/nothing',
  '/docs/guides/nothing.md',
  '/docs/guides/..%2fdocs%2findex.html',
  '/admin/index.html%3f',
])('%s is 404', async (path) => {
  const missing = await (await pages())(path)
  expect(missing.status).toBe(404)
  expect(missing.headers.get('content-type')).toBe('application/problem+json')
})

test('an unknown host has no pages, and a Worker without files has an error', async () => {
  expect((await (await pages())('/admin', {}, 'nobody.test')).status).toBe(404)
  const shop = await openShop()
  await shop.get('/admin', { token: null, status: 404 })
})

test('a page gets the settings of its tenant before a user signs in', async () => {
  const answer = await (await pages())('/admin/catalogue.json')
  expect(await answer.json()).toEqual({
    name: 'Corner shop',
    host: expect.stringMatching(/\.test$/),
    locales: ['en-US', 'fr-FR'],
    timeZone: 'UTC',
    imageSources: [expect.stringMatching(/^http:\/\/.*\.test$/)],
    defaultVersion: '2026-10',
    currentVersion: '2026-10',
    pictures: null,
    signsInByLink: false,
    signIn: null,
    versions: expect.arrayContaining([
      { name: '2026-04', deprecated: true },
      { name: '2026-10', deprecated: false },
    ]),
  })
})

test.each([
  ['a name of this machine', 'localhost', true],
  ['a host of the network', 'test', false],
  ['a host that only begins like this machine', 'localhost.example.com', false],
])('catalogue.json of %s says whether a link may sign in', async (_, name, signsInByLink) => {
  const host = `t-${randomUUID().slice(0, 13)}.${name}`
  const answer = await (await pages({}, { host }))('/admin/catalogue.json')
  expect(await answer.json()).toMatchObject({ signsInByLink })
})

test('catalogue.json of a deployment lets no link sign in, whatever its host is called', async () => {
  const production = { ENVIRONMENT: 'production', WEBHOOK_SECRET_KEY: btoa('k'.repeat(32)) }
  const ask = await pages(production, { host: `t-${randomUUID().slice(0, 13)}.localhost` })
  expect(await (await ask('/admin/catalogue.json')).json()).toMatchObject({ signsInByLink: false })
})

import { beforeAll, describe, expect, test } from 'vitest'
import { type Asked, openShop, type Shop } from '../support/shop.ts'
import { missingId, noteApp, notePath } from './notes.ts'

let shop: Shop
let reader: string
let person: string
beforeAll(async () => {
  shop = await openShop({ app: noteApp() })
  reader = await shop.token({ scope: 'products:read' })
  person = await shop.token({ scope: 'products:read products:write', sub: 'ann', permissions: [] })
})

const missing = `/api/notes/${missingId}`
const invalid = { title: '' }
const [anonymous, html] = [{ token: null }, { accept: 'text/html' }]
const text = { ...html, 'content-type': 'text/plain' }
const json = { 'content-type': 'application/json' }
const wrongKey = { body: invalid, headers: { 'idempotency-key': 'a b' } }

describe('a request with several errors gets the first', () => {
  test.each<[what: string, request: string, asked: Asked, problem: string]>([
    ['no token on an unknown path', 'GET /api/nothing', anonymous, '401 auth.token_required'],
    ['no token, a bad locale', 'GET /api/notes', { ...anonymous, locale: 'fr' }, '401 auth.token_required'],
    ['a bad token and version', 'GET /api/notes', { token: 'a.b', version: '1' }, '401 auth.invalid_token'],
    ['no token outside /api', 'GET /elsewhere', anonymous, '401 auth.token_required'],
    ['a bad locale and version', 'GET /api/notes', { locale: 'fr', version: '1' }, '400 locale.malformed'],
    ['a bad version on an unknown path', 'GET /api/nothing', { version: '1' }, '400 version.unknown'],
    ['an unknown path', 'GET /api/nothing', {}, '404 http.not_found'],
    ['a path with a slash too many', 'GET /api/notes/', {}, '404 http.not_found'],
    ['a method that the path lacks', 'PUT /api/notes', { body: invalid }, '405 http.method_not_allowed'],
    ['a malformed id', 'PATCH /api/notes/x', { body: '{', headers: html }, '404 note.not_found'],
    ['two wrong formats', `PATCH ${notePath}`, { body: '{', headers: text }, '406 http.not_acceptable'],
    [
      'a format not read',
      `PATCH ${notePath}`,
      { body: '{', headers: json },
      '415 http.unsupported_media_type',
    ],
    ['a locale', `PATCH ${notePath}`, { body: '{', locale: 'ja-JP' }, '422 locale.not_declared'],
    ['a malformed key and a broken body', `PATCH ${notePath}`, wrongKey, '400 idempotency.malformed_key'],
    ['a broken body', `PATCH ${notePath}`, { body: '{' }, '400 http.malformed_json'],
    ['an invalid body', `PATCH ${missing}`, { body: { count: -1 } }, '422 validation.too_small'],
    ['an unknown id', `PATCH ${missing}`, { body: {} }, '404 note.not_found'],
  ])('%s', (_, ...row) => rejects(...row))

  test('no scope or no permission, and nothing else right', async () => {
    const broken = { token: reader, body: '{', headers: html }
    await rejects('PATCH /api/notes/x', broken, '403 auth.insufficient_scope')
    await rejects('POST /api/notes', { token: person, body: invalid }, '403 auth.permission_denied')
    await rejects(`GET ${notePath}/new`, { token: reader }, '404 version.operation_unavailable')
  })
})

async function rejects(request: string, asked: Asked, problem: string) {
  const [[method = '', path = ''], [status, slug]] = [request.split(' '), problem.split(' ')]
  const { body, headers } = await shop.request(method, path, { ...asked, status: Number(status) })
  expect(body).toMatchObject({ status: Number(status), slug })
  expect(headers.get('content-type')).toBe('application/problem+json')
}

test('an unknown host is 404 before anything else', async () => {
  const response = await shop.fetch(
    new Request('http://nobody.test/api/notes', { headers: { 'service-locale': 'de-DE' } }),
  )
  expect(response.status).toBe(404)
  expect(await response.json()).toMatchObject({
    slug: 'http.tenant_not_found',
    message: expect.stringContaining('nobody.test'),
  })
})

test('a host is found in any case and with a trailing dot, but not as a part', async () => {
  const token = await shop.token()
  const at = async (host: string) => {
    const request = new Request(`http://${host}/api/notes`, { headers: { authorization: `Bearer ${token}` } })
    return (await shop.fetch(request)).status
  }
  expect(await at(shop.host.toUpperCase())).toBe(200)
  expect(await at(`${shop.host}.:8080`)).toBe(200)
  expect(await at(`www.${shop.host}`)).toBe(404)
  expect(await at(shop.host.slice(1))).toBe(404)
})

test('X-Forwarded-Host is never read', async () => {
  const { body } = await shop.get('/api/notes', {
    token: null,
    headers: { 'x-forwarded-host': 'nobody.test', host: 'nobody.test' },
    status: 401,
  })
  expect(body.slug).toBe('auth.token_required')
})

test('a query of more than 8,192 characters, percent-encoded, is 414', async () => {
  const path = (query: string, rest: string) => `/api/notes?${query}${rest}`
  const plain = 'a'.repeat(8192 - 'title='.length)
  expect((await shop.get(path('title=', plain))).status).toBe(422)
  expect((await shop.get(path('title=', `${plain}a`), { status: 414 })).body.slug).toBe('http.uri_too_long')
  // Each `[` is three characters in a link.
  const brackets = '['.repeat((8192 - 'title='.length) / 3)
  expect((await shop.get(path('title=', brackets))).status).toBe(422)
  await shop.get(path('title=', `${brackets}[`), { status: 414 })
  // The parameters by which links continue do not count.
  for (const continued of ['cursor=a&page=1', `cursor=${'a'.repeat(4001)}`, 'cursor=a&cursor=a'])
    await shop.get(path(`${continued}&title=`, plain), { status: 422 })
  await shop.get(`/api/notes/${'a'.repeat(16_384)}`, { status: 414 })
})

test('a method override is not obeyed', async () => {
  const { headers } = await shop.get(notePath, {
    headers: { 'x-http-method-override': 'DELETE' },
    status: 200,
  })
  expect(headers.get('etag')).not.toBeNull()
})

test('a missing scope names it in the challenge, without missingPermissions', async () => {
  const { body, headers } = await shop.post('/api/notes', { token: reader, body: {}, status: 403 })
  expect(body.missingPermissions).toBeUndefined()
  expect(headers.get('www-authenticate')).toContain('scope="products:write"')
})

test('a missing permission is listed', async () => {
  const { body } = await shop.post('/api/notes', { token: person, body: {}, status: 403 })
  expect(body.missingPermissions).toEqual(['identity:products:write'])
})

test('an operation of one version answers there', async () => {
  await shop.get(`${notePath}/new`, { version: 'unstable', status: 200 })
})

test('a defect is a 500 without details', async () => {
  const { text, body } = await shop.patch(notePath, { body: { title: 'defect' }, status: 500 })
  expect(body.slug).toBe('server.unexpected')
  expect(text).not.toContain('secret')
})

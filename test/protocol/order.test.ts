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

type Row = [what: string, method: string, path: string, asked: () => Asked, status: number, slug: string]
const invalid = { title: '' }

describe('a request with several errors gets the first', () => {
  const rows: Row[] = [
    [
      'no token on an unknown path',
      'GET',
      '/api/nothing',
      () => ({ token: null }),
      401,
      'auth.token_required',
    ],
    [
      'no token and a malformed locale',
      'GET',
      '/api/notes',
      () => ({ token: null, locale: 'french' }),
      401,
      'auth.token_required',
    ],
    [
      'a bad token and an unknown version',
      'GET',
      '/api/notes',
      () => ({ token: 'a.b.c', version: '1999-01' }),
      401,
      'auth.invalid_token',
    ],
    ['no token outside /api', 'GET', '/elsewhere', () => ({ token: null }), 401, 'auth.token_required'],
    [
      'a malformed locale and an unknown version',
      'GET',
      '/api/notes',
      () => ({ locale: 'fr_FR', version: '1999-01' }),
      400,
      'locale.malformed',
    ],
    [
      'an unknown version on an unknown path',
      'GET',
      '/api/nothing',
      () => ({ version: '1999-01' }),
      400,
      'version.unknown',
    ],
    ['an unknown path', 'GET', '/api/nothing', () => ({}), 404, 'http.not_found'],
    ['a path with a slash too many', 'GET', '/api/notes/', () => ({}), 404, 'http.not_found'],
    [
      'a method that the path lacks',
      'PUT',
      '/api/notes',
      () => ({ body: invalid }),
      405,
      'http.method_not_allowed',
    ],
    [
      'no scope, and nothing else right',
      'PATCH',
      '/api/notes/x',
      () => ({ token: reader, body: '{', headers: { accept: 'text/html' } }),
      403,
      'auth.insufficient_scope',
    ],
    [
      'no permission and an invalid body',
      'POST',
      '/api/notes',
      () => ({ token: person, body: invalid }),
      403,
      'auth.permission_denied',
    ],
    [
      'a malformed id and a wrong format',
      'PATCH',
      '/api/notes/x',
      () => ({ body: '{', headers: { accept: 'text/html' } }),
      404,
      'note.not_found',
    ],
    [
      'an operation of another version',
      'GET',
      `${notePath}/new`,
      () => ({ token: reader }),
      404,
      'version.operation_unavailable',
    ],
    [
      'a format that is not served and one that is not read',
      'PATCH',
      notePath,
      () => ({ body: '{', headers: { accept: 'text/html', 'content-type': 'text/plain' } }),
      406,
      'http.not_acceptable',
    ],
    [
      'a format that is not read and a wrong query',
      'PATCH',
      notePath,
      () => ({ body: '{', headers: { 'content-type': 'application/json' } }),
      415,
      'http.unsupported_media_type',
    ],
    [
      'an undeclared locale and a broken body',
      'PATCH',
      notePath,
      () => ({ body: '{', locale: 'ja-JP' }),
      422,
      'locale.not_declared',
    ],
    [
      'a malformed key and a broken body',
      'PATCH',
      notePath,
      () => ({ body: invalid, headers: { 'idempotency-key': 'a b' } }),
      400,
      'idempotency.malformed_key',
    ],
    ['a broken body', 'PATCH', notePath, () => ({ body: '{' }), 400, 'http.malformed_json'],
    [
      'an unknown id with an invalid body',
      'PATCH',
      `/api/notes/${missingId}`,
      () => ({ body: { count: -1 } }),
      422,
      'validation.too_small',
    ],
    ['an unknown id', 'PATCH', `/api/notes/${missingId}`, () => ({ body: {} }), 404, 'note.not_found'],
  ]
  test.each(rows)('%s', async (_, method, path, asked, status, slug) => {
    const { body, headers } = await shop.request(method, path, { ...asked(), status })
    expect(body).toMatchObject({ status, slug })
    expect(headers.get('content-type')).toBe('application/problem+json')
  })
})

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

test('405 names the methods that the path has', async () => {
  expect((await shop.put('/api/notes', { status: 405 })).headers.get('allow')).toBe(
    'GET, POST, HEAD, OPTIONS',
  )
  expect((await shop.post(notePath, { status: 405 })).headers.get('allow')).toBe(
    'GET, PATCH, DELETE, HEAD, OPTIONS',
  )
  expect((await shop.post('/health', { status: 405 })).headers.get('allow')).toBe('GET, HEAD, OPTIONS')
})

test('OPTIONS names them too, to who has a token', async () => {
  const { headers } = await shop.request('OPTIONS', notePath, { status: 204 })
  expect(headers.get('allow')).toBe('GET, PATCH, DELETE, HEAD, OPTIONS')
  await shop.request('OPTIONS', notePath, { token: null, status: 401 })
  await shop.request('OPTIONS', '/api/nothing', { status: 404 })
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

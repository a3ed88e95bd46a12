import { beforeAll, describe, expect, test } from 'vitest'
import { openShop, type Shop } from '../support/shop.ts'
import { noteApp, notePath } from './notes.ts'

let shop: Shop
beforeAll(async () => {
  shop = await openShop({ app: noteApp() })
})

test.each(['/api/%6eotes', '/%61pi/n%6Ftes'])('%s is /api/notes in its document and links', async (path) => {
  const body = await shop.read(`${path}?title=a`)
  expect(body['@id']).toBe('/api/notes')
  expect(body.search.template).toMatch(/^\/api\/notes\{/)
})

test('an entity tag without quotation marks is 400, and detail shows them', async () => {
  const headers = { 'if-match': '99' }
  const { body } = await shop.patch(notePath, { body: {}, headers, status: 400 })
  expect(body.slug).toBe('http.malformed_header')
  expect(body.detail).toMatch(/in quotation marks.* If-Match: "/)
})

test('HEAD has the headers of GET and no body', async () => {
  const get = await shop.get(notePath)
  const head = await shop.request('HEAD', notePath, { status: 200 })
  expect(head.text).toBe('')
  for (const name of ['etag', 'content-type', 'link', 'vary', 'service-sequence']) {
    expect(head.headers.get(name)).toBe(get.headers.get(name))
  }
})

test('an operation without an answer is 204', async () => {
  const { headers, text } = await shop.delete(notePath, {
    headers: { 'idempotency-key': 'again' },
    status: 204,
  })
  expect(text).toBe('')
  expect(headers.get('idempotency-replayed')).toBe('true')
})

describe('every answer', () => {
  test.each([
    ['an item', notePath, true],
    ['a list', '/api/notes', true],
    ['404', '/api/nothing', true],
    ['401', notePath, false],
    ['a public document', '/api/contexts/Note', false],
  ])('%s carries the common headers', async (_, path, withToken) => {
    const asked = withToken ? {} : { token: null }
    const { headers } = await shop.get(path, { ...asked, headers: { origin: 'https://app.example' } })
    const link = `<http://${shop.host}/api/docs.jsonld>; rel="http://www.w3.org/ns/hydra/core#apiDocumentation"`
    expect(headers.get('link')?.startsWith(link)).toBe(true)
    expect(headers.get('service-api-version')).toBe('2026-10')
    expect(headers.get('content-language')).toBe('en-US')
    expect(headers.get('vary')).toBe('Accept, Authorization, Service-Locale, Service-Api-Version, Origin')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
    expect(headers.get('server-timing')).toMatch(/^total;dur=[\d.]+, db;dur=[\d.]+;desc="0"$/)
    expect(headers.get('access-control-allow-origin')).toBe('*')
    expect(headers.get('access-control-allow-credentials')).toBeNull()
    expect(headers.get('access-control-expose-headers')).toContain('Link, Location, ETag')
    expect(headers.get('cache-control')).toMatch(
      withToken || path === notePath ? /^private, no-cache$/ : /^public/,
    )
  })
})

describe('entity tags', () => {
  test.each([
    ['its version', '"3.abc"', 200],
    ['one of several', '"2.x", "3.y"', 200],
    ['any', '*', 200],
    ['another version', '"2.abc"', 412],
    ['its version in a weak tag', 'W/"3.abc"', 200],
    ['another version in a weak tag', 'W/"2.abc"', 412],
    ['a tag that the service did not create', '"abc"', 412],
    ['something malformed', '3', 400],
  ])('If-Match with %s', async (_, value, status) => {
    const { body } = await shop.patch(notePath, { body: {}, headers: { 'if-match': value }, status })
    if (status === 412)
      expect(body).toMatchObject({ slug: 'concurrency.version_mismatch', currentVersion: 3 })
  })
})

describe('selection', () => {
  test('shows nothing that the token may not see', async () => {
    const token = await shop.token({ scope: 'products:read' })
    const { text } = await shop.get(`${notePath}?properties[shelf][]=children`, { token })
    expect(text).not.toContain('children')
  })

  test.each(['properties[title]', 'properties[][]', 'properties[shelf'])(
    '%s selects nothing, and is named like any ignored parameter',
    async (name) => {
      const plain = await shop.read(notePath)
      const path = `${notePath}?${encodeURIComponent(name)}=title`
      const reply = await shop.get(path, { status: 200 })
      expect(reply.body).toEqual(plain)
      expect(reply.headers.get('service-ignored-parameters')).toBe(name)
      const refused = await shop.get(path, { headers: { prefer: 'handling=strict' }, status: 422 })
      expect(refused.body.slug).toBe('validation.unknown_parameter')
    },
  )

  test.each([
    ['properties[]=titel', 'properties[]', 'title'],
    ['properties[shelf][]=titel', 'properties[shelf][]', 'title'],
    ['properties[]=shelf.title', 'properties[]', 'properties[shelf][]=title'],
    ['properties[shelf][]=childrens', 'properties[shelf][]', 'children'],
  ])('%s names no property: ignored by name, and refused under strict handling', async (query, at, near) => {
    const path = `${notePath}?properties[]=title&${query}`
    const reply = await shop.get(path, { status: 200 })
    expect(reply.headers.get('service-ignored-parameters')).toBe(query)
    const refused = await shop.get(path, { headers: { prefer: 'handling=strict' }, status: 422 })
    expect(refused.body.violations).toMatchObject([
      {
        propertyPath: at,
        slug: 'validation.unknown_parameter',
        message: `The parameter “${query}” is not recognized here (→ ${near}).`,
      },
    ])
  })

  test('return=minimal leaves `search` out of a list, also after the whole list was cached', async () => {
    const { search, ...rest } = (await shop.get('/api/notes', { status: 200 })).body
    expect(search).toBeDefined()
    const minimal = await shop.get('/api/notes', { headers: { prefer: 'return=minimal' }, status: 200 })
    expect(minimal.body).toEqual(rest)
    expect(minimal.headers.get('preference-applied')).toBe('return=minimal')
    expect((await shop.get('/api/notes', { status: 200 })).body.search).toEqual(search)
  })

  test('deeper than eight levels is 422', async () => {
    const path = `${notePath}?properties${'[a]'.repeat(8)}[]=b`
    expect((await shop.get(path, { status: 422 })).body.slug).toBe('validation.too_deep')
  })
})

describe('negotiation', () => {
  test.each([
    ['application/ld+json', 200],
    ['application/json', 200],
    ['application/*;q=0.1', 200],
    ['*/*', 200],
    ['text/html, application/ld+json;profile="a,b"', 200],
    ['APPLICATION/LD+JSON', 200],
    ['', 200],
    ['text/html', 406],
    ['application/problem+json', 406],
    ['application/ld+json;q=0, application/json;q=0, */*', 406],
    ['application/ld+json;q=2', 406],
    ['nonsense', 406],
  ])('Accept: %s', async (accept, status) => {
    const { headers } = await shop.get(notePath, { headers: { accept }, status })
    if (status === 200) expect(headers.get('content-type')).toBe('application/ld+json')
  })

  test('an operation that returns no document accepts the media type of its problems', async () => {
    const { '@id': path } = await shop.create('/api/notes', { title: 'Deleted' })
    await shop.delete(path, { headers: { accept: 'text/html' }, status: 406 })
    await shop.delete(path, { headers: { accept: 'application/problem+json' }, status: 204 })
  })

  test.each([
    ['POST', '/api/notes', 'application/ld+json', 201],
    ['POST', '/api/notes', 'application/json; charset=UTF-8', 201],
    ['POST', '/api/notes', 'application/merge-patch+json', 415],
    ['POST', '/api/notes', 'application/json; charset=latin1', 415],
    ['POST', '/api/notes', 'text/plain', 415],
    ['PATCH', notePath, 'application/merge-patch+json', 200],
    ['PATCH', notePath, 'application/ld+json', 415],
  ])('%s %s with Content-Type %s', async (method, path, type, status) => {
    const asked = { body: { title: 'A' }, headers: { 'content-type': type }, status }
    const { headers } = await shop.request(method, path, asked)
    const accepted = method === 'PATCH' ? 'accept-patch' : 'accept-post'
    if (status === 415) expect(headers.get(accepted)).toContain('application/')
  })

  test('a body without Content-Type is 415', async () => {
    const body = new TextEncoder().encode('{"title":"A"}')
    await shop.post('/api/notes', { body, headers: { 'content-type': null }, status: 415 })
  })

  test('a Content-Type on GET is no error', async () => {
    await shop.get(notePath, { headers: { 'content-type': 'text/plain' }, status: 200 })
  })
})

describe('cross-origin', () => {
  test('a preflight is answered without a token for any origin, whatever the path', async () => {
    const asked = { origin: 'https://app.example', 'access-control-request-method': 'PATCH' }
    const { headers } = await shop.request('OPTIONS', '/api/nothing', {
      token: null,
      headers: asked,
      status: 204,
    })
    expect(headers.get('access-control-allow-origin')).toBe('*')
    expect(headers.get('access-control-allow-methods')).toContain('PATCH')
    expect(headers.get('access-control-allow-headers')).toContain('Authorization')
    expect(headers.get('access-control-allow-headers')).toContain('Service-Locale')
    expect(headers.get('access-control-allow-credentials')).toBeNull()
  })

  test('without Origin there are no headers of CORS', async () => {
    expect((await shop.get(notePath)).headers.get('access-control-allow-origin')).toBeNull()
  })
})

test('health needs no token', async () => {
  expect(await shop.read('/health', { token: null })).toEqual({ status: 'ok' })
})

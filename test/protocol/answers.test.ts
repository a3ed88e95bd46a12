import { beforeAll, describe, expect, test } from 'vitest'
import { openShop, type Shop } from '../support/shop.ts'
import { noteApp, noteId, notePath } from './notes.ts'

let shop: Shop
beforeAll(async () => {
  shop = await openShop({ app: noteApp() })
})

test('an item begins with its context and has an entity tag', async () => {
  const { text, headers } = await shop.get(notePath, { status: 200 })
  expect(text.startsWith(`{"@context":"/api/contexts/Note","@id":"${notePath}","@type":"Note",`)).toBe(true)
  expect(headers.get('content-type')).toBe('application/ld+json')
  expect(headers.get('etag')).toMatch(/^"3\.[\w-]{16}"$/)
  expect(headers.get('service-sequence')).toBe('7')
})

test('a list is a Hydra collection with view and search', async () => {
  const { body, headers } = await shop.get('/api/notes?title=a%20b', { status: 200 })
  expect(body).toMatchObject({
    '@context': '/api/contexts/Note',
    '@id': '/api/notes',
    '@type': 'Collection',
    totalItems: 2,
    view: {
      '@id': '/api/notes?title=a%20b',
      '@type': 'PartialCollectionView',
      first: '/api/notes?title=a%20b',
      next: '/api/notes?page=2',
    },
  })
  expect(body.search).toEqual({
    '@type': 'IriTemplate',
    template: '/api/notes{?page,title,expand,updatedAt[after],properties[]}',
    variableRepresentation: 'BasicRepresentation',
    mapping: ['page', 'title', 'expand', 'updatedAt[after]', 'properties[]'].map((variable) => ({
      '@type': 'IriTemplateMapping',
      variable,
      property: variable.split('[')[0],
      required: false,
    })),
  })
  expect(headers.get('etag')).toMatch(/^W\/"[\w-]{16}"$/)
})

test.each(['/api/%6eotes', '/%61pi/n%6Ftes'])('%s is /api/notes in its document and links', async (path) => {
  const body = await shop.read(`${path}?title=a`)
  expect(body['@id']).toBe('/api/notes')
  expect(body.search.template).toMatch(/^\/api\/notes\{/)
})

test('a created item is 201 with its location', async () => {
  const { headers, body } = await shop.post('/api/notes', { body: { title: 'New' }, status: 201 })
  expect(headers.get('location')).toBe(notePath)
  expect(body.title).toBe('New')
})

test('created items are a collection without a view', async () => {
  const body = await shop.create('/api/notes', [{ title: 'A' }, { title: 'B' }])
  expect(body['@type']).toBe('Collection')
  expect(body.member.map((each: { title: string }) => each.title)).toEqual(['A', 'B'])
  expect(body).not.toHaveProperty('view')
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

test('a problem document has every field, and its instance is the request id', async () => {
  const { body, headers } = await shop.get('/api/notes/x', { status: 404 })
  const instance = `/api/requests/${headers.get('x-request-id')}`
  expect(body).toEqual({
    '@context': '/api/contexts/Error',
    '@id': instance,
    '@type': 'Error',
    type: '/api/error-codes/NT-1001',
    title: 'note.not_found',
    status: 404,
    detail: 'GET /api/notes/x: There is no note x. No such note.',
    instance,
    code: 'NT-1001',
    slug: 'note.not_found',
    message: 'There is no note x.',
    description: 'No such note.',
  })
})

describe('entity tags', () => {
  test('cover locale, version, selection and what a scope hides', async () => {
    const narrow = await shop.token({ scope: 'products:read' })
    const replies = await Promise.all([
      shop.get(notePath),
      shop.get(notePath, { locale: 'fr-FR' }),
      shop.get(notePath, { version: 'unstable' }),
      shop.get(`${notePath}?properties[]=title`),
      shop.get(notePath, { token: narrow }),
    ])
    expect(new Set(replies.map(({ headers }) => headers.get('etag'))).size).toBe(5)
  })

  test.each([
    ['the same tag', (tag: string) => tag, 304],
    ['a weak spelling of it', (tag: string) => `W/${tag}`, 304],
    ['a list with spaces', (tag: string) => `"a" ,  ${tag},"b"`, 304],
    ['any', () => '*', 304],
    ['another tag', () => '"3.aaaaaaaaaaaaaaaa"', 200],
    ['no tag at all', () => 'abc', 400],
    ['an open quote', () => '"abc', 400],
    ['an empty value', () => '', 400],
  ])('If-None-Match with %s', async (_, spelled, status) => {
    const { headers } = await shop.get(notePath)
    const again = await shop.get(notePath, {
      headers: { 'if-none-match': spelled(headers.get('etag')!) },
      status,
    })
    if (status === 304) {
      expect(again.text).toBe('')
      expect(again.headers.get('etag')).toBe(headers.get('etag'))
    }
  })

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
  test('reduces an item and keeps what identifies it', async () => {
    const { body } = await shop.get(`${notePath}?properties[]=title&properties[shelf][]=title`)
    expect(body).toEqual({
      '@context': '/api/contexts/Note',
      '@id': notePath,
      '@type': 'Note',
      title: 'First',
      shelf: { '@id': '/api/shelves/1', '@type': 'Category', title: 'Top' },
    })
  })

  test('reduces the members of a list, never its envelope', async () => {
    const { body } = await shop.get('/api/notes?properties[]=id')
    expect(body.member[0]).toEqual({ '@id': notePath, '@type': 'Note', id: noteId })
    expect(body.totalItems).toBe(2)
    expect(body).toHaveProperty('search')
  })

  test('is written in the names of the version', async () => {
    const path = `${notePath}?properties[shelf][]=childrens`
    expect((await shop.get(path, { version: '2026-04' })).body.shelf).toHaveProperty('childrens')
    expect((await shop.get(path, { version: '2026-10' })).body.shelf).not.toHaveProperty('children')
  })

  test('shows nothing that the token may not see', async () => {
    const token = await shop.token({ scope: 'products:read' })
    const { text } = await shop.get(`${notePath}?properties[shelf][]=children`, { token })
    expect(text).not.toContain('children')
  })

  test.each(['properties[title]', 'properties', 'properties[][]', 'properties[shelf'])(
    '%s selects nothing, and is named like any ignored parameter',
    async (name) => {
      const plain = await shop.get(notePath, { status: 200 })
      const path = `${notePath}?${encodeURIComponent(name)}=title`
      const reply = await shop.get(path, { status: 200 })
      expect(reply.body).toEqual(plain.body)
      expect(reply.headers.get('service-ignored-parameters')).toBe(name)
      const refused = await shop.get(path, { headers: { prefer: 'handling=strict' }, status: 422 })
      expect(refused.body.slug).toBe('validation.unknown_parameter')
    },
  )

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

test('a context needs no token and names its terms on this host', async () => {
  const { body, headers } = await shop.get('/api/contexts/Category', { token: null, status: 200 })
  expect(headers.get('content-type')).toBe('application/ld+json')
  expect(body['@context']).toMatchObject({
    '@vocab': `http://${shop.host}/api/docs.jsonld#`,
    title: 'Category/title',
    children: { '@id': 'Category/children', '@type': '@id' },
    totalItems: 'hydra:totalItems',
  })
  await shop.get('/api/contexts/Error', { token: null, status: 200 })
  await shop.get('/api/contexts/Nothing', { token: null, status: 404 })
  await shop.get('/api/contexts/__proto__', { token: null, status: 404 })
})

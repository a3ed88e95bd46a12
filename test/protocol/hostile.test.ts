import { beforeAll, describe, expect, test } from 'vitest'
import { openShop, type Reply, type Shop } from '../support/shop.ts'
import { noteApp, noteId, notePath } from './notes.ts'

let shop: Shop
beforeAll(async () => {
  shop = await openShop({ app: noteApp() })
})

function pathsOf({ body }: Reply): string[] {
  return body.violations.map((each: { propertyPath: string }) => each.propertyPath)
}

describe('a query', () => {
  test.each([
    ['page=0', 422],
    ['page=-1', 422],
    ['page=1e3', 422],
    ['page=%D9%A1', 422],
    ['page=99999999999999999999', 422],
    ['page=', 422],
    ['page', 422],
    ['page=1&page=2', 422],
    ['page[]=1', 200],
    ['page[a][b]=1', 200],
    ['title=%zz', 422],
    ['title=%C3%28', 422],
    ['title=%00', 422],
    ['title=%ED%A0%80', 422],
    ['%74itle=a&title=b', 422],
    ['%zz=1', 200],
    ['%00=1', 200],
    ['=&&=&?', 200],
    ['__proto__=1&constructor=2&toString=3', 200],
    ['__proto__[x]=1', 200],
    ['properties[__proto__][]=a', 200],
    ['properties[]=__proto__&properties[constructor][]=prototype', 200],
    ['properties[[]]=a&properties[=b&properties]=c', 200],
    ['properties=title', 200],
    ['properties[]=%00&properties[]=%zz', 200],
    [`properties${'[]'.repeat(200)}=a`, 200],
    [`${'properties[]=a&'.repeat(400)}`, 200],
    ['order[title]=sideways&order[]=asc&order[__proto__]=asc', 200],
    ['updatedAt[after]=now', 422],
    ['updatedAt[after]=infinity', 422],
    ['updatedAt[after]=2026-01-01T24:00:00Z', 422],
    ['updatedAt%5Bafter%5D=2026-01-01T10:00:00Z', 200],
    ['updatedAt[]=2026-01-01', 200],
    ['expand=children.children.children.children', 422],
    ['expand=', 422],
    ['access_token=a.b.c', 400],
  ])('?%s is %i', async (query, status) => {
    const reply = await shop.get(`/api/notes?${query}`, { status })
    if (status === 200) expect(reply.body['@type']).toBe('Collection')
  })

  test('returns every wrong parameter at once, each for one reason', async () => {
    const reply = await shop.get('/api/notes?page=x&page=y&title=%00&expand=a', { status: 422 })
    expect(reply.body.slug).toBe('validation.failed')
    expect(pathsOf(reply)).toEqual(['page', 'title', 'expand'])
  })

  test('has its unknown parameters named, once each and in printable ASCII', async () => {
    const { headers } = await shop.get(
      '/api/notes?pgae=1&pgae=2&h%C3%A9=1&a,b%0D%0A=1&order[title]=asc&properties[]=id',
    )
    expect(headers.get('service-ignored-parameters')).toBe('pgae, h%C3%A9, a%2Cb%0D%0A, order[title]')
  })

  test('handled strictly is refused for them, with a hint', async () => {
    const asked = { headers: { prefer: 'handling=strict' }, status: 422 }
    const reply = await shop.get('/api/notes?pag=1', asked)
    expect(reply.body.slug).toBe('validation.unknown_parameter')
    expect(reply.body.violations[0].message).toContain('→ page')
    expect(reply.headers.get('preference-applied')).toBe('handling=strict')
    expect(reply.headers.get('service-ignored-parameters')).toBeNull()
  })
})

describe('a path', () => {
  test.each([
    `/api/notes/${noteId.toUpperCase()}`,
    `/api/notes/{${noteId}}`,
    `/api/notes/${noteId.replaceAll('-', '')}`,
    `/api/notes/${noteId}%00`,
    '/api/notes/%zz',
    '/api/notes/%2F',
    '/api/notes/..%2f..%2fetc',
    '/api/notes/__proto__',
    '/api//notes',
    '/api/%00',
    '/API/notes',
  ])('%s is 404', async (path) => {
    await shop.get(path, { status: 404 })
  })
})

describe('a header', () => {
  test.each([
    ['service-locale', 'fr', 400],
    ['service-locale', 'fr-fr', 400],
    ['service-locale', 'fr_FR', 400],
    ['service-locale', 'fr-FR, en-US', 400],
    ['service-locale', '', 400],
    ['service-locale', '../../etc', 400],
    ['service-locale', `a${'-A'.repeat(2000)}`, 400],
    ['service-locale', 'ja-JP', 200],
    ['service-api-version', '', 400],
    ['service-api-version', '2026-10, 2026-10', 400],
    ['service-api-version', '__proto__', 400],
    ['service-api-version', 'constructor', 400],
    ['accept', ';;;,,,', 406],
    ['accept', `${'a/b,'.repeat(1000)}*/*`, 200],
    ['if-none-match', `${'"a",'.repeat(1000)}`, 200],
    ['if-none-match', '"'.repeat(1001), 400],
    ['prefer', '=;,handling', 200],
    ['x-http-method', 'DELETE', 200],
  ])('%s: %s is answered %i', async (name, value, status) => {
    await shop.get(notePath, { headers: { [name]: value }, status })
  })

  test.each([
    ['', 400],
    ['""', 400],
    ['a b', 400],
    ['é', 400],
    ['a'.repeat(256), 400],
    ['a'.repeat(255), 204],
    ['"8e03978e-40d5-43e8-bc93-6894a57f9324"', 204],
    ['8e03978e-40d5-43e8-bc93-6894a57f9324', 204],
  ])('Idempotency-Key: %s is answered %i', async (key, status) => {
    const { body } = await shop.delete(notePath, { headers: { 'idempotency-key': key }, status })
    if (status === 400) expect(body.slug).toBe('idempotency.malformed_key')
  })
})

describe('a body', () => {
  const bytes = (...values: number[]) => Uint8Array.from(values)
  test.each<[string, unknown, number, string]>([
    ['nothing', '', 400, 'http.body_required'],
    ['spaces', ' \n ', 400, 'http.body_required'],
    ['half an object', '{"title":', 400, 'http.malformed_json'],
    ['a number beyond doubles', '{"count":1e999}', 400, 'http.malformed_json'],
    ['a byte order mark', '\ufeff{"title":"a"}', 400, 'http.malformed_json'],
    ['bytes that are not UTF-8', bytes(0x22, 0xc3, 0x28, 0x22), 400, 'http.not_utf8'],
    ['33 levels', '['.repeat(33) + ']'.repeat(33), 400, 'http.body_too_deep'],
    ['U+0000', '{"title":"a\\u0000"}', 422, 'validation.characters'],
    ['half a surrogate pair', '{"title":"\\ud800"}', 422, 'validation.characters'],
    ['a million nulls', `[${'null,'.repeat(200_000)}null]`, 422, 'validation.too_many_items'],
    ['an empty array', '[]', 422, 'validation.too_few_items'],
    ['a string', '"a"', 422, 'validation.type'],
    ['null', 'null', 422, 'validation.type'],
    ['a number', '1', 422, 'validation.type'],
    ['the wrong type', { title: ['a'] }, 422, 'validation.type'],
    ['null for what is required', { title: null }, 422, 'validation.required'],
    ['nothing that is required', {}, 422, 'validation.required'],
    ['another @type', { title: 'a', '@type': 'Product' }, 422, 'validation.identity_mismatch'],
    ['an id', { title: 'a', id: noteId }, 422, 'validation.identity_mismatch'],
    ['an @id', { title: 'a', '@id': notePath }, 422, 'validation.identity_mismatch'],
  ])('of %s is refused', async (_, body, status, slug) => {
    const reply = await shop.post('/api/notes', { body, status })
    expect(reply.body.slug).toBe(slug)
  })

  test('of more than 1 MiB is 413, announced or not', async () => {
    const body = `{"title":"${'a'.repeat(1024 * 1024)}"}`
    expect((await shop.post('/api/notes', { body, status: 413 })).body.slug).toBe('http.body_too_large')
    await shop.post('/api/notes', { body, headers: { 'content-length': '10' }, status: 413 })
    await shop.create('/api/notes', `${' '.repeat(1024 * 1024 - 13)}{"title":"a"}`)
  })

  test('that is compressed is 415', async () => {
    const asked = { body: { title: 'a' }, status: 415 }
    const { body } = await shop.post('/api/notes', { ...asked, headers: { 'content-encoding': 'gzip' } })
    expect(body.slug).toBe('http.content_encoding')
    await shop.create('/api/notes', { title: 'a' }, { headers: { 'content-encoding': 'identity' } })
  })

  test('returns every violation at once, with its place in the array', async () => {
    const body = [{ title: 'a' }, { title: '' }, { count: -1, title: 'x'.repeat(21) }]
    const reply = await shop.post('/api/notes', { body, locale: 'fr-FR', status: 422 })
    expect(reply.body).toMatchObject({ '@type': 'ConstraintViolation', slug: 'validation.failed' })
    expect(pathsOf(reply).toSorted()).toEqual(['[1].title', '[2].count', '[2].title'])
    expect(reply.body.message).toBe('Certaines saisies doivent être corrigées (3).')
    for (const each of reply.body.violations) {
      expect(Object.keys(each)).toEqual(['propertyPath', 'message', 'detail', 'code', 'slug'])
    }
  })

  test('that names prototypes changes no prototype', async () => {
    const body = '{"title":"a","__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}'
    const { headers } = await shop.post('/api/notes', { body, status: 201 })
    expect(headers.get('service-ignored-properties')).toBe('__proto__, constructor')
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
  })

  test('has its unknown and its read-only members passed over, and named', async () => {
    const body = { title: 'a', titel: 'b', createdAt: 'c' }
    const { headers, body: made } = await shop.post('/api/notes', { body, status: 201 })
    expect(headers.get('service-ignored-properties')).toBe('titel, createdAt')
    expect(made).not.toHaveProperty('titel')
    expect(made).not.toHaveProperty('createdAt')
  })

  test('handled strictly is refused for unknown members, with a hint', async () => {
    const asked = { headers: { prefer: 'return=minimal, Handling=Strict' }, status: 422 }
    const { body } = await shop.post('/api/notes', {
      ...asked,
      body: { title: 'a', titl: 'b', createdAt: 'c' },
    })
    expect(body.slug).toBe('validation.unknown_property')
    expect(body.violations).toMatchObject([
      { propertyPath: 'titl', message: expect.stringContaining('→ title') },
    ])
  })

  test('sent back whole is accepted by PATCH', async () => {
    const { body } = await shop.get(notePath)
    await shop.patch(notePath, { body, status: 200 })
  })

  test('of another resource is refused by PATCH', async () => {
    for (const body of [{ '@id': '/api/notes/1' }, { id: '1' }, { id: 1 }, { '@type': 'Product' }]) {
      const reply = await shop.patch(notePath, { body, status: 422 })
      expect(reply.body.slug).toBe('validation.identity_mismatch')
    }
  })

  test('in an array is refused where one object is taken', async () => {
    expect((await shop.patch(notePath, { body: [{}], status: 422 })).body.slug).toBe('validation.type')
  })
})

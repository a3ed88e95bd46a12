import { beforeAll, describe, expect, test } from 'vitest'
import { openShop, type Shop } from '../support/shop.ts'
import { noteApp, noteId, notePath } from './notes.ts'

let shop: Shop
beforeAll(async () => {
  shop = await openShop({ app: noteApp() })
})

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
    ['properties[[]]=a&properties[=b&properties]=c', 422],
    ['properties=title', 422],
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

  test('has its unknown parameters named, once each and in printable ASCII', async () => {
    const { headers } = await shop.get(
      '/api/notes?pgae=1&pgae=2&h%C3%A9=1&a,b%0D%0A=1&order[title]=asc&properties[]=id',
    )
    expect(headers.get('service-ignored-parameters')).toBe('pgae, h%C3%A9, a%2Cb%0D%0A, order[title]')
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

  test('that names prototypes changes no prototype', async () => {
    const body = '{"title":"a","__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}'
    const { headers } = await shop.post('/api/notes', { body, status: 201 })
    expect(headers.get('service-ignored-properties')).toBe('__proto__, constructor')
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
  })
})

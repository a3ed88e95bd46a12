import { Buffer } from 'node:buffer'
import { beforeAll, describe, expect, test } from 'vitest'
import { createApp } from '../../../test/support/app.ts'
import { newBucket, smallestPng, type TestBucket } from '../../../test/support/pictures.ts'
import { type Asked, openShop, type Shop } from '../../../test/support/shop.ts'

let shop: Shop
let other: Shop
let bucket: TestBucket
beforeAll(async () => {
  bucket = newBucket()
  shop = await openShop({ bindings: { PICTURES: bucket } })
  other = await openShop({ bindings: { PICTURES: bucket } })
})

const png = smallestPng()
const file = (text: string, type = 'image/png') => new File([Buffer.from(text, 'latin1')], 'f', { type })
const upload = (body: unknown, options: Asked = {}) => shop.post('/api/pictures', { body, ...options })
const fetchPicture = (path: string, headers: { readonly [name: string]: string } = {}, method = 'GET') =>
  shop.fetch(new Request(`http://${shop.host}${path}`, { method, headers: headers }))

/** A body whose announced length differs from its real length. */
async function announceLength(length: number | null, parts: readonly (Uint8Array | Error)[]) {
  const body = new ReadableStream({
    async pull(controller) {
      const next = waiting.shift()
      if (next === undefined) controller.close()
      else if (next instanceof Error) controller.error(next)
      else controller.enqueue(next)
    },
  })
  const waiting = [...parts]
  const headers = new Headers({
    authorization: `Bearer ${await shop.token()}`,
    'content-type': 'image/png',
  })
  if (length !== null) headers.set('content-length', String(length))
  const init = { method: 'POST', headers, body, duplex: 'half' }
  const answer = await shop.fetch(new Request(`http://${shop.host}/api/pictures`, init))
  return { status: answer.status, body: await answer.json<{ slug: string; '@id': string }>() }
}

describe('an uploaded picture', () => {
  test('is below the tenant in the bucket, and no other host shows it', async () => {
    const { body } = await upload(png, { status: 201 })
    const path = body['@id']
    expect(bucket.kept.has(`${shop.tenant.id}/${path.split('/').at(-1)}`)).toBe(true)
    const response = await other.get(path, { token: null, status: 404 })
    expect(response.body.slug).toBe('picture.not_found')
    expect(response.headers.get('cache-control')).toBe('private, no-cache')
    for (const name of [
      `..%2F${shop.tenant.id}%2F${path.slice(10)}`,
      `${shop.tenant.id}%2F${path.slice(10)}`,
      '%00.png',
      'x.svg',
    ])
      expect((await other.get(`/pictures/${name}`, { token: null, status: 404 })).body.slug).toBe(
        'picture.not_found',
      )
    const unchanged = { 'if-none-match': `"${path.split('/').at(-1)}"` }
    await other.get(path, { token: null, headers: unchanged, status: 404 })
  })

  test('is served with the type of its first bytes, whatever type the upload named', async () => {
    const { body } = await upload(file('GIF89a\x01\0\x01\0\0\0\0;', 'image/jpeg'), { status: 201 })
    expect(body).toMatchObject({ mediaType: 'image/gif', '@id': expect.stringMatching(/\.gif$/) })
    expect((await fetchPicture(body['@id'])).headers.get('content-type')).toBe('image/gif')
  })

  test('that is large arrives in parts and is stored unchanged', async () => {
    const large = Buffer.alloc(3_000_000, 7)
    Buffer.from(await png.arrayBuffer()).copy(large)
    const { body } = await upload(new File([large], 'l', { type: 'image/png' }), { status: 201 })
    const stored = bucket.kept.get(`${shop.tenant.id}/${body['@id'].split('/').at(-1)}`)
    expect(large.equals(stored ?? new Uint8Array())).toBe(true)
  })

  test('may arrive byte by byte', async () => {
    const bytes = [...new Uint8Array(await png.arrayBuffer())]
    const { status } = await announceLength(
      bytes.length,
      bytes.map((byte) => Uint8Array.of(byte)),
    )
    expect(status).toBe(201)
  })

  test('again with its key has the same address, and another one with that key is rejected; neither is stored', async () => {
    const key = { headers: { 'idempotency-key': 'one-picture' } }
    const { body } = await upload(png, { ...key, status: 201 })
    const before = bucket.kept.size
    const second = await upload(png, { ...key, status: 201 })
    expect(second.body).toEqual(body)
    expect(second.headers.get('idempotency-replayed')).toBe('true')
    const bytes = new Uint8Array(await png.arrayBuffer())
    bytes[bytes.length - 1] = 0
    const reused = await upload(new File([bytes], 'p', { type: 'image/png' }), { ...key, status: 422 })
    expect(reused.body.slug).toBe('idempotency.key_reused')
    expect(bucket.kept.size).toBe(before)
  })
})

describe('a rejected upload leaves nothing', () => {
  const refused = async (slug: string, act: () => Promise<{ readonly body: { slug: string } }>) => {
    const before = bucket.kept.size
    expect((await act()).body.slug).toBe(slug)
    expect(bucket.kept.size).toBe(before)
  }

  test.each([
    ['a drawing', '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'],
    ['a page', '<!doctype html><script>alert(document.domain)</script>'],
    ['the first bytes of no picture', 'PNG'],
  ])('%s under the type of a picture', async (_, text) => {
    await refused('picture.unknown_format', () => upload(file(text), { status: 422 }))
    await refused('picture.unknown_format', () => upload(file(text + ' '.repeat(100_000)), { status: 422 }))
  })

  test('no body, and an empty one', async () => {
    await refused('http.body_required', () => upload(file(''), { status: 400 }))
    const { body } = await upload(file(''), { status: 400 })
    expect(body.detail).toMatch('The request has no body. Send the bytes of the file.')
    await refused('http.body_required', () =>
      upload(undefined, { headers: { 'content-type': 'image/png' }, status: 400 }),
    )
  })

  test('more bytes than a picture may have', async () => {
    await refused('http.body_too_large', () => announceLength(20_000_001, [new Uint8Array(9)]))
    await refused('http.body_too_large', () => announceLength(Number.MAX_SAFE_INTEGER, [new Uint8Array(9)]))
  })

  test('a missing or malformed length', async () => {
    await refused('http.length_required', () => announceLength(null, [new Uint8Array(9)]))
    for (const length of ['-1', '1.5', 'x', '99999999999999999999'])
      await refused('http.length_required', () =>
        upload(png, { headers: { 'content-length': length }, status: 411 }),
      )
  })

  test('more or less than was announced, and what is cut off', async () => {
    const allBytes = new Uint8Array(await png.arrayBuffer())
    const tooManyBytes = new Uint8Array(100_000)
    await refused('picture.wrong_length', () => announceLength(allBytes.length + 1, [allBytes]))
    await refused('picture.wrong_length', () => announceLength(allBytes.length - 1, [allBytes]))
    await refused('picture.wrong_length', () =>
      announceLength(300_000, [allBytes, tooManyBytes, tooManyBytes]),
    )
    await refused('picture.wrong_length', () =>
      announceLength(150_000, [allBytes, tooManyBytes, tooManyBytes]),
    )
    await refused('picture.wrong_length', () =>
      announceLength(300_000, [allBytes, tooManyBytes, new Error('gone')]),
    )
    await refused('picture.wrong_length', () =>
      announceLength(10, [allBytes.subarray(0, 3), new Error('gone')]),
    )
  })

  test('compressed pictures', async () => {
    await refused('http.content_encoding', () =>
      upload(png, { headers: { 'content-encoding': 'gzip' }, status: 415 }),
    )
  })
})

test('a bucket that is away is 503 with a time to come back', async () => {
  const { body } = await upload(png, { status: 201 })
  bucket.failing = true
  try {
    for (const answer of [
      await upload(png, { status: 503 }),
      await shop.get(body['@id'], { token: null, status: 503 }),
    ]) {
      expect(answer.body.slug).toBe('picture.storage_unavailable')
      expect(answer.headers.get('retry-after')).toBe('10')
    }
  } finally {
    bucket.failing = false
  }
})

test('without a bucket uploads are refused, pages know it, and no address shows a picture', async () => {
  const bare = await openShop({ app: createApp(), bindings: { PICTURES: undefined } })
  const refused = await bare.post('/api/pictures', { body: png, status: 409 })
  expect(refused.body.slug).toBe('picture.no_bucket')
  const path = '/pictures/0b7f0c52-5c1e-4f6b-9d0f-3a1a5a0e7d11.png'
  expect((await bare.get(path, { token: null, status: 404 })).body.slug).toBe('picture.not_found')
  const about = async (of: Shop) => (await of.get('/admin/catalogue.json', { token: null, status: 200 })).body
  expect((await about(bare)).pictures).toBeNull()
  expect((await about(shop)).pictures).toEqual({
    types: ['image/png', 'image/jpeg', 'image/webp', 'image/avif', 'image/gif'],
    most: 20_000_000,
  })
})

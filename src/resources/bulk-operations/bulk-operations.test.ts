import { describe, expect, test } from 'vitest'
import { asOwner, connected, databaseUrls } from '../../../test/support/database.ts'
import { openShop, type Shop } from '../../../test/support/shop.ts'
import { maximumLines, maximumUnfinished } from './schema.ts'

const path = '/api/bulk_operations'
const type = 'application/x-ndjson'
const file = (content: string | Uint8Array<ArrayBuffer>) => new Blob([content], { type })
const line = (title: string) => JSON.stringify({ method: 'POST', path: '/api/categories', body: { title } })
const send = (shop: Shop, content: string | Uint8Array<ArrayBuffer>, query = '', headers = {}) =>
  shop.post(`${path}${query}`, { body: file(content), headers })

async function pieces({ tenant }: Shop): Promise<{ first: number; bytes: number; ends: string }[]> {
  return connected(databaseUrls().ownerUrl, async (client) => {
    await client.query(`select set_config('app.tenant', $1, false)`, [tenant.id])
    const { rows } = await client.query(
      `select first_line as first, octet_length(content) as bytes, right(content, 1) as ends
         from bulk_operation_pieces where tenant_id = $1 order by 1`,
      [tenant.id],
    )
    return rows
  })
}

describe('a file of requests', () => {
  test('becomes a queued operation', async () => {
    const shop = await openShop()
    const content = `${line('A')}\r\n\n${line('B')}`
    const { status, body, headers } = await send(shop, content, '?onError=stop', {
      'service-locale': 'fr-FR',
    })
    expect(status).toBe(202)
    expect(headers.get('location')).toBe(body['@id'])
    expect(body).toMatchObject({
      '@id': `${path}/${body.id}`,
      '@type': 'BulkOperation',
      status: 'QUEUED',
      failure: null,
      onError: 'stop',
      dryRun: false,
      apiVersion: '2026-10',
      locale: 'fr-FR',
      bytes: content.length,
      lines: 3,
      processed: 0,
      succeeded: 0,
      failed: 0,
      linesPerSecond: null,
      remainingSeconds: null,
      problems: [],
      results: `${path}/${body.id}/results`,
      startedAt: null,
      finishedAt: null,
      expiresAt: null,
      version: 1,
    })
    expect(await shop.read(body['@id'])).toEqual(body)
    expect(await shop.read(`${path}?status=QUEUED`)).toMatchObject({
      totalItems: 1,
      member: [{ id: body.id }],
    })
    expect(await shop.read(`${path}?status=FINISHED`)).toMatchObject({ totalItems: 0 })
    expect(await shop.read(body.results)).toMatchObject({ totalItems: 0, member: [] })
  })

  test('is stored in pieces of whole lines', async () => {
    const shop = await openShop()
    const long = line('x'.repeat(400_000))
    const content = [...Array.from({ length: 4000 }, (_, n) => line(`é ${n}`)), long, line('last')].join('\n')
    expect((await send(shop, content)).body).toMatchObject({ lines: 4002 })
    const stored = await pieces(shop)
    expect(stored.map(({ first }) => first)).toEqual([1, expect.any(Number), 4001, 4002])
    expect(stored.map(({ bytes }) => bytes <= 256_000)).toEqual([true, true, false, true])
    expect(stored.map(({ ends }) => ends)).toEqual(['\n', '\n', '\n', '}'])
    expect(stored.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(new TextEncoder().encode(content).length)
  })

  test('sent again with its Idempotency-Key is one operation; another file is a conflict', async () => {
    const shop = await openShop()
    const key = { 'idempotency-key': 'load-1' }
    const first = await send(shop, line('A'), '', key)
    const second = await send(shop, line('A'), '', key)
    expect(second.headers.get('idempotency-replayed')).toBe('true')
    expect(second.body.id).toBe(first.body.id)
    expect(await pieces(shop)).toHaveLength(1)
    const third = await send(shop, line('B'), '', key)
    expect([third.status, third.body.slug]).toEqual([422, 'idempotency.key_reused'])
  })

  test('is rejected as a whole beyond a limit, and leaves nothing', async () => {
    const shop = await openShop()
    const rejected = async (content: string | Uint8Array<ArrayBuffer>, headers = {}) => {
      const { status, body } = await send(shop, content, '', headers)
      return [status, body.slug]
    }
    expect(await rejected('')).toEqual([400, 'http.body_required'])
    expect(await rejected('\n\r\n \n')).toEqual([400, 'http.body_required'])
    expect(await rejected('\n'.repeat(maximumLines + 1))).toEqual([413, 'bulk_operation.too_many_lines'])
    expect(await rejected(`${line('A')}\n${'x'.repeat(1_060_000)}\n`)).toEqual([
      413,
      'bulk_operation.line_too_long',
    ])
    expect(await rejected(new Uint8Array([...new TextEncoder().encode(line('é'))].slice(0, -5)))).toEqual([
      202,
      undefined,
    ])
    await shop.delete((await shop.read(path)).member[0]['@id'], { status: 204 })
    expect(await rejected(new Uint8Array([0x7b, 0xc3]))).toEqual([400, 'http.not_utf8'])
    expect(await rejected(line('A'), { 'content-length': '1000' })).toEqual([400, 'bulk_operation.cut_off'])
    expect(await rejected(line('A'), { 'content-length': '50000001' })).toEqual([413, 'http.body_too_large'])
    expect(await rejected(line('A'), { 'content-encoding': 'gzip' })).toEqual([415, 'http.content_encoding'])
    expect(await rejected(line('A'), { 'content-type': 'application/json' })).toEqual([
      415,
      'http.unsupported_media_type',
    ])
    expect(await pieces(shop)).toHaveLength(1)
    expect((await shop.read(path)).totalItems).toBe(1)
  })

  test(`is rejected while ${maximumUnfinished} others are unfinished`, async () => {
    const shop = await openShop()
    for (let count = 0; count < maximumUnfinished; count += 1)
      expect((await send(shop, line('A'))).status).toBe(202)
    const { status, body } = await send(shop, line('A'))
    expect([status, body.slug]).toEqual([409, 'bulk_operation.too_many'])
    const { member } = await shop.read(path)
    await shop.delete(member[0]['@id'], { status: 204 })
    expect((await send(shop, line('A'))).status).toBe(202)
  })
})

describe('an operation', () => {
  test('can be cancelled once, with one event', async () => {
    const shop = await openShop()
    const { body } = await send(shop, line('A'))
    const stale = await shop.delete(body['@id'], { headers: { 'if-match': '"7"' } })
    expect(stale.status).toBe(412)
    await shop.delete(body['@id'], { status: 204 })
    await shop.delete(body['@id'], { status: 204 })
    const cancelled = await shop.read(body['@id'])
    expect(cancelled).toMatchObject({ status: 'CANCELLED', version: 2, finishedAt: expect.any(String) })
    const { member } = await shop.read('/api/events')
    expect(member).toMatchObject([
      {
        topic: 'bulk_operation/finished',
        resource: body['@id'],
        resourceVersion: 2,
        document: { '@id': body['@id'], status: 'CANCELLED', problems: null },
      },
    ])
    // Events of earlier Workers lack both.
    const document = `(document::jsonb - 'reverts' - 'unchanged')::text`
    await asOwner(`update events set document = ${document} where tenant_id = $1`, [shop.tenant.id])
    expect((await shop.read('/api/events')).member).toMatchObject([
      { document: { reverts: null, unchanged: 0 } },
    ])
    await asOwner(`update bulk_operations set status = 'FINISHED' where tenant_id = $1`, [shop.tenant.id])
    const late = await shop.delete(body['@id'])
    expect([late.status, late.body.slug]).toEqual([409, 'bulk_operation.ended'])
  })

  test('of another tenant does not exist', async () => {
    const [shop, other] = [await openShop(), await openShop()]
    const { body } = await send(shop, line('A'))
    for (const iri of [body['@id'], body.results])
      expect((await other.get(iri)).body.slug).toBe('bulk_operation.not_found')
    expect((await other.delete(body['@id'])).status).toBe(404)
    expect((await shop.read(body['@id'])).status).toBe('QUEUED')
  })
})

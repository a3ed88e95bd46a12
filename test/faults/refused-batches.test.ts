/** Batches that the database's proxy rejects: they were certainly not committed, and the service relies on that. */
import { neonConfig } from '@neondatabase/serverless'
import { afterEach, beforeEach, describe, expect, inject, test, vi } from 'vitest'
import { startBridge } from '../../src/local/bridge/bridge.ts'
import { eventsOf, owner } from '../support/ledger.ts'
import { onlyReads } from '../support/reads.ts'
import { openShop, type Shop } from '../support/shop.ts'

type Kind = 'read' | 'write'

let shop: Shop
/** The batches that were sent, in their order. */
let sent: Kind[] = []
/** The responses to the next batches of a kind, instead of the database's own. */
let refusals: Record<Kind, (() => Response)[]>

beforeEach(async () => {
  shop = await openShop()
  // From here on the tenant's settings are cached.
  await shop.get('/api/products', { status: 200 })
  sent = []
  refusals = { read: [], write: [] }
  neonConfig.fetchFunction = async (url: string, init: RequestInit) => {
    const kind = onlyReads(init) ? 'read' : 'write'
    sent.push(kind)
    return refusals[kind].shift()?.() ?? fetch(url, init)
  }
})
afterEach(() => {
  neonConfig.fetchFunction = undefined
  vi.restoreAllMocks()
})

const refusal = (status: number, code: string, message: string) => () =>
  Response.json({ message, code, severity: '' }, { status })
const full = refusal(500, '53300', 'sorry, too many clients already')

describe('a database without a connection to spare', () => {
  test('is repeated, and a write happens once, without a search for its result', async () => {
    refusals.write = [full, full, full]
    const body = await shop.create('/api/products', { title: 'Coat' })
    expect(sent).toEqual(['read', 'write', 'write', 'write', 'write'])
    expect((await eventsOf(shop)).map((each) => each.id)).toEqual([body.id])
  })

  test('answers a read after a while', async () => {
    refusals.read = [full, full]
    await shop.get('/api/products', { status: 200 })
    expect(sent).toEqual(['read', 'read', 'read'])
  })

  test('that stays so is 503 with a time to come back, after four tries', async () => {
    const body = await shop.create('/api/categories', { title: 'Coats' })
    const tries = <Each>(each: Each) => Array<Each>(4).fill(each)
    sent = []
    refusals = { read: tries(full), write: [] }
    const read = await shop.get('/api/products', { status: 503 })
    expect(read.body.slug).toBe('server.storage_unavailable')
    expect(read.headers.get('retry-after')).toMatch(/^\d+$/)
    expect(sent).toEqual(tries('read'))
    sent = []
    refusals = { read: [], write: tries(full) }
    const write = await shop.patch(body['@id'], { body: { title: 'Hats' }, status: 503 })
    expect(write.body.slug).toBe('server.storage_unavailable')
    // No event is looked for.
    expect(sent).toEqual(['read', ...tries('write')])
    expect(await eventsOf(shop)).toHaveLength(1)
  })

  test('is awaited, if a role has one connection and another session holds it', async () => {
    neonConfig.fetchFunction = undefined
    const role = `catalogue_one_${process.pid}`
    const url = Object.assign(new URL(inject('appUrl')), { username: role }).href
    await owner((client) =>
      client.query(`create role ${role} login password 'test' connection limit 1 in role catalogue_app`),
    )
    const held = fetch(inject('bridgeEndpoint'), {
      method: 'POST',
      headers: { 'Neon-Connection-String': url },
      body: JSON.stringify({ query: 'select pg_sleep(0.15)' }),
    })
    try {
      await expect
        .poll(() =>
          owner(async (client) => {
            return (await client.query('select from pg_stat_activity where usename = $1', [role])).rowCount
          }),
        )
        .toBe(1)
      const one = await openShop({ bindings: { DATABASE_URL: url } })
      await one.post('/api/products', { body: { title: 'Coat' }, status: 201 })
    } finally {
      await held
      await owner(async (client) => {
        await client.query('select pg_terminate_backend(pid) from pg_stat_activity where usename = $1', [
          role,
        ])
        await client.query(`drop role ${role}`)
      })
    }
  })
})

describe('a batch with more bytes than the database takes', () => {
  test('is 413, sent once, and logged', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {})
    const body = await shop.create('/api/categories', { title: 'Coats' })
    sent = []
    refusals.write = [refusal(413, '', 'request is too large (max is 10485760 bytes)')]
    const { body: problem } = await shop.patch(body['@id'], { body: { title: 'Hats' }, status: 413 })
    expect(problem).toMatchObject({ slug: 'http.batch_too_large', code: 'HTTP-1020' })
    expect(sent).toEqual(['read', 'write'])
    expect(log.mock.calls.join()).toMatch(/"event":"budget_exceeded".*"reason":"batch"/)
    expect(await eventsOf(shop)).toHaveLength(1)
  })
})

describe('an answer with more bytes than the database gives', () => {
  test('is 503 at once, and logged', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {})
    refusals.read = [refusal(507, '', 'response is too large (max is 10485760 bytes)')]
    const { body, headers } = await shop.get('/api/products', { status: 503 })
    expect(body).toMatchObject({ slug: 'server.answer_too_large', code: 'SRV-1005' })
    expect(headers.get('retry-after')).toMatch(/^\d+$/)
    expect(sent).toEqual(['read'])
    expect(log.mock.calls.join()).toMatch(/"event":"answer_failed".*"reason":"answer"/)
  })

  test('is the same behind a real bridge, and what it would have answered is not changed', async () => {
    neonConfig.fetchFunction = undefined
    vi.spyOn(console, 'error').mockImplementation(() => {})
    const tight = await startBridge({ server: inject('appUrl'), maximumResponse: 4000 })
    try {
      const small = await openShop({ bindings: { NEON_FETCH_ENDPOINT: tight.endpoint } })
      const body = Array.from({ length: 20 }, (_, n) => ({
        title: `Coat ${n}`,
        description: 'x'.repeat(500),
      }))
      for (const each of body) await small.post('/api/products', { body: each, status: 201 })
      const { body: problem } = await small.get('/api/products', { status: 503 })
      expect(problem.slug).toBe('server.answer_too_large')
      expect((await small.get('/api/products?itemsPerPage=1', { status: 200 })).body.totalItems).toBe(20)
    } finally {
      await tight.close()
      neonConfig.fetchEndpoint = inject('bridgeEndpoint')
    }
  })
})

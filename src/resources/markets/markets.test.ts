import { expect, test } from 'vitest'
import { persistent } from '../../../test/races/racing.ts'
import { owner } from '../../../test/support/ledger.ts'
import { openShop, type Shop } from '../../../test/support/shop.ts'
import { maximumMarkets } from './schema.ts'

const list = '/api/markets'
const france = { key: 'fr', channel: 'web', country: 'FR', currency: 'EUR' }

const violationsOf = async (shop: Shop, body: object, status = 422) => {
  const reply = await shop.post(list, { body, status })
  return reply.body.violations.map(
    ({ propertyPath, slug }: { propertyPath: string; slug: string }) => `${propertyPath} ${slug}`,
  )
}

test('a market is created, found by its key, changed and deleted, with an event of each change', async () => {
  const shop = await openShop()
  const reply = await shop.post(list, { body: { ...france, name: 'France' }, status: 201 })
  const { '@id': iri, ...created } = reply.body
  expect(reply.headers.get('location')).toBe(iri)
  await shop.rest()
  expect(created).toMatchObject({
    '@type': 'Market',
    ...france,
    name: 'France',
    version: 1,
    pricesCompleteAt: null,
  })
  expect((await shop.read(`${list}?key=fr`)).member).toEqual([expect.objectContaining({ '@id': iri })])
  expect((await shop.read(`${list}?key=us`)).totalItems).toBe(0)
  const changed = await shop.update(iri, { key: 'fr-web', name: null })
  expect(changed).toMatchObject({ ...france, key: 'fr-web', name: null, version: 2 })
  expect(await shop.update(iri, changed)).toEqual(changed)
  expect((await shop.get(iri, { status: 200 })).headers.get('etag')).toMatch(/^"2\./)
  const outdated = await shop.patch(iri, { body: { name: 'A' }, headers: { 'if-match': '"1"' }, status: 412 })
  expect(outdated.body).toMatchObject({ slug: 'concurrency.version_mismatch', currentVersion: 2 })
  await shop.delete(iri, { status: 204 })
  await shop.get(iri, { status: 404 })
  const { member: events } = await shop.read(`/api/events?resource=${iri}`)
  expect(events.map(({ topic }: { topic: string }) => topic)).toEqual([
    'market/created',
    'market/updated',
    'market/deleted',
  ])
})

test('a request with the same Idempotency-Key creates one market', async () => {
  const shop = await openShop()
  const send = () => shop.post(list, { body: france, headers: { 'idempotency-key': 'k1' }, status: 201 })
  const [first, second] = [await send(), await send()]
  expect(second.body).toEqual(first.body)
  expect(second.headers.get('idempotency-replayed')).toBe('true')
  expect((await shop.read(list)).totalItems).toBe(1)
})

test('a key belongs to one market of a tenant, and names its holder', async () => {
  const [shop, other] = [await openShop(), await openShop()]
  const held = await shop.create(list, france)
  const conflict = await shop.post(list, { body: { ...france, currency: 'CHF' }, status: 409 })
  expect(conflict.body).toMatchObject({ slug: 'market.key_taken', conflictingResource: held['@id'] })
  const second = await shop.create(list, { ...france, key: 'ch' })
  const moved = await shop.patch(second['@id'], { body: { key: 'fr' }, status: 409 })
  expect(moved.body.slug).toBe('market.key_taken')
  await other.create(list, france)
  await other.get(held['@id'], { status: 404 })
  await other.patch(held['@id'], { body: { name: 'A' }, status: 404 })
  await other.delete(held['@id'], { status: 404 })
  const racing = await Promise.all(
    Array.from({ length: 6 }, () => persistent(() => shop.post(list, { body: { ...france, key: 'one' } }))),
  )
  expect(racing.map(({ status }) => status).toSorted()).toEqual([201, 409, 409, 409, 409, 409])
})

test('a tenant has at most 32 markets, also when 40 are created at once', async () => {
  const shop = await openShop()
  const createAll = (amount: number, prefix: string) =>
    Promise.all(
      Array.from({ length: amount }, (_, n) =>
        persistent(() => shop.post(list, { body: { ...france, key: `${prefix}${n}` } })),
      ),
    )
  await createAll(maximumMarkets - 4, 'first')
  const replies = await createAll(40, 'racing')
  const outcomes = Map.groupBy(replies, ({ status, body }) => `${status} ${body.slug ?? ''}`)
  expect([...outcomes].map(([outcome, all]) => [outcome, all.length]).toSorted()).toEqual([
    ['201 ', 4],
    ['422 market.limit', 36],
  ])
  expect((await shop.read(list)).totalItems).toBe(maximumMarkets)
  await shop.delete(outcomes.get('201 ')?.[0]?.body['@id'], { status: 204 })
  await shop.create(list, { ...france, key: 'free' })
  await shop.post(list, { body: { ...france, key: 'beyond' }, status: 422 })
})

test('a creation waits for one that takes the last place, and is refused', async () => {
  const shop = await openShop()
  for (let n = 1; n < maximumMarkets; n += 1) await shop.create(list, { ...france, key: `m${n}` })
  await owner(async (client) => {
    await client.query('begin')
    await client.query(`select pg_advisory_xact_lock(hashtextextended('markets:' || $1, 0))`, [
      shop.tenant.id,
    ])
    const racing = shop.post(list, { body: { ...france, key: 'late' } })
    await new Promise((done) => setTimeout(done, 300))
    await client.query(`insert into markets (tenant_id, id, key, channel, country, currency, document)
      values ('${shop.tenant.id}', gen_random_uuid(), 'last', 'web', 'FR', 'EUR', '{}')`)
    await client.query('commit')
    expect((await racing).body.slug).toBe('market.limit')
  })
})

test('reading needs sale_offers:read, writing sale_offers:write', async () => {
  const shop = await openShop()
  const { '@id': iri } = await shop.create(list, france)
  const [reader, writer] = [
    await shop.token({ scope: 'sale_offers:read' }),
    await shop.token({ scope: 'sale_offers:write' }),
  ]
  await shop.get(iri, { token: reader, status: 200 })
  await shop.get(list, { token: writer, status: 403 })
  await shop.post(list, { body: france, token: reader, status: 403 })
  await shop.patch(iri, { body: { name: 'F' }, token: writer, status: 200 })
  await shop.delete(iri, { token: reader, status: 403 })
})

test('invalid values are violations, and nothing is stored', async () => {
  const shop = await openShop()
  expect(await violationsOf(shop, {})).toEqual(
    ['key', 'channel', 'country', 'currency'].map((name) => `${name} validation.required`),
  )
  for (const key of ['', 'FR', '1a', '-a', 'a b', 'ä', '__proto__', `a${'b'.repeat(64)}`])
    expect(await violationsOf(shop, { ...france, key }), key).toEqual(['key validation.pattern'])
  for (const [name, value, slug] of [
    ['channel', 'a b', 'pattern'],
    ['country', 'fr', 'country'],
    ['country', 'ZZ', 'country'],
    ['currency', 'eur', 'currency'],
    ['currency', 'XYZ', 'currency'],
    ['name', ' ', 'blank'],
    ['name', '\u0000', 'characters'],
  ] as const)
    expect(await violationsOf(shop, { ...france, [name]: value }), value).toEqual([
      `${name} validation.${slug}`,
    ])
  expect((await shop.read(list)).totalItems).toBe(0)
  await shop.create(list, { ...france, key: 'constructor' })
})

/** `npm run recover`, after a restore of the database to an earlier time. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { uuidv7 } from 'uuidv7'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { connected } from '../../src/local/cli/database.ts'
import { recoverCommand } from '../../src/local/recover.ts'
import { exportCommand } from '../../src/local/transfer/export.ts'
import { databaseUrls, useOwnDatabase } from '../support/database.ts'
import { putBack, type SavedRows, saveRows, superuser } from '../support/earlier.ts'
import { faultsIn, owner } from '../support/ledger.ts'
import { openShop, type Shop } from '../support/shop.ts'
import { openWorld } from '../support/webhooks.ts'

let drop: () => Promise<void>
beforeAll(async () => {
  drop = await useOwnDatabase()
})
afterAll(() => drop())

let shop: Shop
let saved: SavedRows
let product: { '@id': string }
beforeEach(async () => {
  await owner((client) => client.query('delete from tenants'))
  shop = await openShop()
  product = await shop.create('/api/products', { title: 'Coat' })
  await shop.rest()
  saved = await saveRows(shop.tenant.id)
})

const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString()
const restoredTo = ago(30)

/** Puts the saved rows back. Everything before is an hour old then, and the Worker is not connected yet. */
async function restore(): Promise<void> {
  await shop.rest()
  await putBack(shop.tenant.id, saved)
  await age()
  await disconnect()
}

/** Ages the changes so far by an hour. */
function age(): Promise<unknown> {
  return superuser((client) =>
    client.query(`begin; set local session_replication_role = replica;
      update tenant_clock set last_at = last_at - interval '1 hour' where last_at > now() - interval '50 min';
      update tenants set created_at = created_at - interval '1 hour', suspended_at = suspended_at - interval '1 hour';
      update webhook_attempts set started_at = started_at - interval '1 hour'; commit`),
  )
}

function disconnect(): Promise<unknown> {
  return owner((client) =>
    client.query(
      // It waits until they are gone.
      `select pg_terminate_backend(pid, 10000) from pg_stat_activity where datname = current_database() and usename = 'catalogue_app'`,
    ),
  )
}

async function recover(...args: readonly string[]) {
  const [out, err]: [string[], string[]] = [[], []]
  let question = ''
  const code = await recoverCommand.run(
    ['--database-url', databaseUrls().ownerUrl, '--restored-to', restoredTo, ...args],
    {
      print: (text) => out.push(text),
      printError: (text) => err.push(text),
      env: {},
      ask: async (asked) => {
        question = asked
        return args.includes('--json') ? null : 'no'
      },
    },
  )
  return { code, out: out.join('\n'), err: err.join('\n'), question }
}

/** Everything that a recovery may change. */
function state(): Promise<unknown> {
  return owner(async (client) => {
    const { rows } = await client.query(`
      select (select json_agg(c order by tenant_id) from tenant_clock c) as clocks, (select json_agg(e) from tenant_epochs e) as epochs,
             (select count(*) from events) as events, (select json_agg(d order by id) from webhook_deliveries d) as deliveries`)
    return rows
  })
}

/** A recovery that has to be refused with a message, without a change. */
async function refused(message: RegExp, ...args: readonly string[]): Promise<void> {
  const before = await state()
  const { code, err } = await recover('--yes', ...args)
  expect({ code, err }).toEqual({ code: 1, err: expect.stringMatching(message) })
  expect(err).toMatch(/Nothing was changed\.$/)
  expect(await state()).toEqual(before)
}

describe('a restored database', () => {
  test('gets a new epoch, in which no sequence and no entity tag of the lost time is valid', async () => {
    const headers = { prefer: 'return=minimal' }
    const known = await shop.get(product['@id'], { status: 200 })
    await shop.update(product['@id'], { vendor: 'lost' })
    await shop.update(product['@id'], { vendor: 'lost too' })
    const lost = await shop.get(product['@id'], { status: 200, headers })
    const ahead = Number(lost.headers.get('service-sequence'))
    await restore()
    const { code, out, err } = await recover('--yes', '--json')
    expect({ code, err }).toEqual({ code: 0, err: '' })
    const report = JSON.parse(out)
    const [tenant] = report.tenants
    expect(report).toMatchObject({ restoredTo, isDryRun: false })
    expect(tenant).toMatchObject({ host: shop.host, lastSequence: ahead - 2, waitingDeliveries: 0 })
    expect(tenant.lostSeconds).toBeGreaterThan(3500)
    expect(tenant.firstSequence - tenant.lastSequence).toBeGreaterThan(1e9)
    expect(tenant.firstSequence).toBeGreaterThan((Date.now() / 1000) * 100_000 - 60 * 100_000)
    shop.restart()

    // The follower of the lost time cannot continue; that of a time before gets the announcement.
    const beyond = await shop.get(`/api/events?after=${ahead}`, { status: 409 })
    expect(beyond.body).toMatchObject({ slug: 'event.beyond_head', sequence: tenant.firstSequence })
    const { body } = await shop.get(`/api/events?after=${ahead - 2}`, { status: 200 })
    expect(body).toMatchObject({
      totalItems: 1,
      member: [
        {
          topic: 'catalogue/restored',
          sequence: tenant.firstSequence,
          resource: '/api',
          resourceVersion: 1,
          effectiveAt: restoredTo.replace('Z', '000Z'),
          changes: [],
          document: {
            '@id': '/api',
            '@type': 'Catalogue',
            restoredTo: restoredTo.replace('Z', '000Z'),
            epoch: tenant.epoch,
          },
        },
      ],
    })
    expect(body.member[0]).not.toHaveProperty('actor')
    expect((await shop.read('/api/events?after=0')).totalItems).toBe(ahead - 1)
    expect((await shop.read('/api/events?topic=category/*')).member).toEqual(body.member)
    const token = await shop.token({ scope: 'events:read' })
    expect((await shop.read(body.member[0]['@id'], { token })).document.epoch).toBe(tenant.epoch)

    // The same versions are issued again, with other tags.
    const now = await shop.get(product['@id'], { status: 200 })
    expect(now.headers.get('etag')).toBe(known.headers.get('etag')!.replace('.', `-e${tenant.epoch}.`))
    await shop.update(product['@id'], { vendor: 'new' })
    const second = await shop.patch(product['@id'], { status: 200, body: { vendor: 'newer' } })
    expect(second.body.version).toBe(lost.body.version)
    const patch = (tag: string, status: number) =>
      shop.patch(product['@id'], { status, headers: { 'if-match': tag }, body: { vendor: 'by tag' } })
    for (const tag of [lost.headers.get('etag')!, `"${lost.body.version}."`, `"${lost.body.version}-e1.x"`]) {
      expect((await patch(tag, 412)).body.slug).toBe('concurrency.version_mismatch')
    }
    await patch(second.headers.get('etag')!, 200)
    expect((await shop.read('/admin/catalogue.json')).epoch).toBe(tenant.epoch)
    expect((await shop.read(`/api/events?after=${tenant.firstSequence - 1}`)).totalItems).toBe(4)
    expect(await faultsIn(shop)).toEqual([])
  })

  test('sends what waited once more under its id, after five minutes, and announces the restore to subscribers', async () => {
    const opened = new Date()
    const world = await openWorld()
    ;({ shop } = world)
    const all = await world.subscribe({ topic: '*' })
    const one = await world.subscribe({ topic: 'catalogue/restored', callbackUrl: 'https://one.shop.dev/' })
    world.answer = () => new Response(null, { status: 503 })
    const first = await shop.create('/api/categories', { title: 'Coats' })
    await world.drain()
    await owner((client) =>
      client.query(
        `update webhook_deliveries set lease = $1, leased_until = now() + interval '1 day', queued_until = now() + interval '1 day'`,
        [uuidv7()],
      ),
    )
    await owner((client) =>
      client.query(`update webhook_subscriptions set failing_since = now() - interval '5 days'`),
    )
    saved = await saveRows(shop.tenant.id)
    const waited = world.receipts.splice(0)
    expect(waited).toHaveLength(1)
    await shop.update(first['@id'], { title: 'Lost' })
    await restore()
    const report = JSON.parse((await recover('--yes', '--json')).out)
    const tenant = report.tenants.find(({ host }: { host: string }) => host === shop.host)
    expect(tenant.waitingDeliveries).toBe(1)
    const { rows } = await owner((client) =>
      client.query(`select d.lease, extract(epoch from d.next_attempt_at - now())::int as seconds,
               extract(epoch from now() - s.failing_since)::int / 3600 as hours
          from webhook_deliveries d join webhook_subscriptions s on s.id = d.subscription_id`),
    )
    // In the lost half hour nothing was attempted, so it counts as no failure.
    expect(rows).toEqual([{ lease: null, seconds: expect.any(Number), hours: 119 }])
    expect(rows[0].seconds).toBeGreaterThan(280)

    world.answer = () => new Response(null, { status: 204 })
    shop.restart()
    await shop.get('/api/categories').catch(() => null)
    await world.cron()
    await world.drain()
    expect(world.receipts.map(({ headers }) => headers['service-topic'])).toEqual([
      'catalogue/restored',
      'catalogue/restored',
    ])
    world.pass(6 * 60_000)
    await world.cron()
    await world.drain()
    const [announced, , again] = world.receipts
    expect(again!.headers['webhook-id']).toBe(waited[0]!.headers['webhook-id'])
    expect([again!.text, world.receipts.length]).toEqual([waited[0]!.text, 3])
    expect(announced!.body).toEqual({
      '@context': '/api/contexts/Catalogue',
      '@id': '/api',
      '@type': 'Catalogue',
      restoredTo: restoredTo.replace('Z', '000Z'),
      lostUntil: expect.any(String),
      epoch: tenant.epoch,
    })
    expect(announced!.headers).toMatchObject({
      'service-sequence': String(tenant.firstSequence),
      'service-effective-at': restoredTo.replace('Z', '000Z'),
    })
    // Times before, within and after the earlier events are found across the gap.
    const replay = async (body: object) => {
      const reply = await shop.post(`/api/webhook_subscriptions/${all.id}/replay`, { body, status: 202 })
      return [reply.body.deliveries, reply.body.lastSequence]
    }
    const until = (at: Date) => replay({ afterSequence: 0, until: at.toISOString() })
    expect(await replay({ from: saved.at.toISOString() })).toEqual([1, tenant.firstSequence])
    expect([await until(saved.at), await until(opened)]).toEqual([
      [1, 1],
      [0, null],
    ])
    const subscribers = world.receipts.map(({ headers }) => headers['webhook-id']!.split('_')[1])
    expect(subscribers.toSorted()).toEqual([all.id, all.id, one.id].toSorted())
  })

  test('can be recovered after another restore, which undid a recovery: the epochs differ', async () => {
    await restore()
    const first = JSON.parse((await recover('--yes', '--json')).out).tenants[0]
    shop.restart()
    await restore()
    await new Promise((resolve) => setTimeout(resolve, 1100))
    const second = JSON.parse((await recover('--yes', '--json')).out).tenants[0]
    expect(second.epoch).toBeGreaterThan(first.epoch)
    expect(second.firstSequence - first.firstSequence).toBeGreaterThanOrEqual(100_000)
  })

  test('has its newest hundred epochs among the settings of its tenant, oldest first', async () => {
    const epochs = await owner(async (client) => {
      await client.query(
        'insert into tenant_epochs select $1, n, now(), now(), n * 1000, n * 1000 + 500 from generate_series(1, 102) n',
        [shop.tenant.id],
      )
      const { rows } = await client.query('select settings_of(t) as settings from tenants t where id = $1', [
        shop.tenant.id,
      ])
      return rows[0].settings.epochs.map(({ epoch }: { epoch: number }) => epoch)
    })
    expect(epochs).toEqual(Array.from({ length: 100 }, (_, n) => n + 3))
  })

  test('does not continue an export from before the restore', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'recover-'))
    const [out, err]: [string[], string[]] = [[], []]
    const surroundings = {
      print: (line: string) => out.push(line),
      printError: (line: string) => err.push(line),
      env: {},
    }
    const file = join(directory, 'shop.ndjson')
    const args = ['--tenant', shop.host, '--file', file, '--database-url', databaseUrls().ownerUrl]
    try {
      await shop.create('/api/products', { title: 'Lost' })
      expect([await exportCommand.run(args, surroundings), err]).toEqual([0, []])
      await restore()
      expect(await recover('--yes')).toMatchObject({ code: 0, err: '' })
      expect(await exportCommand.run(args, surroundings)).toBe(1)
      expect(err).toEqual(['The database was restored since the file was begun. Begin another file.'])
    } finally {
      rmSync(directory, { recursive: true })
    }
  })

  test('is reported and unchanged with --dry-run, and without a confirmation', async () => {
    await restore()
    const before = await state()
    const { code, out } = await recover('--dry-run')
    expect({ code, out }).toEqual({
      code: 0,
      out: expect.stringMatching(/1 tenant would begin a new epoch[\s\S]+Nothing was changed\.$/),
    })
    const asked = await recover()
    expect(asked).toMatchObject({ code: 1, err: 'Nothing was changed.' })
    expect(asked.question).toMatch(
      /^This ends the entity tags and sequences .+\nType catalogue_own_\w+ to continue: $/,
    )
    expect(await recover('--json')).toMatchObject({ code: 2, err: expect.stringContaining('requires --yes') })
    expect(await state()).toEqual(before)
    expect(await recover('--restored-to', 'yesterday')).toMatchObject({
      code: 2,
      err: expect.stringContaining('--restored-to is a time with its zone: 2026-11-28T09:30:00Z.'),
    })
  })
})

describe('a recovery is refused', () => {
  test('if it was done already', async () => {
    await restore()
    await recover('--yes')
    await refused(/The database was recovered at 20\S+Z\./)
    await refused(/The database was recovered at/, '--keep-later-writes')
  })

  test('for a database with later changes, tenants or attempts, such as the one that is served', async () => {
    await shop.update(product['@id'], { vendor: 'later' })
    await disconnect()
    await refused(new RegExp(`The database changed after ${restoredTo}: ${shop.host} at 20`))
    await restore()
    await owner((client) => client.query(`update tenants set status = 'SUSPENDED', suspended_at = now()`))
    await refused(/The database changed after .+ So it is not the restored one/)
  })

  test('while a Worker is connected', async () => {
    await restore()
    // The pool of the bridge, which other tests use as well, may close the connection of a request.
    await connected(databaseUrls().appUrl, () =>
      refused(/A Worker uses this database: catalogue_app has \d+ connections?\./),
    )
  })

  test('during a write, which then succeeds', async () => {
    await restore()
    await owner(async (client) => {
      await client.query('begin')
      await client.query('update tenant_clock set sequence = sequence')
      const { code, err } = await recover('--yes')
      expect({ code, err }).toEqual({
        code: 1,
        err: expect.stringMatching(/^A write has been running .+\nNothing was changed\.$/),
      })
      await client.query('rollback')
    })
    expect(await recover('--yes')).toMatchObject({ code: 0 })
  }, 30_000)

  test('for a time that is not over, a database without tenants, and one that lacks migrations', async () => {
    await restore()
    await refused(/--restored-to has to be at least a minute ago\./, '--restored-to', ago(0))
    const removed = await owner((client) =>
      client.query(
        `delete from schema_migrations
          where name = (select max(name) from schema_migrations where name ~ '^[0-9]{4}_') returning *`,
      ),
    )
    const { name, sha256, applied_at: at } = removed.rows[0]
    await refused(new RegExp(`^The database lacks ${name.replace('.', '\\.')}`))
    await owner((client) =>
      client.query('insert into schema_migrations values ($1, $2, $3)', [name, sha256, at]),
    )
    await owner((client) => client.query('delete from tenants'))
    await refused(/The database has no tenant\./)
  })
})

test('writes to the restored database are kept on request, if all tenants were suspended for a minute', async () => {
  await restore()
  await shop.get(product['@id']).catch(() => null)
  await shop.update(product['@id'], { vendor: 'written too early' })
  await shop.rest()
  await refused(/--keep-later-writes requires that every tenant has been suspended/, '--keep-later-writes')
  await owner((client) =>
    client.query(`update tenants set status = 'SUSPENDED', suspended_at = now() - interval '2 min'`),
  )
  expect(await recover('--yes', '--keep-later-writes')).toMatchObject({ code: 0, err: '' })
  await owner((client) => client.query(`update tenants set status = 'ACTIVE', suspended_at = null`))
  shop.restart()
  expect((await shop.read(product['@id'])).vendor).toBe('written too early')
  expect(await faultsIn(shop)).toEqual([])
})

/** `npm run doctor`: every fault is caused on purpose, and reported. */

import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Result, runChecks } from '../../src/local/cli/checks.ts'
import { reading } from '../../src/local/cli/database.ts'
import { doctorCommand, ownerChecks } from '../../src/local/doctor/command.ts'
import { configurationResults } from '../../src/local/doctor/configuration.ts'
import { ownersFunctions } from '../../src/local/doctor/role.ts'
import { recountTenant } from '../../src/local/recount.ts'
import { enterTenant } from '../../src/local/transfer/tables.ts'
import { keyIdOf } from '../../src/resources/webhooks/subscriptions/secrets.ts'
import { databaseUrls, useOwnDatabase } from '../support/database.ts'
import { openShop, type Shop } from '../support/shop.ts'

const directory = mkdtempSync(join(tmpdir(), 'doctor-'))
const key = btoa('d'.repeat(32))
let drop: () => Promise<void>
let owner: pg.Client
let shops: readonly [Shop, Shop]
let subscription: string

beforeAll(async () => {
  drop = await useOwnDatabase()
  owner = new pg.Client({ connectionString: databaseUrls().ownerUrl })
  await owner.connect()
  const bindings = { WEBHOOK_SECRET_KEY: key }
  shops = [await openShop({ bindings }), await openShop({ bindings })]
  for (const shop of shops) await shop.create('/api/products', { title: 'Jacket' })
  const made = await shops[0].post('/api/webhook_subscriptions', { body: {}, status: 201 })
  subscription = made.body.id
  await owner.query(
    `update webhook_subscriptions set topic = '*', callback_url = 'https://receiver.test/', callback_host = 'receiver.test', status = 'ACTIVE'`,
  )
  await owner.query('update events set fanned_out_at = now()')
})

afterAll(async () => {
  await owner.end()
  await drop()
  rmSync(directory, { recursive: true })
})

async function doctor(args: readonly string[], env: Record<string, string> = {}) {
  const [out, err]: [string[], string[]] = [[], []]
  const code = await doctorCommand.run(args, {
    print: (text) => out.push(text),
    printError: (text) => err.push(text),
    env: { WEBHOOK_SECRET_KEY: key, ...env },
  })
  return { code, out: out.join('\n'), err: err.join('\n') }
}

const databases = () => ['--database-url', databaseUrls().ownerUrl, '--worker-url', databaseUrls().appUrl]

/** The problems that some checks find. */
async function look(names: readonly string[], context: { secretKey?: string; now?: () => number } = {}) {
  const checks = ownerChecks.filter(({ name }) => names.includes(name))
  const common = { owner, secretKey: undefined, tenant: undefined, workerUrl: null }
  return found(await runChecks(checks, { ...common, ...context }))
}

/** The problems after a statement, which is rolled back. */
async function withFault(sql: string, ...[names, context]: Parameters<typeof look>): Promise<string[]> {
  await owner.query('begin')
  try {
    await owner.query(sql)
    return await look(names, context)
  } finally {
    await owner.query('rollback')
  }
}

const found = (results: readonly Result[]) =>
  results.flatMap(({ state, check, seen }) => (state === 'ok' ? [] : [`${state} ${check}: ${seen}`]))

const resultsIn = (out: string): Result[] => JSON.parse(out).checks

describe('a deployment without a fault', () => {
  test('nothing can be changed while it is looked at', async () => {
    const write = () => owner.query('delete from events')
    await expect(reading(owner, write)).rejects.toMatchObject({ code: '25006' })
  })

  test('has no failure, and is printed line by line', async () => {
    const { code, out } = await doctor([...databases(), '--json'])
    const findings = resultsIn(out)
    expect(found(findings)).toEqual([
      'warn routes: none: no host leads to the Worker',
      'not tried health and ready: no URL of the service is given',
    ])
    expect(code).toBe(0)
    expect(findings.map(({ check }) => check)).toEqual([
      ...[
        'vars',
        'bindings',
        'pictures',
        'queues',
        'environments',
        'cron',
        'routes',
        'placement',
        'logs',
        'database',
        'migrations',
        'collations',
        'role',
        'rights',
        'definers',
      ],
      ...['row security', 'seen from outside', 'clock', 'secret key'],
      ...[
        'waiting events',
        'boundaries',
        'waiting deliveries',
        'locales',
        'collections',
        'bulk operations',
        'expired rows',
        'given up',
        'disabled',
        'totals',
        'offer counts',
        'search',
        'documents',
        'stored parts',
        'health and ready',
      ],
    ])
  })

  test('each function is the role’s but those that are named as the owner’s', async () => {
    const { rows } =
      await owner.query(`select proname from pg_proc p where pronamespace = 'public'::regnamespace
      and prorettype <> 'trigger'::regtype and not has_function_privilege('catalogue_app', oid, 'execute')`)
    const denied: string[] = rows.map(({ proname }) => proname)
    expect(denied.filter((name) => !ownersFunctions.includes(name))).toEqual([])
  })
})

describe('the Worker’s role', () => {
  test.each([
    ['alter role catalogue_app nologin', 'fail role: catalogue_app cannot log in'],
    ['alter role catalogue_app createdb', 'fail role: catalogue_app has CREATEDB'],
    ['alter role catalogue_app bypassrls', 'fail role: catalogue_app has BYPASSRLS'],
    [
      "do $$ begin execute format('grant temporary on database %I to public', current_database()); end $$",
      expect.stringContaining('fail rights: catalogue_app may create temporary tables in catalogue_own_'),
    ],
    [
      'create function as_owner() returns int language sql security definer set search_path = pg_catalog, public return 1',
      'fail definers: as_owner() runs as its owner and does not search pg_temp last',
    ],
    [
      'alter function is_suspended() set search_path = pg_temp, pg_catalog, public',
      'fail definers: is_suspended() runs as its owner and does not search pg_temp last',
    ],
    [
      'create role other_rights; grant other_rights to catalogue_app',
      'fail role: catalogue_app has the rights of other_rights',
    ],
    [
      'revoke execute on function apply_write(text, text, jsonb) from public, catalogue_app',
      'fail rights: catalogue_app lacks execute on function apply_write(text,text,jsonb)',
    ],
    [
      'revoke insert, update on products from catalogue_app',
      'fail rights: catalogue_app lacks insert, update on products',
    ],
    [
      'grant select on tenants to catalogue_app',
      'fail rights: catalogue_app has select on tenants, and needs functions alone',
    ],
  ])('%s', async (sql, finding) => {
    expect(await withFault(sql, ['role', 'rights', 'definers'])).toEqual([finding])
  })
})

describe('stored parts', () => {
  test.each([
    `update products set document = replace(document, 'Jacket', 'Coat')`,
    `update product_parts set format = 0`,
    `delete from product_parts`,
  ])('%s', async (sql) => {
    const findings = await withFault(`${sql} where tenant_id = '${shops[0].tenant.id}'`, ['stored parts'])
    expect(findings).toEqual([
      `fail stored parts: of ${shops[0].host}, 1 stored row of products or categories is not what the rows say`,
    ])
  })

  test('are right again after the command recount', async () => {
    await owner.query('delete from product_parts where tenant_id = $1', [shops[0].tenant.id])
    const args = ['--tenant', shops[0].host, '--database-url', databaseUrls().ownerUrl]
    const { stdout } = await promisify(execFile)(process.execPath, [
      join(import.meta.dirname, '../../src/local/recount.ts'),
      ...args,
    ])
    expect(stdout).toContain('All stored parts are built again')
    expect(await look(['stored parts'])).toEqual([])
    expect((await owner.query('select count(*)::int as amount from product_parts')).rows).toEqual([
      { amount: 2 },
    ])
  })
})

describe('row security', () => {
  test.each([
    ['alter table products disable row level security', 'fail row security: it is off for products'],
    ['alter table events no force row level security', 'fail row security: it is not forced for events'],
    ['drop policy tenant on variants', 'fail row security: variants has no policy'],
    [
      'create policy all_of_it on categories using (true)',
      expect.stringContaining('fail row security: categories has other policies'),
    ],
  ])('%s', async (sql, finding) => {
    expect(await withFault(sql, ['row security'])).toEqual([finding])
  })

  test('is seen from outside, without a tenant and as one', async () => {
    await owner.query('alter policy tenant on products using (true)')
    try {
      const { code, out } = await doctor([...databases(), '--json'])
      const finding = found(resultsIn(out)).filter((each) => each.includes('seen from outside'))
      expect(finding).toEqual([
        'fail seen from outside: without a tenant rows of products are visible',
        expect.stringMatching(/^fail seen from outside: \S+ sees others' rows of products$/),
      ])
      expect(code).toBe(1)
    } finally {
      await owner.query('alter policy tenant on products using (tenant_id = current_tenant())')
    }
  })

  test('a policy that is open to callers without a tenant, or to all, is distinguished', async () => {
    await owner.query('alter policy tenant on products using (current_tenant() is not null)')
    try {
      const { out } = await doctor([...databases(), '--json'])
      expect(found(resultsIn(out)).filter((each) => each.includes('seen from outside'))).toEqual([
        expect.stringContaining("sees others' rows of products"),
      ])
    } finally {
      await owner.query('alter policy tenant on products using (tenant_id = current_tenant())')
    }
  })

  test('the owner’s connection string is not the Worker’s, nor the other way round, and a missing one is reported', async () => {
    const { ownerUrl, appUrl } = databaseUrls()
    const finding = async (...args: string[]) => found(resultsIn((await doctor([...args, '--json'])).out))
    expect(await finding('--database-url', ownerUrl, '--worker-url', ownerUrl)).toContainEqual(
      expect.stringMatching(/^fail seen from outside: the Worker would be catalogue_owner/),
    )
    expect(await finding('--database-url', appUrl)).toContainEqual(
      expect.stringMatching(/^fail database: catalogue_app is subject to row security/),
    )
    expect(await finding('--database-url', ownerUrl)).toContainEqual(
      expect.stringMatching(/^warn seen from outside: not looked at/),
    )
  })
})

test('a collation of another version than that of the index of titles', async () => {
  const finding = (sql: string) => withFault(sql, ['collations'])
  expect(await finding(`update title_collations set version = '1' where language in ('sv', 'da')`)).toEqual([
    'fail collations: other versions for da, sv, so lists by title may skip rows',
  ])
})

test('a database that lacks a migration, has one that is not here, or one that was changed', async () => {
  const newest = `(select max(name) from schema_migrations where name ~ '^[0-9]')`
  const finding = (sql: string) => withFault(sql, ['migrations'])
  expect(await finding(`delete from schema_migrations where name = ${newest}`)).toEqual([
    expect.stringMatching(/^fail migrations: 1 are to be applied: \d{4}_\w+\.sql$/),
  ])
  expect(await finding(`insert into schema_migrations (name, sha256) values ('9999_x.sql', '')`)).toEqual([
    'fail migrations: This database has had migrations/9999_x.sql, which is not here (for local data only, start with --fresh).',
  ])
  expect(await finding(`update schema_migrations set sha256 = 'x' where name = ${newest}`)).toEqual([
    expect.stringContaining('was changed after it had been applied'),
  ])
  expect(await finding(`delete from schema_migrations where name !~ '^[0-9]'`)).toEqual([
    'fail migrations: 1 are to be applied: functions',
  ])
  expect(
    await finding(`insert into schema_migrations (name, sha256) values ('functions-newer', '')`),
  ).toEqual(['fail migrations: 1 are to be applied: functions'])
  expect(await finding('alter table schema_migrations rename to others')).toEqual([
    expect.stringContaining('are to be applied: 0001_'),
  ])
})

test('clocks that differ', async () => {
  const finding = (ms: number) => look(['clock'], { now: () => Date.now() + ms })
  expect(await finding(0)).toEqual([])
  expect(await finding(3000)).toEqual([
    expect.stringMatching(/^warn clock: the database's is \d\.\d\d s behind/),
  ])
  expect(await finding(-60_000)).toEqual([
    expect.stringMatching(/^fail clock: the database's is \d\d\.\d\d s ahead/),
  ])
})

test('a secret that no given key decrypts', async () => {
  const other = btoa('e'.repeat(32))
  const secrets = (secretKey: string) => look(['secret key'], { secretKey })
  const [id, otherId] = await Promise.all([key, other].map(keyIdOf))
  expect(await secrets(`${other},${key}`)).toEqual([])
  const { out } = await doctor([...databases(), '--only', 'secret key'], {
    WEBHOOK_SECRET_KEY: `${key},${other}`,
  })
  expect(out).toContain(`1 secret of ${id}; ${otherId} has none and can be removed\n`)
  expect(await secrets(other)).toEqual([
    expect.stringMatching(
      new RegExp(`^fail secret key: 1 secret of the key ${id}, which is not among ${otherId}$`),
    ),
  ])
  expect(await secrets('short')).toEqual([
    'fail secret key: WEBHOOK_SECRET_KEY is no keys of 32 bytes as base64: the Worker would not start',
  ])
  expect(await look(['secret key'])).toEqual([
    expect.stringContaining('warn secret key: WEBHOOK_SECRET_KEY is not given here'),
  ])
})

describe('what waits', () => {
  const waits = [
    'waiting events',
    'boundaries',
    'waiting deliveries',
    'locales',
    'collections',
    'expired rows',
  ]
  const hours = (count: number) => `now() - interval '${count} hours'`
  const delivery = (values: string) => `
    insert into webhook_deliveries (tenant_id, id, subscription_id, event_id, event_sequence, topic, kind, resource_id, resource_version,
      payload_version, locale, scopes, status, next_attempt_at, created_at, completed_at)
    select s.tenant_id, gen_random_uuid(), s.id, gen_random_uuid(), 1, 'product/created', 'products', s.id, 1, '2026-10', 'en-US', '{}', ${values}
      from webhook_subscriptions s`

  test('an event that was never fanned out', async () => {
    const sql = (time: string) => `update events set fanned_out_at = null, occurred_at = ${time}`
    const { host } = shops[0].tenant
    expect(await withFault(sql(hours(3)), waits)).toEqual([
      expect.stringMatching(
        /^fail waiting events: the oldest event has waited .* for 3 h: \S+, and 1 other tenant$/,
      ),
    ])
    const one = `${sql(`now() - interval '5 minutes'`)} where tenant_id = '${shops[0].tenant.id}'`
    expect(await withFault(one, waits)).toEqual([
      `warn waiting events: the oldest event has waited for its deliveries for 5 min: ${host}`,
    ])
    const suspended = `${sql(hours(3))}; update tenants set status = 'SUSPENDED', suspended_at = now()`
    expect(await withFault(suspended, waits)).toEqual([])
  })

  test('a delivery that is overdue, one that failed, and a subscription that is disabled', async () => {
    const { host } = shops[0].tenant
    const overdue = delivery(`'PENDING', ${hours(4)}, now(), null`)
    expect(await withFault(overdue, waits)).toEqual([
      `fail waiting deliveries: the most overdue delivery was due for 4 h: ${host}`,
    ])
    const givenUp = delivery(`'FAILED', now(), now(), ${hours(2)}`)
    expect(await withFault(givenUp, ['given up', 'disabled'])).toEqual([
      expect.stringContaining(`warn given up: 1 × delivery failed in a day: ${host} (1: delivery `),
    ])
    expect(
      await withFault(delivery(`'FAILED', now(), now(), ${hours(30)}`), ['given up', 'disabled']),
    ).toEqual([])
    const disabled = `update webhook_subscriptions set status = 'DISABLED' where id = '${subscription}'`
    expect(await withFault(disabled, ['given up', 'disabled'])).toEqual([
      `warn disabled: 1 × subscription is disabled: ${host} (1: subscription ${subscription})`,
    ])
  })

  test('rows that housekeeping has not deleted for a day', async () => {
    const { id, host } = shops[0].tenant
    const expired = (time: string) => `
      insert into idempotency_keys (tenant_id, client, key, fingerprint, operation, result, created_at)
      values ('${id}', 'c', 'k', '', '', '{}', ${time})`
    expect(await withFault(expired(hours(24 + 30)), waits)).toEqual([
      `fail expired rows: rows were to be deleted for 30 h: ${host}`,
    ])
    // The hourly run is still to come.
    expect(await withFault(expired(hours(25)), waits)).toEqual([])
  })

  test('a locale and a collection that hang', async () => {
    const { id, host } = shops[1].tenant
    const locale = `insert into locale_changes (tenant_id, locale, action, due_at) values ('${id}', 'de-DE', 'index', ${hours(1.5)})`
    expect(await withFault(locale, waits)).toEqual([
      `fail locales: a change of a locale has been due for 90 min: ${host}`,
    ])
    const rebuild = `insert into collection_rebuilds (tenant_id, id, version, next_id, leased_until, actor, api_version, request_id)
      values ('${id}', gen_random_uuid(), 1, gen_random_uuid(), now() - interval '10 minutes', '{}', '2026-10', 'r')`
    expect(await withFault(rebuild, waits)).toEqual([
      `warn collections: products were to be sorted by changed rules for 10 min: ${host}`,
    ])
  })
})

describe('the configuration of production', () => {
  const whole = readFileSync(join(import.meta.dirname, '../../wrangler.toml'), 'utf8').replace(
    '# routes = [{',
    'routes = [{',
  )
  const neon = 'postgresql://owner:secret@ep-x.us-east-1.aws.neon.tech/neondb'

  async function finding(from: string | RegExp, to: string, databaseUrl: string | null = null) {
    const file = join(directory, 'wrangler.toml')
    const [top, production] = whole.split('[env.production]\n')
    const changed = production?.replace(from, to)
    if (from !== '') expect(changed).not.toBe(production)
    writeFileSync(file, `${top}[env.production]\n${changed}`)
    return found(await configurationResults(file, 'production', databaseUrl))
  }

  test('is whole', async () => expect(await finding('', '')).toEqual([]))

  test.each([
    ['ENVIRONMENT = "production"', 'ENVIRONMENT = "local"', ['fail vars: ENVIRONMENT is "local"']],
    [
      'CALLBACKS = "public"',
      'CALLBACKS = "loopback"',
      ['fail vars: the Worker would not start: missing or invalid settings: CALLBACKS'],
    ],
    ['binding = "WORK"', 'binding = "OTHERS"', ['fail bindings: WORK is missing']],
    ['name = "WRITE_LIMIT"', 'name = "OTHER_LIMIT"', ['fail bindings: WRITE_LIMIT is missing']],
    [
      'name = "WAKE_UP"',
      'name = "OTHER_OBJECT"',
      ['warn bindings: WAKE_UP is missing: the cron keeps the database awake'],
    ],
    [
      'class_name = "WakeUp"',
      'class_name = "WakeUp"\nscript_name = "product-catalogue-staging"',
      ['fail environments: the Worker product-catalogue-staging is also that of staging'],
    ],
    [
      'namespace_id = "7304"',
      'namespace_id = "7303"',
      ['fail bindings: READ_LIMIT and WRITE_LIMIT count together, in the namespace 7303'],
    ],
    [
      'run_worker_first = true',
      'run_worker_first = false',
      ['fail bindings: files are served without the Worker, also on unknown hosts'],
    ],
    [
      'queue = "catalogue-work"\nmax',
      'queue = "catalogue-others"\nmax',
      ['fail queues: nothing consumes catalogue-work'],
    ],
    [
      'crons = ["* * * * *"]',
      'crons = ["0 * * * *"]',
      ['fail cron: none of every minute: what queues lose is never found'],
    ],
    [
      'queue = "catalogue-work"',
      'queue = "catalogue-work-staging"',
      [
        'fail queues: nothing consumes catalogue-work-staging',
        'fail environments: the queue catalogue-work-staging is also that of staging',
      ],
    ],
    [
      'name = "product-catalogue-service"',
      'name = "product-catalogue-staging"',
      ['fail environments: the Worker product-catalogue-staging is also that of staging'],
    ],
    [
      'bucket_name = "catalogue-pictures"',
      'bucket_name = "catalogue-pictures-staging"',
      ['fail environments: the bucket catalogue-pictures-staging is also that of staging'],
    ],
    [
      'dataset = "catalogue_metrics"',
      'dataset = "catalogue_metrics_staging"',
      ['fail environments: the data set catalogue_metrics_staging is also that of staging'],
    ],
    [
      'namespace_id = "7303"',
      'namespace_id = "7307"',
      ['fail environments: the rate limit namespace 7307 is also that of staging'],
    ],
    ['routes = [{', '# routes = [{', ['warn routes: none: no host leads to the Worker']],
    ['enabled = true', 'enabled = false', ['warn logs: Cloudflare keeps no log']],
    [
      '[env.production.placement]\nregion = "aws:eu-central-1"',
      '',
      ['warn placement: the Worker runs near callers, two round trips from its database'],
    ],
    [
      'binding = "PICTURES"',
      'binding = "IMAGES"',
      ['warn pictures: no bucket is bound as PICTURES, one as IMAGES'],
    ],
  ])('%s: %s', async (from, to, expected) => expect(await finding(from, to)).toEqual(expected))

  test('a secret in the file, which all developers read, fails', async () => {
    const [seen] = await finding('CALLBACKS = "public"', 'DATABASE_URL = "postgresql://a:b@c/d"')
    expect(seen).toMatch(/^fail configuration: .*DATABASE_URL assigned to Environment Variable and Secret/s)
  })

  test('names the bucket of pictures, or reports that it is missing', async () => {
    const seen = async () =>
      (await configurationResults(join(directory, 'wrangler.toml'), 'production', null)).find(
        ({ check }) => check === 'pictures',
      )
    await finding('', '')
    expect(await seen()).toMatchObject({ state: 'ok', seen: 'uploaded into the bucket catalogue-pictures' })
    const without = await finding(/\[\[env.production.r2_buckets\]\]\n.+\n.+\n/, '')
    expect(without).toEqual([])
    expect(await seen()).toMatchObject({ state: 'ok', seen: expect.stringContaining('by their addresses') })
  })

  test('of staging has advice about staging', async () => {
    const results = await configurationResults(
      join(import.meta.dirname, '../../wrangler.toml'),
      'staging',
      null,
    )
    expect(results.filter(({ state }) => state !== 'ok')).toMatchObject([
      { check: 'routes', next: 'Set routes under [env.staging]: .github/docs/tenants.md, "Host names".' },
    ])
  })

  test('names the region of its database', async () => {
    expect(await finding('', '', neon)).toEqual([
      'warn placement: the Worker runs in aws:eu-central-1, its database in aws:us-east-1',
    ])
    expect(await finding('aws:eu-central-1', 'aws:us-east-1', neon)).toEqual([])
  })

  test('that cannot be read is a failure', async () => {
    expect(found(await configurationResults(join(directory, 'none.toml'), 'production', null))).toEqual([
      expect.stringContaining('none.toml cannot be read'),
    ])
  })
})

test('/health and /ready of the service: ready, not ready, none of it, and not there', async () => {
  let [status, body]: [number, unknown] = [
    200,
    { migrations: 'current', oldestWaitingEvent: null, oldestWaitingDelivery: 3 },
  ]
  const server = createServer(({ url }, response) =>
    url === '/health'
      ? response.end('{"status":"ok"}')
      : response.writeHead(status).end(JSON.stringify(body)),
  )
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address() as AddressInfo
  const url = `http://127.0.0.1:${address.port}`
  const finding = async () => {
    const { out } = await doctor(['--url', url, '--only', 'health and ready', '--json'])
    return resultsIn(out).map(({ state, seen }) => `${state}: ${seen}`)
  }
  expect(await finding()).toEqual(['ok: migrations current, oldest event none, oldest delivery 3 s'])
  body = { migrations: 'ahead', oldestWaitingEvent: null, oldestWaitingDelivery: 3 }
  expect(await finding()).toEqual(['warn: the Worker is older than the database'])
  ;[status, body] = [503, { checks: { database: 'ok', migrations: 'behind' } }]
  expect(await finding()).toEqual(['fail: GET /ready answered 503: database ok, migrations behind'])
  ;[status, body] = [404, 'no']
  expect(await finding()).toEqual(['fail: GET /ready answered 404 instead of 200'])
  server.close()
  server.closeAllConnections()
  await once(server, 'close')
  expect(await finding()).toEqual([expect.stringContaining('ECONNREFUSED')])
})

describe('the command', () => {
  test('prints the remedy below each line, as a process with exit code 1 after a failure', async () => {
    const script = join(import.meta.dirname, '../../src/local/doctor/command.ts')
    const gone = 'postgresql://owner:secret@127.0.0.1:1/none'
    const ran = promisify(execFile)(process.execPath, [script, '--database-url', gone])
    await expect(ran).rejects.toMatchObject({
      code: 1,
      stdout: expect.stringMatching(
        /^ok +vars [\s\S]*\nfail +database .*ECONNREFUSED.*\n +→ Does the database run[\s\S]*\nnot tried .*\n +→ Give --url\.\n\n.*1 failed, 1 not tried\n$/,
      ),
    })
  })

  test('a variable that is not a connection string is wrong usage', async () => {
    const { code, err } = await doctor(['--json'], { DATABASE_URL: 'nothing of the kind' })
    expect([code, err]).toEqual([
      2,
      'DATABASE_URL is a connection string: postgresql://owner:password@host/name.\nSee: npm run doctor -- --help',
    ])
  })

  test('has a help, and refuses what it does not know', async () => {
    expect(await doctor(['--help'])).toMatchObject({ code: 0, out: expect.stringContaining('--worker-url') })
    for (const args of [['--what'], ['--url', 'acme'], ['--database-url', 'http://x'], ['now']])
      expect(await doctor(args)).toMatchObject({ code: 2, err: expect.stringContaining('--help') })
  })
})

describe('a total, a count or a document', () => {
  beforeAll(async () => {
    for (const { get, post } of shops) {
      const { body } = await get('/api/products', { status: 200 })
      await post(`${body.member[0]['@id']}/variants`, { body: { sku: 'JACKET' }, status: 201 })
    }
    await owner.query('update events set fanned_out_at = now()')
  })

  const counts = ['totals', 'offer counts', 'search', 'documents']
  const broken: readonly [name: string, sql: string, fault: string][] = [
    [
      'a total that differs',
      `update tenant_totals set total = 0 where name = 'products'`,
      'fail totals: 2 × total differs from the rows: ',
    ],
    [
      'a total that is missing',
      `delete from tenant_totals where name = 'products'`,
      'products has 1 rows and says 0',
    ],
    [
      'a total of a collection that is gone',
      `insert into tenant_totals select id, 'collection:' || id, 4 from tenants`,
      'has 0 rows and says 4',
    ],
    [
      'offers that are not counted',
      'update variants set sale_offer_count = 3',
      'fail offer counts: 2 × variant counts other offers than it has: ',
    ],
    [
      'a product that is not indexed',
      'delete from product_search',
      'fail search: 2 × product is missing in the search index',
    ],
    [
      'a document that is not JSON',
      `update products set document = left(document, 20)`,
      'fail documents: 2 × stored document is not JSON, or differs from its row: ',
    ],
    [
      'a document of another status',
      `update products set status = 'ACTIVE'`,
      'fail documents: 2 × stored document',
    ],
    [
      'a document of another row',
      `update variants set document = jsonb_set(document::jsonb, '{id}', '"x"')::text`,
      ': variants ',
    ],
  ]

  test.each(broken)('reports %s', async (_, sql, fault) => {
    const findings = (await withFault(sql, counts)).join('\n')
    expect(findings).toContain(fault)
    expect(findings).toMatch(/\S+\.test \(1: /)
  })

  test('is counted for one tenant with --tenant', async () => {
    const [shop] = shops
    const args = [...databases(), '--tenant', shop.host, '--json']
    await owner.query(`update tenant_totals set total = 9 where name = 'products' and tenant_id <> $1`, [
      shop.tenant.id,
    ])
    expect(resultsIn((await doctor(args)).out)).toContainEqual(
      expect.objectContaining({ check: 'totals', state: 'ok' }),
    )
    const { code, out } = await doctor([...databases(), '--json'])
    expect(code).toBe(1)
    expect(out).toContain(`npm run recount -- --tenant ${shops[1].host}`)
    const unknown = await doctor([...databases(), '--tenant', 'nobody', '--json'])
    expect(unknown.out).toContain('There is no tenant nobody.')
    await owner.query(`update tenant_totals set total = 1 where name = 'products'`)
  })

  test('is repaired by recount, for every reader', async () => {
    const [shop] = shops
    await shop.get('/api/products', { status: 200 })
    for (const sql of [
      'update tenant_totals set total = total + 5',
      'update variants set sale_offer_count = 3, purchase_offer_count = 2',
      'delete from product_search',
    ])
      await owner.query(sql)
    for (const { host } of shops) {
      const client = new pg.Client({ connectionString: databaseUrls().ownerUrl })
      await client.connect()
      const tenant = await enterTenant(client, host)
      const repaired = await recountTenant(client, tenant)
      expect(repaired).toMatchObject({ variants: 1, products: 1 })
      expect(repaired.totals).toBeGreaterThan(0)
      expect(await recountTenant(client, tenant)).toEqual({ totals: 0, variants: 0, products: 0 })
      await client.end()
    }
    expect(await look(counts)).toEqual([])
    const body = await shop.read('/api/products')
    expect(body.totalItems).toBe(1)
    const searched = await shop.read('/api/products?q=jacket')
    expect(searched.totalItems).toBe(1)
  })
})

import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { type FullQueryResults, NeonDbError, neon, neonConfig } from '@neondatabase/serverless'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { type Bridge, startBridge } from './bridge.ts'
import { sessionReset } from './session.ts'

const url = inject('ownerUrl')
const sql = neon(url, { disableWarningInBrowsers: true })
let bridge: Bridge
let owner: pg.Client

beforeAll(async () => {
  bridge = await startBridge({ server: url, maximumRequest: 100_000, maximumResponse: 200_000 })
  neonConfig.fetchEndpoint = bridge.endpoint
  owner = new pg.Client({ connectionString: url })
  await owner.connect()
  await owner.query(`
    create table bridge_rows (id int primary key, name text not null constraint bridge_name_short check (length(name) < 10));
    create table bridge_later (id int primary key, other int constraint bridge_later_other
      references bridge_rows deferrable initially deferred)`)
})

afterAll(async () => {
  await owner.query('drop table bridge_later, bridge_rows')
  await owner.end()
  await bridge.close()
})

async function failure(promise: Promise<unknown>): Promise<NeonDbError> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(NeonDbError)
  return error as NeonDbError
}

const idsIn = async (table: string) =>
  (await owner.query(`select id from ${table} order by id`)).rows.map((row) => row.id)

describe('a single query', () => {
  test('answers rows, count, command and fields', async () => {
    const result = (await sql.query(
      `select $1::int as number, $2::text as word, null as nothing`,
      [7, 'é"\\'],
      {
        fullResults: true,
      },
    )) as FullQueryResults<false>
    expect(result.rows).toEqual([{ number: 7, word: 'é"\\', nothing: null }])
    expect(result).toMatchObject({ command: 'SELECT', rowCount: 1 })
    expect(result.fields.map(({ name, dataTypeID }) => [name, dataTypeID])).toEqual([
      ['number', 23],
      ['word', 25],
      ['nothing', 25],
    ])
  })

  test('carries arrays, numbers, booleans, objects, bytes and null as parameters', async () => {
    const [row] = await sql.query(
      `select $1::text[] as words, $2::int[] as numbers, $3::boolean as yes, $4::jsonb as object,
              $5::bytea as bytes, $6::text as nothing, $7::numeric as amount`,
      [['a,b', 'c"d\\', null, ''], [1, 2], true, { a: [1, 'x'] }, Buffer.from([0, 255]), null, '12.340'],
    )
    expect(row).toEqual({
      words: ['a,b', 'c"d\\', null, ''],
      numbers: [1, 2],
      yes: true,
      object: { a: [1, 'x'] },
      bytes: Buffer.from([0, 255]),
      nothing: null,
      amount: '12.340',
    })
  })

  test('gives every value as Postgres prints it', async () => {
    const response = await post({
      query: `select '2026-01-02 03:04:05.678901+00'::timestamptz, '\\x00ff'::bytea, '{"b":1,"a":[]}'::json,
                     '{"b": 1}'::jsonb, 9007199254740993::bigint, 1.10::numeric, true, '{}'::int[]`,
    })
    expect(((await response.json()) as { rows: unknown }).rows).toEqual([
      [
        '2026-01-02 03:04:05.678901+00',
        '\\x00ff',
        '{"b":1,"a":[]}',
        '{"b": 1}',
        '9007199254740993',
        '1.10',
        't',
        '{}',
      ],
    ])
  })

  test('cannot leave a transaction open for the next caller', async () => {
    await sql.query('begin')
    await sql.query(`insert into bridge_rows values (50, 'kept')`)
    expect(await idsIn('bridge_rows')).toEqual([50])
    await owner.query('delete from bridge_rows')
  })
})

describe('an error', () => {
  test('has the fields of Postgres', async () => {
    const error = await failure(sql.query(`insert into bridge_rows values (1, $1)`, ['much too long']))
    expect(error).toMatchObject({
      severity: 'ERROR',
      code: '23514',
      schema: 'public',
      table: 'bridge_rows',
      constraint: 'bridge_name_short',
      detail: expect.stringContaining('Failing row'),
      routine: 'ExecConstraints',
    })
    expect(error.message).toContain('violates check constraint')
  })

  test('leaves the connection usable', async () => {
    for (let round = 0; round < 5; round++) {
      await failure(sql.query('select 1/0'))
      await failure(sql.transaction([sql`select 1`, sql`select 1/0`, sql`select 2`]))
      expect(await sql.transaction([sql`select ${round}::int as round`])).toEqual([[{ round }]])
    }
  })

  test('of a killed connection has its code', async () => {
    expect(await failure(sql.query('select pg_terminate_backend(pg_backend_pid())'))).toMatchObject({
      code: '57P01',
    })
    expect(await sql.query('select 1 as one')).toEqual([{ one: 1 }])
  })

  test('of a connection cut without a word is 400 without a code, and the next call is answered', async () => {
    const wire = await openWire()
    const second = await startBridge({ server: wire.url })
    try {
      const answer = call(second, wire.url, { query: 'select pg_sleep(5)' })
      await expect.poll(() => wire.sockets.size).toBe(1)
      setTimeout(() => wire.sockets.forEach((socket) => void socket.destroy()), 200)
      expect(await statusAndCode(await answer)).toEqual([400, ''])
      expect((await call(second, wire.url, { query: 'select 1' })).status).toBe(200)
    } finally {
      await second.close()
      wire.close()
    }
  })

  test('of a wrong password is 400 without a code, as the proxy asks for it', async () => {
    const wrong = new URL(url)
    wrong.password = 'wrong'
    const error = await failure(neon(wrong.href).query('select 1'))
    expect(error).toMatchObject({
      code: '',
      message: expect.stringContaining('password authentication failed'),
    })
  })

  test('of a server that is away is 500 without a code', async () => {
    const nowhere = 'postgresql://a:b@127.0.0.1:9/c'
    const second = await startBridge({ server: nowhere })
    try {
      expect(await statusAndCode(await call(second, nowhere, { query: 'select 1' }))).toEqual([500, ''])
    } finally {
      await second.close()
    }
  })

  test('of a database that is not there is 500 with its code', async () => {
    const missing = Object.assign(new URL(url), { pathname: '/missing' }).href
    expect(await statusAndCode(await call(bridge, missing, { query: 'select 1' }))).toEqual([500, '3D000'])
  })

  test('of too many connections is 500 with its code, at once, without a queue', async () => {
    const role = `bridge_few_${process.pid}`
    await owner.query(`create role ${role} login password 'few' connection limit 2`)
    const few = Object.assign(new URL(url), { username: role, password: 'few' }).href
    try {
      const sleeping = [1, 2].map(() => call(bridge, few, { query: 'select pg_sleep(3)' }))
      let isAwake = false
      const both = Promise.all(sleeping).finally(() => {
        isAwake = true
      })
      await expect
        .poll(
          async () => (await owner.query('select from pg_stat_activity where usename = $1', [role])).rowCount,
        )
        .toBe(2)
      const refused = await call(bridge, few, { query: 'select 1' })
      expect(await statusAndCode(refused)).toEqual([500, '53300'])
      expect(isAwake).toBe(false)
      for (const each of await both) expect(each.status).toBe(200)
    } finally {
      await owner.query(`select pg_terminate_backend(pid) from pg_stat_activity where usename = '${role}'`)
      await owner.query(`drop role ${role}`)
    }
  })
})

describe('a batch', () => {
  test('is one transaction, with one answer for each statement', async () => {
    const [first, second, third] = await sql.transaction([
      sql`insert into bridge_rows values (10, 'ten') returning id, xmin::text`,
      sql`select count(*)::int as count from bridge_rows`,
      sql`insert into bridge_rows values (11, 'eleven') returning id, xmin::text`,
    ])
    expect(second).toEqual([{ count: 1 }])
    expect(first?.[0]?.xmin).toBe(third?.[0]?.xmin)
    expect(await idsIn('bridge_rows')).toEqual([10, 11])
    await owner.query('delete from bridge_rows')
  })

  test('that fails in the middle changes nothing and names the constraint', async () => {
    const error = await failure(
      sql.transaction([
        sql`insert into bridge_rows values (20, 'twenty')`,
        sql`insert into bridge_rows values (20, 'again')`,
        sql`insert into bridge_rows values (21, 'never')`,
      ]),
    )
    expect(error).toMatchObject({ code: '23505', constraint: 'bridge_rows_pkey' })
    expect(await idsIn('bridge_rows')).toEqual([])
  })

  test('whose commit fails on a deferred constraint is an error', async () => {
    const error = await failure(sql.transaction([sql`insert into bridge_later values (1, 99)`]))
    expect(error).toMatchObject({ code: '23503', constraint: 'bridge_later_other' })
    expect(await idsIn('bridge_later')).toEqual([])
  })

  test('is read committed', async () => {
    const [rows] = await sql.transaction([sql`show transaction_isolation`], {
      isolationLevel: 'ReadCommitted',
    })
    expect(rows).toEqual([{ transaction_isolation: 'read committed' }])
  })

  test('settings made for the transaction end with it', async () => {
    await sql.transaction([sql`select set_config('app.tenant', 'acme', true)`])
    const seen = await Promise.all(
      Array.from({ length: 20 }, () => sql`select nullif(current_setting('app.tenant', true), '') as tenant`),
    )
    expect(new Set(seen.map(([row]) => row?.tenant))).toEqual(new Set([null]))
  })

  test('sends one statement after the other, between its beginning and its end', async () => {
    const wire = await openWire()
    const second = await startBridge({ server: wire.url })
    try {
      const query = (text: string) => ({ query: text, params: [] })
      const queries = [
        query('select 1'),
        query(`insert into bridge_rows values (70, 'x')`),
        query('select 2'),
      ]
      const headers = { 'Neon-Batch-Isolation-Level': 'ReadCommitted' }
      expect((await call(second, wire.url, { queries }, headers)).status).toBe(200)
      expect(wire.trips.slice(wire.trips.findIndex((each) => each.startsWith('Q START')))).toEqual([
        'Q START TRANSACTION ISOLATION LEVEL READ COMMITTED',
        'P B D E S',
        'P B D E S',
        'P B D E S',
        'Q COMMIT',
        // Then for the next caller, after the answer.
        `Q ${sessionReset}`,
      ])
    } finally {
      await second.close()
      wire.close()
      await owner.query('delete from bridge_rows')
    }
  })

  test('takes as long as its trips to a database far away', async () => {
    const far = await startBridge({ server: url, delay: 25 })
    try {
      await call(far, url, { query: 'select 1' })
      const started = performance.now()
      await call(far, url, { queries: [{ query: 'select 1' }, { query: 'select 2' }] })
      expect(performance.now() - started).toBeGreaterThan(6 * 24)
    } finally {
      await far.close()
    }
  })

  test('whose caller goes away is cancelled and rolled back', async () => {
    const gone = new AbortController()
    const batch = sql.transaction(
      [sql`insert into bridge_rows values (40, 'forty')`, sql`select pg_sleep(60)`],
      { fetchOptions: { signal: gone.signal } },
    )
    const sleeping = async () =>
      (
        await owner.query(
          `select from pg_stat_activity where query = 'select pg_sleep(60)' and state = 'active'`,
        )
      ).rowCount
    await expect.poll(sleeping).toBe(1)
    gone.abort()
    await failure(batch)
    await expect.poll(sleeping).toBe(0)
    // Were the transaction still open, this would wait for it.
    await sql.transaction([
      sql`set local lock_timeout = '5s'`,
      sql`insert into bridge_rows values (40, 'again')`,
    ])
    await owner.query('delete from bridge_rows')
  })

  test('whose caller goes away once COMMIT was sent is committed', async () => {
    await owner.query(`
      create function bridge_slow() returns trigger language plpgsql as $$ begin perform pg_sleep(0.5); return null; end $$;
      create constraint trigger bridge_slow after insert on bridge_rows deferrable initially deferred
        for each row execute function bridge_slow()`)
    try {
      const gone = new AbortController()
      const batch = sql.transaction([sql`insert into bridge_rows values (41, 'kept')`], {
        fetchOptions: { signal: gone.signal },
      })
      await expect
        .poll(
          async () =>
            (await owner.query(`select from pg_stat_activity where query = 'COMMIT' and state = 'active'`))
              .rowCount,
        )
        .toBe(1)
      gone.abort()
      await failure(batch)
      await expect.poll(() => idsIn('bridge_rows')).toEqual([41])
    } finally {
      await owner.query(
        'drop trigger bridge_slow on bridge_rows; drop function bridge_slow; delete from bridge_rows',
      )
    }
  })

  test('leaves nothing in the session', async () => {
    await sql.transaction([
      sql`select set_config('app.tenant', 'acme', false)`,
      sql`create temp table bridge_temporary (id int)`,
      sql`select pg_advisory_lock(4711)`,
    ])
    for (let round = 0; round < 5; round++) {
      const [seen] = await sql.transaction([
        sql`select nullif(current_setting('app.tenant', true), '') as tenant, to_regclass('bridge_temporary') as made,
              (select count(*)::int from pg_locks where locktype = 'advisory' and objid = 4711) as locks`,
      ])
      expect(seen).toEqual([{ tenant: null, made: null, locks: 0 }])
    }
  })

  test('many at once are answered each with its own rows', async () => {
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, n) =>
        sql.transaction([sql`select ${n}::int as n`, sql`select ${n + 1000}::int as n`]),
      ),
    )
    expect(answers).toEqual(Array.from({ length: 100 }, (_, n) => [[{ n }], [{ n: n + 1000 }]]))
  })
})

describe('limits', () => {
  test('an answer is measured in the bytes of its JSON', async () => {
    const query = (characters: string, times: number) => ({
      query: `select repeat('${characters}', ${times})`,
    })
    expect((await post(query('x', 150_000))).status).toBe(200)
    expect((await post(query('é', 150_000))).status).toBe(507)
    expect((await post(query('"', 150_000))).status).toBe(507)
  })

  test('after an answer over the limit the connection is used again, with nothing of it left', async () => {
    const own = await startBridge({ server: url, maximumResponse: 1000, kept: 1 })
    try {
      const pid = async () => {
        const response = await call(own, url, { queries: [{ query: 'select pg_backend_pid()' }] })
        return ((await response.json()) as { results: [{ rows: unknown }] }).results[0].rows
      }
      const before = await pid()
      const queries = [
        { query: `select repeat('x', 100), n from generate_series(1, 1000) n` },
        { query: 'select 1' },
      ]
      expect(await statusAndCode(await call(own, url, { queries }))).toEqual([507, ''])
      expect(await pid()).toEqual(before)
    } finally {
      await own.close()
    }
  })

  test('twenty connections are pooled, and more are opened on demand', async () => {
    const own = Object.assign(new URL(url), { search: '?application_name=bridge_kept' }).href
    // They respond when the owner ends its lock, however long so many connections take to open.
    const query = { query: 'select pg_advisory_lock_shared(4712)' }
    const open = async () =>
      (await owner.query(`select from pg_stat_activity where application_name = 'bridge_kept'`)).rowCount
    const many = await startBridge({ server: url })
    await owner.query('select pg_advisory_lock(4712)')
    try {
      const answers = Array.from({ length: 40 }, () => call(many, own, query))
      await expect.poll(open, { timeout: 10_000 }).toBe(40)
      await owner.query('select pg_advisory_unlock(4712)')
      for (const each of await Promise.all(answers)) expect(each.status).toBe(200)
      await expect.poll(open).toBe(20)
    } finally {
      await owner.query('select pg_advisory_unlock_all()')
      await many.close()
    }
    await expect.poll(open).toBe(0)
  })

  test('a request over the limit is 413', async () => {
    const response = await post({ query: 'select $1::text', params: ['x'.repeat(100_000)] })
    expect(response.status).toBe(413)
  })

  test('an answer over the limit is 507 and its transaction is rolled back', async () => {
    const write = { query: `insert into bridge_rows values (60, 'sixty')` }
    const response = await post({ queries: [write, { query: `select repeat('x', 300000)` }] })
    expect(response.status).toBe(507)
    expect(await idsIn('bridge_rows')).toEqual([])
    // Were the first still open, this would wait for it and then fail on the key.
    await sql.transaction([sql`insert into bridge_rows values (60, 'again')`])
    await owner.query('delete from bridge_rows')
  })

  test('the sum of the answers of a batch counts', async () => {
    const query = { query: `select repeat('x', 90000)` }
    expect((await post({ queries: [query, query] })).status).toBe(200)
    expect((await post({ queries: [query, query, query] })).status).toBe(507)
  })
})

describe('a call that is not a query', () => {
  test.each([
    [
      'a server that is not the configured one',
      { 'Neon-Connection-String': 'postgresql://a:b@192.0.2.1/c' },
      '{}',
    ],
    ['another port', { 'Neon-Connection-String': 'postgresql://a:b@127.0.0.1:1/c' }, '{}'],
    ['an unreadable connection string', { 'Neon-Connection-String': 'x' }, '{}'],
    ['no JSON', {}, '{'],
    ['no query', {}, '{}'],
    ['a null among the queries', {}, '{"queries":[null]}'],
    ['params that are no array', {}, '{"query":"select 1","params":{}}'],
  ])('%s is refused', async (_, headers, body) => {
    const response = await post(body, headers)
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ message: expect.any(String), code: '' })
  })

  test.each(['postgresql://a:b@192.0.2.1/c', 'postgresql://a:b@127.0.0.1:1/c', 'x'])(
    'the connection string %s, of another server, is refused',
    async (other) => {
      const response = await post({ query: 'select 1' }, { 'Neon-Connection-String': other })
      expect(response.status).toBe(400)
      expect(await response.json()).toMatchObject({
        message: 'this bridge serves one database server only',
      })
    },
  )
})

/** Asks as the driver does. */
function post(body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return call(bridge, url, body, {
    'Neon-Raw-Text-Output': 'true',
    'Neon-Array-Mode': 'true',
    ...headers,
  })
}

function call(
  { endpoint }: Bridge,
  connectionString: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Response> {
  return fetch(endpoint, {
    method: 'POST',
    headers: { 'Neon-Connection-String': connectionString, ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
}

async function statusAndCode(response: Response): Promise<[number, unknown]> {
  return [response.status, ((await response.json()) as { code?: unknown }).code]
}

/** A connection to the server that records its messages: the letters of each trip, and the text of simple queries. */
async function openWire() {
  const { hostname, port } = new URL(url)
  const sockets = new Set<Socket>()
  const trips: string[] = []
  const proxy = createServer((near) => {
    const far = connect(Number(port), hostname)
    sockets.add(near)
    let isAnswered = true
    near
      .on('error', () => {})
      .on('data', (bytes: Buffer) => {
        const messages = messagesOf(bytes)
        if (messages.length > 0 && isAnswered) trips.push(messages.join(' '))
        else if (messages.length > 0) trips.push([trips.pop(), ...messages].join(' '))
        isAnswered = false
        far.write(bytes)
      })
    near.on('close', () => far.destroy())
    far
      .on('error', () => {})
      .on('data', (bytes: Buffer) => {
        isAnswered = true
        near.write(bytes)
      })
    far.on('close', () => near.destroy())
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  const address = proxy.address() as AddressInfo
  return {
    url: Object.assign(new URL(url), { port: String(address.port) }).href,
    sockets,
    trips,
    close: () => proxy.close(),
  }
}

/** The start of a session has no letter, and begins with the zero of its length. */
function messagesOf(bytes: Buffer): string[] {
  const messages: string[] = []
  for (let at = 0; at < bytes.length && bytes[at] !== 0; ) {
    const length = bytes.readInt32BE(at + 1)
    const letter = String.fromCharCode(bytes[at]!)
    messages.push(letter === 'Q' ? `Q ${bytes.toString('utf8', at + 5, at + length)}` : letter)
    at += 1 + length
  }
  return messages
}

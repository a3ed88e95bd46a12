import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { type FullQueryResults, NeonDbError, neon, neonConfig } from '@neondatabase/serverless'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { type Bridge, startBridge } from './bridge.ts'

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

  test('of a write without RETURNING counts its rows', async () => {
    const result = await sql.query(`insert into bridge_rows values (1, 'one'), (2, 'two')`, [], {
      fullResults: true,
    })
    expect(result).toMatchObject({ command: 'INSERT', rowCount: 2, rows: [], fields: [] })
    await owner.query('delete from bridge_rows')
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

  test('carries values that a bare client sends as JSON', async () => {
    const response = await post({
      query: 'select $1::int, $2::boolean, $3::text[], $4::jsonb',
      params: [7, false, ['a"b', null, 'NULL', '\\'], { a: 1 }],
    })
    expect(await response.json()).toMatchObject({
      rows: [['7', 'f', '{"a\\"b",NULL,"NULL","\\\\"}', '{"a": 1}']],
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

  test('of two statements is refused', async () => {
    expect(await failure(sql.query('select 1; select 2'))).toMatchObject({ code: '42601' })
  })

  test('that is empty answers no rows', async () => {
    expect(await sql.query('')).toEqual([])
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

  test('has the position and the hint', async () => {
    expect(await failure(sql.query('select nam from bridge_rows'))).toMatchObject({
      code: '42703',
      position: '8',
      hint: expect.stringContaining('bridge_rows.name'),
    })
  })

  test('leaves the connection usable', async () => {
    for (let round = 0; round < 5; round++) {
      await failure(sql.query('select 1/0'))
      await failure(sql.transaction([sql`select 1`, sql`select 1/0`, sql`select 2`]))
      expect(await sql.transaction([sql`select ${round}::int as round`])).toEqual([[{ round }]])
    }
  })

  test('of a killed connection is told with its code', async () => {
    expect(await failure(sql.query('select pg_terminate_backend(pg_backend_pid())'))).toMatchObject({
      code: '57P01',
    })
    expect(await sql.query('select 1 as one')).toEqual([{ one: 1 }])
  })

  test('of a connection cut without a word is 503, and the next call is answered', async () => {
    const cut = new Set<Socket>()
    const { hostname, port } = new URL(url)
    const proxy = createServer((near) => {
      const far = connect(Number(port), hostname)
      near
        .on('error', () => {})
        .pipe(far.on('error', () => {}))
        .pipe(near)
      cut.add(near)
    })
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
    const behind = Object.assign(new URL(url), { port: String((proxy.address() as AddressInfo).port) }).href
    const second = await startBridge({ server: behind })
    const call = (query: string) =>
      fetch(second.endpoint, {
        method: 'POST',
        headers: { 'Neon-Connection-String': behind },
        body: JSON.stringify({ query }),
      })
    try {
      const answer = call('select pg_sleep(5)')
      await expect.poll(() => cut.size).toBe(1)
      setTimeout(() => cut.forEach((socket) => void socket.destroy()), 200)
      expect((await answer).status).toBe(503)
      expect((await call('select 1')).status).toBe(200)
    } finally {
      await second.close()
      proxy.close()
    }
  })

  test('of a wrong password is told with its code', async () => {
    const wrong = new URL(url)
    wrong.password = 'wrong'
    expect(await failure(neon(wrong.href).query('select 1'))).toMatchObject({ code: '28P01' })
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

  test('that fails in the middle changes nothing and tells which constraint', async () => {
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

  test('of no statements answers no results', async () => {
    expect(await sql.transaction([])).toEqual([])
  })

  test.each([
    ['ReadUncommitted', 'read uncommitted'],
    ['ReadCommitted', 'read committed'],
    ['RepeatableRead', 'repeatable read'],
    ['Serializable', 'serializable'],
  ] as const)('runs at isolation level %s', async (isolationLevel, expected) => {
    const [rows] = await sql.transaction([sql`show transaction_isolation`], { isolationLevel })
    expect(rows).toEqual([{ transaction_isolation: expected }])
  })

  test('is deferrable and read only when asked', async () => {
    const [deferrable, readOnly] = await sql.transaction(
      [sql`show transaction_deferrable`, sql`show transaction_read_only`],
      { isolationLevel: 'Serializable', deferrable: true, readOnly: true },
    )
    expect([deferrable, readOnly]).toEqual([
      [{ transaction_deferrable: 'on' }],
      [{ transaction_read_only: 'on' }],
    ])
  })

  test('that is read only refuses a write', async () => {
    const error = await failure(
      sql.transaction([sql`insert into bridge_rows values (30, 'thirty')`], { readOnly: true }),
    )
    expect(error).toMatchObject({ code: '25006' })
    expect(await idsIn('bridge_rows')).toEqual([])
  })

  test('with an unknown isolation level is refused', async () => {
    const response = await post(
      { queries: [{ query: 'select 1' }] },
      { 'Neon-Batch-Isolation-Level': 'Chaos' },
    )
    expect(response.status).toBe(400)
  })

  test('settings made for the transaction end with it', async () => {
    await sql.transaction([sql`select set_config('app.tenant', 'acme', true)`])
    const seen = await Promise.all(
      Array.from({ length: 20 }, () => sql`select nullif(current_setting('app.tenant', true), '') as tenant`),
    )
    expect(new Set(seen.map(([row]) => row?.tenant))).toEqual(new Set([null]))
  })

  test('commits after its caller has gone', async () => {
    const gone = new AbortController()
    const batch = sql.transaction(
      [sql`select pg_sleep(0.3)`, sql`insert into bridge_rows values (40, 'forty')`],
      {
        fetchOptions: { signal: gone.signal },
      },
    )
    setTimeout(() => gone.abort(), 100)
    await failure(batch)
    await expect.poll(() => idsIn('bridge_rows')).toEqual([40])
    await owner.query('delete from bridge_rows')
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
    expect(await response.json()).toEqual({ message: expect.any(String) })
  })

  test.each(['postgresql://a:b@192.0.2.1/c', 'postgresql://a:b@127.0.0.1:1/c', 'x'])(
    'the connection string %s, of another server, is refused',
    async (other) => {
      const response = await post({ query: 'select 1' }, { 'Neon-Connection-String': other })
      expect(response.status).toBe(400)
      expect(await response.json()).toEqual({ message: 'this bridge serves one database server only' })
    },
  )

  test('GET is refused', async () => {
    expect((await fetch(bridge.endpoint)).status).toBe(405)
  })
})

function post(body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(bridge.endpoint, {
    method: 'POST',
    headers: { 'Neon-Connection-String': url, ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
}

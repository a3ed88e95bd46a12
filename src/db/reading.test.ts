import { sql } from 'drizzle-orm'
import { beforeAll, describe, expect, inject, test } from 'vitest'
import { databaseUrls } from '../../test/support/database.ts'
import { openShop, type Shop } from '../../test/support/shop.ts'
import { CacheIsCurrent, openDatabase } from './client.ts'
import { type DatabaseQueries, statement } from './query.ts'

describe('a read', () => {
  const text = 'a "quoted" \\ text\twith\nlines, ünï 𝕏 and \u2028, 100 % of %1$L'
  const kinds = statement(sql`
    select 1::int as n, 1.5::float8 as d, null::int as nothing, true as yes, ${text}::text as text, '{"b": [1, null], "a": "x"}'::jsonb as b,
           '{"b":1.50,"a":2}'::json as j, array['x', null, '{']::text[] as texts, '{}'::text[] as none,
           array['01900000-0000-7000-8000-000000000001']::uuid[] as ids, '01900000-0000-7000-8000-000000000001'::uuid as id`)
  const ordered = statement(
    sql`select n, n % 3 as m from generate_series(1, 20) as s(n) order by n % 3 desc, n limit ${9}`,
  )
  const empty = statement(sql`select 1 as n where false`)
  const lines = {
    ...statement(sql`select ${text}::text || n as line from generate_series(1, ${3}) as s(n)`),
    selectsLines: true,
  }
  const database = () => openDatabase({ url: databaseUrls().appUrl, fetchEndpoint: inject('bridgeEndpoint') })
  const session = () => database().open(null)
  const ofShop = () => database().open(shop.tenant.id)
  let shop: Shop
  beforeAll(async () => {
    shop = await openShop()
  })

  test.each<[string, DatabaseQueries]>([
    ['lines first', { lines, kinds, empty, ordered }],
    ['lines last', { ordered, empty, kinds, lines }],
    ['lines alone', { lines, again: lines }],
    ['one statement', { kinds }],
  ])('returns the rows that a batch of columns returns: %s', async (_, queries) => {
    const db = session()
    const rows = await db.read(queries)
    expect(db.stats).toMatchObject({ trips: 1, statements: 1 })
    expect(rows).toEqual(await db.write(queries))
    expect(Object.values(rows).flat().length).toBeGreaterThan(0)
  })

  test('passes a setting of a statement to the next one', async () => {
    const set = statement(sql`select set_config('app.passed', ${text}, true) as text`)
    const next = statement(sql`select current_setting('app.passed') as text`)
    expect((await session().read({ set, next })).next).toEqual([{ text }])
  })

  test.each([
    ['quotes', `it's "so"`],
    ['backslashes', String.raw`C:\new\$1`],
    ['placeholders of format()', '100 % of %1$L, %s and %%'],
    ['an empty text', ''],
    ['letters beyond ASCII', 'Größe \u{1f9e3}'],
  ])('quotes its parameters: %s', async (_, value) => {
    const query = sql`select ${value}::text as text, 'like %' || ${value} as both, ${null}::int as none, ${7}::int as n, ${true}::boolean as yes`
    const { rows } = await session().read({ rows: statement(query) })
    expect(rows).toEqual([{ text: value, both: `like %${value}`, none: null, n: 7, yes: true }])
  })

  test('belongs to its tenant, returns the clock of the tenant, and leaves no setting behind', async () => {
    const db = ofShop()
    const tenant = statement(
      sql`select current_tenant() as id, current_setting('transaction_read_only') as "readOnly"`,
    )
    expect(await db.read({ tenant })).toEqual({ tenant: [{ id: shop.tenant.id, readOnly: 'on' }] })
    expect(db.clock).toMatch(/^20\d\d-.*Z$/)
    expect(db.stats).toMatchObject({ trips: 1, statements: 1 })
    expect(await session().read({ tenant })).toEqual({ tenant: [{ id: null, readOnly: 'on' }] })
  })

  test('is not parsed while the cached clock is current', async () => {
    const db = ofShop()
    await db.read({ one: statement(sql`select 1 as n`) })
    db.setCachedClock(db.clock)
    const wrong = statement(sql`this is no SQL`)
    await expect(db.read({ wrong })).rejects.toThrow(CacheIsCurrent)
    await shop.create('/api/categories', { title: 'Moved' })
    await expect(db.read({ wrong })).rejects.toMatchObject({ sqlstate: '42601' })
  })

  test('cannot write', async () => {
    const calling = sql`select move_clock('[{}]'::jsonb)`
    const writing = sql`with gone as (delete from categories returning id) select * from gone`
    await expect(ofShop().read({ calling: statement(calling) })).rejects.toMatchObject({ reason: '25006' })
    await expect(ofShop().read({ writing: statement(writing) })).rejects.toMatchObject({ sqlstate: '0A000' })
  })
})

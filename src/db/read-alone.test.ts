import { sql } from 'drizzle-orm'
import { beforeAll, describe, expect, inject, test } from 'vitest'
import { databaseUrls } from '../../test/support/database.ts'
import { openShop, type Shop } from '../../test/support/shop.ts'
import { CacheIsCurrent, openDatabase, type Session } from './client.ts'
import { statement } from './query.ts'

let shop: Shop
const session = (): Session =>
  openDatabase({ url: databaseUrls().appUrl, fetchEndpoint: inject('bridgeEndpoint') }).open(shop.tenant.id)
beforeAll(async () => {
  shop = await openShop()
})

describe('a read of one statement', () => {
  test.each([
    ['quotes', `it's "so"`],
    ['backslashes', String.raw`C:\new\$1`],
    ['what format() looks for', '100 % of %1$L, %s and %%'],
    ['nothing', ''],
    ['letters beyond ASCII', 'Größe \u{1f9e3}'],
  ])('has its parameters as they are: %s', async (_, text) => {
    const query = sql`select ${text}::text as text, 'like %' || ${text} as both, ${null}::int as none, ${7}::int as n, ${true}::boolean as yes`
    const { rows } = await session().read({ rows: statement(query) })
    expect(rows).toEqual([{ text, both: `like %${text}`, none: null, n: 7, yes: true }])
  })

  test('is of its tenant, whose clock it tells, and leaves nothing behind', async () => {
    const db = session()
    db.followClock(null)
    const tenant = statement(
      sql`select current_tenant() as id, current_setting('transaction_read_only') as "readOnly"`,
    )
    expect(await db.read({ tenant })).toEqual({ tenant: [{ id: shop.tenant.id, readOnly: 'on' }] })
    expect(db.clock).toMatch(/^20\d\d-.*Z$/)
    expect(db.stats).toMatchObject({ trips: 1, statements: 1 })
    const otherSession = openDatabase({
      url: databaseUrls().appUrl,
      fetchEndpoint: inject('bridgeEndpoint'),
    }).open(null)
    expect(await otherSession.read({ tenant })).toEqual({ tenant: [{ id: null, readOnly: 'on' }] })
  })

  test('is not even parsed where the clock stands, and is where it has moved', async () => {
    const db = session()
    db.followClock(null)
    await db.read({ one: statement(sql`select 1 as n`) })
    db.followClock(db.clock)
    const wrong = statement(sql`this is no SQL`)
    await expect(db.read({ wrong })).rejects.toThrow(CacheIsCurrent)
    await shop.post('/api/categories', { body: { title: 'Moved' }, status: 201 })
    await expect(db.read({ wrong })).rejects.toMatchObject({ sqlstate: '42601' })
  })

  test('changes nothing, whatever it calls', async () => {
    const calling = sql`select move_clock('[{}]'::jsonb)`
    const writing = sql`with gone as (delete from categories returning id) select * from gone`
    await expect(session().read({ calling: statement(calling) })).rejects.toMatchObject({ reason: '25006' })
    await expect(session().read({ writing: statement(writing) })).rejects.toMatchObject({ sqlstate: '0A000' })
  })
})

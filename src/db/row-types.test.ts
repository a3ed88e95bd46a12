import { sql } from 'drizzle-orm'
import { describe, expect, inject, test } from 'vitest'
import * as z from 'zod'
import { mismatchedStatements } from '../../test/support/checked-rows.ts'
import { openDatabase } from './client.ts'
import { combineQueries, statement } from './query.ts'

const session = () =>
  openDatabase({ url: inject('appUrl'), fetchEndpoint: inject('bridgeEndpoint') }).open(null)
const differences = () => mismatchedStatements(inject('appUrl'))
const firstLines = async () => (await differences()).map((text) => text.split('\n')[0])

const query = sql`select 1 as n, 'a' as text, null::text as none`
const columns = { n: z.number(), text: z.string(), none: z.string().nullable() }

describe('a row of a statement in a test', () => {
  test.each([
    ['an undeclared column', { n: z.number(), text: z.string() }, 'none is not declared'],
    ['a missing column', { ...columns, more: z.string().nullable() }, 'more: '],
    ['another type', { ...columns, n: z.string() }, 'n: '],
    ['an unexpected null', { ...columns, none: z.string() }, 'none: '],
  ])('is rejected for %s', async (_, declared, fault) => {
    const rows = statement(query, declared)
    await expect(session().read({ rows })).rejects.toThrow(fault)
    const others = combineQueries({ rows, again: rows })
    await expect(session().read({ others })).rejects.toThrow(fault)
    await expect(session().write({ others })).rejects.toThrow(fault)
    expect(await differences()).not.toEqual([])
  })

  test('has the columns of one form, and nulls in those of the other', async () => {
    const forms = sql`select 1 as n, null as text union all select null, 'a'`
    const rows = statement(forms, { n: columns.n }, { text: columns.text })
    expect(await session().read({ rows })).toEqual({
      rows: [
        { n: 1, text: null },
        { n: null, text: 'a' },
      ],
    })
    const mixed = statement(sql`select 1 as n, 'a' as text`, { n: columns.n }, { text: columns.text })
    await expect(session().read({ mixed })).rejects.toThrow('text is not null')
    expect(await differences()).toHaveLength(1)
  })
})

describe('the description of a statement without rows', () => {
  test.each([
    ['names and types that are declared', query, columns, []],
    ['a renamed column', sql`select 1 as m`, { n: z.number() }, ['m is not declared.', 'n is not selected.']],
    ['a bigint', sql`select 1::bigint as n`, { n: z.number() }, ['n has the Postgres type 20']],
    ['a numeric', sql`select 1::numeric as n`, { n: z.string() }, ['n has the Postgres type 1700']],
    ['a time', sql`select now() as n`, { n: z.string() }, ['n has the Postgres type 1184']],
    [
      'a column that can be null',
      sql`select external_id as n from products`,
      { n: z.string() },
      ['n can be null'],
    ],
    ['a literal like a parameter', sql`select '$1' as n`, { n: z.string() }, ['A literal contains']],
  ])('reports %s', async (_, selected, declared, expected) => {
    await session().write({ rows: statement(sql`select * from (${selected}) as r where false`, declared) })
    const found = await firstLines()
    expect(found).toHaveLength(expected.length)
    for (const [index, text] of expected.entries()) expect(found[index]).toContain(text)
  })
})

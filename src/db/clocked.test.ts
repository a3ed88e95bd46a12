import { sql } from 'drizzle-orm'
import { PgDialect } from 'drizzle-orm/pg-core'
import { expect, test } from 'vitest'
import { type Statement, statement } from './query.ts'
import { rowsStatement, stepStatement, underClock } from './write-steps.ts'

const dialect = new PgDialect()
const commit = stepStatement({ do: 'commit' })
const created = (id: string, version = 1) => ({ kind: 'things', id, version, action: 'created' }) as const
const things = (...ids: string[]) =>
  rowsStatement({ do: 'insert', table: 'things', rows: ids.map((id) => ({ id })) })
const links = rowsStatement({ do: 'insert', table: 'links', rows: [{ thing: 'a' }] })

/** The steps of each statement, or its SQL if it is not a step. */
function steps(statements: readonly Statement[]) {
  return statements.map(({ query }) => {
    const { sql: text, params } = dialect.sqlToQuery(query)
    return params.length === 0 ? text : JSON.parse(String(params[0]))
  })
}

test('rows come with their version and their place among the changes, where they have one', () => {
  expect(steps(underClock([links, things('a', 'x', 'b')], [created('b', 3), created('a')], commit))).toEqual([
    [
      { do: 'insert', table: 'links', rows: [{ thing: 'a' }] },
      {
        do: 'insert',
        table: 'things',
        rows: [{ id: 'a', version: 1 }, { id: 'x' }, { id: 'b', version: 3 }],
        places: [1, null, 0],
      },
      { do: 'commit' },
    ],
  ])
})

test('what changes twice, otherwise than it is written, or in front of another statement is stamped at the end', () => {
  const unstamped = [[{ do: 'insert', table: 'things', rows: [{ id: 'a' }] }, { do: 'commit' }]]
  expect(steps(underClock([things('a')], [created('a'), created('a', 2)], commit))).toEqual(unstamped)
  expect(steps(underClock([things('a')], [{ ...created('a'), action: 'updated' }], commit))).toEqual(
    unstamped,
  )
  const otherStatement = statement(sql`select 'other'`)
  expect(steps(underClock([things('a'), otherStatement], [created('a')], commit))).toEqual([
    [{ do: 'insert', table: 'things', rows: [{ id: 'a' }] }],
    "select 'other'",
    [{ do: 'commit' }],
  ])
})

test('from the first stamped row on all is one statement, unless it is too large', () => {
  const large = (size: number) => stepStatement({ do: 'other', text: 'x'.repeat(size) })
  const lengths = (size: number) =>
    steps(underClock([large(size), things('a'), large(size)], [created('a')], commit)).map(
      (batch) => batch.length,
    )
  expect(lengths(600_000)).toEqual([1, 3])
  expect(lengths(4_000_000)).toEqual([1, 1, 1, 1])
})

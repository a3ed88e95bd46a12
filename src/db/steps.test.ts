import { sql } from 'drizzle-orm'
import { PgDialect } from 'drizzle-orm/pg-core'
import { expect, test } from 'vitest'
import { statement } from './query.ts'
import { mergeSteps, stepStatement } from './write-steps.ts'

const dialect = new PgDialect()
const step = (n: number, text = '') => stepStatement({ do: 'try', n, text })
const raw = statement(sql`select 'raw'`)

/** The step numbers of each statement, or its SQL. */
const done = (statements: readonly ReturnType<typeof step>[]) =>
  statements.map(({ query }) => {
    const { sql: text, params } = dialect.sqlToQuery(query)
    return params.length === 0 ? text : JSON.parse(String(params[0])).map(({ n }: { n: number }) => n)
  })

test('steps beside each other are one statement, and everything keeps its order', () => {
  expect(done(mergeSteps([step(1), step(2), raw, raw, step(3), step(4)]))).toEqual([
    [1, 2],
    "select 'raw'",
    "select 'raw'",
    [3, 4],
  ])
  expect(mergeSteps([])).toEqual([])
})

test('a step alone is the statement that it is when nothing is joined', () => {
  expect(done([step(1)])).toEqual([[1]])
  expect(done(mergeSteps([step(1)]))).toEqual(done([step(1)]))
})

test('large steps have a statement, and so a time limit, of their own', () => {
  const large = 'x'.repeat(400_000)
  expect(done(mergeSteps([step(1), step(2, large), step(3, large), step(4)]))).toEqual([
    [1, 2],
    [3, 4],
  ])
  expect(done(mergeSteps([step(1, large.repeat(3)), step(2)]))).toEqual([[1], [2]])
})

import { sql } from 'drizzle-orm'
import { describe, expect, inject, test } from 'vitest'
import * as z from 'zod'
import { databaseUrls } from '../../test/support/database.ts'
import { openDatabase } from './client.ts'
import {
  asOneStatement,
  combineQueries,
  type DatabaseQueries,
  mapQuery,
  noQuery,
  queryAll,
  statement,
} from './query.ts'

const columns = { n: z.number() }
const one = statement(sql`select 1 as n`, columns)
const rowsOf = (...numbers: number[]) => numbers.map((n) => [{ n }])

test('each statement gets its rows, by name and in the order in which they are sent', () => {
  const combined = combineQueries({ first: one, second: one })
  expect(combined.statements).toHaveLength(2)
  expect(combined.take(rowsOf(1, 2))).toEqual({ first: [{ n: 1 }], second: [{ n: 2 }] })
})

test('a reading within others takes the rows of its own statements alone', () => {
  const total = mapQuery(combineQueries({ a: one, b: one }), ({ a, b }) => (a[0]?.n ?? 0) + (b[0]?.n ?? 0))
  const combined = combineQueries({ before: one, total, after: one })
  expect(combined.take(rowsOf(1, 20, 30, 4))).toEqual({ before: [{ n: 1 }], total: 50, after: [{ n: 4 }] })
})

test('what is not asked for is null and shifts nothing', () => {
  const combined = combineQueries({ none: noQuery, rows: one })
  expect(combined.statements).toHaveLength(1)
  expect(combined.take(rowsOf(3))).toEqual({ none: null, rows: [{ n: 3 }] })
})

test('a list of more than ten keeps its order', () => {
  const numbers = Array.from({ length: 12 }, (_, index) => index)
  const combined = queryAll(numbers.map(() => mapQuery(combineQueries({ one }), ({ one: [row] }) => row?.n)))
  expect(combined.take(rowsOf(...numbers))).toEqual(numbers)
})

describe('united', () => {
  const text = 'a "quoted" \\ text\twith\nlines, ünï 𝕏 and \u2028'
  const kinds = statement(sql`
    select 1::int as n, 1.5::float8 as d, null::int as nothing, true as yes, ${text}::text as text, '{"b": [1, null], "a": "x"}'::jsonb as b,
           '{"b":1.50,"a":2}'::json as j, array['x', null, '{']::text[] as texts, '{}'::text[] as none,
           array['01900000-0000-7000-8000-000000000001']::uuid[] as ids, '01900000-0000-7000-8000-000000000001'::uuid as id`)
  const ordered = statement(
    sql`select n, n % 3 as m from generate_series(1, 20) as s(n) order by n % 3 desc, n limit 9`,
  )
  const empty = statement(sql`select 1 as n where false`)
  const line = {
    ...statement(sql`select ${text}::text || n as line from generate_series(1, 3) as s(n)`),
    line: 'line',
  }
  const session = () =>
    openDatabase({ url: databaseUrls().appUrl, fetchEndpoint: inject('bridgeEndpoint') }).open(null)

  test.each([
    ['with a line first', { line, kinds, empty, ordered }],
    ['with a line last', { ordered, empty, kinds, line }],
    ['with lines alone', { line, again: line }],
    ['of one', { kinds }],
  ])('readings give what they give apart, %s', async (_, queries) => {
    const separate = combineQueries<DatabaseQueries>(queries)
    const one = asOneStatement(separate)
    expect(one.statements).toHaveLength(1)
    const results = await session().read({ separate, one })
    expect(results.one).toEqual(results.separate)
    expect(Object.values(results.separate).flat().length).toBeGreaterThan(0)
  })

  test('statements that rest on the ones before them stay apart', () => {
    const combined = combineQueries({ first: { ...one, mustRunSeparately: true }, second: one })
    expect(asOneStatement(combined).statements).toEqual(combined.statements)
  })
})

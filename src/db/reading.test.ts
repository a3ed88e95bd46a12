import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { effects, gathered, listed, made, nothing } from './reading.ts'
import { statement } from './statement.ts'

const one = statement<{ n: number }>(sql`select 1 as n`)
const rowsOf = (...numbers: number[]) => numbers.map((n) => [{ n }])

test('each statement gets its rows, by name and in the order in which they are sent', () => {
  const both = gathered({ first: one, second: one })
  expect(both.statements).toHaveLength(2)
  expect(both.take(rowsOf(1, 2))).toEqual({ first: [{ n: 1 }], second: [{ n: 2 }] })
})

test('a reading within others takes the rows of its own statements alone', () => {
  const total = made(gathered({ a: one, b: one }), ({ a, b }) => (a[0]?.n ?? 0) + (b[0]?.n ?? 0))
  const all = gathered({ before: one, total, after: one })
  expect(all.take(rowsOf(1, 20, 30, 4))).toEqual({ before: [{ n: 1 }], total: 50, after: [{ n: 4 }] })
})

test('what is not asked for is null and shifts nothing', () => {
  const all = gathered({ none: nothing, lock: effects([one, one]), rows: one })
  expect(all.statements).toHaveLength(3)
  expect(all.take(rowsOf(1, 2, 3))).toEqual({ none: null, lock: null, rows: [{ n: 3 }] })
})

test('a list of more than ten keeps its order', () => {
  const numbers = Array.from({ length: 12 }, (_, index) => index)
  const all = listed(numbers.map(() => made(gathered({ one }), ({ one: [row] }) => row?.n)))
  expect(all.take(rowsOf(...numbers))).toEqual(numbers)
})

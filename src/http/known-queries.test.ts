import { expect, test } from 'vitest'
import { apiVersionNamed } from '../versions/index.ts'
import { KnownQueries } from './known-queries.ts'

const list = { method: 'GET', path: '/api/products' } as const
const origin = 'https://shop.test'
const asked = (search: string, origins: readonly string[] = [origin]) => ({
  url: new URL(`${origin}/api/products${search}`),
  origins,
  dialect: apiVersionNamed('2026-10'),
  strict: false,
})
const read = { said: { expand: ['priorPrice'] }, ignored: [] }

/** Whether a query is known once it was kept. */
function isKept(call: ReturnType<typeof asked>): boolean {
  const queries = new KnownQueries()
  queries.keep(list, call, read)
  return queries.at(list, call) !== undefined
}

/** A query of so many characters. */
const long = (length: number) => `?q=${'a'.repeat(length - '?q='.length)}`
/** An origin that makes a key of so many characters. */
const keyed = (length: number) => [
  origin.padEnd(length - 'GET /api/products 2026-10 false \n?q=a'.length, 'x'),
]

test.each([
  ['a query of a thousand characters is kept, a longer one is not', asked(long(1000)), asked(long(1001))],
  ['so is one with all that it rests on', asked('?q=a', keyed(2000)), asked('?q=a', keyed(2001))],
  ['one that leads to a page is not', asked('?page=2'), asked('?cursor=x')],
])('%s', (_, within, beyond) => {
  expect([within, beyond].map(isKept)).toEqual([true, false])
})

test('a thousand are kept, of which the one goes that was asked for the longest ago', () => {
  const queries = new KnownQueries()
  const nth = (number: number) => asked(`?q=${number}`)
  for (let number = 0; number < 1000; number += 1) queries.keep(list, nth(number), read)
  expect(queries.at(list, nth(0))).toBeDefined()
  queries.keep(list, nth(1000), read)
  expect([0, 1, 2, 1000].map((number) => queries.at(list, nth(number)) !== undefined)).toEqual([
    true,
    false,
    true,
    true,
  ])
})

test('what is kept cannot be changed', () => {
  const queries = new KnownQueries()
  const expand = ['priorPrice']
  queries.keep(list, asked('?expand=priorPrice'), { said: { expand }, ignored: [] })
  expect(() => expand.push('categories')).toThrow(TypeError)
})

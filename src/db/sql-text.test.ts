import { SQL, sql } from 'drizzle-orm'
import { PgDialect } from 'drizzle-orm/pg-core'
import { expect, test } from 'vitest'
import { products } from '../resources/products/table.ts'
import { sentText, templateText } from './sql-text.ts'

const part = (title: string) => sql`${products.title} = ${title} and ${products.handle} like ${'a%'} || '%s'`
const queries: Record<string, SQL> = {
  'text alone': sql`select 1`,
  nothing: new SQL([]),
  'parameters of every kind': sql`select ${'text'}, ${1}::int, ${null}, ${true}, ${undefined} as none, ${2n}::bigint`,
  'parts within parts': sql`select * from ${products} where ${part('one')} or (${part('two')}) limit ${3}`,
  'what is joined': sql`select ${sql.join([part('one'), sql`true`, sql.raw('1 % 2 = 1')], sql` and `)}`,
  names: sql`select r.${sql.identifier('odd "name"')} from ${sql.identifier('100%')} r`,
}

for (const [name, query] of Object.entries(queries)) {
  test(`a statement is written as drizzle writes it: ${name}`, () => {
    const { sql: text, params } = new PgDialect().sqlToQuery(query)
    expect(sentText(query)).toEqual({ text, params })
  })

  test(`a template has its parameters quoted, and per cents as they are: ${name}`, () => {
    const { text, params } = templateText(query)
    const numbered = text.replaceAll(/%(\d+)\$L|%%/g, (match, nth) => (match === '%%' ? '%' : `$${nth}`))
    expect({ text: numbered, params }).toEqual(sentText(query))
  })
}

test('what no statement is made of is refused, and not sent as a parameter', () => {
  expect(() => sentText(sql`select ${new Date(0)}`)).toThrow('no SQL is written of Date')
  expect(() => sentText(sql`select ${['a', 'b']}`)).toThrow('no SQL is written of Array')
})

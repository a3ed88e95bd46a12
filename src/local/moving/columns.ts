/** The columns of the tables that move, as the database declares them, and the values that they take. */
import type pg from 'pg'
import { parseInstant } from '../../core/instant.ts'
import { isId } from '../../core/iri.ts'
import { movedKinds } from './kinds.ts'

/** A column that an export contains. */
export type Column = { readonly name: string; readonly type: string; readonly isRequired: boolean }

/** Columns by table. */
export type Columns = ReadonlyMap<string, readonly Column[]>

/** Reads the columns of every table that moves, without those that a restore computes. */
export async function columnsOf(client: pg.ClientBase): Promise<Columns> {
  const left = new Map<string, readonly string[]>(
    movedKinds.flatMap((kind) => [
      [kind.name, kind.left] as const,
      ...Object.keys(kind.beside).map((table) => [table, []] as const),
    ]),
  )
  const { rows } = await client.query<Column & { table: string }>(
    `select c.relname as "table", a.attname as name, format_type(a.atttypid, null) as type, a.attnotnull as "isRequired"
       from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      where c.relnamespace = 'public'::regnamespace and c.relname = any($1) and a.attname <> 'tenant_id'
      order by c.relname, a.attnum`,
    [[...left.keys()]],
  )
  const moved = rows.filter(({ table, name }) => !left.get(table)?.includes(name))
  return Map.groupBy(moved, ({ table }) => table)
}

const mostInteger = 2 ** 31
/** Postgres writes moments in UTC without zeros at the end of the fraction. */
const moment = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{0,5}[1-9])?\+00:00$/
const decimal = /^(?:0|[1-9]\d{0,19})(?:\.\d{1,10})?$/

const isText = (value: unknown) => typeof value === 'string'
const isUuid = (value: unknown) => typeof value === 'string' && isId(value)
const listOf = (isElement: (value: unknown) => boolean) => (value: unknown) =>
  Array.isArray(value) && value.every(isElement)

/** The values of columns of each type. Numbers with decimals are text, because JSON numbers lose their zeros. */
const types: Readonly<Record<string, (value: unknown) => boolean>> = {
  uuid: isUuid,
  'uuid[]': listOf(isUuid),
  text: isText,
  'text[]': listOf(isText),
  boolean: (value) => typeof value === 'boolean',
  integer: (value) =>
    typeof value === 'number' &&
    Number.isInteger(value) &&
    !Object.is(value, -0) &&
    value >= -mostInteger &&
    value < mostInteger,
  numeric: (value) => typeof value === 'string' && decimal.test(value),
  'timestamp with time zone': (value) =>
    typeof value === 'string' && moment.test(value) && parseInstant(value) !== null,
  jsonb: (value) => value !== null,
}

/** Lists what is wrong with a row's members: one that is missing, unknown, or of another type than its column. */
export function columnFaults(
  table: string,
  row: Readonly<Record<string, unknown>>,
  columns: readonly Column[],
): string[] {
  const names = new Set(columns.map(({ name }) => name))
  const unknown = Object.keys(row).filter((name) => !names.has(name))
  return [
    ...unknown.map((name) => `${table}.${name} is no column`),
    ...columns.flatMap(({ name, type, isRequired }) => {
      if (!Object.hasOwn(row, name)) return [`${table}.${name} is missing`]
      const value = row[name]
      if (value === null) return isRequired ? [`${table}.${name} is null`] : []
      return types[type]?.(value) ? [] : [`${table}.${name} is not of type ${type}`]
    }),
  ]
}

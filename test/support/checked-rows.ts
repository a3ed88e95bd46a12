/**
 * Replaces src/db/row-types.ts in tests (test/vitest.config.ts). It parses each row of each statement by its columns,
 * stored JSON by its schema, and compares the columns of each statement with the description that Postgres gives of it.
 */
import { PgDialect } from 'drizzle-orm/pg-core'
import pg from 'pg'
import * as z from 'zod'
import type { Columns, Statement } from '../../src/db/query.ts'

/** @throws Error for a row that does not have the columns of its statement */
export function assertRows<Row>(
  statement: Statement<Row>,
  rows: readonly unknown[],
): asserts rows is readonly Row[] {
  const { columns = [], query } = statement
  if (columns.length === 0) return
  const text = dialect.sqlToQuery(query)
  if (!checked.has(text.sql)) undescribed.set(text.sql, { text, columns })
  for (const row of rows) {
    const faults = columns.map((form) => faultsOf(row, form, columns))
    if (faults.some((each) => each.length === 0)) continue
    const message = `A row does not have the columns of its statement: ${faults.map((each) => each.join(', ')).join('; or ')}.\n${text.sql}`
    mismatches.add(message)
    throw new Error(message)
  }
}

/** @throws Error for stored JSON that differs from its schema */
export function assertStored<Type>(schema: z.ZodType<Type>, value: unknown): asserts value is Type {
  const { error } = schema.safeParse(value)
  if (!error) return
  const message = `Stored JSON differs from its schema: ${z.prettifyError(error)}\n${JSON.stringify(value).slice(0, 500)}`
  mismatches.add(message)
  throw new Error(message)
}

/** @throws Error for stored JSON that differs from its schema */
export function parseStored<Type>(schema: z.ZodType<Type>, text: string): Type {
  const value: unknown = JSON.parse(text)
  assertStored(schema, value)
  return value
}

const dialect = new PgDialect()

type Sent = { readonly sql: string; readonly params: readonly unknown[] }
const undescribed = new Map<string, { readonly text: Sent; readonly columns: readonly Columns[] }>()
/** The statements that Postgres has described. */
const checked = new Set<string>()
const mismatches = new Set<string>()

/** The columns that a row lacks, has in another type, or has although no form of the row has them. */
function faultsOf(row: unknown, form: Columns, forms: readonly Columns[]): string[] {
  const values = Object.entries(row ?? {})
  const unknownNames = values.filter(([name]) => !forms.some((each) => Object.hasOwn(each, name)))
  const otherValues = values.filter(
    ([name, value]) =>
      !Object.hasOwn(form, name) && value !== null && forms.some((each) => Object.hasOwn(each, name)),
  )
  return [
    ...unknownNames.map(([name]) => `${name} is not declared`),
    ...otherValues.map(([name]) => `${name} is not null`),
    ...Object.entries(form).flatMap(([name, schema]) => {
      const { error } = schema.safeParse(Reflect.get(Object(row), name))
      return error ? [`${name}: ${error.issues.map(({ message }) => message).join(', ')}`] : []
    }),
  ]
}

/** The differences between rows or descriptions and the columns of the statements that have run since the last call. */
export async function mismatchedStatements(connectionString: string): Promise<string[]> {
  const statements = [...undescribed.values()]
  undescribed.clear()
  if (statements.length > 0) {
    const client = new pg.Client({ connectionString })
    await client.connect()
    for (const { text, columns } of statements) {
      checked.add(text.sql)
      for (const difference of await differences(client, text, columns))
        mismatches.add(`${difference}\n${text.sql}`)
    }
    await client.end()
  }
  const found = [...mismatches]
  mismatches.clear()
  return found
}

async function differences(client: pg.Client, text: Sent, forms: readonly Columns[]): Promise<string[]> {
  const numbers = text.sql.match(/\$\d+/g) ?? []
  if (numbers.length !== text.params.length)
    return ['A literal contains `$` and a digit, which is no parameter.']
  const fields = await describe(client, inlined(text))
  const described = new Map(fields.map((field) => [field.name, field]))
  const declared = new Set(forms.flatMap((form) => Object.keys(form)))
  const nullable = await nullableColumns(client, fields)
  return [
    ...[...described.keys()].filter((name) => !declared.has(name)).map((name) => `${name} is not declared.`),
    ...[...declared].flatMap((name) => {
      const schemas = forms.flatMap((form) => form[name] ?? [])
      const field = described.get(name)
      if (!field)
        return schemas.some((schema) => schema.safeParse(undefined).success)
          ? []
          : [`${name} is not selected.`]
      const kind = kinds[field.dataTypeID]
      if (schemas.some((schema) => !accepts(schema, kind)))
        return [`${name} has the Postgres type ${field.dataTypeID}, which the declared type does not accept.`]
      const isNullable =
        schemas.length < forms.length || schemas.some((schema) => schema.safeParse(null).success)
      return nullable.has(field) && !isNullable ? [`${name} can be null.`] : []
    }),
  ]
}

/** The columns of tables that Postgres allows to be null. */
async function nullableColumns(
  client: pg.Client,
  fields: readonly pg.FieldDef[],
): Promise<ReadonlySet<pg.FieldDef>> {
  const { rows } = await client.query(
    `select attrelid::int as table, attnum::int as column from pg_attribute where not attnotnull and attrelid = any($1::int[])`,
    [fields.map(({ tableID }) => tableID)],
  )
  return new Set(
    fields.filter(({ tableID, columnID }) =>
      rows.some((row) => row.table === tableID && row.column === columnID),
    ),
  )
}

/** The kinds of JavaScript values that arrive for Postgres types. Times, numerics and bigints are selected as text. */
const kinds: Readonly<Record<number, 'boolean' | 'number' | 'string' | 'array' | 'json'>> = {
  [pg.types.builtins.BOOL]: 'boolean',
  [pg.types.builtins.INT2]: 'number',
  [pg.types.builtins.INT4]: 'number',
  [pg.types.builtins.FLOAT4]: 'number',
  [pg.types.builtins.FLOAT8]: 'number',
  [pg.types.builtins.TEXT]: 'string',
  [pg.types.builtins.VARCHAR]: 'string',
  [pg.types.builtins.UUID]: 'string',
  [pg.types.builtins.JSON]: 'json',
  [pg.types.builtins.JSONB]: 'json',
  // Arrays of text, uuid and int4.
  1009: 'array',
  2951: 'array',
  1007: 'array',
}

/** Whether a schema accepts values of a kind; a schema of unknown values accepts all. */
function accepts(schema: z.core.$ZodType, kind: string | undefined): boolean {
  if (schema instanceof z.ZodNullable || schema instanceof z.ZodOptional || schema instanceof z.ZodReadonly)
    return accepts(schema.unwrap(), kind)
  if (schema instanceof z.ZodUnion) return schema.options.some((option) => accepts(option, kind))
  if (kind === 'json' || schema instanceof z.ZodUnknown) return true
  if (schema instanceof z.ZodLiteral) return [...schema.values].some((value) => typeof value === kind)
  if (schema instanceof z.ZodEnum) return kind === 'string'
  if (schema instanceof z.ZodTuple) return kind === 'array'
  return schema._zod.def.type === kind
}

/** The text of a statement with its parameters as literals, as `run_reads()` runs it. */
function inlined({ sql, params }: Sent): string {
  const literal = (value: unknown) =>
    value === null || value === undefined ? 'null' : pg.escapeLiteral(String(value))
  return sql.replaceAll(/\$(\d+)/g, (_, nth) => literal(params[Number(nth) - 1]))
}

/** Lets Postgres describe the columns of a statement without running it. */
function describe(client: pg.Client, text: string): Promise<readonly pg.FieldDef[]> {
  return new Promise((resolve, reject) => {
    let fields: readonly pg.FieldDef[] = []
    client.query({
      submit(connection: pg.Connection) {
        connection.parse({ name: '', text, types: [] }, true)
        connection.describe({ type: 'S', name: '' }, true)
        connection.sync()
      },
      handleRowDescription(message: { readonly fields: readonly pg.FieldDef[] }) {
        fields = message.fields
      },
      handleError: (error: Error) => reject(new Error(`${error.message}\n${text}`)),
      handleReadyForQuery: () => resolve(fields),
    } satisfies pg.Submittable & Record<string, unknown>)
  })
}

import type { SQL } from 'drizzle-orm'
import type * as z from 'zod'

/**
 * Gives rows and stored JSON the types that their statements and schemas declare. Nothing is parsed by these types here,
 * because that costs more than the rest of a large list. Tests replace this file with test/support/checked-rows.ts, which
 * parses each row of each statement, and each stored JSON.
 */

/** The columns of a statement's rows: the type of each value, by name. Times, numerics and bigints are selected as text. */
export type Columns = Readonly<Record<string, z.ZodType>>

/** A row with these columns. */
export type RowOf<Of extends Columns> = { readonly [Name in keyof Of]: z.output<Of[Name]> }

/** A row of one of two forms. The columns that only the other form has are null. */
export type EitherRow<Of extends Columns, Or extends Columns> =
  | (RowOf<Of> & { readonly [Name in Exclude<keyof Or, keyof Of>]: null })
  | (RowOf<Or> & { readonly [Name in Exclude<keyof Of, keyof Or>]: null })

/** A query and the type of its rows. */
export type RowSource<Row> = {
  readonly query: SQL
  readonly row?: Row
  /** The columns of its rows, or of each form of its rows. */
  readonly columns?: readonly Columns[]
}

/** Gives the rows of a statement the type of its columns. */
export function assertRows<Row>(
  _statement: RowSource<Row>,
  _rows: readonly unknown[],
): asserts _rows is readonly Row[] {
  // Tests have parsed rows of the same statement.
}

/** Gives a value that the service has stored as JSON the type of its schema. */
export function assertStored<Type>(_schema: z.ZodType<Type>, _value: unknown): asserts _value is Type {
  // Tests have parsed values of the same schema.
}

/** The value of JSON that the service has stored: a document, or the parts of a row. */
export function parseStored<Type>(schema: z.ZodType<Type>, text: string): Type {
  const value: unknown = JSON.parse(text)
  assertStored(schema, value)
  return value
}

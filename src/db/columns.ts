import { type AnyColumn, getTableColumns, type SQL, sql } from 'drizzle-orm'
import { customType, integer, jsonb, type PgTable, text, uuid } from 'drizzle-orm/pg-core'
import * as z from 'zod'
import { textArray } from './sql.ts'

/** A `timestamptz` as a string from end to end: a JavaScript Date would cut its microseconds. */
export const instant = customType<{ data: string; driverData: string }>({ dataType: () => 'timestamptz' })

/** A `numeric` as a decimal string. */
export const decimal = customType<{ data: string; driverData: string }>({ dataType: () => 'numeric' })

/** Stored translations: `{ "fr-FR": { "title": "…" } }`, including the default locale. */
export type Translations = z.infer<typeof translationsRow>

const membersOfLocale: z.ZodType<Readonly<Record<string, Jsonb>>> = z.record(z.string(), z.json())
export const translationsRow = z.record(z.string(), membersOfLocale).readonly()

/** Any JSON of a `jsonb` column. */
type Jsonb = null | boolean | number | string | readonly Jsonb[] | { readonly [name: string]: Jsonb }

/** The version and the canonical times of a row. Times are empty before the commit of the write that creates the row. */
export const stampedRow = { version: z.number(), createdAt: z.string(), updatedAt: z.string() }

/** Leaves these columns out: `z.object(…).omit(stamps)`. Events store them apart from the document. */
export const stamps = { version: true, createdAt: true, updatedAt: true } as const

/** The version and time that a resource got, and the sequence of its event. */
export const stampColumns = { id: z.string(), version: z.number(), at: z.string(), sequence: z.number() }

/** The stamps of `complete_write()`. `awaited`: whether a webhook subscription has the topic; null for a change without topic. */
export const committedStamps = z.array(z.object({ ...stampColumns, awaited: z.boolean().nullable() }))

/** The first columns of every resource's table. The write sets `version` and the times. */
export const resourceColumns = {
  tenantId: uuid('tenant_id').notNull(),
  id: uuid('id').notNull(),
  version: integer('version').notNull().default(0),
  createdAt: instant('created_at').notNull().default('-infinity'),
  updatedAt: instant('updated_at').notNull().default('-infinity'),
  externalId: text('external_id'),
  document: text('document').notNull(),
}

/** The metaobjects that a row's fields refer to. */
export const metaobjectIdsColumn = uuid('metaobject_ids').array().notNull()

/** The column of a row's texts in other locales. */
export const translationsColumn = jsonb('translations').$type<Translations>().notNull()

/** The schemas of some columns' values in JSON, without null, by property. Times and decimals are texts. */
export function jsonSchemas<Of extends PgTable, Name extends keyof Of['$inferSelect'] & string>(
  table: Of,
  names: readonly Name[],
): { readonly [Each in Name]: z.ZodType<NonNullable<Of['$inferSelect'][Each]>> }
// Each schema has the type of its column.
export function jsonSchemas(table: PgTable, names: readonly string[]): Readonly<Record<string, z.ZodType>> {
  const columns = getTableColumns(table)
  return Object.fromEntries(names.map((name) => [name, jsonSchema(columns[name])]))
}

function jsonSchema(column: AnyColumn | undefined): z.ZodType {
  if (column?.enumValues) return z.enum(column.enumValues)
  if (column?.dataType === 'number') return z.number()
  if (column?.dataType === 'boolean') return z.boolean()
  return column?.dataType === 'array' ? z.array(z.string()) : z.string()
}

/** Selects a time in the canonical form of the service: `2026-11-20T20:10:00.000000Z`. */
export function instantText(column: AnyColumn | SQL): SQL<string> {
  return sql<string>`instant_text(${column})`
}

/** The bytes of a row's document and of its other text columns. Postgres stores the sizes, so it does not read the values. */
export function rowBytes(...textColumns: readonly SQL[]): SQL {
  const sizes = textColumns.map((column) => sql` + coalesce(octet_length(${column}::text), 0)`)
  return sql`octet_length(document)${sql.join(sizes)}`
}

/** The members that identify a document; they are never left out. */
const identification = ['@id', '@type', 'id'] as const

/**
 * The column of a row's document. If only some members are selected, these and the identifying members, in stored order
 * and form.
 */
export function documentColumn(column: AnyColumn | SQL, members: ReadonlyMap<string, unknown> | null): SQL {
  if (members === null) return sql`${column}`
  return sql`(select '{' || string_agg(to_json(name)::text || ':' || value, ',' order by place) || '}'
    from json_each(${column}::json) with ordinality as member(name, value, place)
   where name = any(${textArray([...identification, ...members.keys()])})) as document`
}

/** The column of a row's translations, limited to the selected members in the same way. */
export function textsColumn(column: AnyColumn | SQL, members: ReadonlyMap<string, unknown> | null): SQL {
  if (members === null) return sql`${column}`
  return sql`(select jsonb_object_agg(locale, (select coalesce(jsonb_object_agg(name, value), '{}') from jsonb_each(of_locale) as member(name, value)
      where name = any(${textArray([...members.keys()])})))
    from jsonb_each(${column}) as each(locale, of_locale)) as translations`
}

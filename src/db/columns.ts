import { type AnyColumn, type SQL, sql } from 'drizzle-orm'
import { customType, integer, jsonb, text, uuid } from 'drizzle-orm/pg-core'
import { textArray } from './write-steps.ts'

/** A `timestamptz` kept as text from end to end: a JavaScript Date would cut its microseconds. */
export const instant = customType<{ data: string; driverData: string }>({ dataType: () => 'timestamptz' })

/** A `numeric` kept as a decimal string. */
export const decimal = customType<{ data: string; driverData: string }>({ dataType: () => 'numeric' })

/** Any JSON, as `jsonb` is read. */
type Jsonb = null | boolean | number | string | readonly Jsonb[] | { readonly [name: string]: Jsonb }

/** Translations as stored: `{ "fr-FR": { "title": "…" } }`, the default locale among them. */
export type Translations = Readonly<Record<string, Readonly<Record<string, Jsonb>>>>

/** The columns that every resource's table begins with. `version` and the times are written by commit() alone. */
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

/** Selects a moment in the one form the service speaks: `2026-11-20T20:10:00.000000Z`. */
export function instantText(column: AnyColumn | SQL): SQL<string> {
  return sql<string>`instant_text(${column})`
}

/** How many bytes a row's document has, which Postgres knows without reading it, and its other texts where those are read. */
export function rowBytes(...others: readonly SQL[]): SQL {
  const each = others.map((column) => sql` + coalesce(octet_length(${column}::text), 0)`)
  return sql`octet_length(document)${sql.join(each)}`
}

/** The members that say what a document is of: they are never left out. */
export const identification = ['@id', '@type', 'id'] as const

/** The column of a row's document: where only some members are wanted, these and what identifies it, in their order and as they are stored. */
export function documentColumn(column: AnyColumn | SQL, members: ReadonlySet<string> | null): SQL {
  if (members === null) return sql`${column}`
  return sql`(select '{' || string_agg(to_json(name)::text || ':' || value, ',' order by place) || '}'
    from json_each(${column}::json) with ordinality as member(name, value, place)
   where name = any(${textArray([...identification, ...members])})) as document`
}

/** The column of a row's texts by locale, likewise. */
export function textsColumn(column: AnyColumn | SQL, members: ReadonlySet<string> | null): SQL {
  if (members === null) return sql`${column}`
  return sql`(select jsonb_object_agg(locale, (select coalesce(jsonb_object_agg(name, value), '{}') from jsonb_each(of_locale) as member(name, value)
      where name = any(${textArray([...members])})))
    from jsonb_each(${column}) as each(locale, of_locale)) as translations`
}

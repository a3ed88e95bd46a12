import { type SQL, sql } from 'drizzle-orm'
import * as z from 'zod'
import { instantText } from '../../db/columns.ts'
import {
  combineQueries,
  type DatabaseQuery,
  mapQuery,
  type ResultOf,
  type RowOf,
  type Statement,
  statement,
} from '../../db/query.ts'
import { uuidArray } from '../../db/sql.ts'
import { type Definition, definitionOf } from './definitions/document.ts'
import {
  type MetaobjectParts,
  type MetaobjectRow,
  metaobjectRow,
  outlineOf,
  type SkippedMetaobject,
} from './document.ts'

/** Reads any number of metaobjects with their references and definitions in one statement. */

/** The columns of a metaobject. The first row of each definition also contains the definition's document. */
const definitionOfRow = {
  nthOfDefinition: z.number(),
  definitionVersion: z.number().nullable(),
  definitionDocument: z.string().nullable(),
}
export const metaobjectColumns = { ...metaobjectRow, ...definitionOfRow }
const { id, definitionId, status, version } = metaobjectRow
/** The columns of a reference that the query skipped because of its byte limit. */
export const skippedColumns = { id, definitionId, status, version, ...definitionOfRow }
/** A metaobject row. */
export type StoredMetaobject = ResultOf<ReturnType<typeof metaobjectsStatement>>[number]

const columnsWith = (
  values: SQL,
) => sql`m.id, m.definition_id as "definitionId", m.document, m.status, ${values}, m.version,
  ${instantText(sql`m.created_at`)} as "createdAt", ${instantText(sql`m.updated_at`)} as "updatedAt"`

const columns = columnsWith(sql`m.fields, m.translations, to_json(m.reference_ids) as "referenceIds"`)
const columnsWithoutValues = columnsWith(
  sql`'{}'::jsonb as fields, '{}'::jsonb as translations, '[]'::json as "referenceIds"`,
)

const skippedSelection = sql`m.id, m.definition_id, null, m.status, null, null, null, m.version, null, null`

/** Byte limit for stored metaobjects that are read only because others refer to them. */
const readReferences = 1_000_000

/**
 * Selects metaobjects (`of`: a subquery of ids), their references, and `more` ids. Pass the rows to `metaobjectsOf`.
 */
export function metaobjectsQuery(of: SQL, more: readonly string[] = []): SQL {
  return sql`
    with asked(id) as materialized (${of}), sized as materialized (
      select r.id, coalesce(sum(octet_length(r.document) + octet_length(r.fields::text) + octet_length(r.translations::text))
               over (order by r.id rows between unbounded preceding and 1 preceding), 0) < ${readReferences}::bigint as is_read
        from (
          select unnest(${uuidArray(more)}) as id union
          select unnest(r.reference_ids) from asked cross join lateral ${rowById(sql`asked.id`)} r
        ) as referred cross join lateral ${rowById(sql`referred.id`)} r
       where not exists (select from asked where asked.id = r.id)
    ), found as (
      select ${columns} from (select id from asked union all select id from sized where is_read) as whole cross join lateral ${rowById(sql`whole.id`)} m
      union all
      select ${skippedSelection} from sized cross join lateral ${rowById(sql`sized.id`)} m where not sized.is_read
    )
    ${withDefinitions}`
}

/** Selects metaobjects without the values of their fields. */
export function outlinesQuery(of: SQL): SQL {
  return sql`
    with found as (select ${columnsWithoutValues} from (${of}) as asked(id) cross join lateral ${rowById(sql`asked.id`)} m)
    ${withDefinitions}`
}

/** Selects the row of one id. With an expected row count the planner would read all rows of the tenant. */
function rowById(id: SQL): SQL {
  return sql`(select * from metaobjects m where m.tenant_id = current_tenant() and m.id = ${id} limit 1)`
}

const withDefinitions = sql`
  select each.*, d.version as "definitionVersion", d.document as "definitionDocument" from (
    select found.*, row_number() over (partition by found."definitionId", found.document is null)::int as "nthOfDefinition" from found
  ) as each
  left join lateral (
    select d.version, d.document from metaobject_definitions d where d.tenant_id = current_tenant() and d.id = each."definitionId" limit 1
  ) d on each."nthOfDefinition" = 1 and each.document is not null`

/** Reads metaobjects (`of`: a subquery of ids), their references, and `more` ids. */
export function metaobjectsQueryFor(of: SQL, more: readonly string[] = []): DatabaseQuery<Metaobjects> {
  const found = metaobjectsStatement(metaobjectsQuery(of, more))
  return mapQuery(combineQueries({ found }), (result) => metaobjectsOf(result.found))
}

export const metaobjectsStatement = (query: SQL) => statement(query, metaobjectColumns, skippedColumns)

/** Loaded metaobjects, by id. */
export type Metaobjects = {
  /**
   * The metaobject with its definition and references. Null for a reference that the query skipped because of its byte
   * limit.
   */
  readonly parts: (id: string) => MetaobjectWithDefinition | null
  readonly row: (id: string) => MetaobjectRow | SkippedMetaobject | null
}

type MetaobjectWithDefinition = { readonly parts: MetaobjectParts; readonly definition: Definition }

/** Assembles the rows of `metaobjectsQuery`. */
export function metaobjectsOf(storedRows: readonly StoredMetaobject[]): Metaobjects {
  const definitions = new Map(
    storedRows.flatMap(({ definitionId: id, definitionVersion: version, definitionDocument: document }) =>
      version === null || document === null ? [] : [[id, definitionOf({ id, version, document })] as const],
    ),
  )
  // The definition columns are not part of the rows, because events store the rows.
  const rows = storedRows.map(({ nthOfDefinition, definitionVersion, definitionDocument, ...row }) => row)
  const metaobjects = rows.flatMap((row) => {
    // A foreign key guarantees the definition, so the query always returns it.
    const definition = row.document === null ? undefined : definitions.get(row.definitionId)
    return row.document === null || !definition
      ? []
      : [{ definition, row: { ...row, outline: outlineOf(definition) } }]
  })
  const metaobjectsById = new Map(metaobjects.map((metaobject) => [metaobject.row.id, metaobject]))
  const skippedById = new Map(rows.flatMap((row) => (row.document === null ? [[row.id, row]] : [])))
  const rowOf = (id: string) => metaobjectsById.get(id)?.row ?? skippedById.get(id) ?? null
  return {
    row: rowOf,
    parts(id) {
      const metaobject = metaobjectsById.get(id)
      if (!metaobject) return null
      const { row, definition } = metaobject
      return { parts: { ...row, references: referencesOf(row, rowOf) }, definition }
    },
  }
}

/** The existing rows that a metaobject refers to, except itself. */
export function referencesOf(
  { id, referenceIds }: Pick<MetaobjectRow, 'id' | 'referenceIds'>,
  rowOf: (id: string) => MetaobjectRow | SkippedMetaobject | null,
): (MetaobjectRow | SkippedMetaobject)[] {
  return referenceIds
    .filter((referenceId) => referenceId !== id)
    .flatMap((referenceId) => rowOf(referenceId) ?? [])
}

/** A resource that a value can refer to. `definitionId` is set only for metaobjects. */
export type Existing = RowOf<typeof existingColumns>
const existingColumns = { iri: z.string(), definitionId: z.string().nullable() }

const idsInValues = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'

/**
 * Selects the resources with these ids, or with ids in the stored values of metaobject `of`.
 * A kind of resource without a table has no rows.
 */
export function existingStatement(
  ids: readonly string[],
  of: string | SQL | null = null,
): Statement<Existing> {
  const idsIn = (
    column: string,
  ) => sql`select (regexp_matches(${sql.identifier(column)}::text, ${idsInValues}, 'g'))[1]::uuid
    from metaobjects where tenant_id = current_tenant() and id = ${of}::uuid`
  const requestedIds = sql`select id from asked`
  return statement(existingColumns)`
    with asked(id) as (select unnest(${uuidArray(ids)}) union ${idsIn('fields')} union ${idsIn('translations')})
    select '/api/products/' || id as iri, null::uuid as "definitionId" from products where tenant_id = current_tenant() and id in (${requestedIds})
    union all
    select '/api/products/' || product_id || '/variants/' || id, null from variants where tenant_id = current_tenant() and id in (${requestedIds})
    union all
    select '/api/categories/' || id, null from categories where tenant_id = current_tenant() and id in (${requestedIds})
    union all
    select '/api/collections/' || id, null from collections where tenant_id = current_tenant() and id in (${requestedIds})
    union all
    select '/api/metaobjects/' || id, definition_id from metaobjects where tenant_id = current_tenant() and id in (${requestedIds})`
}

/** Reading metaobjects with what they refer to and their definitions: three statements, however many there are. */
import { type SQL, sql } from 'drizzle-orm'
import { type Statement, statement } from '../../../db/client.ts'
import { instantText } from '../../../db/columns.ts'
import { gathered, made, type Reading } from '../../../db/reading.ts'
import { uuids } from '../../../db/rows.ts'
import {
  type Definition,
  type DefinitionParts,
  definitionOf,
  definitionStatement,
} from '../definitions/index.ts'
import { type MetaobjectParts, type MetaobjectRow, outlineOf, type UnreadMetaobject } from './document.ts'

type StoredRow = Omit<MetaobjectRow, 'outline'> | (UnreadMetaobject & { readonly definitionId: string })

const columnsWith = (
  values: SQL,
) => sql`m.id, m.definition_id as "definitionId", m.document, m.status, ${values}, m.version,
  ${instantText(sql`m.created_at`)} as "createdAt", ${instantText(sql`m.updated_at`)} as "updatedAt"`

const columns = columnsWith(sql`m.fields, m.translations, to_json(m.reference_ids) as "referenceIds"`)
const columnsWithoutValues = columnsWith(
  sql`'{}'::jsonb as fields, '{}'::jsonb as translations, '[]'::json as "referenceIds"`,
)

const unread = sql`m.id, m.definition_id, null, m.status, null, null, null, m.version, null, null`

/** Stored bytes of metaobjects that are read because others refer to them. */
const readReferences = 1_000_000

/** Reads metaobjects (`of`: a subquery of ids), those that they refer to and those in `more`. */
export function metaobjectsReading(of: SQL, more: readonly string[] = []): Reading<Metaobjects> {
  const referred = sql`select unnest(${uuids(more)}) union
    select unnest(r.reference_ids) from metaobjects r where r.tenant_id = current_tenant() and r.id in (${of})`
  const readings = gathered({
    found: statement<StoredRow>(sql`
      with asked(id) as materialized (${of}), sized as materialized (
        select r.id, coalesce(sum(octet_length(r.document) + octet_length(r.fields::text) + octet_length(r.translations::text))
                 over (order by r.id rows between unbounded preceding and 1 preceding), 0) as before
          from metaobjects r where r.tenant_id = current_tenant() and r.id in (${referred})
           and not exists (select from asked where asked.id = r.id)
      )
      select ${columns} from metaobjects m where m.tenant_id = current_tenant()
         and m.id in (select id from asked union all select id from sized where before < ${readReferences}::bigint)
      union all
      select ${unread} from metaobjects m where m.tenant_id = current_tenant()
         and m.id in (select id from sized where before >= ${readReferences}::bigint)`),
    definitions: definitionStatement(
      sql`select d.definition_id from metaobjects d where d.tenant_id = current_tenant() and d.id in (select id from (${of}) as asked(id) union ${referred})`,
    ),
  })
  return made(readings, assembled)
}

/** Reads metaobjects without what their fields hold, likewise. */
export function outlinesReading(of: SQL): Reading<Metaobjects> {
  const asked = sql`from metaobjects m where m.tenant_id = current_tenant() and m.id in (${of})`
  const readings = gathered({
    found: statement<StoredRow>(sql`select ${columnsWithoutValues} ${asked}`),
    definitions: definitionStatement(sql`select m.definition_id ${asked}`),
  })
  return made(readings, assembled)
}

/** Metaobjects that were read, by id. */
export type Metaobjects = {
  /** With its definition and what it refers to; null for what is referred to alone and was too much to be read. */
  readonly parts: (id: string) => Assembled | null
  readonly row: (id: string) => MetaobjectRow | UnreadMetaobject | null
}

/** A metaobject and what its definition asks of it. */
type Assembled = { readonly parts: MetaobjectParts; readonly definition: Definition }

type Found = { readonly found: readonly StoredRow[]; readonly definitions: readonly DefinitionParts[] }

function assembled({ found, definitions: stored }: Found): Metaobjects {
  const definitions = new Map(stored.map((each) => [each.id, definitionOf(each)]))
  const whole = found.flatMap((each) => {
    // The foreign key holds it, so that it was read with them.
    const definition = each.document === null ? undefined : definitions.get(each.definitionId)
    return each.document === null || !definition
      ? []
      : [{ definition, own: { ...each, outline: outlineOf(definition) } }]
  })
  const known = new Map(whole.map((each) => [each.own.id, each]))
  const unread = new Map(found.flatMap((each) => (each.document === null ? [[each.id, each]] : [])))
  const row = (id: string) => known.get(id)?.own ?? unread.get(id) ?? null
  return {
    row,
    parts(id) {
      const each = known.get(id)
      if (!each) return null
      const { own, definition } = each
      return { parts: { ...own, references: referencesOf(own, row) }, definition }
    },
  }
}

/** The rows that a metaobject refers to, as far as they exist; itself is at hand already. */
export function referencesOf(
  { id, referenceIds }: Pick<MetaobjectRow, 'id' | 'referenceIds'>,
  row: (id: string) => MetaobjectRow | UnreadMetaobject | null,
): (MetaobjectRow | UnreadMetaobject)[] {
  return referenceIds.filter((each) => each !== id).flatMap((each) => row(each) ?? [])
}

/** A resource that a value can refer to; the definition only of metaobjects. */
export type Existing = { readonly iri: string; readonly definitionId: string | null }

const idsInValues = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'

/** Which resources some ids, and those in the stored values of metaobject `of`, name. Of a kind that has no table none exists. */
export function existingStatement(ids: readonly string[], of: string | null = null): Statement<Existing> {
  const named = (
    column: string,
  ) => sql`select (regexp_matches(${sql.identifier(column)}::text, ${idsInValues}, 'g'))[1]::uuid
    from metaobjects where tenant_id = current_tenant() and id = ${of}::uuid`
  const asked = sql`select id from asked`
  return statement<Existing>(sql`
    with asked(id) as (select unnest(${uuids(ids)}) union ${named('fields')} union ${named('translations')})
    select '/api/products/' || id as iri, null::uuid as "definitionId" from products where tenant_id = current_tenant() and id in (${asked})
    union all
    select '/api/products/' || product_id || '/variants/' || id, null from variants where tenant_id = current_tenant() and id in (${asked})
    union all
    select '/api/categories/' || id, null from categories where tenant_id = current_tenant() and id in (${asked})
    union all
    select '/api/collections/' || id, null from collections where tenant_id = current_tenant() and id in (${asked})
    union all
    select '/api/metaobjects/' || id, definition_id from metaobjects where tenant_id = current_tenant() and id in (${asked})`)
}

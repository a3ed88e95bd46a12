/** What custom fields refer to: read in the same statement as the row that has them, or beside it when they are written. */
import { type SQL, sql } from 'drizzle-orm'
import { type Outline, reads } from '../../../core/outline.ts'
import { type Statement, statement } from '../../../db/client.ts'
import { gathered, made, nothing, type Reading } from '../../../db/reading.ts'
import { uuids } from '../../../db/rows.ts'
import { possibleReferences, type WrittenFields, writtenFields } from '../field-types/index.ts'
import { type EmbeddedMetaobject, existingStatement } from '../metaobjects/index.ts'
import { type CustomField, metaobjectIdsOf } from './entries.ts'

export type { EmbeddedMetaobject }

/** The column `metaobjects` of a row that has `metaobject_ids`: the published ones; null where it refers to none. */
const metaobjectsColumn: SQL = sql`case when metaobject_ids <> '{}' then published_metaobjects(metaobject_ids) end as metaobjects`

/** The same column where documents are reduced to an outline: nobody sees them without the custom fields that refer to them. */
export function metaobjectsIn(outline: Outline): SQL {
  return reads(outline, 'fields') ? metaobjectsColumn : sql`null::jsonb as metaobjects`
}

/** What written custom fields can refer to. */
export type References = {
  /** IRIs of this tenant. */
  readonly existing: ReadonlySet<string>
  readonly metaobjects: readonly EmbeddedMetaobject[]
}

type ReferencesRow = {
  readonly existing: readonly string[]
  readonly metaobjects: EmbeddedMetaobject[] | null
}

/** Looks for everything that some written properties `fields` could refer to. */
export function referencesReading(
  fields: readonly (WrittenFields | null | undefined)[],
): Reading<References> {
  const values = fields.flatMap((each) => writtenFields(each).entries.flatMap(({ value }) => value ?? []))
  const ids = possibleReferences(values)
  if (ids.length === 0) return made(nothing, () => ({ existing: new Set<string>(), metaobjects: [] }))
  return made(gathered({ rows: referencesStatement(ids) }), ({ rows: [row] }) => ({
    existing: new Set(row?.existing),
    metaobjects: row?.metaobjects ?? [],
  }))
}

function referencesStatement(ids: readonly string[]): Statement<ReferencesRow> {
  return statement<ReferencesRow>(sql`select array(select iri from (${existingStatement(ids).query}) as e) as existing,
    published_metaobjects(${uuids(ids)}) as metaobjects`)
}

/** Those metaobjects that a state's custom fields refer to; null for none, as the column has it. */
export function metaobjectsOf(
  fields: readonly CustomField[] | undefined,
  ...known: readonly (readonly EmbeddedMetaobject[] | null | undefined)[]
): readonly EmbeddedMetaobject[] | null {
  const ids = new Set(metaobjectIdsOf(fields))
  if (ids.size === 0) return null
  const found = new Map(known.flatMap((each) => each ?? []).map((each) => [each.id, each]))
  return [...found.values()].filter(({ id }) => ids.has(id))
}

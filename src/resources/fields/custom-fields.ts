import { type SQL, sql } from 'drizzle-orm'
import * as z from 'zod'
import type { Members } from '../../core/document.ts'
import { byteLimits } from '../../core/limits.ts'
import type { Locale } from '../../core/locale.ts'
import { type Difference, differencesBetween, sameJson } from '../../core/patch.ts'
import type { Violation } from '../../core/problem.ts'
import { formats, validationProblems } from '../../core/problems/validation.ts'
import { writable } from '../../core/schema.ts'
import { type SelectedMembers, selects } from '../../core/select.ts'
import { truncate } from '../../core/sizes.ts'
import {
  columnsOf,
  combineQueries,
  type DatabaseQuery,
  mapQuery,
  noQuery,
  statement,
} from '../../db/query.ts'
import { uuidArray } from '../../db/sql.ts'
import {
  type EmbeddedMetaobject,
  embeddedDocument,
  embeddedDocuments,
  embeddedMetaobjects,
} from '../metaobjects/document.ts'
import { existingStatement } from '../metaobjects/read.ts'
import { replacedOrMerged } from '../shared/properties.ts'
import { fieldsInput, storedValue, type WrittenField, type WrittenFields, writtenFields } from './entries.ts'
import { type FieldType, possibleReferences, readValue, typeIn, typeIri, unknownType } from './types.ts'

/** The properties of a resource that the audit trail compares. */
type View = Readonly<Record<string, unknown>> & { readonly fields?: readonly CustomField[] }

/**
 * Compares two views of a resource, with custom fields by key.
 * `fields.size` is a changed value, `fields.size.type` the type of a removed field or a changed type, `fields` the keys if only their order changed.
 */
export function differencesWithCustomFields(before: View, after: View): Difference[] {
  const [fieldsBefore, fieldsAfter] = [before.fields ?? [], after.fields ?? []]
  const typeOf = (fields: readonly CustomField[], name: string) =>
    fields.find(({ key }) => key === name)?.type ?? null
  const keys = [...new Set([...fieldsBefore, ...fieldsAfter].map(({ key }) => key))]
  const types = keys.flatMap((key): Difference[] => {
    const [typeBefore, typeAfter] = [typeOf(fieldsBefore, key), typeOf(fieldsAfter, key)]
    const path = key.includes('.') ? `fields["${key}"].type` : `fields.${key}.type`
    return typeBefore === null || typeBefore === typeAfter
      ? []
      : [{ path, before: typeBefore, after: typeAfter }]
  })
  const [order, newOrder] = [fieldsBefore.map(({ key }) => key), fieldsAfter.map(({ key }) => key)]
  const isReordered = !sameJson(order, newOrder) && sameJson(order.toSorted(), newOrder.toSorted())
  return [
    ...differencesBetween(withFieldsByKey(before), withFieldsByKey(after)),
    ...types,
    ...(isReordered ? [{ path: 'fields', before: order, after: newOrder }] : []),
  ]
}

function withFieldsByKey({ fields, ...members }: View): object {
  return { ...members, fields: Object.fromEntries((fields ?? []).map(({ key, value }) => [key, value])) }
}

/** A stored custom field. `type` is the IRI of its type. References are resolved when it is read. */
export const storedCustomField = z
  .strictObject({ ...columnsOf(z.string(), 'key', 'value', 'type'), metaobject: z.tuple([]).readonly() })
  .readonly()
export type CustomField = z.infer<typeof storedCustomField>

/** Maximum number of custom fields of a resource. */
export const maximumCustomFields = 50

/** The type of a custom field that names none. */
const defaultType = typeIri('single_line_text_field')

/**
 * Merges custom fields in the order of their first write.
 * A merged field keeps its stored type unless the body names another one. In a replacing array, a field without a type
 * is text.
 */
function mergedEntries(before: readonly CustomField[], { replaces, entries }: WrittenFields): CustomField[] {
  const fieldsByKey = new Map(replaces ? [] : before.map((field) => [field.key, field]))
  for (const entry of entries) {
    const { key } = entry
    const type = entry.type ?? fieldsByKey.get(key)?.type ?? defaultType
    const value = storedValue(entry, typeIn(type))
    if (value === null) fieldsByKey.delete(key)
    else fieldsByKey.set(key, { key, value, type, metaobject: [] })
  }
  return [...fieldsByKey.values()]
}

/** The distinct metaobjects that custom fields refer to. */
export function metaobjectIdsOf(fields: readonly CustomField[] | undefined): string[] {
  return [...new Set(fields?.flatMap(metaobjectIdsIn))]
}

/** The metaobjects that a custom field refers to, in order. */
function metaobjectIdsIn({ type, value }: Pick<CustomField, 'type' | 'value'>): string[] {
  const fieldType = typeIn(type)
  if (fieldType?.refersTo !== 'metaobjects') return []
  return (readValue(fieldType, value)?.references ?? []).map(({ id }) => id)
}

/**
 * Embeds the metaobjects that the custom fields of a row refer to.
 * Drafts are left out for every reader, so that a product reads the same for every caller.
 */
export function withMetaobjects(
  document: Members,
  rows: readonly EmbeddedMetaobject[] | null | undefined,
  locale: Locale,
): Members {
  if (!rows || rows.length === 0) return document
  const findDocument = embeddedDocuments(rows, (row) => embeddedDocument(row, locale))
  // The custom fields of a document have the type of its state.
  const fields = ((document.fields ?? []) as readonly CustomField[]).map((entry) => ({
    ...entry,
    metaobject: metaobjectIdsIn(entry).flatMap((id) => findDocument(id) ?? []),
  }))
  return { ...document, fields }
}

/** Maximum number of characters of all values of a resource together. */
export const maxValuesLength = 65_535

type FieldsState = { readonly values: { readonly fields: readonly CustomField[] } }

/** A write of custom fields: the property in the body, and the states before and after. */
type FieldsWrite = {
  readonly fields: WrittenFields | null | undefined
  /** Null for a new resource. */
  readonly before: FieldsState | null
  readonly after: FieldsState
}

/**
 * Violations that the body shows alone: duplicate keys, unknown types, invalid values.
 * A field without a type is checked only in a replacing array. Otherwise its stored type may apply.
 */
function formViolations(fields: WrittenFields | null, at: (path: string) => string): Violation[] {
  const { replaces, entries } = writtenFields(fields)
  const seenKeys = new Set<string>()
  return entries.flatMap((entry): Violation[] => {
    const { key, path, valuePath } = entry
    if (seenKeys.has(key)) return [validationProblems.duplicate_item.at(at(`${path}.key`))]
    seenKeys.add(key)
    if (entry.value === null || (entry.type === null && !replaces)) return []
    const type = typeIn(entry.type ?? defaultType)
    if (!type) return [unknownType(at(`${path}.type`))]
    return readValue(type, storedValue(entry, type) ?? '') ? [] : [invalidValue(at(valuePath), key, type)]
  })
}

function invalidValue(path: string, key: string, { slug }: FieldType): Violation {
  const help = `Send a value as ${typeIri(slug)} describes it.`
  return validationProblems.field_value.at(path, { key, type: slug }, help)
}

/** Violations of custom fields in a body; `at` returns their path. */
export function customFieldViolations(
  { fields, before, after }: FieldsWrite,
  references: References,
  at: (path: string) => string = (path) => path,
): Violation[] {
  if (fields === undefined) return []
  const writtenEntries = writtenFields(fields).entries
  const entries = new Map(after.values.fields.map((field) => [field.key, field]))
  const fieldsBefore = new Map(before?.values.fields.map((field) => [field.key, field]))
  const violations = writtenEntries.flatMap((writtenEntry, index) => {
    const entry = entries.get(writtenEntry.key)
    const isDuplicate = writtenEntries.findIndex(({ key }) => key === writtenEntry.key) < index
    if (isDuplicate) return [validationProblems.duplicate_item.at(at(`${writtenEntry.path}.key`))]
    return entry && writtenEntry.value !== null
      ? entryViolations(writtenEntry, entry, fieldsBefore.get(writtenEntry.key))
      : []
  })
  const length = [...entries.values()].reduce((sum, { value }) => sum + value.length, 0)
  if (entries.size > maximumCustomFields) {
    violations.push(validationProblems.too_many_items.at(at('fields'), { maximum: maximumCustomFields }))
  } else if (length > maxValuesLength) {
    violations.push(validationProblems.too_long.at(at('fields'), { maximum: maxValuesLength }))
  } else if (metaobjectIdsOf(after.values.fields).length > byteLimits.references) {
    violations.push(validationProblems.too_many_items.at(at('fields'), { maximum: byteLimits.references }))
  }
  return violations

  function entryViolations(
    { path, valuePath }: WrittenField,
    { key, value, type }: CustomField,
    stored: CustomField | undefined,
  ): Violation[] {
    const fieldType = typeIn(type)
    if (!fieldType) return [unknownType(at(`${path}.type`))]
    const parsedValue = readValue(fieldType, value)
    if (!parsedValue) return [invalidValue(at(valuePath), key, fieldType)]
    // An unchanged value is valid even if its references have been deleted since.
    if (stored?.value === value && stored.type === type) return []
    const missingReference = parsedValue.references.find(({ iri }) => !references.existing.has(iri))
    if (!missingReference) return []
    return [
      validationProblems.unknown_reference.at(at(valuePath), { iri: truncate(missingReference.iri, 255) }),
    ]
  }
}

const keyPattern = /^(?=.{1,64}$)[a-z][a-z0-9_]*(?:\.[a-z0-9_]+)*$/

/** The property `fields` of resources with custom fields. No definition exists: each entry names its type. */
export const customFields = writable(
  fieldsInput({
    maximum: maximumCustomFields,
    key: { pattern: keyPattern, format: formats.customKey },
  }),
  'Custom fields, each value with its type.',
  {
    writeDescription: replacedOrMerged,
    defaultValue: [],
    example: [
      {
        key: 'material',
        value: 'Cotton',
        type: '/api/metafield_definition_types/single_line_text_field',
      },
    ],
    validate: formViolations,
    merge: (before: readonly CustomField[], input: WrittenFields): readonly CustomField[] =>
      mergedEntries(before, input),
  },
)

/** The column `metaobjects` of a row with `metaobject_ids`: the published ones, or null without references. */
const metaobjectsColumn: SQL = sql`case when metaobject_ids <> '{}' then published_metaobjects(metaobject_ids) end as metaobjects`

/** The column `metaobjects` for selected members. Without `fields`, no reader sees the metaobjects, so it is null. */
export function metaobjectsIn(selectedMembers: SelectedMembers): SQL {
  return selects(selectedMembers, 'fields') ? metaobjectsColumn : sql`null::jsonb as metaobjects`
}

/** The existing resources that custom fields in a body can refer to. */
export type References = {
  /** IRIs of this tenant. */
  readonly existing: ReadonlySet<string>
  readonly metaobjects: readonly EmbeddedMetaobject[]
}

const referencesRow = { existing: z.array(z.string()).readonly(), metaobjects: embeddedMetaobjects }

/** Reads every resource that some properties `fields` could refer to. */
export function referencesQuery(
  fields: readonly (WrittenFields | null | undefined)[],
): DatabaseQuery<References> {
  const values = fields.flatMap((input) => (input?.entries ?? []).flatMap(({ value }) => value ?? []))
  const ids = values.length > 0 ? possibleReferences(values) : []
  if (ids.length === 0) return mapQuery(noQuery, () => ({ existing: new Set<string>(), metaobjects: [] }))
  return mapQuery(combineQueries({ rows: referencesStatement(ids) }), ({ rows: [row] }) => ({
    existing: new Set(row?.existing),
    metaobjects: row?.metaobjects ?? [],
  }))
}

function referencesStatement(ids: readonly string[]) {
  return statement(referencesRow)`
    select array(select iri from (${existingStatement(ids).query}) as e) as existing,
    published_metaobjects(${uuidArray(ids)}) as metaobjects`
}

/** The metaobjects that the custom fields of a state refer to; null for none, like the column. */
export function metaobjectsOf(
  fields: readonly CustomField[] | undefined,
  ...candidates: readonly (readonly EmbeddedMetaobject[] | null | undefined)[]
): readonly EmbeddedMetaobject[] | null {
  const ids = new Set(metaobjectIdsOf(fields))
  if (ids.size === 0) return null
  const candidatesById = new Map(candidates.flatMap((rows) => rows ?? []).map((row) => [row.id, row]))
  return [...candidatesById.values()].filter(({ id }) => ids.has(id))
}

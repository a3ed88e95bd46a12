import type { Json } from '../../core/json.ts'
import { byteLimits } from '../../core/limits.ts'
import { isFallback, type Locale } from '../../core/locale.ts'
import type { Context } from '../../core/operation.ts'
import type { WriteOutcome } from '../../core/plan.ts'
import type { Violation } from '../../core/problem.ts'
import { validationProblems } from '../../core/problems/validation.ts'
import { bytesOf, truncate } from '../../core/sizes.ts'
import { render, type State } from '../../core/state.ts'
import { storedValue, type WrittenField, type WrittenFields } from '../fields/entries.ts'
import { type Reference, readValue, typeIri } from '../fields/types.ts'
import { writtenItem } from '../shared/ordinary-operations.ts'
import type { Definition } from './definitions/document.ts'
import type { FieldDefinition } from './definitions/rules.ts'
import { type FieldValues, type MetaobjectParts, metaobjectDocument, outlineOf, textAt } from './document.ts'
import { metaobjectProblems } from './problems.ts'
import { type Existing, type Metaobjects, referencesOf } from './read.ts'
import { metaobjectIri, metaobject as shape } from './schema.ts'

/** Values of a metaobject's fields: merges request bodies and checks them against the definition. */

/** Maximum number of characters of all values of a metaobject, in all locales together. */
export const maxValuesLength = 262_144

type MergeResult = { readonly values: FieldValues; readonly violations: readonly Violation[] }

/** Merges fields of a request body into the stored values. Translatable fields change only in `locale`. */
export function mergeValues(
  definition: Definition,
  before: FieldValues,
  { replaces, entries }: WrittenFields,
  existing: readonly Existing[],
  { locale, fallbacks }: { readonly locale: Locale; readonly fallbacks?: Json | undefined },
): MergeResult {
  const fieldsByKey = new Map(definition.fields.map((field) => [field.key, field]))
  const shared = new Map(replaces ? [] : Object.entries(before.fields))
  const localeValues = new Map(replaces ? [] : Object.entries(before.translations[locale.requested] ?? {}))
  const seenKeys = new Set<string>()
  const violations: Violation[] = []
  for (const entry of entries) {
    const { key, path } = entry
    const field = fieldsByKey.get(key)
    const value = storedValue(entry, field?.type)
    const writtenEntry = { ...entry, value }
    if (seenKeys.has(key)) violations.push(validationProblems.duplicate_item.at(`${path}.key`))
    seenKeys.add(key)
    const target = field?.translatable ? localeValues : shared
    if (value === null || isFallbackText(field, key, value)) target.delete(key)
    else if (!field) violations.push(validationProblems.unknown_property.at(path, { name: key, hint: '' }))
    else {
      const stored = field.translatable ? (before.translations[locale.requested] ?? {}) : before.fields
      violations.push(
        ...valueViolations(field, writtenEntry, textAt(stored, key) === value ? null : existing),
      )
      target.set(key, value)
    }
  }
  const { [locale.requested]: _, ...otherLocales } = before.translations
  const translations =
    localeValues.size > 0
      ? { ...otherLocales, [locale.requested]: Object.fromEntries(localeValues) }
      : otherLocales
  const values = { fields: Object.fromEntries(shared), translations }
  const length = textsOf(values).reduce((sum, [, value]) => sum + value.length, 0)
  if (length > maxValuesLength)
    violations.push(validationProblems.too_long.at('fields', { maximum: maxValuesLength }))
  const bytes = maxBytes(values)
  if (bytes > byteLimits.rowDocument)
    violations.push(
      validationProblems.document_too_large.at('fields', { bytes, maximum: byteLimits.rowDocument }),
    )
  if (referenceIdsOf(definition, values).length > byteLimits.references)
    violations.push(validationProblems.too_many_items.at('fields', { maximum: byteLimits.references }))
  return { values, violations }

  function isFallbackText(field: FieldDefinition | undefined, key: string, value: string): boolean {
    if (!field?.translatable || textAt(before.translations[locale.requested] ?? {}, key) !== null)
      return false
    const texts = locale.chain.map((language) => textAt(before.translations[language] ?? {}, key))
    return isFallback(fallbacks, `fields.${key}`, value, texts.find((text) => text !== null) ?? null)
  }
}

/** Bytes of the values in their largest locale. */
function maxBytes({ fields, translations }: FieldValues): number {
  const sizes = Object.values(translations).map((values) => bytesOf(JSON.stringify(values)))
  return bytesOf(JSON.stringify(fields)) + Math.max(0, ...sizes)
}

/** `existing` is null for an unchanged value: its references may have been deleted since. */
function valueViolations(
  field: FieldDefinition,
  { key, value, type, path, valuePath }: WrittenField,
  existing: readonly Existing[] | null,
): Violation[] {
  const violations: Violation[] = []
  if (type !== null && type !== typeIri(field.type.slug)) {
    violations.push(validationProblems.identity_mismatch.at(`${path}.type`, { name: 'type' }))
  }
  const parsedValue = readValue(field.type, value ?? '', field.validations)
  if (!parsedValue) {
    const rules = field.validations.map((rule) => `${rule.name} ${rule.value}`)
    const rule = truncate([field.type.slug, ...rules].join(', '), 200)
    return [
      ...violations,
      metaobjectProblems.field_invalid.at(
        valuePath,
        { key, rule },
        `Send a value as ${typeIri(field.type.slug)} describes it, within the validations of the definition.`,
      ),
    ]
  }
  const missingReference = existing
    ? parsedValue.references.find((reference) => !isExisting(reference, existing))
    : undefined
  if (missingReference)
    violations.push(
      validationProblems.unknown_reference.at(valuePath, { iri: truncate(missingReference.iri, 255) }),
    )
  return violations
}

function isExisting({ iri, definitionId }: Reference, existing: readonly Existing[]): boolean {
  return existing.some(
    (resource) => resource.iri === iri && (definitionId === null || definitionId === resource.definitionId),
  )
}

/** Every value of every locale with its key. */
function textsOf({ fields, translations }: FieldValues): (readonly [string, string])[] {
  return [...Object.entries(fields), ...Object.values(translations).flatMap((texts) => Object.entries(texts))]
}

/** The distinct metaobjects that the values of all locales refer to. */
function referenceIdsOf(definition: Definition, values: FieldValues): string[] {
  const fieldsByKey = new Map(definition.fields.map((field) => [field.key, field]))
  const ids = textsOf(values).flatMap(([key, value]) => {
    const type = fieldsByKey.get(key)?.type
    if (type?.refersTo !== 'metaobjects') return []
    return (readValue(type, value)?.references ?? []).map(({ id }) => id)
  })
  return [...new Set(ids)]
}

/**
 * The keys of required fields that prevent publication: those without a value in any locale.
 * If `existing` is given, also those that refer to deleted resources.
 */
function incompleteKeys(
  definition: Definition,
  values: FieldValues,
  existing: readonly Existing[] | null,
): string[] {
  const texts = Map.groupBy(textsOf(values), ([key]) => key)
  const isComplete = ({ key, type, validations }: FieldDefinition) => {
    const fieldTexts = texts.get(key) ?? []
    return (
      fieldTexts.length > 0 &&
      fieldTexts.every(([, value]) => {
        const parsedValue = readValue(type, value, validations)
        return (
          parsedValue !== null &&
          (!existing || parsedValue.references.every((reference) => isExisting(reference, existing)))
        )
      })
    )
  }
  return definition.fields.filter((field) => field.required && !isComplete(field)).map(({ key }) => key)
}

/** A metaobject to store. */
export type NewMetaobject = {
  readonly id: string
  readonly definition: Definition
  readonly state: State<typeof shape>
  readonly values: FieldValues
}

/** The row of a metaobject, without the columns that the write sets. */
export function rowOf(context: Context, { id, definition, state, values }: NewMetaobject) {
  return {
    id,
    externalId: state.values.externalId,
    definitionId: definition.id,
    handle: String(state.values.handle),
    status: state.values.status,
    fields: values.fields,
    translations: values.translations,
    referenceIds: referenceIdsOf(definition, values),
    document: render(shape, { iri: metaobjectIri(id), id }, state, context.tenant.locales),
  }
}

type CommitStamps = Pick<MetaobjectParts, 'version' | 'createdAt' | 'updatedAt'>

/** Converts a row into the parts of its document. */
export function partsOf(
  stored: ReturnType<typeof rowOf>,
  definition: Definition,
  { version, createdAt, updatedAt }: CommitStamps,
  row: Metaobjects['row'],
): MetaobjectParts {
  const { id, definitionId, status, fields, translations, referenceIds, document } = stored
  const references = referencesOf(stored, row)
  const outline = outlineOf(definition)
  return {
    id,
    definitionId,
    document,
    status,
    fields,
    translations,
    referenceIds,
    outline,
    references,
    version,
    createdAt,
    updatedAt,
  }
}

/** The response to a write: the metaobject after the write. */
export function writtenAnswer(context: Context, outcome: WriteOutcome<MetaobjectParts>) {
  return writtenItem(outcome, (parts) => metaobjectDocument(parts, context.locale, seesDrafts(context)))
}

/** Only callers that may write see drafts. */
export function seesDrafts(context: Context): boolean {
  return context.access.seesDrafts(shape)
}

/** Violations that prevent publication, at the path that requests it. Empty for a complete metaobject. */
export function incompleteViolations(
  definition: Definition,
  values: FieldValues,
  existing: readonly Existing[] | null,
  path: string,
): Violation[] {
  const keys = incompleteKeys(definition, values, existing)
  return keys.length > 0 ? [metaobjectProblems.incomplete.at(path, { keys: keys.join(', ') })] : []
}

export type ChangeView = ReturnType<typeof changeView>

/** The state as events compare it: fields by key, in the locale of the write. */
export function changeView(
  state: State<typeof shape>,
  { fields, translations }: FieldValues,
  { locale }: Context,
) {
  const others = (locale.otherTexts ?? []).map(({ locale: { requested } }) => [
    requested,
    { fields: translations[requested] ?? {} },
  ])
  const shown = { ...state.values, fields: { ...fields, ...translations[locale.requested] } }
  return others.length > 0 ? { ...shown, translations: Object.fromEntries(others) } : shown
}

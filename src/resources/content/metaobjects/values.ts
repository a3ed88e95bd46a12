/** The values of a metaobject's fields: merging what is written, and what its definition asks of them. */
import { budgets } from '../../../core/budgets.ts'
import { cut } from '../../../core/cut.ts'
import { bytesOf } from '../../../core/document.ts'
import type { Json } from '../../../core/json.ts'
import { isFallback, type Locale } from '../../../core/locale.ts'
import type { Violation } from '../../../core/problem.ts'
import { validationProblems } from '../../../core/problems/index.ts'
import type { Definition, FieldDefinition } from '../definitions/index.ts'
import {
  keptValue,
  type Reference,
  readValue,
  typeIri,
  type WrittenField,
  type WrittenFields,
} from '../field-types/index.ts'
import { type FieldValues, textAt } from './document.ts'
import { metaobjectProblems } from './problems.ts'
import type { Existing } from './store.ts'

/** Characters that the values of a metaobject may have together, in all locales. */
export const longestValues = 262_144

type Merged = { readonly values: FieldValues; readonly violations: readonly Violation[] }

/** Merges written fields into what is stored; a translatable field is written in the locale alone. */
export function mergedValues(
  definition: Definition,
  before: FieldValues,
  { replaces, entries }: WrittenFields,
  existing: readonly Existing[],
  { locale, fallbacks }: { readonly locale: Locale; readonly fallbacks: Json | undefined },
): Merged {
  const known = new Map(definition.fields.map((each) => [each.key, each]))
  const shared = new Map(replaces ? [] : Object.entries(before.fields))
  const own = new Map(replaces ? [] : Object.entries(before.translations[locale.asked] ?? {}))
  const seen = new Set<string>()
  const violations: Violation[] = []
  for (const entry of entries) {
    const { key, path } = entry
    const field = known.get(key)
    const value = keptValue(entry, field?.type)
    const written = { ...entry, value }
    if (seen.has(key)) violations.push(validationProblems.duplicate_item.at(`${path}.key`))
    seen.add(key)
    const target = field?.translatable ? own : shared
    if (value === null || isMissing(field, key, value)) target.delete(key)
    else if (!field) violations.push(validationProblems.unknown_property.at(path, { name: key, hint: '' }))
    else {
      const stored = field.translatable ? (before.translations[locale.asked] ?? {}) : before.fields
      violations.push(...valueViolations(field, written, textAt(stored, key) === value ? null : existing))
      target.set(key, value)
    }
  }
  const { [locale.asked]: _, ...others } = before.translations
  const translations = own.size > 0 ? { ...others, [locale.asked]: Object.fromEntries(own) } : others
  const values = { fields: Object.fromEntries(shared), translations }
  const length = textsOf(values).reduce((sum, [, value]) => sum + value.length, 0)
  if (length > longestValues)
    violations.push(validationProblems.too_long.at('fields', { maximum: longestValues }))
  const bytes = largestBytes(values)
  if (bytes > budgets.rowDocument)
    violations.push(
      validationProblems.document_too_large.at('fields', { bytes, maximum: budgets.rowDocument }),
    )
  if (referenceIdsOf(definition, values).length > budgets.references)
    violations.push(validationProblems.too_many_items.at('fields', { maximum: budgets.references }))
  return { values, violations }

  function isMissing(field: FieldDefinition | undefined, key: string, value: string): boolean {
    if (!field?.translatable || textAt(before.translations[locale.asked] ?? {}, key) !== null) return false
    const shown = locale.chain.map((each) => textAt(before.translations[each] ?? {}, key))
    return isFallback(fallbacks, `fields.${key}`, value, shown.find((each) => each !== null) ?? null)
  }
}

/** Bytes of the values in the language in which they take the most. */
function largestBytes({ fields, translations }: FieldValues): number {
  const weights = Object.values(translations).map((each) => bytesOf(JSON.stringify(each)))
  return bytesOf(JSON.stringify(fields)) + Math.max(0, ...weights)
}

/** `existing` is null for a value that is stored already: what it refers to may be gone since. */
function valueViolations(
  field: FieldDefinition,
  { key, value, type, path, valuePath }: WrittenField,
  existing: readonly Existing[] | null,
): Violation[] {
  const violations: Violation[] = []
  if (type !== null && type !== typeIri(field.type.slug)) {
    violations.push(validationProblems.identity_mismatch.at(`${path}.type`, { name: 'type' }))
  }
  const read = readValue(field.type, value ?? '', field.validations)
  if (!read) return [...violations, metaobjectProblems.field_invalid.at(valuePath, { key })]
  const missing = existing ? read.references.find((each) => !isThere(each, existing)) : undefined
  if (missing)
    violations.push(validationProblems.unknown_reference.at(valuePath, { iri: cut(missing.iri, 255) }))
  return violations
}

function isThere({ iri, definitionId }: Reference, existing: readonly Existing[]): boolean {
  return existing.some(
    (each) => each.iri === iri && (definitionId === null || definitionId === each.definitionId),
  )
}

/** Every value of every locale with its key. */
function textsOf({ fields, translations }: FieldValues): (readonly [string, string])[] {
  return [...Object.entries(fields), ...Object.values(translations).flatMap((each) => Object.entries(each))]
}

/** The metaobjects that the values of all locales refer to, each once. */
export function referenceIdsOf(definition: Definition, values: FieldValues): string[] {
  const known = new Map(definition.fields.map((each) => [each.key, each]))
  const ids = textsOf(values).flatMap(([key, value]) => {
    const type = known.get(key)?.type
    if (type?.refersTo !== 'metaobjects') return []
    return (readValue(type, value)?.references ?? []).map(({ id }) => id)
  })
  return [...new Set(ids)]
}

/**
 * The keys of required fields that keep a metaobject from being published: those without a value in any locale, and
 * when `existing` is given those that refer to something that is gone.
 */
export function incompleteKeys(
  definition: Definition,
  values: FieldValues,
  existing: readonly Existing[] | null,
): string[] {
  const texts = Map.groupBy(textsOf(values), ([key]) => key)
  const isComplete = ({ key, type, validations }: FieldDefinition) => {
    const own = texts.get(key) ?? []
    return (
      own.length > 0 &&
      own.every(([, value]) => {
        const read = readValue(type, value, validations)
        return read !== null && (!existing || read.references.every((each) => isThere(each, existing)))
      })
    )
  }
  return definition.fields.filter((each) => each.required && !isComplete(each)).map(({ key }) => key)
}

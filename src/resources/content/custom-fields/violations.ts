import { budgets } from '../../../core/budgets.ts'
import { cut } from '../../../core/cut.ts'
import type { Violation } from '../../../core/problem.ts'
import { validationProblems } from '../../../core/problems/index.ts'
import {
  keptValue,
  readValue,
  typeIn,
  typeIri,
  type WrittenField,
  type WrittenFields,
  writtenFields,
} from '../field-types/index.ts'
import { type CustomField, maximumCustomFields, metaobjectIdsOf, standardType } from './entries.ts'
import type { References } from './store.ts'

/** Characters that the values of a resource may have together. */
export const longestValues = 65_535

/** A state that holds custom fields. */
type Kept = { readonly values: { readonly fields: readonly CustomField[] } }

/** What a write of custom fields has come to: the property as it was written, and the states around it. */
type Written = {
  readonly fields: WrittenFields | null | undefined
  /** Null for a new resource. */
  readonly before: Kept | null
  readonly after: Kept
}

/**
 * What written custom fields tell by themselves to be wrong: two of one key, types that there are not, values that do not fit. The
 * type of one that names none is known where a list replaces all; elsewhere it may be stored.
 */
export function formViolations(fields: WrittenFields | null, at: (path: string) => string): Violation[] {
  const { replaces, entries } = writtenFields(fields)
  const seen = new Set<string>()
  return entries.flatMap((each): Violation[] => {
    const { key, path, valuePath } = each
    if (seen.has(key)) return [validationProblems.duplicate_item.at(at(`${path}.key`))]
    seen.add(key)
    if (each.value === null || (each.type === null && !replaces)) return []
    const type = typeIn(each.type ?? standardType)
    if (!type) return [validationProblems.invalid_iri.at(at(`${path}.type`), { expected: typeIri('{slug}') })]
    return readValue(type, keptValue(each, type) ?? '')
      ? []
      : [validationProblems.field_value.at(at(valuePath), { key })]
  })
}

/** What is wrong with written custom fields; `at` places them in the body. */
export function customFieldViolations(
  { fields, before, after }: Written,
  references: References,
  at: (path: string) => string = (path) => path,
): Violation[] {
  if (fields === undefined) return []
  const written = writtenFields(fields).entries
  const entries = new Map(after.values.fields.map((each) => [each.key, each]))
  const stored = new Map(before?.values.fields.map((each) => [each.key, each]))
  const found = written.flatMap((each, index) => {
    const entry = entries.get(each.key)
    const again = written.findIndex(({ key }) => key === each.key) < index
    if (again) return [validationProblems.duplicate_item.at(at(`${each.path}.key`))]
    return entry && each.value !== null ? entryViolations(each, entry, stored.get(each.key)) : []
  })
  const length = [...entries.values()].reduce((sum, { value }) => sum + value.length, 0)
  if (entries.size > maximumCustomFields) {
    found.push(validationProblems.too_many_items.at(at('fields'), { maximum: maximumCustomFields }))
  } else if (length > longestValues) {
    found.push(validationProblems.too_long.at(at('fields'), { maximum: longestValues }))
  } else if (metaobjectIdsOf(after.values.fields).length > budgets.references) {
    found.push(validationProblems.too_many_items.at(at('fields'), { maximum: budgets.references }))
  }
  return found

  function entryViolations(
    { path, valuePath }: WrittenField,
    { key, value, type }: CustomField,
    was: CustomField | undefined,
  ): Violation[] {
    const known = typeIn(type)
    if (!known)
      return [validationProblems.invalid_iri.at(at(`${path}.type`), { expected: typeIri('{slug}') })]
    const read = readValue(known, value)
    if (!read) return [validationProblems.field_value.at(at(valuePath), { key })]
    // What a stored value refers to may be gone since, and the value sent back as it was read.
    if (was?.value === value && was.type === type) return []
    const missing = read.references.find(({ iri }) => !references.existing.has(iri))
    if (!missing) return []
    return [validationProblems.unknown_reference.at(at(valuePath), { iri: cut(missing.iri, 255) })]
  }
}

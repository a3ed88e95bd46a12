import { keptValue, readValue, typeIn, typeIri, type WrittenFields } from '../field-types/index.ts'

/** A custom field as it is kept; what it refers to is found when it is read. */
export type CustomField = {
  readonly key: string
  readonly value: string
  /** The IRI of its type. */
  readonly type: string
  readonly metaobject: readonly []
}

/** How many custom fields a resource may have. */
export const maximumCustomFields = 50

/** The type of a custom field that names none. */
export const standardType = typeIri('single_line_text_field')

/**
 * What is kept after a write, in the order in which it was first written. Merging, a custom field keeps the type that it has
 * unless another is given; replacing, one without a type is text.
 */
export function mergedEntries(
  before: readonly CustomField[],
  { replaces, entries }: WrittenFields,
): CustomField[] {
  const kept = new Map(replaces ? [] : before.map((each) => [each.key, each]))
  for (const each of entries) {
    const { key } = each
    const type = each.type ?? kept.get(key)?.type ?? standardType
    const value = keptValue(each, typeIn(type))
    if (value === null) kept.delete(key)
    else kept.set(key, { key, value, type, metaobject: [] })
  }
  return [...kept.values()]
}

/** The metaobjects that custom fields refer to, each once. */
export function metaobjectIdsOf(fields: readonly CustomField[] | undefined): string[] {
  return [...new Set(fields?.flatMap(metaobjectIdsIn))]
}

/** The metaobjects that a custom field refers to, in its order. */
export function metaobjectIdsIn({ type, value }: Pick<CustomField, 'type' | 'value'>): string[] {
  const known = typeIn(type)
  if (known?.refersTo !== 'metaobjects') return []
  return (readValue(known, value)?.references ?? []).map(({ id }) => id)
}

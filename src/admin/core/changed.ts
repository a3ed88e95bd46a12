/** The changes of a form, as a merge patch: untouched properties are not sent, so nothing else can be lost. */

export type Json =
  | null
  | boolean
  | number
  | string
  | readonly Json[]
  | { readonly [name: string]: Json | undefined }
export type Fields = { readonly [name: string]: Json | undefined }

/** The merge patch (RFC 7396) that leads from one document to the other; null when they are the same. */
export function changed(before: Fields, after: Fields): Fields | null {
  const patch: Record<string, Json> = {}
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    if (name.startsWith('@') || name === 'id' || name === 'originId' || !(name in after)) continue
    const [was, is] = [written(before[name]), written(after[name])]
    if (same(was, is)) continue
    patch[name] = isFields(was) && isFields(is) ? (merged(was, is) as Json) : is
  }
  return Object.keys(patch).length > 0 ? patch : null
}

/** A value in the form in which it is written: an embedded document as its IRI, an empty value as null. */
export function written(value: Json | undefined): Json {
  if (value === undefined || value === '') return null
  if (Array.isArray(value)) return (value as readonly Json[]).map(written)
  if (!isFields(value)) return value as Json
  if (typeof value['@id'] === 'string') return value['@id']
  const members = Object.entries(value).filter(([name]) => !name.startsWith('@'))
  const kept = members.map(([name, each]) => [name, written(each)] as const)
  return kept.some(([, each]) => each !== null) ? Object.fromEntries(kept) : null
}

/** A new document, without its empty members. */
export function filledIn(fields: Fields): Fields {
  const members = Object.entries(fields).map(([name, each]) => [name, written(each)] as const)
  return Object.fromEntries(members.filter(([, each]) => each !== null))
}

function merged(before: Fields, after: Fields): Fields {
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  const members = [...names].map((name) => [name, before[name] ?? null, after[name] ?? null] as const)
  return Object.fromEntries(members.flatMap(([name, was, is]) => (same(was, is) ? [] : [[name, is]])))
}

export function isFields(value: Json | undefined): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function same(one: Json, other: Json): boolean {
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((each, index) => same(each, other[index]))
  }
  if (isFields(one) && isFields(other)) {
    const names = new Set([...Object.keys(one), ...Object.keys(other)])
    return [...names].every((name) => same(one[name] ?? null, other[name] ?? null))
  }
  return one === other
}

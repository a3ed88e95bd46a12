/** Values of fields: always text, JSON text for lists and structures. Pure: what they refer to is looked up elsewhere. */
import { idIn } from '../../../core/iri.ts'
import { isJsonArray, isJsonObject, type Json } from '../../../core/json.ts'
import { isWebAddress } from '../../property-schemas.ts'
import { forms, longestList, parsed, type Rule, type Rules, rulesOf } from './rules.ts'
import type { FieldType, ReferenceKind } from './types.ts'

/** UTF-16 units that a value may have. */
export const longestValue = 65_535

/** A resource that a value refers to, and has to be there. */
export type Reference = {
  readonly kind: ReferenceKind
  readonly id: string
  readonly iri: string
  /** The definition that the metaobject referred to must be a record of; null for any. */
  readonly definitionId: string | null
}

/** Reads a value of a type under a definition's rules: what it refers to, in its order, or null when it does not fit. */
export function readValue(
  type: FieldType,
  value: string,
  rules: readonly Rule[] = [],
): { readonly references: readonly Reference[] } | null {
  if (value.length > longestValue || value.includes('\0') || !value.isWellFormed()) return null
  const entries = type.list ? entriesIn(type, value) : [value]
  const asked = rulesOf(type, rules)
  if (!entries || (type.list && !(entries.length >= asked.least && entries.length <= asked.most))) return null
  if (type.refersTo) return readReferences(entries, type.refersTo, asked)
  const fits = type.base === 'url' ? isUrl : forms[type.base]
  return fits && entries.every((entry) => fits(entry) && asked.tests.every((test) => test(entry)))
    ? { references: [] }
    : null
}

function isUrl(entry: string): boolean {
  return entry.length <= 2048 && isWebAddress(entry)
}

function readReferences(entries: readonly string[], kind: ReferenceKind, { definitionId }: Rules) {
  const references = entries.flatMap((iri) => {
    const id = referredId(iri, kind)
    return id === null ? [] : [{ kind, id, iri, definitionId }]
  })
  return references.length === entries.length ? { references } : null
}

function referredId(text: string, kind: ReferenceKind): string | null {
  return idIn(text, kind === 'variants' ? '/api/products/{productId}/variants' : `/api/${kind}`)
}

/** The entries of a list as the texts that single values would be; null for what is no list of its type. */
function entriesIn({ base }: FieldType, value: string): string[] | null {
  const list = parsed(value)
  if (!isJsonArray(list) || list.length > longestList) return null
  const texts = list.map((entry) => textOf(entry, base))
  return texts.every((each) => each !== null) ? texts : null
}

function textOf(entry: Json, base: FieldType['base']): string | null {
  if (base === 'json') return JSON.stringify(entry)
  if (base === 'money') return isJsonObject(entry) ? JSON.stringify(entry) : null
  if (typeof entry === 'number') return base.startsWith('number_') ? String(entry) : null
  if (typeof entry === 'boolean') return base === 'boolean' ? String(entry) : null
  return typeof entry === 'string' ? entry : null
}

const anyId = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g

/** The ids that some values could refer to whatever their types are, so that one read can look for all of them. */
export function possibleReferences(values: readonly string[]): string[] {
  return [...new Set(values.flatMap((value) => value.match(anyId) ?? []))]
}

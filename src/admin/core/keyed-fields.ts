/** Custom data as forms hold it: by key, so that a change names its key alone and two people meet only where both write. */
import { type Fields, isFields, type Json } from './changed.ts'

/** A document whose `fields`, which the API lists as entries, are an object by key. */
export function withKeyedFields(document: Fields): Fields {
  const { fields } = document
  if (!Array.isArray(fields)) return document
  const entries = (fields as readonly Json[]).flatMap((each) =>
    isFields(each)
      ? [[inForm(String(each.key)), { value: each.value ?? null, type: each.type ?? null }]]
      : [],
  )
  return { ...document, fields: Object.fromEntries(entries) }
}

/** The members of a document that a write sends: its fields by the keys of the API. */
export function withOwnKeys(written: Fields): Fields {
  const { fields } = written
  if (!isFields(fields)) return written
  const entries = Object.entries(fields).map(([key, each]) => [ownKey(key), each])
  return { ...written, fields: Object.fromEntries(entries) }
}

/** A key of custom data as the name of an input: a point would begin another level there. */
export function inForm(key: string): string {
  return key.replaceAll('.', dot)
}

/** The key in the name of an input. */
export function ownKey(name: string): string {
  return name.replaceAll(dot, '.')
}

const dot = '\u2024'

/** Custom fields as they are written: an array replaces them all, an object keyed by field key merges (RFC 7396 §2). */
import { z } from 'zod'
import type { Json } from '../../core/json.ts'

const entry = z.object({
  key: z.string().max(64),
  value: z.string(),
  /** Sent back with a whole document. */
  type: z.string().optional(),
  metaobject: z.unknown().optional(),
})

const member = z.union([z.string(), entry.partial().extend({ value: z.string().nullable() }), z.null()])

/** One field as it was written; a null value removes it. */
export type WrittenField = {
  readonly key: string
  readonly value: string | null
  readonly type: string | null
  /** `fields[0]`, `fields.size` */
  readonly path: string
  /** Where the value itself stands: `fields[0].value`, `fields.size`. */
  readonly valuePath: string
}

/** What a body says of an owner's fields. Plain JSON. */
export type WrittenFields = { readonly replaces: boolean; readonly entries: readonly WrittenField[] }

export const fieldsInput = z.union([
  z.array(entry).max(250).transform(replacing),
  z
    .record(z.string().max(64), member)
    .refine((all) => Object.keys(all).length <= 250)
    .transform(merging),
])

function replacing(list: readonly z.infer<typeof entry>[]): WrittenFields {
  return {
    replaces: true,
    entries: list.map(({ key, value, type = null }, index) => ({
      key,
      value,
      type,
      path: `fields[${index}]`,
      valuePath: `fields[${index}].value`,
    })),
  }
}

function merging(all: Readonly<Record<string, z.infer<typeof member>>>): WrittenFields {
  return {
    replaces: false,
    entries: Object.entries(all).map(([key, each]) => {
      const path = `fields.${key}`
      if (each === null || typeof each === 'string')
        return { key, value: each, type: null, path, valuePath: path }
      return { key, value: each.value, type: each.type ?? null, path, valuePath: `${path}.value` }
    }),
  }
}

/** What a body writes: `fields: null` removes them all, absence writes nothing. */
export function writtenFields(fields: Json | undefined): WrittenFields {
  if (fields === null) return { replaces: true, entries: [] }
  // The shape of the body has read it with `fieldsInput`.
  return (fields as unknown as WrittenFields | undefined) ?? { replaces: false, entries: [] }
}

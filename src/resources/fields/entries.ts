import * as z from 'zod'
import { relativeIri } from '../../core/iri.ts'
import { isJsonArray } from '../../core/json.ts'
import type { Message } from '../../core/problem.ts'
import { validationProblems } from '../../core/problems/validation.ts'
import { embeds, shownAs } from '../../core/schema.ts'
import { violation } from '../../core/violations.ts'
import { atMost } from '../../core/zod.ts'
import { type FieldType, parsed } from './types.ts'

/** Fields in a request body: an array replaces all, an object by field key merges (RFC 7396 §2). */

/** Values are texts. A number or boolean is converted to its JSON text. */
const value = z.union([z.string(), z.number(), z.boolean()]).transform(String)

const iriText = z.string().transform(relativeIri)

const entry = z.object({
  key: z.string(),
  value,
  type: z.union([iriText, z.looseObject({ '@id': iriText }).transform((type) => type['@id'])]).optional(),
  /** Accepted so that a response can be sent back. */
  metaobject: z.unknown().optional(),
})

const shownExample = {
  key: 'material',
  value: 'Cotton',
  type: '/api/metafield_definition_types/single_line_text_field',
  metaobject: [],
}

const shownEntry = z
  .object({
    key: z.string(),
    value: z.string(),
    type: z.string().meta({ format: 'uri-reference' }),
    metaobject: z.array(embeds('Metaobject')),
  })
  .meta({ examples: [shownExample] })

const member = z.union([value, entry.partial().extend({ value: value.nullable() }), z.null()])

/** One field of a request body; a null value removes it. */
export type WrittenField = {
  readonly key: string
  readonly value: string | null
  /** The value as a reference: IRIs with the tenant's host become relative. */
  readonly reference: string | null
  readonly type: string | null
  /** `fields[0]`, `fields.size` */
  readonly path: string
  /** The path of the value: `fields[0].value`, `fields.size`. */
  readonly valuePath: string
}

/** The property `fields` of a request body. Plain JSON. */
export type WrittenFields = { readonly replaces: boolean; readonly entries: readonly WrittenField[] }

type Limits = {
  /** Maximum number of fields in a body. */
  readonly maximum: number
  /** The pattern of keys, and its description in messages. */
  readonly key: { readonly pattern: RegExp; readonly format: Message }
}

/** The schema of a property `fields`. Parses a body into `WrittenFields`. */
export function fieldsInput({ maximum, key }: Limits) {
  const badKey = { code: 'custom' as const, ...violation(validationProblems.pattern.at('', key)) }
  const list = z
    .array(entry)
    .max(maximum)
    .check(({ value: entries, issues }) => {
      for (const [index, entry] of entries.entries()) {
        if (!key.pattern.test(entry.key)) issues.push({ ...badKey, input: entry.key, path: [index, 'key'] })
      }
    })
    .transform(parseList)
  const keyed = atMost(maximum, z.record(z.string(), member))
    .check(({ value: all, issues }) => {
      for (const name of Object.keys(all)) {
        if (!key.pattern.test(name)) issues.push({ ...badKey, input: name, path: [name] })
      }
    })
    .transform(parseObject)
  return shownAs(z.union([list, keyed]), z.array(shownEntry))
}

function parseList(list: readonly z.infer<typeof entry>[]): WrittenFields {
  return {
    replaces: true,
    entries: list.map(({ key, value, type = null }, index) => ({
      key,
      value,
      reference: referenceOf(value),
      type,
      path: `fields[${index}]`,
      valuePath: `fields[${index}].value`,
    })),
  }
}

function parseObject(all: Readonly<Record<string, z.infer<typeof member>>>): WrittenFields {
  return {
    replaces: false,
    entries: Object.entries(all).map(([key, input]) => {
      const path = `fields.${key}`
      if (input === null || typeof input === 'string')
        return { key, value: input, reference: referenceOf(input), type: null, path, valuePath: path }
      const { value, type = null } = input
      return { key, value, reference: referenceOf(value), type, path, valuePath: `${path}.value` }
    }),
  }
}

function referenceOf(text: string | null): string | null {
  if (!text?.includes('://')) return text
  if (!text.trimStart().startsWith('[')) return relativeIri(text)
  const list = parsed(text)
  if (!isJsonArray(list)) return text
  const relative = list.map((item) => (typeof item === 'string' ? relativeIri(item) : item))
  return relative.some((item, index) => item !== list[index]) ? JSON.stringify(relative) : text
}

/** The value to store, after its type has been resolved. */
export function storedValue(
  { value, reference }: WrittenField,
  type: FieldType | null | undefined,
): string | null {
  return type?.refersTo ? reference : value
}

/** Normalizes the property: `null` removes all fields, absence changes none. */
export function writtenFields(fields: WrittenFields | null | undefined): WrittenFields {
  if (fields === null) return { replaces: true, entries: [] }
  return fields ?? { replaces: false, entries: [] }
}

/** The types that a field can have, as the service names them. */
import { useQuery } from '@tanstack/react-query'
import { call } from '../core/http.ts'
import { useWords } from '../core/i18n.ts'
import type { Messages } from '../messages/en.ts'

/** One rule of a field definition, as a text. */
export type Rule = { readonly name: string; readonly value: string }

/** A field of a definition. */
export type FieldDefinition = {
  readonly key: string
  readonly name: string | null
  /** `/api/metafield_definition_types/date` */
  readonly type: string
  readonly required: boolean
  readonly translatable: boolean
  readonly validations: readonly Rule[]
}

/** A kind of metaobjects. */
export type Definition = {
  readonly '@id': string
  readonly type: string
  readonly name: string | null
  readonly fieldDefinitions: readonly FieldDefinition[]
}

type FieldType = { readonly '@id': string; readonly slug: string; readonly validations: readonly string[] }

/** Every type, with the rules that a definition may add to it. */
export function useFieldTypes(): readonly FieldType[] {
  const { data = [] } = useQuery({
    queryKey: ['metafield_definition_types'],
    queryFn: async () =>
      (await call('/api/metafield_definition_types?itemsPerPage=100')).json.member as FieldType[],
    staleTime: Number.POSITIVE_INFINITY,
  })
  return data
}

/** `/api/metafield_definition_types/list.date` → the base type `date`, and whether it is a list of it. */
export function typeIn(iri: string | null | undefined): { readonly base: string; readonly isList: boolean } {
  const slug = iri?.split('/').at(-1) ?? 'single_line_text_field'
  return slug.startsWith('list.') ? { base: slug.slice(5), isList: true } : { base: slug, isList: false }
}

/** Names a type by its IRI in the language of the interface. */
export function useTypeNames(): (iri: string) => string {
  const words = useWords('content')
  return (iri) => typeName(iri, words)
}

export function typeName(iri: string, words: Messages['content']): string {
  const { base, isList } = typeIn(iri)
  const name = words.types[base] ?? base
  return isList ? words.listOf(name) : name
}

/** The texts of a rule whose value is a JSON list of texts; none for what is no such list. */
export function textsIn(value: string | undefined): string[] {
  try {
    const list: unknown = JSON.parse(value ?? '[]')
    return Array.isArray(list) ? list.filter((each) => typeof each === 'string') : []
  } catch {
    return []
  }
}

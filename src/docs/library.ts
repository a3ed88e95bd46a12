import type { Json } from '../core/json.ts'
import type { Resource } from '../core/operation.ts'
import { contextOf } from './contexts.ts'
import { entrypoint } from './entrypoint.ts'
import { apiDocumentation } from './hydra.ts'
import { openApi } from './openapi.ts'
import { shownWithin } from './openapi-schemas.ts'
import type { Publication } from './publication.ts'

/** For whom a document is written. */
export type Reader = Pick<Publication, 'dialect' | 'origin' | 'everyName'>

/** The documents of a list of resources as JSON text. */
export type Library = {
  readonly entrypoint: (reader: Reader) => string
  readonly apiDocumentation: (reader: Reader) => string
  readonly openApi: (reader: Reader) => string
  /** The JSON Schemas of a type's documents within a list, and of what they refer to, by type. */
  readonly schemas: (type: string, reader: Reader) => string
  /** What stands behind `@context`; null for a type that there is not. */
  readonly context: (type: string, reader: Reader) => string | null
}

const nothing = 'null'

/** Stands for the host in what is kept, so that many tenants share one text. */
const anyOrigin = 'https://origin.invalid'

/** Makes each document once for each version, when it is first asked for. */
export function libraryOf(resources: readonly Resource[]): Library {
  const kept = new Map<string, string>()
  const text = (name: string, { dialect, origin, everyName }: Reader, make: (of: Publication) => Json) => {
    const key = `${name} ${dialect.version.name} ${everyName}`
    const made = kept.get(key) ?? JSON.stringify(make({ resources, dialect, origin: anyOrigin, everyName }))
    // A type that is made up is not kept: anybody may ask for any number of them.
    if (made !== nothing) kept.set(key, made)
    return made.replaceAll(anyOrigin, origin)
  }
  return {
    entrypoint: (reader) => text('entrypoint', reader, entrypoint),
    apiDocumentation: (reader) => text('hydra', reader, apiDocumentation),
    openApi: (reader) => text('openapi', reader, openApi),
    schemas: (type, reader) =>
      text(`schemas ${type}`, reader, (publication) => shownWithin(type, publication)),
    context(type, reader) {
      const made = text(`context ${type}`, reader, (publication) => contextOf(type, publication))
      return made === nothing ? null : made
    },
  }
}

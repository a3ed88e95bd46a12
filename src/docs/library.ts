/** What is published, whether it is made on the spot or was made by `npm run build`. Nothing here makes a document. */
import type { Publication } from './publication.ts'

/** For whom a document is written. */
export type Reader = Pick<Publication, 'dialect' | 'origin' | 'everyName'>

/**
 * `context-Product` is what a type's `/api/contexts/…` answers. `schemas-Category` are the JSON Schemas of a type's documents
 * within a list, and of what they refer to, by type.
 */
export type DocumentName = 'entrypoint' | 'hydra' | 'openapi' | `context-${string}` | `schemas-${string}`

/** A document as JSON text. */
type Published = {
  /** Another one whenever the text is. */
  readonly tag: string
  readonly text: () => string
}

/** The documents of a list of resources; null for a type that there is not. */
export type Library = (name: DocumentName, reader: Reader) => Promise<Published | null>

/** The file with the version of the schema that the Worker was built with: `{name}`. */
export const schemaVersionFile = '/published/schema.json'

/** Stands for the host in what is kept, so that many tenants share one text. */
export const anyOrigin = 'https://origin.invalid'

/** A reader of whatever host. */
export type AnyReader = Omit<Reader, 'origin'>

/** The file of a document: its path tells all that it depends on but for the host. */
export function fileOf(name: DocumentName, { dialect, everyName }: AnyReader): string {
  return `/published/${dialect.version.name}${everyName && isContext(name) ? '-every' : ''}-${name}.json`
}

/** Contexts alone know the names of other versions, and may be asked for by a type that is made up. */
export function isContext(name: DocumentName): boolean {
  return name.startsWith('context-')
}

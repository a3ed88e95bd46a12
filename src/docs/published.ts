import type { Publication } from './publication.ts'

/** The version and host that a document is published for. */
export type Reader = Pick<Publication, 'apiVersion' | 'origin' | 'everyName'>

/**
 * The name of a published document. `context-Product` is the document at `/api/contexts/Product`.
 * `tool-list_categories` is the description of a tool, as `tools/list` returns it.
 */
export type DocumentName = 'entrypoint' | 'hydra' | 'openapi' | `context-${string}` | `tool-${string}`

type Published = {
  /** Differs whenever the text differs. */
  readonly tag: string
  readonly text: () => string
}

/**
 * Reads the documents of a list of resources. Returns null for an unknown type. The text is either generated
 * per request or read from the files of `npm run build`.
 */
export type DocumentReader = (name: DocumentName, reader: Reader) => Promise<Published | null>

/** The file with the schema version that the Worker was built for: `{name}`. */
export const schemaVersionFile = '/published/schema.json'

/** The placeholder for the host in stored documents, so that many tenants share one text. */
export const anyOrigin = 'https://origin.invalid'

/** A version, without a host. */
export type AnyReader = Omit<Reader, 'origin'>

/** The file of a document. Its path contains everything that the document depends on, except the host. */
export function fileOf(name: DocumentName, { apiVersion, everyName }: AnyReader): string {
  return `/published/${apiVersion.version.name}${everyName && isContext(name) ? '-every' : ''}-${name}.json`
}

/**
 * Whether a document is a JSON-LD context. Only contexts contain the names of other versions, and only their
 * URLs contain a type that may not exist.
 */
export function isContext(name: DocumentName): boolean {
  return name.startsWith('context-')
}

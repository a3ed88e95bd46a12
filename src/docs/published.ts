import type { Json } from '../core/json.ts'
import type { Resource } from '../core/operation.ts'
import type { ApiVersion } from '../core/versions.ts'
import { apiDocumentation } from './hydra.ts'
import { contextOf, entrypoint, entrypointType } from './json-ld.ts'
import { openApi } from './openapi.ts'
import { schemasWithinList } from './openapi-schemas.ts'
import { problemShapes } from './problem-shapes.ts'
import type { Publication } from './publication.ts'

/** The version and host that a document is published for. */
export type Reader = Pick<Publication, 'dialect' | 'origin' | 'everyName'>

/**
 * The name of a published document. `context-Product` is the document at `/api/contexts/Product`.
 * `schemas-Category` contains the JSON Schemas of a type's documents within a list and of the types that they
 * refer to, by type.
 */
export type DocumentName = 'entrypoint' | 'hydra' | 'openapi' | `context-${string}` | `schemas-${string}`

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
export function fileOf(name: DocumentName, { dialect, everyName }: AnyReader): string {
  return `/published/${dialect.version.name}${everyName && isContext(name) ? '-every' : ''}-${name}.json`
}

/**
 * Whether a document is a JSON-LD context. Only contexts contain the names of other versions, and only their
 * URLs contain a type that may not exist.
 */
export function isContext(name: DocumentName): boolean {
  return name.startsWith('context-')
}

/**
 * The text of a document, generated from the resources. Null for an unknown type. The Worker reads it from
 * files instead, so its bundle does not contain this code.
 */
export function documentOf(name: DocumentName, publication: Publication): string | null {
  const everyName = publication.everyName && isContext(name)
  const content = contentOf(name, { ...publication, everyName })
  return content === null ? null : JSON.stringify(content)
}

function contentOf(name: DocumentName, publication: Publication): Json {
  if (name === 'entrypoint') return entrypoint(publication)
  if (name === 'hydra') return apiDocumentation(publication)
  if (name === 'openapi') return openApi(publication)
  const [kind, type = ''] = name.split('-')
  if (kind === 'schemas') return schemasWithinList(type, publication)
  const context = contextOf(type, publication)
  return context && { '@context': context }
}

/** Generates each document once for each version, on its first request. */
export function libraryOf(resources: readonly Resource[]): DocumentReader {
  const textsByFile = new Map<string, string>()
  return async (name, { dialect, origin, everyName }) => {
    const file = fileOf(name, { dialect, everyName })
    const template =
      textsByFile.get(file) ?? documentOf(name, { resources, dialect, origin: anyOrigin, everyName })
    if (template === null) return null
    textsByFile.set(file, template)
    const text = template.replaceAll(anyOrigin, origin)
    return { tag: text, text: () => text }
  }
}

/** Every document of these resources in these versions, with each reader that it is generated for. */
export function everyDocument(
  resources: readonly Resource[],
  dialects: ReadonlyMap<string, ApiVersion>,
): { readonly name: DocumentName; readonly reader: AnyReader }[] {
  const types = [...resources.map(({ shape }) => shape), ...problemShapes].map(({ type }) => type)
  const shownToModels = resources.flatMap(({ operations }) =>
    operations.flatMap(({ tool, shape }) => (tool ? [shape.type] : [])),
  )
  const names: DocumentName[] = [
    'entrypoint',
    'hydra',
    'openapi',
    ...[...new Set([entrypointType, ...types])].map((type) => `context-${type}` as const),
    ...[...new Set(shownToModels)].map((type) => `schemas-${type}` as const),
  ]
  return [...dialects.values()].flatMap((dialect) =>
    names.flatMap((name) =>
      (isContext(name) ? [false, true] : [false]).map((everyName) => ({
        name,
        reader: { dialect, everyName },
      })),
    ),
  )
}

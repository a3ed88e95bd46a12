import type { Json } from '../core/json.ts'
import type { Resource } from '../core/operation.ts'
import type { ApiVersion } from '../core/versions.ts'
import { apiDocumentation } from './hydra.ts'
import { contextOf, entrypoint, entrypointType } from './json-ld.ts'
import { openApi } from './openapi.ts'
import { shownWithin } from './openapi-schemas.ts'
import { problemShapes } from './problem-shapes.ts'
import type { Publication } from './publication.ts'

/** What is published, whether it is made on the spot or was made by `npm run build`. Nothing here makes a document. */

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
export type DocumentReader = (name: DocumentName, reader: Reader) => Promise<Published | null>

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

/** Makes what is published from the resources. The Worker has it as files: nothing of it is in its bundle. */

/** The text of a document; null for a type that there is not. */
export function documentOf(name: DocumentName, publication: Publication): string | null {
  const everyName = publication.everyName && isContext(name)
  const made = contentOf(name, { ...publication, everyName })
  return made === null ? null : JSON.stringify(made)
}

function contentOf(name: DocumentName, publication: Publication): Json {
  if (name === 'entrypoint') return entrypoint(publication)
  if (name === 'hydra') return apiDocumentation(publication)
  if (name === 'openapi') return openApi(publication)
  const [kind, type = ''] = name.split('-')
  if (kind === 'schemas') return shownWithin(type, publication)
  const context = contextOf(type, publication)
  return context && { '@context': context }
}

/** Makes each document once for each version, when it is first asked for. */
export function libraryOf(resources: readonly Resource[]): DocumentReader {
  const kept = new Map<string, string>()
  return async (name, { dialect, origin, everyName }) => {
    const file = fileOf(name, { dialect, everyName })
    const made = kept.get(file) ?? documentOf(name, { resources, dialect, origin: anyOrigin, everyName })
    if (made === null) return null
    kept.set(file, made)
    const text = made.replaceAll(anyOrigin, origin)
    return { tag: text, text: () => text }
  }
}

/** Every document of these resources in these versions, with each reader that it is made for. */
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

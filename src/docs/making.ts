/** Makes what is published from the resources. The Worker has it as files: nothing of it is in its bundle. */
import type { Json } from '../core/json.ts'
import type { Resource } from '../core/operation.ts'
import type { Dialect } from '../core/versions.ts'
import { contextOf } from './contexts.ts'
import { entrypoint, entrypointType } from './entrypoint.ts'
import { apiDocumentation } from './hydra.ts'
import { type AnyReader, anyOrigin, type DocumentName, fileOf, isContext, type Library } from './library.ts'
import { openApi } from './openapi.ts'
import { shownWithin } from './openapi-schemas.ts'
import { problemShapes } from './problem-shapes.ts'
import type { Publication } from './publication.ts'

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
export function libraryOf(resources: readonly Resource[]): Library {
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
  dialects: ReadonlyMap<string, Dialect>,
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

/** Generates the published documents from the resources. The Worker reads them as files, so this code is not in its bundle. */
import type { Json } from '../core/json.ts'
import type { Resource } from '../core/operation.ts'
import type { ApiVersion } from '../core/versions.ts'
import { apiDocumentation } from './hydra.ts'
import { entrypoint, entrypointType, jsonLdContext } from './json-ld.ts'
import { openApi } from './openapi.ts'
import { problemShapes } from './problem-shapes.ts'
import type { Publication } from './publication.ts'
import {
  type AnyReader,
  anyOrigin,
  type DocumentName,
  type DocumentReader,
  fileOf,
  isContext,
} from './published.ts'
import { toolDescription } from './tools.ts'

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
  if (kind === 'tool') return toolDescription(type, publication)
  const context = jsonLdContext(type, publication)
  return context && { '@context': context }
}

/** Generates each document once for each version, on its first request. */
export function libraryOf(resources: readonly Resource[]): DocumentReader {
  const textsByFile = new Map<string, string>()
  return async (name, { apiVersion, origin, everyName }) => {
    const file = fileOf(name, { apiVersion, everyName })
    const template =
      textsByFile.get(file) ?? documentOf(name, { resources, apiVersion, origin: anyOrigin, everyName })
    if (template === null) return null
    textsByFile.set(file, template)
    const text = template.replaceAll(anyOrigin, () => origin)
    return { tag: text, text: () => text }
  }
}

/** Every document of these resources in these versions, with each reader that it is generated for. */
export function everyDocument(
  resources: readonly Resource[],
  apiVersions: ReadonlyMap<string, ApiVersion>,
): { readonly name: DocumentName; readonly reader: AnyReader }[] {
  const types = [...resources.map(({ shape }) => shape), ...problemShapes].map(({ type }) => type)
  const tools = resources.flatMap(({ operations }) => operations.flatMap(({ tool }) => tool?.name ?? []))
  const names: DocumentName[] = [
    'entrypoint',
    'hydra',
    'openapi',
    ...[...new Set([entrypointType, ...types])].map((type) => `context-${type}` as const),
    ...tools.map((name) => `tool-${name}` as const),
  ]
  return [...apiVersions.values()].flatMap((apiVersion) =>
    names.flatMap((name) =>
      (isContext(name) ? [false, true] : [false]).map((everyName) => ({
        name,
        reader: { apiVersion, everyName },
      })),
    ),
  )
}

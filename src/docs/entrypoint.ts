import type { Json } from '../core/json.ts'
import { collectionsIn, listName, type Publication } from './publication.ts'

/** The `@type` of `/api` itself. */
export const entrypointType = 'Entrypoint'

/** `/api`: one member for each collection, which is where a Hydra client begins. */
export function entrypoint(publication: Publication): Json {
  const members = collectionsIn(publication).map(({ resource, operation }) => [
    listName(resource, operation),
    operation.path,
  ])
  return {
    '@context': `/api/contexts/${entrypointType}`,
    '@id': '/api',
    '@type': entrypointType,
    ...Object.fromEntries(members),
  }
}

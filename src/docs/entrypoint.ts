import type { Json } from '../core/json.ts'
import { collectionsIn, memberName, type Publication } from './publication.ts'

/** The `@type` of `/api` itself. */
export const entrypointType = 'Entrypoint'

/** `/api`: one member for each collection, which is where a Hydra client begins. */
export function entrypoint(publication: Publication): Json {
  const members = collectionsIn(publication).map(({ resource: { shape } }) => [
    memberName(shape.type),
    shape.collection,
  ])
  return {
    '@context': `/api/contexts/${entrypointType}`,
    '@id': '/api',
    '@type': entrypointType,
    ...Object.fromEntries(members),
  }
}

import type { JsonObject } from '../core/json.ts'
import type { Shape } from '../core/property.ts'
import { hydraOperation } from './hydra-operations.ts'
import { allOperations, camelCase, isItemPath, type Publication } from './publication.ts'

/** Something that is reached below an item: `/api/products/{productId}/variants`. */
export type Below = {
  readonly name: string
  readonly of: string
  readonly operations: JsonObject[]
  readonly many: boolean
}

/** What is reached below the items of a shape, each with what can be done there. */
export function listsBelow({ collection }: Shape, publication: Publication): Below[] {
  const pattern = new RegExp(`^${collection.replaceAll('{', '\\{')}/\\{\\w+\\}/(\\w+)(/\\{\\w+\\})?$`)
  const found = allOperations(publication).flatMap(({ resource, operation }) => {
    const segment = pattern.exec(operation.path)?.[1]
    // An item of its own is described by its own class.
    return segment === undefined || isItemPath(resource.shape, operation.path) ? [] : [{ segment, operation }]
  })
  return [...Map.groupBy(found, ({ segment }) => segment)].flatMap(([segment, group]) =>
    group.slice(0, 1).map(({ operation: { shape } }) => ({
      name: camelCase(segment),
      of: shape.type,
      operations: group.map(({ operation }) => hydraOperation(operation)),
      many: group.some(({ operation }) => operation.answers === 'collection'),
    })),
  )
}

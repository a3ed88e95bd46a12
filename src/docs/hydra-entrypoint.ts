import type { JsonObject } from '../core/json.ts'
import { entrypointType } from './entrypoint.ts'
import { hydraOperation } from './hydra-operations.ts'
import { collectionRange, written } from './hydra-ranges.ts'
import { collectionsIn, memberName, operationsIn, type Publication } from './publication.ts'

/** The class of `/api`: a property for each collection, with what can be done with it. */
export function entrypointClass(publication: Publication): JsonObject {
  return {
    '@id': `#${entrypointType}`,
    '@type': 'Class',
    title: entrypointType,
    description: 'Where the service begins: one link for each collection.',
    supportedProperty: collectionsIn(publication).map(({ resource, operation }) => {
      const { type, collection } = resource.shape
      const name = memberName(type)
      const operations = operationsIn(resource, publication.dialect).filter(({ path }) => path === collection)
      return {
        '@type': 'SupportedProperty',
        property: {
          '@id': `#${entrypointType}/${name}`,
          '@type': 'Link',
          label: name,
          domain: `#${entrypointType}`,
          range: collectionRange(type),
          maxCardinality: 1,
          supportedOperation: operations.map((each) => hydraOperation(each)),
        },
        title: name,
        required: false,
        readable: true,
        ...written(false),
        description: `${operation.summary}.`,
      }
    }),
    supportedOperation: [
      {
        '@type': ['Operation', 'schema:FindAction'],
        method: 'GET',
        title: 'Read the entrypoint',
        label: 'Read the entrypoint',
        description: 'Read the entrypoint',
        returns: `#${entrypointType}`,
      },
    ],
  }
}

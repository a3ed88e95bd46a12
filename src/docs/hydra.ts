import type { Json } from '../core/json.ts'
import { classOf } from './hydra-classes.ts'
import { entrypointClass } from './hydra-entrypoint.ts'
import { problemShapes } from './problem-shapes.ts'
import { type Publication, writtenOnly } from './publication.ts'
import { documentationTerms, prefixes } from './vocabulary.ts'

/** `/api/docs.jsonld`: every class, property and operation of a version, in the Hydra Core Vocabulary. */
export function apiDocumentation(publication: Publication): Json {
  const { resources, dialect, origin } = publication
  const address = '/api/docs.jsonld'
  return {
    '@context': {
      // Names stay the same whatever query the documentation was asked for with.
      '@base': `${origin}${address}`,
      ...prefixes,
      ...documentationTerms,
    },
    '@id': address,
    '@type': 'ApiDocumentation',
    title: 'Product catalogue',
    description: `Products, their variants and their prices, version ${dialect.version.name}.`,
    entrypoint: '/api',
    supportedClass: [
      entrypointClass(publication),
      ...resources.map((resource) => classOf(resource, publication)),
      ...[...writtenOnly(publication), ...problemShapes].map((shape) =>
        classOf({ shape, operations: [], problems: [] }, publication),
      ),
    ],
  }
}

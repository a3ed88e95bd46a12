import type { Operation } from '../core/operation.ts'
import { metaOf } from '../core/schema-meta.ts'

/** The `search` of a list: an IRI template (RFC 6570) with every parameter that its operation reads. */
export function searchOf({ query }: Operation, path: string): object {
  const variables = [...Object.keys(query), 'properties[]']
  return {
    '@type': 'IriTemplate',
    template: `${path}{?${variables.join(',')}}`,
    variableRepresentation: 'BasicRepresentation',
    mapping: variables.map((variable) => ({
      '@type': 'IriTemplateMapping',
      variable,
      property: variable.replace(/\[.*$/, ''),
      required: (query[variable] && metaOf(query[variable]).mandatory) ?? false,
    })),
  }
}

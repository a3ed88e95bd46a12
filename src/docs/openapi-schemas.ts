import type { Json, JsonObject } from '../core/json.ts'
import type { Operation, Resource } from '../core/operation.ts'
import type { Shape } from '../core/schema.ts'
import { isOnlyInEvents } from '../resources/events/topics.ts'
import { jsonLdContext } from './json-ld.ts'
import { bodySchema, documentSchema, exampleIri, iriSchema, reference, type Schema } from './json-schema.ts'
import { problemShapes } from './problem-shapes.ts'
import {
  allOperations,
  documentedMembers,
  type NamedProperty,
  type Publication,
  propertiesIn,
} from './publication.ts'

/** Every schema of a version: documents, lists, bodies and errors. */
export function componentSchemas(publication: Publication): JsonObject {
  const { resources } = publication
  const schemas: Record<string, Json> = {}
  for (const resource of resources) schemas[resource.shape.type] = shownDocument(resource, publication)
  for (const shape of problemShapes) schemas[shape.type] = problemDocument(shape, publication)
  for (const { resource, operation } of allOperations(publication)) {
    if (operation.answers === 'collection' || operation.body?.bulk) {
      schemas[listName(operation)] ??= listDocument(operation)
    }
    if (!operation.body) continue
    const shape = operation.body.shape ?? operation.shape
    schemas[bodyName(operation, resource)] ??= bodySchema(shape, operation.body.mode, publication)
  }
  return { ...schemas, ...envelope }
}

/**
 * The schema of a type's documents within a list, and the schemas of the types that it refers to, by type.
 */
export function schemasWithinList(
  type: string,
  publication: Publication,
): Readonly<Record<string, JsonObject>> {
  const schemas: Record<string, JsonObject> = {}
  const visit = (name: string): void => {
    const resource = publication.resources.find(({ shape }) => shape.type === name)
    if (!resource || schemas[name]) return
    const { properties, ...rest } = shownDocument(resource, publication)
    const { '@context': _, ...members } = properties
    schemas[name] = { ...rest, properties: members }
    for (const [, referenced = ''] of JSON.stringify(members).matchAll(referencePattern)) visit(referenced)
  }
  visit(type)
  return schemas
}

const referencePattern = /"#\/components\/schemas\/(\w+)"/g

/** `ProductList`: a page of products. */
export function listName({ shape }: Operation): string {
  return `${shape.type}List`
}

/**
 * `ProductCreate`, `ProductPatch`. If a resource has several body shapes, the name is derived from the
 * operation.
 */
export function bodyName({ name, shape, body, isUpsert }: Operation, resource: Resource): string {
  const own = body?.shape ?? shape
  const isPrimary =
    shape === resource.shape &&
    own.type === shape.type &&
    // Most upserts take the body of the PATCH.
    (!isUpsert ||
      resource.operations.some((other) => !other.isUpsert && (other.body?.shape ?? shape) === own))
  if (!isPrimary) return `${name.charAt(0).toUpperCase()}${name.slice(1)}Body`
  return `${shape.type}${body?.mode === 'patch' ? 'Patch' : 'Create'}`
}

/** The schema of a webhook's body. A webhook has no host of its own, so its context is always an address. */
export function webhookSchema(resource: Resource, publication: Publication): Schema {
  const { shape } = resource
  if (!shape.inlineContext) return reference(shape.type)
  return shownDocument({ ...resource, shape: { ...shape, inlineContext: false } }, publication)
}

function shownDocument(
  resource: Resource,
  publication: Publication,
): Schema & { readonly properties: JsonObject } {
  const { shape, operations } = resource
  const hasAddress = operations.length > 0 || isOnlyInEvents(shape)
  return {
    type: 'object',
    description: shape.description,
    required: hasAddress ? ['@id', '@type'] : ['@type'],
    properties: {
      ...(hasAddress && {
        '@context': contextSchema(shape, publication),
        '@id': {
          ...iriSchema,
          description: 'Its address.',
          examples: [exampleIri(shape.type, publication.resources)],
        },
      }),
      '@type': { type: 'string', const: shape.type },
      ...shownProperties(documentedMembers(resource, publication.apiVersion), publication),
    },
  }
}

function shownProperties(members: readonly NamedProperty[], publication: Publication): Schema {
  const visible = members.filter(([, { writeOnly }]) => !writeOnly)
  return Object.fromEntries(visible.map(([name, property]) => [name, documentSchema(property, publication)]))
}

function contextSchema({ type, inlineContext }: Shape, publication: Publication): Schema {
  const description = 'The JSON-LD context; absent where the document is embedded.'
  if (!inlineContext) return { type: 'string', const: `/api/contexts/${type}`, description }
  const examples = [jsonLdContext(type, publication)]
  return { type: 'object', additionalProperties: true, description, examples }
}

export const idSchema: Schema = { type: 'string', format: 'uuid', description: 'Its identifier, a UUIDv7.' }

const requiredOfProblems = [
  ...['type', 'title', 'status', 'detail', 'instance'],
  ...['code', 'slug', 'message', 'description'],
]

function problemDocument(shape: Shape, publication: Publication): Schema {
  const properties = shownProperties(propertiesIn(shape, publication.apiVersion), publication)
  return {
    type: 'object',
    description: shape.description,
    required: ['@context', '@id', '@type', ...requiredOfProblems],
    properties: {
      '@context': { type: 'string', const: '/api/contexts/Error' },
      '@id': { ...iriSchema, description: 'This occurrence.' },
      '@type': { type: 'string', const: shape.type },
      ...properties,
    },
  }
}

function listDocument({ shape, query }: Operation): Schema {
  return {
    type: 'object',
    description: `A page of a list (Hydra collection) of ${shape.type}.`,
    required: ['@id', '@type', 'member'],
    properties: {
      '@context': { type: 'string', const: `/api/contexts/${shape.type}` },
      '@id': { ...iriSchema, description: 'The address of the list, without its query.' },
      '@type': { type: 'string', const: 'Collection' },
      totalItems: {
        type: 'integer',
        minimum: 0,
        description: 'How many there are on all pages; absent where more than 10,000 match filters.',
      },
      member: { type: 'array', items: reference(shape.type), description: 'The items of this page.' },
      view: reference('PartialCollectionView'),
      ...(Object.hasOwn(query, 'id[]') && {
        missing: {
          type: 'array',
          items: { type: 'string' },
          description: 'The values of `id[]` or the like that select nothing.',
        },
      }),
      search: reference('IriTemplate'),
      ...(Object.hasOwn(query, 'facets[]') && { facets: facetMembers.facets }),
      ...(Object.hasOwn(query, 'suggest') && facetMembers),
    },
  }
}

/** The members of a list with the parameter `facets[]`. */
export const facetMembers = {
  facets: {
    type: 'array',
    items: reference('Facet'),
    description: 'The facets that `facets[]` names, in that order.',
  },
  suggestions: {
    type: 'array',
    items: reference('Suggestion'),
    description: 'The completions of `q` that `suggest=true` requests, those of the most products first.',
  },
  corrections: {
    type: 'array',
    items: reference('Correction'),
    description: 'The words of `q` that no product has, and the similar words that were searched instead.',
  },
} satisfies JsonObject

const page = (description: string): Schema => ({ ...iriSchema, description })

/** The members of lists in addition to their items. */
export const envelope = {
  PartialCollectionView: {
    type: 'object',
    description: 'Where the other pages of a list are.',
    required: ['@id', '@type'],
    properties: {
      '@id': page('This page.'),
      '@type': { type: 'string', const: 'PartialCollectionView' },
      first: page('The first page.'),
      last: page('The last page; absent where the list is not counted to its end.'),
      previous: page('The page before; absent on the first.'),
      next: page('The page after; absent on the last.'),
    },
  },
  Suggestion: {
    type: 'object',
    description: 'A search whose last word is complete.',
    required: ['@type', 'q', 'count', 'atLeast'],
    properties: {
      '@type': { type: 'string', const: 'Suggestion' },
      q: { type: 'string', description: 'The completed search.', examples: ['rote Tasche'] },
      count: { type: 'integer', minimum: 1, description: 'The number of products with the words.' },
      atLeast: {
        type: 'boolean',
        description: 'Whether there may be more products, because at most 500 were examined.',
      },
    },
  },
  Correction: {
    type: 'object',
    description: 'A misspelt word of a search.',
    required: ['@type', 'from', 'to'],
    properties: {
      '@type': { type: 'string', const: 'Correction' },
      from: { type: 'string', description: 'The word of the search.', examples: ['tashe'] },
      to: {
        type: 'string',
        description: 'The most frequent similar word of the products.',
        examples: ['Tasche'],
      },
    },
  },
  Facet: {
    type: 'object',
    description: 'The values of a property among all matching items, not only those of the page.',
    required: ['@type', 'name', 'values', 'valuesTotal', 'atLeast'],
    properties: {
      '@type': { type: 'string', const: 'Facet' },
      name: { type: 'string', description: 'The name in `facets[]`.', examples: ['vendor'] },
      values: {
        type: 'array',
        items: reference('FacetValue'),
        description:
          'The values of the most items first, at most 100, then those that the request filters by.',
      },
      valuesTotal: { type: 'integer', minimum: 0, description: 'The number of different values.' },
      atLeast: {
        type: 'boolean',
        description:
          'Whether more than 10,000 items match, or more than the list counts. Then there may be more values and items.',
      },
    },
  },
  FacetValue: {
    type: 'object',
    description: 'A value of a facet.',
    required: ['@type', 'value', 'count', 'selected'],
    properties: {
      '@type': { type: 'string', const: 'FacetValue' },
      value: { type: 'string', description: 'A text, or the address of a resource.', examples: ['Acme'] },
      title: {
        type: ['string', 'null'],
        description:
          'The title of the resource or of the option value in the language of the response, or in another one if it is missing. Null without the scope that reads the resource. Absent for other texts.',
      },
      fallbacks: {
        type: 'object',
        additionalProperties: { type: 'string' },
        description: 'The language of `title`, if the title is in another language than the response.',
        examples: [{ title: 'en-US' }],
      },
      count: {
        type: 'integer',
        minimum: 0,
        description: 'The number of items with this value that match all filters by other properties.',
      },
      from: { type: 'string', description: 'The first amount of a range of prices, for `price[from]`.' },
      until: { type: 'string', description: 'The last amount of a range of prices, for `price[until]`.' },
      selected: { type: 'boolean', description: 'Whether the request filters by this value.' },
    },
  },
  IriTemplate: {
    type: 'object',
    description: 'Every parameter that a list takes (RFC 6570).',
    required: ['@type', 'template', 'variableRepresentation', 'mapping'],
    properties: {
      '@type': { type: 'string', const: 'IriTemplate' },
      template: { type: 'string', examples: ['/api/products{?page,itemsPerPage}'] },
      variableRepresentation: { type: 'string', examples: ['BasicRepresentation'] },
      mapping: { type: 'array', items: reference('IriTemplateMapping') },
    },
  },
  IriTemplateMapping: {
    type: 'object',
    description: 'One parameter of a template, and the property that it is about.',
    required: ['@type', 'variable', 'property', 'required'],
    properties: {
      '@type': { type: 'string', const: 'IriTemplateMapping' },
      variable: { type: 'string', examples: ['updatedAt[after]'] },
      property: { type: 'string', examples: ['updatedAt'] },
      required: { type: 'boolean' },
    },
  },
} satisfies JsonObject

/** The published descriptions of the service: its operations, and the limits of their bodies. */
import type { Shop } from '../support/shop.ts'

/** A JSON Schema as it is published. */
export type Schema = ReturnType<typeof JSON.parse>

/** An operation that is published. */
export type Published = {
  readonly method: string
  /** `/api/products/{id}` */
  readonly template: string
  /** The names of its query parameters with their schemas. */
  readonly query: ReadonlyMap<string, Schema>
  /** The required parameters, with their examples, as a query; empty without any. */
  readonly needed: string
  /** The schema of the body; null without a body. */
  readonly body: Schema | null
  /** How many rows a body may be; 1 where an array is not taken. */
  readonly rows: number
}

/** Whether a timeline requires a parameter that a market would replace. */
const isContextOf = (template: string, name: string) =>
  template.endsWith('/price_timeline') && /^resolveContext\[(?:channel|country)\]$/.test(name)

/** Reads the OpenAPI document of a shop, in which every reference is resolved. */
export async function publishedOperations(shop: Shop): Promise<readonly Published[]> {
  const { body: document } = await shop.get('/api/openapi.json', { token: null, status: 200 })
  return Object.entries<Schema>(document.paths).flatMap(([template, item]) =>
    Object.entries<Schema>(item).flatMap(([name, operation]) =>
      name === 'parameters' ? [] : [published(document, template, name.toUpperCase(), operation)],
    ),
  )
}

function published(document: Schema, template: string, method: string, operation: Schema): Published {
  const parameters = operation.parameters.map((each: Schema) => resolved(document, each))
  const query = parameters.filter((each: Schema) => each.in === 'query')
  const [content] = Object.values<Schema>(operation.requestBody?.content ?? {})
  const body = content ? inlined(document, content.schema) : null
  const several = body?.anyOf?.find((each: Schema) => each.type === 'array')
  return {
    method,
    template,
    query: new Map(query.map((each: Schema) => [each.name, each.schema])),
    needed: query
      .filter((each: Schema) => each.required || isContextOf(template, each.name))
      .map((each: Schema) => `${each.name}=${each.example ?? each.schema.examples?.[0]}`)
      .join('&'),
    body: several ? several.items : body,
    rows: several?.maxItems ?? 1,
  }
}

function resolved(document: Schema, node: Schema): Schema {
  if (!node?.$ref) return node
  return node.$ref
    .slice(2)
    .split('/')
    .reduce((at: Schema, key: string) => at[key], document)
}

/** A schema without references; bodies have none that lead back to themselves. */
function inlined(document: Schema, node: Schema): Schema {
  if (Array.isArray(node)) return node.map((each) => inlined(document, each))
  if (node === null || typeof node !== 'object') return node
  if (node.$ref) return inlined(document, resolved(document, node))
  return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, inlined(document, value)]))
}

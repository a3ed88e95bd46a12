import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import type { Operation } from '../../src/core/operation.ts'
import { resources } from '../../src/resources/index.ts'
import { currentVersion } from '../../src/versions/index.ts'
import { differingVersions } from '../support/differing-versions.ts'
import type { Reply, Shop } from '../support/shop.ts'

/** The tested versions: those whose documents differ, and the one that the guide recommends. */
export const documentedVersions = [...differingVersions, currentVersion]

export const operations = resources.flatMap((each) => each.operations)

/** The operations of a version, deletions last and the product's after all. */
export function operationsOf(version: string): Operation[] {
  const served = operations.filter(({ onlyIn }) => onlyIn === undefined || onlyIn === version)
  const rank = ({ method, name }: Operation) => (name === 'deleteProduct' ? 2 : method === 'DELETE' ? 1 : 0)
  return served.toSorted((a, b) => rank(a) - rank(b))
}

type Node = ReturnType<typeof JSON.parse>

/** The published OpenAPI document of a version, and what it says of an answer. */
export type Published = {
  readonly document: Node
  /** The faults of a response. */
  readonly faults: (operation: Operation, reply: Reply) => string[]
  readonly validator: (pointer: string) => ValidateFunction
  readonly validatorOf: (schema: Node) => ValidateFunction
}

/** Reads the document that a shop publishes. Objects are closed, so that a member which is not described is a fault. */
export async function published(shop: Shop, version: string): Promise<Published> {
  const document = await shop.read(`/api/openapi.json?version=${version}`, { token: null })
  const ajv = new Ajv2020({
    strict: true,
    allErrors: true,
    strictRequired: false,
    allowUnionTypes: true,
    discriminator: false,
  })
  ajv.addKeyword('example')
  formats.default(ajv as never)
  const closed = { $id: 'openapi', components: { schemas: closedObjects(document.components.schemas) } }
  ajv.addVocabulary(['components', 'openapi'])
  ajv.addSchema(closed)
  const kept = new Map<string, ValidateFunction>()
  const compile = (schema: Node): ValidateFunction => {
    const key = JSON.stringify(schema)
    const known =
      kept.get(key) ?? ajv.compile(JSON.parse(key.replaceAll('"#/components', '"openapi#/components')))
    kept.set(key, known)
    return known
  }
  return {
    document,
    validatorOf: compile,
    validator: (name) => compile({ $ref: `#/components/schemas/${name}` }),
    faults({ path, method, name }, { status, headers, body }) {
      const described = resolved(document, document.paths[path]?.[method.toLowerCase()]?.responses?.[status])
      if (!described) return [`${name}: ${status} is not described`]
      const known = Object.keys(described.headers).map((each) => each.toLowerCase())
      const unknown = [...headers.keys()].filter((each) => !known.includes(each) && !common.has(each))
      const said = unknown.map((each) => `${name}: ${status} does not document the header ${each}`)
      const type = headers.get('content-type')
      if (body === undefined) return described.content ? [...said, `${name}: ${status} is empty`] : said
      const content = described.content?.[type ?? '']
      if (!content) return [...said, `${name}: ${status} is not ${type}`]
      const validate = compile(content.schema)
      if (validate(body)) return said
      const faults = (validate.errors ?? []).map(
        ({ instancePath, message, params }) =>
          `${name}: ${instancePath} ${message} ${JSON.stringify(params)}`,
      )
      return [...said, ...faults]
    },
  }
}

/** Headers that HTTP itself describes. */
const common = new Set([
  'allow',
  'cache-control',
  'content-type',
  'preference-applied',
  'server-timing',
  'vary',
  'x-content-type-options',
])

function resolved(document: Node, node: Node): Node {
  if (!node?.$ref) return node
  return node.$ref
    .slice(2)
    .split('/')
    .reduce((each: Node, segment: string) => each[segment], document)
}

function closedObjects(node: Node): Node {
  if (Array.isArray(node)) return node.map(closedObjects)
  if (node === null || typeof node !== 'object') return node
  const inside = Object.fromEntries(
    Object.entries(node).map(([key, value]) => [key, key === 'examples' ? value : closedObjects(value)]),
  )
  const isObject = node.type === 'object' && node.properties && node.additionalProperties === undefined
  return isObject ? { ...inside, additionalProperties: false } : inside
}

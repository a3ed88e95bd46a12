import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'

/** Unknown keywords, unknown formats and lists of types are errors here. */
export function strictly(schema: object) {
  const ajv = new Ajv2020({ strict: true, allErrors: true })
  formats.default(ajv as never)
  return ajv.compile(schema)
}

/** A schema in which a member that is not described is a fault. */
export function closed(node: ReturnType<typeof JSON.parse>): ReturnType<typeof JSON.parse> {
  if (Array.isArray(node)) return node.map(closed)
  if (node === null || typeof node !== 'object') return node
  const inside = Object.fromEntries(
    Object.entries(node).map(([key, value]) => [key, key === 'examples' ? value : closed(value)]),
  )
  const open = node.type === 'object' && node.properties && node.additionalProperties === undefined
  return open ? { ...inside, additionalProperties: false } : inside
}

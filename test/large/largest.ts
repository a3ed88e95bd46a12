/** The largest value that a published schema takes, or a share of it. Pure. */
import { type AlphabetName, textOf } from './alphabets.ts'
import type { Schema } from './schema.ts'

/** How large a value is made. */
export type Filling = {
  readonly alphabet: AlphabetName
  /** The paths (`variants[].media[].url`) that are as large as they may be; everything else is as small as it may be. */
  readonly full: 'all' | readonly string[]
  /** Of what the limits allow, from 0 to 1: of the lengths of texts and of the numbers of elements. */
  readonly share: number
}

/** The place of a value in a body that the schema alone does not determine. */
export type Place = {
  readonly path: string
  /** The indices of the arrays around it, outermost first. */
  readonly indices: readonly number[]
  readonly isFull: boolean
  /** A text of the filling, of so many units times the share. */
  readonly text: (units: number) => string
  readonly count: (most: number) => number
  /** The value by the schema. */
  readonly standard: () => unknown
}

/** Values by their paths, or by `*.` and a name wherever it stands; undefined leaves the property out. */
export type Custom = Readonly<Record<string, (place: Place) => unknown>>

/** A value that is larger than any body may be, so that it need not be made to its end. */
export class TooMuch extends Error {}

const mostUnits = 4_000_000

/** Makes the largest value of a schema. `number` is the first of those that make texts different, and is counted up. */
export function largest(
  schema: Schema,
  filling: Filling,
  custom: Custom,
  numbers: { next(): number },
  indices: readonly number[] = [],
): unknown {
  let units = 0
  const isFull = (path: string) => filling.full === 'all' || filling.full.includes(path)

  function spent<Value>(value: Value, amount: number): Value {
    units += amount
    if (units > mostUnits) throw new TooMuch()
    return value
  }

  const count = (most: number, least: number) => Math.max(least, Math.ceil(most * filling.share))

  function valueAt(node: Schema, path: string, at: readonly number[]): unknown {
    const own = custom[path] ?? custom[`*.${path.slice(path.lastIndexOf('.') + 1)}`]
    if (!own) return standard(node, path, at)
    const value = own({
      path,
      indices: at,
      isFull: isFull(path),
      text: (most) => textOf(filling.alphabet, count(most, 1), numbers.next()),
      count: (most) => count(most, 1),
      standard: () => standard(node, path, at),
    })
    return spent(value, value === undefined ? 0 : (JSON.stringify(value)?.length ?? 0))
  }

  function standard(node: Schema, path: string, at: readonly number[]): unknown {
    if (node.anyOf) {
      const some = node.anyOf.find((each: Schema) => each.type !== 'null')
      return valueFor({ ...node, anyOf: undefined, ...some }, path, at)
    }
    return valueFor(node, path, at)
  }

  function valueFor(node: Schema, path: string, at: readonly number[]): unknown {
    const type = Array.isArray(node.type) ? node.type.find((each: string) => each !== 'null') : node.type
    if (node.enum) return longestOf(node.enum.filter((each: unknown) => each !== null))
    if (type === 'object') return objectOf(node, path, at)
    if (type === 'array') return arrayOf(node, path, at)
    if (type === 'boolean') return true
    if (type === 'string') return stringOf(node, path)
    // A place among siblings has no largest number: it is left to the service.
    if (type === 'integer' || type === 'number') return isFull(path) ? node.maximum : node.minimum
    return undefined
  }

  function objectOf(node: Schema, path: string, at: readonly number[]): unknown {
    const entries = Object.entries<Schema>(node.properties ?? {}).flatMap(([name, each]) => {
      const own = path === '' ? name : `${path}.${name}`
      const isNeeded = node.required?.includes(name) || custom[own] || hasFullBelow(own)
      const value = isNeeded ? valueAt(each, own, at) : undefined
      return value === undefined ? [] : [[name, value] as const]
    })
    return spent(Object.fromEntries(entries), 10 * entries.length)
  }

  function hasFullBelow(path: string): boolean {
    if (filling.full === 'all') return true
    return filling.full.some(
      (each) => each === path || /^(?:\[\]|\.)/.test(each.startsWith(path) ? each.slice(path.length) : ''),
    )
  }

  function arrayOf(node: Schema, path: string, at: readonly number[]): unknown {
    const least = Math.max(1, node.minItems ?? 0)
    const length = isFull(path) ? count(node.maxItems ?? 1, least) : least
    const all: unknown[] = []
    for (let index = 0; index < length; index += 1) {
      const value = valueAt(node.items, `${path}[]`, [...at, index])
      if (value === undefined) return undefined
      all.push(value)
    }
    return all
  }

  function stringOf(node: Schema, path: string): string | undefined {
    const number = numbers.next()
    const most = node.maxLength ?? 0
    const length = isFull(path) ? count(most, Math.min(most, 8)) : Math.min(most, 8)
    if (node.format === 'uri') {
      const start = `https://www.example.com/${number.toString(36)}/`
      return spent(start + 'p'.repeat(Math.max(0, length - start.length)), length)
    }
    if (node.pattern) return spent(matching(node, isFull(path) ? filling.share : 0, number), 255)
    // Links, and texts of which only the service knows what they may be.
    if (most === 0) return node.examples && !node.format?.startsWith('uri') ? node.examples[0] : undefined
    return spent(textOf(filling.alphabet, length, number), length)
  }

  return valueAt(schema, '', indices)
}

function longestOf(texts: readonly string[]): string {
  return texts.reduce((longest, each) => (each.length > longest.length ? each : longest))
}

/** The longest text of letters and digits that a pattern takes, or its example. */
function matching({ pattern, maxLength, examples = [] }: Schema, share: number, number: number): string {
  const expression = new RegExp(pattern)
  const bounds = [...pattern.matchAll(/\{\d+,(\d+)\}/g)].map(([, most]) => Number(most))
  const longest = maxLength ?? Math.max(0, ...bounds) + (/^\^\[/.test(pattern) && bounds[0] === 63 ? 1 : 0)
  const start = `n${number.toString(36)}`
  const text = start + 'a'.repeat(Math.max(0, Math.floor(longest * share) - start.length))
  return expression.test(text) ? text : examples[0]
}

/** The paths of a schema that have a limit: what may be as large as it may be, or not. */
export function limitedPaths(schema: Schema, path = ''): string[] {
  const some = schema.anyOf?.find((each: Schema) => each.type !== 'null') ?? schema
  const own = some.maxLength || some.maxItems || some.pattern || some.maximum ? [path] : []
  const below = Object.entries<Schema>(some.properties ?? {}).flatMap(([name, each]) =>
    limitedPaths(each, path === '' ? name : `${path}.${name}`),
  )
  const items = some.items ? limitedPaths(some.items, `${path}[]`) : []
  return [...new Set([...own, ...below, ...items])]
}

/** Query parameters by their literal names (`updatedAt[after]`): what an operation reads, what it passes over. */
import { hint } from '../core/body.ts'
import { expandsNothing, namesExpand } from '../core/expand.ts'
import type { Operation } from '../core/operation.ts'
import type { Violation } from '../core/problem.ts'
import { validationProblems } from '../core/problems/index.ts'
import type { Shape } from '../core/property.ts'
import { metaOf } from '../core/schema-meta.ts'
import {
  maximumPathDepth,
  namesProperties,
  parsePropertiesParameters,
  type Selection,
  selectionOf,
} from '../core/select.ts'
import type { Dialect } from '../core/versions.ts'

/** What is wrong with how the query is written, before what its values mean. */
export function queryFaults(url: URL, operation: Operation): Violation[] {
  const seen = new Set<string>()
  return rawParameters(url).flatMap(({ name, value, sound }): Violation[] => {
    if (!Object.hasOwn(operation.query, name)) return []
    if (!sound) return [validationProblems.pattern.at(name, { format: 'percent-encoded UTF-8' })]
    if (value.includes('\0')) return [validationProblems.characters.at(name)]
    if (seen.has(name) && !namesExpand(name))
      return [validationProblems.parameter_repeated.at(name, { name })]
    seen.add(name)
    return []
  })
}

function rawParameters({ search }: URL): { name: string; value: string; sound: boolean }[] {
  const pairs = search.slice(1).split('&')
  return pairs.map((pair) => {
    const split = pair.indexOf('=')
    const [name, value] = split < 0 ? [pair, ''] : [pair.slice(0, split), pair.slice(split + 1)]
    const text = decoded(value)
    return { name: decoded(name) ?? name, value: text ?? '', sound: text !== null }
  })
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return null
  }
}

/** Parameters that others of the query need beside them (`neededBy`), and that are not there. */
export function missingParameters(
  { query }: Operation,
  given: Readonly<Record<string, unknown>>,
): Violation[] {
  return Object.entries(query).flatMap(([name, schema]) => {
    const { neededBy, missing } = metaOf(schema)
    const isNeeded = neededBy?.some((each) => given[each] !== undefined) && given[name] === undefined
    return isNeeded && missing ? [missing] : []
  })
}

/** Parameters that the operation does not read, and orders that are none, each once. */
export function ignoredParameters(
  url: URL,
  operation: Operation,
  shapes: ReadonlyMap<string, Shape>,
  dialect: Dialect,
): string[] {
  const isRead = ([name, value]: [string, string]) => {
    if (isKnown(name, operation)) return !isOrder(name) || directions.test(value)
    return namesExpand(name) && expandsNothing(value, operation, shapes, dialect)
  }
  return [...new Set([...url.searchParams].filter((each) => !isRead(each)).map(([name]) => name))]
}

/** What strict handling says of parameters that the operation does not read. */
export function unknownParameters(names: readonly string[], operation: Operation): Violation[] {
  const known = Object.keys(operation.query)
  const orders = known.filter(isOrder)
  return names.map((name) => {
    if (isKnown(name, operation)) return validationProblems.choice.at(name, { choices: 'asc, desc' })
    // There are few orders, and often none that is spelt like the one that was wanted.
    const near = isOrder(name) && orders.length > 0 ? ` (→ ${orders.join(', ')})` : hint(name, known)
    return validationProblems.unknown_parameter.at(name, { name, hint: near })
  })
}

const directions = /^(?:asc|desc)$/i

function isOrder(name: string): boolean {
  return /^order\[[^[\]]*\]$/.test(name)
}

function isKnown(name: string, { query }: Operation): boolean {
  return (
    Object.hasOwn(query, name) || namesProperties(name) || (namesExpand(name) && query.expand !== undefined)
  )
}

/** The selection in `properties[…]`, in the caller's own names; null when there is none. */
export function selectionIn(url: URL): { selection: Selection | null; faults: Violation[] } {
  const { paths, invalid } = parsePropertiesParameters(url.searchParams)
  const faults = invalid.map((name) => validationProblems.too_deep.at(name, { maximum: maximumPathDepth }))
  return { selection: paths.length > 0 ? selectionOf(paths) : null, faults }
}

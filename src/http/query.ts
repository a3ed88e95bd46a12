import { namesExpand } from '../core/expand.ts'
import type { Operation } from '../core/operation.ts'
import type { Violation } from '../core/problem.ts'
import { httpProblems } from '../core/problems/http.ts'
import { formats, validationProblems } from '../core/problems/validation.ts'
import { currentPath } from '../core/property-paths.ts'
import type { Shape } from '../core/schema.ts'
import {
  maximumPathDepth,
  namesProperties,
  parsePropertiesParameters,
  type Selection,
  selectionOf,
} from '../core/select.ts'
import { hint, nearMiss } from '../core/similar-names.ts'
import type { ApiVersion } from '../core/versions.ts'
import { queryWith } from '../core/view.ts'
import { metaOf } from '../core/zod.ts'
import frequentMistakes from './frequent-mistakes.json' with { type: 'json' }

/** Query parameters by their literal names (`updatedAt[after]`). */

/** Violations of the query's syntax, before its values are validated. */
export function queryViolations(url: URL, operation: Operation): Violation[] {
  const names = new Set<string>()
  return rawParameters(url).flatMap(({ name, value, sound }): Violation[] => {
    if (declaredName(name, operation) === null) return []
    if (!sound) return [validationProblems.pattern.at(name, { format: formats.encoding })]
    if (name.includes('\0') || value.includes('\0')) return [validationProblems.characters.at(name)]
    if (names.has(name) && !namesExpand(name) && !name.endsWith('[]'))
      return [validationProblems.parameter_repeated.at(name, { name })]
    names.add(name)
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

/** Names of parameters that the operation does not read, and of orders with an invalid direction, without duplicates. */
export function ignoredParameters(url: URL, operation: Operation): string[] {
  const isRead = ([name, value]: [string, string]) =>
    isKnown(name, operation) && (!isOrder(name) || directions.test(value))
  return [...new Set([...url.searchParams].filter((parameter) => !isRead(parameter)).map(([name]) => name))]
}

/** Violations of strict handling for ignored parameters. */
export function unknownParameters(names: readonly string[], operation: Operation): Violation[] {
  const parameters = Object.keys(operation.query)
  const orders = parameters.filter(isOrder)
  return names.map((name) => {
    if (isKnown(name, operation)) return validationProblems.choice.at(name, { choices: 'asc, desc' })
    // There are few orders, often none with a similar name, so all are suggested.
    const near = isOrder(name) && orders.length > 0 ? ` (→ ${orders.join(', ')})` : hint(name, parameters)
    return validationProblems.unknown_parameter.at(name, { name, hint: near })
  })
}

/**
 * Violations for ignored parameters that are mistakes: one edit or the case away from a parameter, or a name that callers frequently send by
 * mistake. Only parameters that the version began with, or that were there before, count, so a later name breaks no caller.
 */
export function mistakenParameters(
  names: readonly string[],
  operation: Operation,
  { version }: ApiVersion,
): Violation[] {
  const knownNames = Object.entries(operation.query).flatMap(([name, schema]) =>
    (metaOf(schema).addedIn ?? '') <= version.name ? name : [],
  )
  return names.flatMap((name) => {
    if (isKnown(name, operation)) return []
    const near =
      knownNames.find((known) => known.toLowerCase() === name.toLowerCase()) ??
      nearMiss(name, [...knownNames, 'properties[]'], shortestNearMiss)
    if (near !== undefined)
      return validationProblems.unknown_parameter.at(name, { name, hint: ` (→ ${near})` })
    const mistake = frequentMistakes.parameters.find(
      ({ names, instead }) => names.includes(name) && (instead === undefined || knownNames.includes(instead)),
    )
    return mistake ? validationProblems.unknown_parameter.at(name, { name, hint: '' }, mistake.help) : []
  })
}

/** The fewest letters of a name that is rejected because it is similar to a parameter. */
const shortestNearMiss = 5

const directions = /^(?:asc|desc)$/i

function isOrder(name: string): boolean {
  return /^order\[[^[\]]*\]$/.test(name)
}

function isKnown(name: string, operation: Operation): boolean {
  const isExpand = namesExpand(name) && operation.query.expand !== undefined
  return declaredName(name, operation) !== null || namesProperties(name) || isExpand
}

/** The declared name of a parameter: its own name, or `option[*][]` for `option[Color][]` and `option[Color]`. */
function declaredName(name: string, { query }: Pick<Operation, 'query'>): string | null {
  if (Object.hasOwn(query, name)) return name
  const declared = name.replace(openName, '$1[*][]')
  return declared !== name && Object.hasOwn(query, declared) ? declared : null
}

/** A parameter with a name of the caller between brackets. The name may contain brackets. */
const openName = /^([A-Za-z]+)\[(.+?)\](?:\[\])?$/s

/** The decoded parameters of a request. */
export type QueryTexts = Readonly<Record<string, string | readonly string[]>>

/** Collects the values of `option[Color][]` and `option[Size][]` as the members `Color` and `Size` of `option[*][]`. */
export function withOpenNames(texts: QueryTexts, query: Operation['query']): object {
  const open: Record<string, Map<string, string[]>> = {}
  const own = Object.entries(texts).filter(([name, values]) => {
    const declared = declaredName(name, { query })
    if (declared === null || declared === name) return true
    const key = openName.exec(name)?.[2] ?? ''
    const members = (open[declared] ??= new Map<string, string[]>())
    members.set(key, [...(members.get(key) ?? []), ...[values].flat()])
    return false
  })
  return {
    ...Object.fromEntries(own),
    ...Object.fromEntries(Object.entries(open).map(([name, members]) => [name, Object.fromEntries(members)])),
  }
}

/** The path of an issue with the parameter that the caller sent: `option[Color][]` for the member `Color` of `option[*][]`. */
export function sentPath([parameter, key, ...rest]: readonly PropertyKey[]): PropertyKey[] {
  const name = String(parameter)
  return key !== undefined && name.endsWith('[*][]')
    ? [name.replace('*', () => String(key)), ...rest]
    : [name, ...(key === undefined ? [] : [key]), ...rest]
}

/** The selection in `properties[…]`, in the caller's names; null without one. */
export function selectionIn(url: URL): {
  selection: Selection | null
  paths: string[][]
  faults: Violation[]
} {
  const { paths, invalid } = parsePropertiesParameters(url.searchParams)
  const faults = invalid.map((name) => validationProblems.too_deep.at(name, { maximum: maximumPathDepth }))
  return { selection: paths.length > 0 ? selectionOf(paths) : null, paths, faults }
}

/** Violations of strict handling for selected paths that no document of a shape has. Their names are parameters with values. */
export function unknownSelections(
  paths: readonly (readonly string[])[],
  shape: Shape,
  shapes: ReadonlyMap<string, Shape>,
  apiVersion: ApiVersion,
): { name: string; violation: Violation }[] {
  const resolve = (path: readonly string[]) =>
    currentPath(path, { shapes: [shape], open: false }, shapes, apiVersion)
  return paths.flatMap((path) => {
    const { unknown, misnamed } = resolve(path)
    if (!unknown && !misnamed) return []
    const name = parameterOf(path)
    const [at = name] = name.split('=')
    // `includeFields` separates names by dots.
    const names = path.flatMap((part) => part.split('.'))
    const isDotted = names.length > path.length && !resolve(names).unknown
    const rightName = isDotted ? parameterOf(names) : misnamed?.rightName
    const near = rightName ? ` (→ ${rightName})` : hint(unknown?.name ?? '', unknown?.knownNames ?? [])
    return [{ name, violation: validationProblems.unknown_parameter.at(at, { name, hint: near }) }]
  })
}

function parameterOf(path: readonly string[]): string {
  const parents = path.slice(0, -1).map((name) => `[${name}]`)
  return `properties${parents.join('')}[]=${path.at(-1)}`
}

/** The `search` of a list: an IRI template (RFC 6570) with every parameter that its operation reads, except those with open names. */
export function searchTemplate({ query }: Operation, path: string): object {
  const variables = [...Object.keys(query).filter((name) => !name.includes('*')), 'properties[]']
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

/** Characters of a query as links write it, percent-encoded, without the parameters by which links continue. */
const longestQuery = 8192
/** Characters of a whole address: the most that Cloudflare accepts. */
const longestAddress = 16_384

/** The parameters by which links continue, for removal. */
const continuations = {
  cursor: null,
  page: null,
  itemsPerPage: null,
  after: null,
  before: null,
  'updatedAt[after]': null,
  'position[from]': null,
}

/** The parameters that links set or remove to continue, without those of the page's size and number. */
export const continuationNames = [
  'updatedAt[from]',
  ...Object.keys(continuations).filter((name) => !/page/i.test(name)),
]

/** Rejects an address that is too long, so that the links of an accepted address are accepted too. @throws Problem 414 */
export function requireShortQuery(url: URL): void {
  const { pathname, search } = url
  if (pathname.length + search.length > longestAddress) throw httpProblems.uri_too_long()
  // Encoding takes at most three characters for one.
  if (search.length * 3 > longestQuery && queryWith(url, continuations).length > longestQuery)
    throw httpProblems.uri_too_long()
}

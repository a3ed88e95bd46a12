import { isJsonArray, isJsonObject, type Json, type JsonObject, setMember } from './json.ts'
import type { Shape } from './schema.ts'
import type { ApiVersion } from './versions.ts'

/**
 * Selections: the properties of a document that a response contains. The query parameter `properties[]` and the
 * `includeFields` of a webhook subscription use the same paths: names, and `*` for any one property or array element.
 * Arrays are traversed implicitly: `variants.sku` is `variants.*.sku`.
 */

/** The maximum number of segments in a path. */
export const maximumPathDepth = 8

/** A tree of names. A node at the end of a path keeps its complete value, even if longer paths pass through it. */
export type Selection = {
  readonly isComplete: boolean
  readonly names: ReadonlyMap<string, Selection>
  /** The child for `*`. */
  readonly any: Selection | null
}

export type SelectOptions = {
  /** Keeps the `id` of the document itself in addition to `@context`, `@id` and `@type`. */
  readonly keepId?: boolean
}

/** The selection of several paths, each a list of names and `*`. */
export function selectionOf(paths: readonly (readonly string[])[]): Selection {
  const root = emptyNode()
  for (const path of paths) {
    let node = root
    for (const name of path) node = childOf(node, name)
    node.isComplete = true
  }
  return root
}

/**
 * Parses paths from decoded query parameters: `properties[a][b][]=c` is `a`, `b`, `c`. An index in the last brackets,
 * which some clients write, is ignored.
 * Parameters that do not begin with `properties[`, have malformed brackets or an empty name are skipped. `invalid`
 * lists the names of paths deeper than eight segments.
 */
export function parsePropertiesParameters(entries: Iterable<readonly [string, string]>): {
  paths: string[][]
  invalid: string[]
} {
  const paths: string[][] = []
  const invalid: string[] = []
  for (const [key, value] of entries) {
    const parents = propertiesKey.exec(key)?.[1]
    if (parents === undefined || value === '') continue
    const path = parents === '' ? [value] : [...parents.slice(1, -1).split(']['), value]
    if (path.length <= maximumPathDepth) paths.push(path)
    else invalid.push(key)
  }
  return { paths, invalid }
}

/**
 * Reduces a document to a selection, with its members in their order. Every remaining object keeps its `@context`,
 * `@id` and `@type`.
 * A scalar at a name remains although the path continues: it is null, or an IRI instead of an object. A value at `*`
 * remains only if the rest of the path matches in it.
 */
export function select(document: JsonObject, selection: Selection, options: SelectOptions = {}): JsonObject {
  if (selection.isComplete) return document
  const selected = selectObject(document, [selection], options.keepId === true)
  return selected.object
}

/** Whether a parameter selects properties: `properties[]`, `properties[a][]`, never `properties[a]`. */
export function namesProperties(name: string): boolean {
  return propertiesKey.test(name)
}

const propertiesKey = /^properties((?:\[[^[\]]+\])*)\[\d*\]$/
const identification: ReadonlySet<string> = new Set(['@context', '@id', '@type'])

type Node = { isComplete: boolean; names: Map<string, Node>; any: Node | null }

function emptyNode(): Node {
  return { isComplete: false, names: new Map(), any: null }
}

function childOf(node: Node, name: string): Node {
  if (name === '*') {
    node.any ??= emptyNode()
    return node.any
  }
  const existing = node.names.get(name)
  if (existing !== undefined) return existing
  const child = emptyNode()
  node.names.set(name, child)
  return child
}

/**
 * `nodes` are all tree nodes that match this value, several if both `*` and a name match. They are followed in
 * parallel, because one merged tree can be exponentially larger than its paths.
 */
function selectValue(value: Json, nodes: readonly Selection[], isNamed: boolean): Json | undefined {
  const [node] = nodes
  if (isNamed && nodes.length === 1 && node?.any === null) return selectNamed(value, node)
  if (nodes.some((node) => node.isComplete)) return value
  if (isJsonObject(value)) {
    const { object, hasMatch } = selectObject(value, nodes, false)
    return isNamed || hasMatch ? object : undefined
  }
  if (!isJsonArray(value)) return isNamed ? value : undefined
  const elementSelections = elementNodes(nodes)
  const elements = value.map((element) => selectValue(element, elementSelections, isNamed))
  const selectedElements = elements.filter((element) => element !== undefined)
  return isNamed || selectedElements.length > 0 ? selectedElements : undefined
}

/** The same for the one node of a name. Nearly all selections have no other nodes, and this takes two thirds of the time. */
function selectNamed(value: Json, node: Selection): Json {
  if (node.isComplete || value === null || typeof value !== 'object') return value
  if (isJsonArray(value)) return value.map((element) => selectNamed(element, node))
  const result: Record<string, Json> = {}
  for (const name of Object.keys(value)) {
    const child = node.names.get(name)
    if (!child && !identification.has(name)) continue
    const member = value[name]
    const selected = child && member !== undefined ? selectValue(member, [child], true) : member
    if (selected !== undefined) setMember(result, name, selected)
  }
  return result
}

function selectObject(
  object: JsonObject,
  nodes: readonly Selection[],
  keepId: boolean,
): { object: JsonObject; hasMatch: boolean } {
  const result: Record<string, Json> = {}
  let hasMatch = false
  for (const [name, value] of Object.entries(object)) {
    const selectedValue = selectMember(name, value, nodes)
    if (selectedValue !== undefined) {
      hasMatch = true
      setMember(result, name, selectedValue)
    }
    if (identification.has(name) || (keepId && name === 'id')) setMember(result, name, value)
  }
  return { object: result, hasMatch }
}

function selectMember(name: string, value: Json, nodes: readonly Selection[]): Json | undefined {
  const next: Selection[] = []
  let isNamed = false
  for (const node of nodes) {
    const child = node.names.get(name)
    if (child !== undefined) {
      isNamed = true
      next.push(child)
    }
    if (node.any !== null) next.push(node.any)
  }
  return next.length === 0 ? undefined : selectValue(value, next, isNamed)
}

/** The nodes for an array element: the children for `*`, and the nodes themselves because arrays are traversed implicitly. */
function elementNodes(nodes: readonly Selection[]): Selection[] {
  return nodes.flatMap((node) => {
    const names = node.names.size > 0 ? [{ isComplete: false, names: node.names, any: null }] : []
    return node.any === null ? names : [node.any, ...names]
  })
}

/** The members of a document that a response needs, by current name, each with those of its own objects; null for all. */
export type SelectedMembers = ReadonlyMap<string, SelectedMembers> | null

/** The members of a shape that a selection, in the names of a version, needs. */
export function selectedMembersOf(
  selection: Selection | null,
  shape: Shape,
  shapes: ReadonlyMap<string, Shape>,
  apiVersion: ApiVersion,
): SelectedMembers {
  if (selection === null || selection.isComplete || selection.any !== null) return null
  const names = apiVersion.renames.get(shape.type)
  const requested = (name: string) => selection.names.get(names?.get(name) ?? name)
  const members = new Map<string, SelectedMembers>()
  // Documents have their members in the order of the shape.
  for (const [name, { dependsOnOthers, objectType }] of Object.entries(shape.properties)) {
    const child = requested(name)
    if (!child) continue
    if (dependsOnOthers) return null
    const objectShape = shapes.get(objectType ?? '')
    members.set(name, objectShape ? selectedMembersOf(child, objectShape, shapes, apiVersion) : null)
  }
  return selection.names.has('fallbacks') ? null : members
}

/** The selected members of the objects of a member. */
export function selectedIn(selectedMembers: SelectedMembers, name: string): SelectedMembers {
  return selectedMembers === null ? null : (selectedMembers.get(name) ?? null)
}

/** Whether at least one member is selected. */
export function selects(selectedMembers: SelectedMembers, ...members: readonly string[]): boolean {
  return selectedMembers === null || members.some((name) => selectedMembers.has(name))
}

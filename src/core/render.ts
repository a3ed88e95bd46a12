/**
 * Documents as this caller gets them: without what it may not see, in its version's names, reduced to what it selected,
 * in this order. A document that none of the three concerns stays text and is never parsed.
 */

import { type Access, type AnswerTypes, type HiddenProperties, hasRenames } from './access.ts'
import { type Differences, textOf, treeOf, type Value } from './document.ts'
import { isJsonArray, isJsonObject, type Json, type JsonObject, setMember } from './json.ts'
import { type Selection, select } from './select.ts'
import { type ApiVersion, differenceToVersion, toVersion } from './versions.ts'

/** How a document is seen: in which version, by whom, and which part of it. */
export type View = {
  readonly dialect: ApiVersion
  readonly sight: Access
  readonly selection: Selection | null
}

/** Whether a renderer writes documents just as they are, so that one that writes itself may. */
export const writesAsIs = (render: (document: Value) => string): boolean => render === textOf

/** Writes documents as JSON text. */
export function rendererOf(view: View, reach: AnswerTypes): (document: Value) => string {
  const { dialect, sight, selection } = view
  const hidden = sight.hidden(reach)
  const isRenamed = hasRenames(dialect, reach)
  if (!isRenamed && hidden.size === 0 && selection === null) return textOf
  const translateDifferences = ({ type, differences }: Differences) => {
    const shape = reach.shapes.get(type)
    return shape
      ? differences.map((difference) => differenceToVersion(difference, shape, reach.shapes, dialect))
      : differences
  }
  return (document) => {
    let tree = treeOf(document, translateDifferences)
    if (hidden.size > 0) tree = without(tree, hidden)
    if (isRenamed) tree = toVersion(tree, dialect)
    if (selection && isJsonObject(tree)) tree = select(tree, selection)
    return JSON.stringify(tree)
  }
}

/** A document without the properties that are hidden. */
export function without(node: Json, hidden: HiddenProperties): Json {
  if (isJsonArray(node)) return node.map((each) => without(each, hidden))
  return isJsonObject(node) ? membersWithout(node, hidden) : node
}

/** An object without the properties that are hidden. */
export function membersWithout(node: JsonObject, hidden: HiddenProperties): JsonObject {
  const type = node['@type']
  const names = typeof type === 'string' ? hidden.get(type) : undefined
  const kept: Record<string, Json> = {}
  for (const [name, value] of Object.entries(node)) {
    if (!names?.has(name)) setMember(kept, name, without(value, hidden))
  }
  return kept
}

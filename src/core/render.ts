/**
 * Renders documents for a caller in three steps: remove hidden properties, translate into the version's names, apply
 * the selection.
 */

import { type Access, type AnswerTypes, type HiddenProperties, hasRenames } from './access.ts'
import { Differences, textOf, type Value } from './document.ts'
import { isJsonArray, isJsonObject, type Json, type JsonObject, jsonOf, setMember } from './json.ts'
import type { Difference } from './patch.ts'
import { type Selection, select } from './select.ts'
import { type ApiVersion, differenceToVersion, toVersion } from './versions.ts'

/** The version, access and selection that a document is rendered with. */
export type View = {
  readonly apiVersion: ApiVersion
  readonly access: Access
  readonly selection: Selection | null
}

/** Returns a function that serializes documents as JSON. */
export function rendererOf(view: View, answerTypes: AnswerTypes): (document: Value) => string {
  const { apiVersion, access, selection } = view
  const hiddenProperties = access.hiddenProperties(answerTypes)
  const isRenamed = hasRenames(apiVersion, answerTypes)
  if (!isRenamed && hiddenProperties.size === 0 && selection === null) return textOf
  const translateDifferences = ({ type, differences }: Differences) => {
    const shape = answerTypes.shapes.get(type)
    return shape
      ? differences.map((difference) =>
          differenceToVersion(difference, shape, answerTypes.shapes, apiVersion),
        )
      : differences
  }
  return (document) => {
    let tree = withDifferences(jsonOf(document), translateDifferences)
    if (hiddenProperties.size > 0) tree = without(tree, hiddenProperties)
    if (isRenamed) tree = toVersion(tree, apiVersion)
    if (selection && isJsonObject(tree)) tree = select(tree, selection)
    return JSON.stringify(tree)
  }
}

/** Replaces the changes in an event's document by those in the names of the caller's version. */
function withDifferences(
  document: Json,
  translate: (differences: Differences) => readonly Difference[],
): Json {
  if (!isJsonObject(document)) return document
  const changes: unknown = document.changes
  return changes instanceof Differences ? { ...document, changes: jsonOf(translate(changes)) } : document
}

/** Removes hidden properties from a document. */
export function without(node: Json, hiddenProperties: HiddenProperties): Json {
  if (isJsonArray(node)) return node.map((element) => without(element, hiddenProperties))
  return isJsonObject(node) ? membersWithout(node, hiddenProperties) : node
}

/** Removes hidden properties from an object. */
export function membersWithout(node: JsonObject, hiddenProperties: HiddenProperties): JsonObject {
  const type = node['@type']
  const names = typeof type === 'string' ? hiddenProperties.get(type) : undefined
  const visibleMembers: Record<string, Json> = {}
  for (const [name, value] of Object.entries(node)) {
    if (!names?.has(name)) setMember(visibleMembers, name, without(value, hiddenProperties))
  }
  return visibleMembers
}

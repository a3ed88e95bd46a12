import type { Shape } from './property.ts'
import type { Selection } from './select.ts'
import type { Dialect } from './versions.ts'

/** The members of a document that have to be read to answer a query, by today's names; null where all have to. */
export type Outline = ReadonlySet<string> | null

/** The outline of documents of a shape that a selection, in the names of a version, is applied to. */
export function outlineOf(selection: Selection | null, shape: Shape, dialect: Dialect): Outline {
  if (selection === null || selection.whole || selection.any !== null) return null
  const currentNames = dialect.currentNames.get(shape.type)
  const asked = [...selection.names.keys()].map((name) => currentNames?.get(name) ?? name)
  if (asked.some((name) => restsOnOthers(name, shape))) return null
  return new Set(asked.filter((name) => Object.hasOwn(shape.properties, name)))
}

/** `fallbacks` tells of every text of a document. */
function restsOnOthers(name: string, { properties }: Shape): boolean {
  return name === 'fallbacks' || (Object.hasOwn(properties, name) && properties[name]?.restsOnOthers === true)
}

/** Whether some member is in an outline. */
export function reads(outline: Outline, ...members: readonly string[]): boolean {
  return outline === null || members.some((name) => outline.has(name))
}

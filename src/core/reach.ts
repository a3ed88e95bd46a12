import { anyType, type Shape } from './property.ts'
import type { Scope } from './scopes.ts'
import type { Dialect } from './versions.ts'

/** A resource, or an operation on one. */
type Shaped = { readonly shape: Shape }

/** All shapes by `@type`. */
export function shapesOf(resources: readonly Shaped[]): ReadonlyMap<string, Shape> {
  return new Map(resources.map(({ shape }) => [shape.type, shape]))
}

/** What can stand in an answer of an operation: known before any document is seen. */
export type Reach = {
  readonly types: readonly string[]
  /** Properties that a scope guards. */
  readonly guarded: readonly { readonly type: string; readonly name: string; readonly scope: Scope }[]
  /** All shapes, by `@type`. */
  readonly shapes: ReadonlyMap<string, Shape>
}

/** The types and guarded properties that an operation's documents can hold, through whatever they embed. */
export function reachOf({ shape }: Shaped, shapes: ReadonlyMap<string, Shape>): Reach {
  const reached = new Map<string, Shape>()
  const visit = (each: Shape | undefined): void => {
    if (!each || reached.has(each.type)) return
    reached.set(each.type, each)
    for (const { of, writeOnly } of Object.values(each.properties)) {
      if (writeOnly) continue
      if (of === anyType) shapes.forEach(visit)
      else if (of !== null) visit(shapes.get(of))
    }
  }
  visit(shape)
  return {
    // Where resources have a type in common, this is the one that the operation shows.
    shapes: shapes.get(shape.type) === shape ? shapes : new Map([...shapes, [shape.type, shape]]),
    types: [...reached.keys()],
    guarded: [...reached.values()].flatMap(({ type, properties }) =>
      Object.entries(properties).flatMap(([name, { visibleWith }]) =>
        visibleWith === null ? [] : [{ type, name, scope: visibleWith }],
      ),
    ),
  }
}

/** `@type` → names that the actor may not see. */
export type Hidden = ReadonlyMap<string, ReadonlySet<string>>

/** Whether these documents contain properties that a version renames. */
export function hasRenames({ renames }: Dialect, { types }: Reach): boolean {
  return renames.size > 0 && types.some((type) => renames.has(type))
}

import { type Change, pairsOf, type Rung } from './change.ts'
import { down } from './changed-object.ts'
import { shapeBefore } from './changed-shape.ts'
import type { Shape } from './property.ts'
import type { Dialect } from './version.ts'

// Shapes and dialects are made once, and every request asks for its own.
const known = new WeakMap<Dialect, WeakMap<Shape, readonly Rung[]>>()

/** What separates a version from today's shape of a type, the newest change first; nothing where nothing does. */
export function ladderOf(shape: Shape, dialect: Dialect): readonly Rung[] {
  const ladders = known.get(dialect) ?? new WeakMap<Shape, readonly Rung[]>()
  known.set(dialect, ladders)
  const made = ladders.get(shape) ?? climbedDown(shape, dialect.changes.get(shape.type) ?? [])
  ladders.set(shape, made)
  return made
}

function climbedDown(shape: Shape, changes: readonly Change[]): Rung[] {
  const rungs: Rung[] = []
  for (const change of changes) {
    const after = rungs.at(-1)?.before ?? shape
    const before = shapeBefore(after, change)
    const rung = { change, pairs: pairsOf(change), after, before }
    rungs.push({ ...rung, before: withExamples(rung) })
  }
  return rungs
}

/** The shape before a change with the examples of the shape behind it, as they were. */
function withExamples(rung: Rung): Shape {
  const { after, before } = rung
  const told = Object.entries(after.properties).flatMap(([name, { example }]) =>
    example === undefined ? [] : [[name, example] as const],
  )
  const examples = down(Object.fromEntries(told), rung)
  const properties = Object.entries(before.properties).map(([name, property]) => {
    const example = Object.hasOwn(examples, name) ? examples[name] : undefined
    return [name, example === undefined ? property : { ...property, example }] as const
  })
  return { ...before, properties: Object.fromEntries(properties) }
}

/** A type's shape as a version has it. */
export function shapeIn(shape: Shape, dialect: Dialect): Shape {
  return ladderOf(shape, dialect).at(-1)?.before ?? shape
}

/** What documents of a type show in a version, by name. */
export function shownIn(shape: Shape, dialect: Dialect): Shape['properties'] {
  const { properties } = shapeIn(shape, dialect)
  return Object.fromEntries(Object.entries(properties).filter(([, { writeOnly }]) => !writeOnly))
}

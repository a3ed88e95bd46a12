import { type BreakingChange, pairsOf, type Rung } from './breaking-change.ts'
import { holdersOf, type Shape } from './property.ts'
import type { Dialect } from './version.ts'
import { down } from './versioned-object.ts'
import { shapeBefore } from './versioned-shape.ts'

// Shapes and dialects are made once, and every request asks for its own.
const known = new WeakMap<Dialect, WeakMap<Shape, readonly Rung[]>>()

/** What separates a version from today's shape of a type, the newest breaking change first; nothing where nothing does. */
export function ladderOf(shape: Shape, dialect: Dialect): readonly Rung[] {
  const ladders = known.get(dialect) ?? new WeakMap<Shape, readonly Rung[]>()
  known.set(dialect, ladders)
  const made = ladders.get(shape) ?? climbedDown(shape, dialect.breakingChanges.get(shape.type) ?? [])
  ladders.set(shape, made)
  return made
}

function climbedDown(shape: Shape, breakingChanges: readonly BreakingChange[]): Rung[] {
  const rungs: Rung[] = []
  for (const breakingChange of breakingChanges) {
    const after = rungs.at(-1)?.before ?? shape
    for (const name of Object.keys(breakingChange.removals ?? {})) demandUnused(name, shape)
    const before = shapeBefore(after, breakingChange)
    const rung = { breakingChange, pairs: pairsOf(breakingChange), after, before }
    rungs.push({ ...rung, before: withExamples(rung) })
  }
  return rungs
}

/** A path has one meaning in all versions. */
function demandUnused(name: string, { properties }: Shape): void {
  if (Object.hasOwn(properties, name)) throw new Error(`a version removes “${name}”, which the type has`)
}

/** The shape before a breaking change with the examples of the shape behind it, as they were. */
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
  return withParts(ladderOf(shape, dialect).at(-1)?.before ?? shape, dialect)
}

/** A shape whose properties that hold parts of others have these as a version does. */
function withParts(shape: Shape, dialect: Dialect): Shape {
  const holding = holdersOf(shape).flatMap(([name, parts]) => {
    const property = shape.properties[name]
    if (!property || !dialect.breakingChanges.has(parts.shape.type)) return []
    return [[name, { ...property, schema: parts.schema(shapeIn(parts.shape, dialect)) }] as const]
  })
  return holding.length === 0
    ? shape
    : { ...shape, properties: { ...shape.properties, ...Object.fromEntries(holding) } }
}

/** The properties that a version has and no newer one, by the names that they had last: paths of today's names have them, too. */
export function removedSince(shape: Shape, dialect: Dialect): ReadonlySet<string> {
  return new Set(
    ladderOf(shape, dialect).flatMap(({ breakingChange }) => Object.keys(breakingChange.removals ?? {})),
  )
}

/** What documents of a type show in a version, by name. */
export function shownIn(shape: Shape, dialect: Dialect): Shape['properties'] {
  const { properties } = shapeIn(shape, dialect)
  return Object.fromEntries(Object.entries(properties).filter(([, { writeOnly }]) => !writeOnly))
}

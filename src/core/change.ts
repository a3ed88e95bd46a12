/** What one version broke for one `@type`: as data, and as a pair of pure functions where data cannot say it. */
import type * as z from 'zod'
import type { Json, JsonObject } from './json.ts'
import type { Shape } from './property.ts'

type Names = Readonly<Record<string, string>>

/** One breaking change. Its names are those that hold with it → those before it; versions in between are gone through one by one. */
export type Change = {
  /** Begins with a verb: what an integrator has to do differently. */
  readonly description: string
  readonly type: string
  /** A property's name → its name before. */
  readonly renames?: Names
  /** A member's dotted path within one object of the type → its path before: `'seo.title': 'seoTitle'`. */
  readonly moves?: Names
  /** A property, or a dotted path below it through objects and arrays → its value → that value's name before. */
  readonly values?: Readonly<Record<string, Names>>
  /** A property → what a create without it meant before, and clearing it, in the values that hold with this change. */
  readonly defaults?: Readonly<Record<string, Json>>
  readonly rewrites?: readonly Rewrite[]
}

/**
 * Properties that had another form. Both functions are given those of the members that there are, never all null (which stays
 * null), and are each other's inverse.
 */
export type Rewrite = {
  /** The properties that take part, with this change. */
  readonly after: readonly [string, ...string[]]
  /** Those before, each with the schema of what it took and showed. */
  readonly before: Readonly<Record<string, z.ZodType>>
  readonly down: (members: JsonObject) => JsonObject
  /** Given only what the schemas take. */
  readonly up: (members: JsonObject) => JsonObject
}

/** Whether a change is seen in documents: what a create without a member means is not. */
export function showsOtherwise({ renames, moves, values, rewrites }: Change): boolean {
  return [renames, moves, values, rewrites].some((each) => each !== undefined)
}

/** One change on the way from today's shape of a type to a version's. */
export type Rung = {
  readonly change: Change
  readonly pairs: readonly Pair[]
  readonly after: Shape
  readonly before: Shape
}

/** A place in objects of a type, with a change and before it. */
export type Pair = {
  readonly after: readonly string[]
  readonly before: readonly string[]
  /** True where what lies below is not told apart: the whole had another form. */
  readonly whole: boolean
}

/** The places that a change calls otherwise, the deepest first. */
export function pairsOf({ renames = {}, moves = {}, rewrites = [] }: Change): Pair[] {
  const named = (names: Names, whole: boolean) =>
    Object.entries(names).map(([after, before]) => ({
      after: after.split('.'),
      before: before.split('.'),
      whole,
    }))
  const rewritten = rewrites.flatMap(({ after, before }) =>
    after.flatMap((now) =>
      Object.keys(before).map((then) => ({ after: [now], before: [then], whole: true })),
    ),
  )
  const all = [...named(moves, false), ...named(renames, false), ...rewritten]
  return all.sort((a, b) => b.after.length + b.before.length - a.after.length - a.before.length)
}

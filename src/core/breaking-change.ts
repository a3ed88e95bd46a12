/** What one version broke for one `@type`: as data, and as a pair of pure functions where data cannot say it. */
import type * as z from 'zod'
import type { Json, JsonObject } from './json.ts'
import type { Shape } from './property.ts'

type Names = Readonly<Record<string, string>>

/** One breaking change. Its names are those that hold with it → those before it; versions in between are gone through one by one. */
export type BreakingChange = {
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
  /** The name of a property that there is no more → what it was. No newer version, nor today's shape, has another of that name. */
  readonly removals?: Readonly<Record<string, Removal>>
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

/** A property that only older versions have: nothing of it is stored. */
export type Removal = {
  /** What it showed and, where it is taken, what bodies may have; its metadata describe it and give an example. */
  readonly schema: z.ZodType
  /** Whether a body that has it is judged by the schema, and no more said of it; else it is read-only. */
  readonly taken: boolean
} & (Constant | Derived)

/** The same value wherever some property is shown. */
type Constant = { readonly from?: undefined; readonly value: Json }

/**
 * A value that follows from properties that are shown with it: where one of these is hidden or absent, so is the value. The
 * function is never given null alone, which stays null.
 */
type Derived = {
  /** Their names, with this change. */
  readonly from: readonly [string, ...string[]]
  readonly value: (members: JsonObject) => Json
}

/** Whether a breaking change is seen in documents: what a create without a member means is not. */
export function showsOtherwise({ renames, moves, values, rewrites, removals }: BreakingChange): boolean {
  return [renames, moves, values, rewrites, removals].some((each) => each !== undefined)
}

/** One breaking change on the way from today's shape of a type to a version's. */
export type Rung = {
  readonly breakingChange: BreakingChange
  readonly pairs: readonly Pair[]
  readonly after: Shape
  readonly before: Shape
}

/** A place in objects of a type, with a breaking change and before it. */
export type Pair = {
  readonly after: readonly string[]
  readonly before: readonly string[]
  /** True where what lies below is not told apart: the whole had another form. */
  readonly whole: boolean
}

/** The places that a breaking change calls otherwise, the deepest first. */
export function pairsOf({ renames = {}, moves = {}, rewrites = [] }: BreakingChange): Pair[] {
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

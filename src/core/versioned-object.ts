/** One object of a type across one breaking change: as it was before (`down`), and as it is with it (`up`). Pure. */
import * as z from 'zod'
import type { Pair, Removal, Rewrite, Rung } from './breaking-change.ts'
import { isJsonObject, type Json, type JsonObject, member } from './json.ts'
import { mappedIn, omitting, put, take, valueAt } from './member-paths.ts'
import { membersOf } from './schema-parts.ts'

/** What a body does with an object: makes one, changes one, or says which one is meant. */
export type Purpose = 'create' | 'patch' | 'reference'

/** What the older version's caller sent that its version does not take; the paths are those before the breaking change. */
export type Misfit =
  | { readonly path: Place; readonly value: string }
  | { readonly path: Place; readonly error: z.ZodError }

type Place = readonly (string | number)[]

/** An object as it was before a breaking change; members that are not there stay absent. */
export function down(object: JsonObject, rung: Rung): JsonObject {
  const { breakingChange, after } = rung
  return { ...downPart(object, rung), ...restored(object, breakingChange.removals, after.properties) }
}

/** The same without what follows from its members. */
export function downPart(object: JsonObject, { breakingChange, pairs, before }: Rung): JsonObject {
  let members = valued(object, breakingChange.values, (value, names) => member(names, value) ?? value)
  for (const { after, before: names, down } of breakingChange.rewrites ?? [])
    members = rewritten(members, after, Object.keys(names), down)
  const { rest, taken } = take(members, moves(pairs), before.properties)
  members = renamed(rest, renames(pairs))
  for (const { path, value } of taken) members = put(members, path, value)
  return fallingBack(members, (name) => places(pairs, [name], 'before', before.properties))
}

/** A body as it is with a breaking change, and what of it was not to be sent before. */
export function up(
  body: JsonObject,
  { breakingChange, pairs, after, before }: Rung,
  purpose: Purpose,
): { body: JsonObject; misfits: Misfit[]; passedOver: string[] } {
  const { removals = {} } = breakingChange
  const misfits = Object.entries(removals).flatMap(([name, { taken, schema }]): Misfit[] =>
    taken ? misfitting(body, name, schema) : [],
  )
  const removed = Object.keys(removals).filter((name) => Object.hasOwn(body, name))
  const nested = moves(pairs)
  const still = omitting(body, removed)
  let members = purpose === 'patch' ? clearing(still, nested, before) : still
  const { rest, taken } = take(members, nested.map(inverse), after.properties)
  members = renamed(rest, inverted(renames(pairs)))
  for (const { path, value } of taken) {
    // On create null is the same as absent, and not every member takes it.
    if (value !== null || purpose !== 'create' || path.length === 1) members = put(members, path, value)
  }
  for (const rewrite of breakingChange.rewrites ?? []) {
    const { sound, wrong } = judged(members, rewrite)
    misfits.push(...wrong)
    members = rewritten(sound, Object.keys(rewrite.before), rewrite.after, rewrite.up)
  }
  members = valued(members, breakingChange.values, (value, names, path) => {
    const now = member(inverted(names), value)
    if (now === undefined && member(names, value) !== undefined) {
      const [place = path] = places(pairs, path, 'before', before.properties)
      misfits.push({ path: place, value })
    }
    return now ?? value
  })
  members = fallingBack(members, (name) => places(pairs, [name], 'after', after.properties))
  return {
    body: purpose === 'reference' ? members : filled(members, breakingChange.defaults ?? {}, purpose),
    misfits,
    passedOver: removed.filter((name) => !member(removals, name)?.taken),
  }
}

/**
 * Where something is on the other side of a breaking change: itself where it is not touched; for what holds members that were moved out
 * of it, those as well.
 */
export function places(pairs: readonly Pair[], path: Place, to: 'after' | 'before', known: object): Place[] {
  const from = to === 'after' ? 'before' : 'after'
  const through = pairs.filter((pair) => begins(path, pair[from]))
  const depth = Math.max(0, ...through.map((pair) => pair[from].length))
  const moved = through.filter((pair) => pair[from].length === depth)
  if (moved.length > 0)
    return moved.map((pair) => (pair.whole ? pair[to] : [...pair[to], ...path.slice(depth)]))
  const inside = pairs.filter((pair) => begins(pair[from], path)).map((pair) => pair[to])
  const stays = inside.length === 0 || Object.hasOwn(known, String(path[0]))
  return stays ? [path, ...inside] : inside
}

/** Whether a path leads through another. */
function begins(path: Place, start: Place): boolean {
  return start.length <= path.length && start.every((name, index) => path[index] === name)
}

const renames = (pairs: readonly Pair[]): Names =>
  Object.fromEntries(
    pairs.flatMap(({ after, before, whole }) =>
      !whole && after.length + before.length === 2 ? [[after.join(), before.join()]] : [],
    ),
  )

const moves = (pairs: readonly Pair[]) =>
  pairs.filter(({ after, before, whole }) => !whole && after.length + before.length > 2)

const inverse = ({ after, before, whole }: Pair): Pair => ({ after: before, before: after, whole })

type Names = Readonly<Record<string, string>>

const inverted = (names: Names): Names =>
  Object.fromEntries(Object.entries(names).map(([after, before]) => [before, after]))

function renamed(object: JsonObject, names: Names): JsonObject {
  return Object.fromEntries(
    Object.entries(object).map(([name, value]) => [member(names, name) ?? name, value]),
  )
}

/** A merge patch in which what is cleared as a whole is cleared member by member, where members have moved in since that are not cleared with it. */
function clearing(body: JsonObject, pairs: readonly Pair[], before: Rung['before']): JsonObject {
  const heads = pairs.flatMap(({ after: [head, ...below], before: from }) => {
    const stays = below.length > 0 && valueAt(body, from) !== null
    return head !== undefined && stays && member(body, head) === null ? [head] : []
  })
  const cleared = heads.flatMap((head) => {
    const { schema } = before.properties[head] ?? {}
    const names = schema instanceof z.ZodObject ? Object.keys(membersOf(schema)) : []
    return names.length === 0 ? [] : [[head, Object.fromEntries(names.map((name) => [name, null]))] as const]
  })
  return { ...body, ...Object.fromEntries(cleared) }
}

/** Puts what a function makes of some members in the place of the first of them. */
function rewritten(
  object: JsonObject,
  from: readonly string[],
  to: readonly string[],
  make: (members: JsonObject) => JsonObject,
): JsonObject {
  const given = from.filter((name) => Object.hasOwn(object, name))
  if (given.length === 0) return object
  const members = Object.fromEntries(given.map((name) => [name, object[name] ?? null]))
  const made = Object.values(members).every((each) => each === null)
    ? Object.fromEntries(to.map((name) => [name, null]))
    : make(members)
  return Object.fromEntries(
    Object.entries(object).flatMap((entry) => {
      if (!given.includes(entry[0])) return [entry]
      return entry[0] === given[0] ? Object.entries(made) : []
    }),
  )
}

/** The members that a rewrite's schemas take, and what is wrong with the others. */
function judged(object: JsonObject, { before }: Rewrite): { sound: JsonObject; wrong: Misfit[] } {
  const wrong = Object.entries(before).flatMap(([name, schema]) => misfitting(object, name, schema))
  return {
    sound: omitting(
      object,
      wrong.map(({ path }) => String(path[0])),
    ),
    wrong,
  }
}

function misfitting(object: JsonObject, name: string, schema: z.ZodType) {
  const value = member(object, name)
  if (value === undefined || value === null) return []
  const { error } = schema.safeParse(value, { reportInput: true })
  return error ? [{ path: [name], error }] : []
}

/** What there is no more, as an object shows it whose properties have it. */
function restored(
  object: JsonObject,
  removals: Readonly<Record<string, Removal>> = {},
  known: object,
): JsonObject {
  const entries = Object.entries(removals).flatMap(([name, { from, value }]): [string, Json][] => {
    if (from === undefined) return isShown(object, known) ? [[name, value]] : []
    const members = from.flatMap((each) =>
      Object.hasOwn(object, each) ? [[each, object[each] ?? null]] : [],
    )
    if (members.length < from.length) return []
    const isNull = members.every(([, each]) => each === null)
    return [[name, isNull ? null : value(Object.fromEntries(members))]]
  })
  return Object.fromEntries(entries)
}

/** Whether an object shows more of a resource than which one it is. */
function isShown(object: JsonObject, known: object): boolean {
  return Object.keys(object).some((name) => Object.hasOwn(known, name))
}

type ValueMap = (value: string, names: Names, path: Place) => Json

/** The object with each text at the paths of `values` mapped; arrays on the way are gone through. */
function valued(object: JsonObject, values: Readonly<Record<string, Names>> = {}, map: ValueMap): JsonObject {
  return Object.entries(values).reduce(
    (members, [path, names]) => mappedIn(members, path.split('.'), [], (value, at) => map(value, names, at)),
    object,
  )
}

/** `fallbacks` names properties. */
function fallingBack(object: JsonObject, placed: (name: string) => readonly Place[]): JsonObject {
  const fallbacks = member(object, 'fallbacks')
  if (!isJsonObject(fallbacks)) return object
  const entries = Object.entries(fallbacks).flatMap(([name, locale]) =>
    placed(name).map(([head]) => [String(head), locale] as const),
  )
  return { ...object, fallbacks: Object.fromEntries(entries) }
}

/** What is absent from a create, or cleared, as it was meant. */
function filled(
  body: JsonObject,
  defaults: Readonly<Record<string, Json>>,
  purpose: 'create' | 'patch',
): JsonObject {
  const meant = Object.entries(defaults).filter(([name]) =>
    purpose === 'create' ? (member(body, name) ?? null) === null : member(body, name) === null,
  )
  return { ...body, ...Object.fromEntries(meant) }
}

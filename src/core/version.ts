/**
 * API versions: business code has one shape, today's. What an older version shows and accepts is derived from the dated
 * breaking changes in `versions/`.
 */
import { type BreakingChange, type Pair, pairsOf } from './breaking-change.ts'

/** One dated version of the API. */
export type Version = {
  readonly name: string
  /** ISO dates; null for the rolling version. */
  readonly released: string | null
  readonly sunset: string | null
  /** What broke with this version, against the one before. */
  readonly breakingChanges: readonly BreakingChange[]
}

/** What separates a version from today's shape. */
export type Dialect = {
  readonly version: Version
  readonly deprecated: boolean
  /** `@type` → what broke since, the newest first. Empty where nothing differs. */
  readonly breakingChanges: ReadonlyMap<string, readonly BreakingChange[]>
  /** `@type` → today's name → the name in this version, of properties that are called otherwise. */
  readonly renames: ReadonlyMap<string, ReadonlyMap<string, string>>
  /** `@type` → a name that this version does not know → the one that it does. */
  readonly wrongNames: ReadonlyMap<string, ReadonlyMap<string, string>>
  /** The same of every member that is elsewhere or otherwise in some version, by its path within an object. */
  readonly wrongPlaces: ReadonlyMap<string, readonly WrongPlace[]>
  /** Every dialect of the list, by its version's name. */
  readonly all: ReadonlyMap<string, Dialect>
}

type Names = readonly string[]

/** Where another version has something that this one has elsewhere. */
export type WrongPlace = { readonly wrong: Names; readonly right: Names }

/** The dialect of each version of a list that is ordered oldest first. */
export function dialectsOf(versions: readonly Version[], current: string): ReadonlyMap<string, Dialect> {
  const all = new Map<string, Dialect>()
  const changed = [
    ...new Set(versions.flatMap(({ breakingChanges }) => breakingChanges.map(({ type }) => type))),
  ]
  for (const [index, version] of versions.entries()) {
    const newer = versions
      .slice(index + 1)
      .toReversed()
      .flatMap(({ breakingChanges }) => breakingChanges.toReversed())
    const wrong = changed.map((type) => [type, wrongPlacesOf(type, versions, index)] as const)
    all.set(version.name, {
      version,
      deprecated: version.name !== current && version.released !== null,
      breakingChanges: Map.groupBy(newer, ({ type }) => type),
      renames: namesByType(
        changed.map((type) => [type, renamesOf(newer.filter((each) => each.type === type))]),
      ),
      wrongNames: namesByType(wrong),
      wrongPlaces: new Map(wrong.filter(([, places]) => places.length > 0)),
      all,
    })
  }
  return all
}

/** Today's names of what breaking changes call otherwise, newest first, as the wrong ones, and those before all of them. */
function renamesOf(newer: readonly BreakingChange[]): WrongPlace[] {
  return newer.flatMap((breakingChange, at) =>
    pairsOf(breakingChange).map(({ after, before }) => ({
      wrong: newer.slice(0, at).reduceRight((path, each) => across(path, each, 'after'), after),
      right: newer.slice(at + 1).reduce((path, each) => across(path, each, 'before'), before),
    })),
  )
}

/** Every place that a type's members have in some version and not in this one. */
function wrongPlacesOf(type: string, versions: readonly Version[], index: number): WrongPlace[] {
  const steps = versions.flatMap((version, at) =>
    version.breakingChanges
      .filter((each) => each.type === type)
      .map((breakingChange) => ({ breakingChange, isNewer: at > index })),
  )
  const places = steps.flatMap(({ breakingChange, isNewer }, at) => {
    const [older, later] = [steps.slice(0, at), steps.slice(at + 1)]
    return pairsOf(breakingChange).flatMap(({ after, before }): WrongPlace[] => {
      const right = isNewer
        ? goingBack(
            before,
            older.filter((each) => each.isNewer),
          )
        : comingUp(
            after,
            later.filter((each) => !each.isNewer),
          )
      return right ? [{ wrong: isNewer ? after : before, right }] : []
    })
  })
  const right = new Set(places.map((each) => each.right.join('.')))
  const wrong = places.filter((each) => !right.has(each.wrong.join('.')))
  // What is now several members is named by the first.
  return [...Map.groupBy(wrong, (each) => each.wrong.join('.')).values()].flatMap(([first]) => first ?? [])
}

type Step = { readonly breakingChange: BreakingChange }

const goingBack = (path: Names, steps: readonly Step[]) =>
  steps.reduceRight((each, { breakingChange }) => across(each, breakingChange, 'before'), path)

/** Null where it has been removed: no name is the right one any more. */
const comingUp = (path: Names, steps: readonly Step[]) =>
  steps.reduce<Names | null>((each, { breakingChange }) => {
    const isRemoved = each === null || Object.hasOwn(breakingChange.removals ?? {}, each[0] ?? '')
    return isRemoved ? null : across(each, breakingChange, 'after')
  }, path)

/** A path on the other side of a breaking change. */
function across(path: Names, breakingChange: BreakingChange, to: 'after' | 'before'): Names {
  const from = to === 'after' ? 'before' : 'after'
  const pair = pairsOf(breakingChange).find((each: Pair) =>
    each[from].every((name, index) => path[index] === name),
  )
  if (!pair) return path
  return pair.whole ? pair[to] : [...pair[to], ...path.slice(pair[from].length)]
}

/** Of places, those that are a property in both versions. */
function namesByType(
  types: readonly (readonly [string, readonly WrongPlace[]])[],
): ReadonlyMap<string, ReadonlyMap<string, string>> {
  const names = types.map(([type, places]) => {
    const pairs = places.flatMap(({ wrong, right }): [string, string][] =>
      wrong.length === 1 && right.length === 1 && wrong[0] !== right[0]
        ? [[wrong[0] ?? '', right[0] ?? '']]
        : [],
    )
    return [type, new Map(pairs)] as const
  })
  return new Map(names.filter(([, each]) => each.size > 0))
}

/** The requests that change the stored options to the wanted ones, as few as the API allows. */

/** An option or a value. `iri` is null until it is stored. */
export type Entry = {
  readonly key: string
  readonly iri: string | null
  readonly title: string
  readonly version: number | null
}

/** An option with its values, in their order. */
export type Option = Entry & { readonly values: readonly Entry[] }

/** One request. */
export type Step =
  | { readonly do: 'archive'; readonly variant: string }
  | { readonly do: 'delete'; readonly entry: Entry }
  | {
      readonly do: 'change'
      readonly entry: Entry
      readonly patch: { readonly title?: string; readonly position?: number }
    }
  | { readonly do: 'create'; readonly entry: Entry; readonly position: number }
  /** A value of the option with this key, which may be a new one. */
  | { readonly do: 'add'; readonly entry: Entry; readonly option: string; readonly position: number }

/** The requests in their order: what goes makes room for what is renamed, and that for what is new. */
export function stepsTo(
  before: readonly Option[],
  after: readonly Option[],
  archived: readonly string[] = [],
): Step[] {
  const known = new Map(before.map((each) => [each.key, each]))
  const kept = after.flatMap((option) => {
    const was = known.get(option.key)
    return was ? [{ was, option }] : []
  })
  return [
    ...archived.map((variant): Step => ({ do: 'archive', variant })),
    ...deletions(before, after),
    ...kept.flatMap(({ was, option }) => deletions(was.values, option.values)),
    ...changes(before, after),
    ...kept.flatMap(({ was, option }) => changes(was.values, option.values)),
    ...additions(before, after).map((each): Step => ({ do: 'create', ...each })),
    ...after.flatMap(({ key, values }) =>
      additions(known.get(key)?.values ?? [], values).map(
        (each): Step => ({ do: 'add', option: key, ...each }),
      ),
    ),
  ]
}

function deletions(before: readonly Entry[], after: readonly Entry[]): Step[] {
  const there = new Set(after.map(({ key }) => key))
  return before.flatMap((entry): Step[] => (there.has(entry.key) ? [] : [{ do: 'delete', entry }]))
}

function changes(before: readonly Entry[], after: readonly Entry[]): Step[] {
  const known = new Map(before.map((each) => [each.key, each]))
  const wanted = after.filter(({ key }) => known.has(key))
  const positions = moves(
    before.map(({ key }) => key).filter((key) => wanted.some((each) => each.key === key)),
    wanted.map(({ key }) => key),
  )
  return wanted.flatMap(({ key, title }): Step[] => {
    const entry = known.get(key)
    if (!entry) return []
    const position = positions.get(key)
    const patch = {
      ...(entry.title !== title && { title }),
      ...(position !== undefined && { position }),
    }
    return Object.keys(patch).length > 0 ? [{ do: 'change', entry, patch }] : []
  })
}

function additions(before: readonly Entry[], after: readonly Entry[]) {
  const known = new Set(before.map(({ key }) => key))
  return after.flatMap((entry, position) => (known.has(entry.key) ? [] : [{ entry, position }]))
}

/** The fewest moves that bring keys into another order, each with the place it is moved to, one after the other. */
export function moves(before: readonly string[], after: readonly string[]): Map<string, number> {
  const staying = longestRising(after.map((key) => before.indexOf(key)))
  const line = [...before]
  const moved = new Map<string, number>()
  after.forEach((key, index) => {
    if (staying.has(before.indexOf(key))) return
    line.splice(line.indexOf(key), 1)
    const predecessor = after[index - 1]
    const place = predecessor === undefined ? 0 : line.indexOf(predecessor) + 1
    line.splice(place, 0, key)
    moved.set(key, place)
  })
  return moved
}

/** The members of a longest rising subsequence: what need not move. */
function longestRising(numbers: readonly number[]): ReadonlySet<number> {
  const best: number[][] = []
  numbers.forEach((each, index) => {
    const earlier = best.filter((_, at) => (numbers[at] ?? 0) < each)
    const longest = earlier.reduce((one, other) => (other.length > one.length ? other : one), [])
    best[index] = [...longest, each]
  })
  return new Set(best.reduce((one, other) => (other.length > one.length ? other : one), []))
}

/**
 * The user's changes applied to the stored entries: untouched entries and entries of other users stay as they are stored.
 * `before` is the state in which the user began.
 */
function rebased<Each extends Entry>(
  wanted: readonly Each[],
  before: readonly Each[],
  stored: readonly Each[],
  within: (wanted: Each, before: Each | undefined, stored: Each) => Each = (each) => each,
): Each[] {
  const [was, is] = [byKey(before), byKey(stored)]
  /** A new entry is stored already if the response to its creation was lost. */
  const createdAs = ({ iri, title }: Each) =>
    iri === null ? stored.find((each) => !was.has(each.key) && each.title === title.trim()) : undefined
  const mine = wanted.flatMap((each) => {
    const now = is.get(each.key) ?? createdAs(each)
    if (!now) return each.iri === null ? [each] : []
    const earlier = was.get(each.key)
    const title = each.title === earlier?.title ? now.title : each.title
    const { key, iri, version } = now
    return [{ ...within(each, earlier, now), key, iri, title, version }]
  })
  const known = new Set([...was.keys(), ...mine.map(({ key }) => key)])
  const theirs = stored.filter(({ key }) => !known.has(key))
  const order = (entries: readonly Each[]) => entries.flatMap(({ key }) => (was.has(key) ? [key] : []))
  const remaining = new Set(order(mine))
  const isReordered =
    order(before)
      .filter((key) => remaining.has(key))
      .join() !== order(mine).join()
  if (isReordered) return [...mine, ...theirs]
  const found = byKey(mine)
  const inTheirOrder = stored.flatMap(
    (each) => found.get(each.key) ?? theirs.filter(({ key }) => key === each.key),
  )
  return [...inTheirOrder, ...mine.filter(({ key }) => !is.has(key))]
}

/** The same of options with their values. */
export function rebasedOptions(
  wanted: readonly Option[],
  before: readonly Option[],
  stored: readonly Option[],
): Option[] {
  return rebased(wanted, before, stored, (mine, earlier, now) => ({
    ...mine,
    values: rebased(mine.values, earlier?.values ?? [], now.values),
  }))
}

function byKey<Each extends Entry>(entries: readonly Each[]): Map<string, Each> {
  return new Map(entries.map((each) => [each.key, each]))
}

/** A list with one of its items at another place. */
export function moved<Item>(items: readonly Item[], from: number, to: number): Item[] {
  const others = items.filter((_, index) => index !== from)
  return [...others.slice(0, to), ...items.slice(from, from + 1), ...others.slice(to)]
}

/** The error of a name among others: it is missing, or another entry has it. */
export function mistakeOf({ key, title }: Entry, others: readonly Entry[]): 'empty' | 'twice' | null {
  const name = title.trim()
  if (name === '') return 'empty'
  return others.some((each) => each.key !== key && each.title.trim() === name) ? 'twice' : null
}

/** Whether some name is missing, or there twice. */
export function hasMistakes(options: readonly Option[]): boolean {
  const areWrong = (entries: readonly Entry[]) => entries.some((each) => mistakeOf(each, entries) !== null)
  return areWrong(options) || options.some(({ values }) => areWrong(values))
}

import { DatabaseError, type Session } from './client.ts'
import { combineQueries, type DatabaseQuery, mapQuery } from './query.ts'
import type {
  PricesOfVariants,
  SavePrices,
  SentChange,
  SentStep,
  WriteRequest,
  WriteStep,
} from './write-steps.ts'

/** Joint writes: several requests of a tenant share their round trips, and commit together. */

type Applied = Awaited<ReturnType<Session['apply']>>

/** A read that a work waits for. Taking its result resolves it. */
type WaitingRead = { readonly query: DatabaseQuery; readonly reject: (error: unknown) => void }

/** A write that a work waits for, with the index of the work. */
type WaitingWrite = {
  readonly work: number
  readonly request: WriteRequest
  readonly resolve: (applied: Applied) => void
  readonly reject: (error: unknown) => void
}

/** Rejects the writes of all works if one of them prevents all. */
export class JointWriteRejected extends Error {
  constructor() {
    super('another work prevents the joint write')
    this.name = 'JointWriteRejected'
  }
}

export type JointOptions<Result = unknown> = {
  /** Whether a result prevents the commit of all works. Without it, each work has its own outcome. */
  readonly preventsAll?: (result: Result) => boolean
  /** Additional steps of a commit, given its works by their index, with the changes of each. Works that store only their key are left out. */
  readonly stepsOf?: (works: ReadonlyMap<number, readonly SentChange[]>) => readonly WriteStep[]
}

/**
 * Runs works at once, each with a session of its own. A round trip starts when every unfinished work waits for one: all
 * reads go in one trip, and all writes in one commit. A work makes at most one commit.
 * Works whose joint write the database rejects commit one after the other, unless one may prevent all. They must not throw.
 */
export async function runJointly<Result>(
  session: Session,
  works: readonly ((session: Session) => Promise<Result>)[],
  options: JointOptions<Result>,
): Promise<Result[]> {
  let unfinished = works.length
  let isPrevented = false
  let reads: WaitingRead[] = []
  let writes: WaitingWrite[] = []
  const addedParts = new Map<string, number[]>()

  const startIfAllWait = () => {
    if (unfinished === 0 || reads.length + writes.length < unfinished) return
    if (reads.length > 0) {
      const waiting = reads
      reads = []
      void readAll(session, waiting)
      return
    }
    const waiting = writes
    writes = []
    if (isPrevented) for (const { reject } of waiting) reject(new JointWriteRejected())
    else void writeAll(session, waiting, options.preventsAll !== undefined, options.stepsOf)
  }
  const sessionOf = (work: number): Session => ({
    ...session,
    get clock() {
      return session.clock
    },
    read: (queries) =>
      new Promise((resolve, reject) => {
        reads.push({ query: mapQuery(combineQueries(queries), resolve), reject })
        startIfAllWait()
      }),
    apply: (request) =>
      new Promise((resolve, reject) => {
        writes.push({ work, request, resolve, reject })
        startIfAllWait()
      }),
    write() {
      throw new Error('A joint write has only steps.')
    },
    setCachedClock() {},
    addParts(owner, change) {
      const changes = addedParts.get(owner) ?? []
      addedParts.set(owner, changes)
      changes[work] = change
      return changes.slice(0, work).reduce((sum, each) => sum + each, 0)
    },
  })
  return Promise.all(
    works.map(async (work, index) => {
      const result = await work(sessionOf(index))
      if (options.preventsAll?.(result)) isPrevented = true
      unfinished -= 1
      startIfAllWait()
      return result
    }),
  )
}

async function readAll(session: Session, waiting: readonly WaitingRead[]): Promise<void> {
  try {
    await session.read(Object.fromEntries(waiting.map(({ query }, index) => [index, query])))
  } catch (error) {
    for (const { reject } of waiting) reject(error)
  }
}

async function writeAll(
  session: Session,
  waiting: readonly WaitingWrite[],
  isAtomic: boolean,
  stepsOf: JointOptions['stepsOf'],
): Promise<void> {
  try {
    const { request, places } = jointRequest(waiting.map((each) => each.request))
    const changesByWork = new Map(
      waiting.flatMap(({ work, request: { changes } }) => (changes ? [[work, changes] as const] : [])),
    )
    const { rows, stamps } = await session.apply({
      ...request,
      beforeClock: [...request.beforeClock, ...(stepsOf?.(changesByWork) ?? [])],
    })
    waiting.forEach(({ resolve }, index) => {
      const ownRows = rows?.[index]
      resolve({
        rows: Array.isArray(ownRows) ? ownRows : null,
        stamps: stamps && (places[index] ?? []).flatMap((place) => stamps[place] ?? []),
      })
    })
  } catch (error) {
    if (isAtomic || waiting.length === 1 || !(error instanceof DatabaseError))
      for (const { reject } of waiting) reject(error)
    else for (const each of waiting) await writeAll(session, [each], isAtomic, stepsOf)
  }
}

/** One write of several, and the places of each one's changes. */
function jointRequest(requests: readonly WriteRequest[]) {
  const changes: SentChange[] = []
  const placesById = new Map<string, number>()
  const places = requests.map((request) =>
    (request.changes ?? []).map((change) => {
      // Several variants of one product raise its version once.
      const key = `${change.kind} ${change.id} ${change.version}`
      const known = placesById.get(key)
      if (known !== undefined) return known
      placesById.set(key, changes.length)
      return changes.push(change) - 1
    }),
  )
  const locks = new Map(
    requests.flatMap(({ locks = [] }) => locks.map((lock) => [JSON.stringify(lock), lock])),
  )
  const totals: Record<string, number> = {}
  for (const [name, change] of requests.flatMap((request) => Object.entries(request.totals ?? {})))
    totals[name] = (totals[name] ?? 0) + change
  const stepsIn = (phase: 'beforeClock' | 'underClock') =>
    mergedSteps(
      requests.flatMap((request, index) =>
        (request[phase] ?? []).map((step) => withPlaces(step, places[index] ?? [])),
      ),
    )
  const envelope = requests.find((request) => request.envelope)?.envelope
  const request = {
    ...(locks.size > 0 && { locks: [...locks.values()] }),
    beforeClock: stepsIn('beforeClock'),
    underClock: stepsIn('underClock'),
    ...(changes.length > 0 && { changes }),
    ...(envelope && { envelope }),
    ...(changes.length > 0 && { totals }),
    parts: requests.map(({ key, readBack }, index) => ({
      ...(key && { key }),
      ...(readBack && { readBack }),
      places: places[index] ?? [],
    })),
  }
  return { request, places }
}

function withPlaces(step: SentStep, places: readonly number[]): SentStep {
  if (!step.places) return step
  return { ...step, places: step.places.map((place) => (place === null ? null : (places[place] ?? null))) }
}

/** The steps. Those of one kind on the same table, or on the children of the same owner, are one step. */
function mergedSteps(steps: readonly SentStep[]): SentStep[] {
  const merged = new Map<string, SentStep>()
  steps.forEach((step, index) => {
    const key = mergeKey(step) ?? `${index}`
    const earlier = merged.get(key)
    merged.set(key, earlier ? mergedStep(earlier, step) : step)
  })
  return [...merged.values()].map((step) => (step.do === 'save_prices' ? withAllOffers(step, steps) : step))
}

function mergeKey(step: SentStep): string | null {
  if (step.do === 'save') return `save ${step.table}`
  if (step.do === 'place_rows') return `place_rows ${step.table} ${step.owner}`
  return /^(?:require_offerable|count_offers|lock_prices|save_prices)$/.test(step.do) ? step.do : null
}

/** Two steps with the same merge key as one. */
function mergedStep(first: SentStep, second: SentStep): SentStep {
  if (first.do === 'save' && second.do === 'save')
    return {
      ...first,
      rows: [...first.rows, ...second.rows],
      places: [...(first.places ?? []), ...(second.places ?? [])],
    }
  if (first.do === 'place_rows' && second.do === 'place_rows')
    return {
      ...first,
      ids: [...first.ids, ...second.ids],
      positions: [...first.positions, ...second.positions],
    }
  if (first.do === 'require_offerable' && second.do === 'require_offerable')
    return { ...first, variants: [...first.variants, ...second.variants] }
  if (first.do === 'count_offers' && second.do === 'count_offers')
    return { ...first, counts: [...first.counts, ...second.counts] }
  if (first.do === 'lock_prices' && second.do === 'lock_prices')
    return { ...first, prices: withVariants(first.prices, second.prices) }
  return first
}

function withVariants<Prices extends Pick<PricesOfVariants, 'variants'>>(
  first: Prices,
  second: Pick<PricesOfVariants, 'variants'>,
): Prices {
  const known = new Set(first.variants.map(({ id }) => id))
  return { ...first, variants: [...first.variants, ...second.variants.filter(({ id }) => !known.has(id))] }
}

/** The prices of all steps. Several may write offers of one variant, whose prices follow from all of them. */
function withAllOffers(step: SavePrices, steps: readonly SentStep[]): SavePrices {
  const saves = steps.filter((each) => each.do === 'save_prices')
  if (saves.length < 2) return step
  const written = saves.flatMap((save) => save.written)
  const prices = saves
    .map((save) => save.pricesAfter(written))
    .reduce((all, next) => {
      const known = new Set(all.variants.map(({ id }) => id))
      return {
        ...withVariants(all, next),
        rows: [...all.rows, ...next.rows.filter(({ v }) => !known.has(v))],
      }
    })
  return { ...step, prices, written }
}

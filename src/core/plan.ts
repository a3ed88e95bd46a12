import type { stampColumns } from '../db/columns.ts'
import type { RowOf, Statement } from '../db/query.ts'
import type { PlannedSteps, WriteStep } from '../db/write-steps.ts'
import type { Kind } from './kind.ts'
import type { Context } from './operation.ts'
import type { Difference } from './patch.ts'

/** The plan of a write: the rows that it locks, its changes and its result. */

/** The cron of each minute schedules workers for times up to so many milliseconds ahead. */
export const scheduledAheadMs = 90_000

/** A row that the write depends on, with its version when it was read; null if only its existence matters. */
export type LockedRow = { readonly kind: string; readonly id: string; readonly version: number | null }

/** The document of an event that the database fills in: the row with the resource's `id` that the plan reads back. */
export const fromReadBack = { readBack: true } as const

/** One changed resource: one version and one stamp, and one event unless it has no topic because it has no subscribers. */
export type Change = RecordedChange | (ChangedResource & { readonly topic: null })

type ChangedResource = {
  readonly kind: string
  readonly id: string
  /** The version after the change. */
  readonly version: number
  readonly action: 'created' | 'updated' | 'deleted'
  readonly ownerId?: string | null
  readonly changes: readonly Difference[]
  /** Canonical instants at which the resource changes automatically. A worker is scheduled for those in the near future. */
  readonly scheduledAt?: readonly (string | null)[]
}

/** A change with an event. */
export type RecordedChange = ChangedResource & {
  readonly topic: string
  readonly document: string | typeof fromReadBack
}

type ChangedKind = Pick<Kind, 'name' | 'subject'>
type ChangeContent = Pick<RecordedChange, 'document' | 'changes' | 'ownerId' | 'scheduledAt'>

/** The change of a new row. */
export function creationOf({ name, subject }: ChangedKind, id: string, content: ChangeContent): Change {
  return { kind: name, id, version: 1, action: 'created', topic: `${subject}/created`, ...content }
}

/** The change of an existing row. Its topic is `deleted` if the change archives the row. */
export function updateOf(
  { name, subject }: ChangedKind,
  { id, version }: { readonly id: string; readonly version: number },
  content: ChangeContent,
  archives = false,
): Change {
  const topic = `${subject}/${archives ? 'deleted' : 'updated'}`
  return { kind: name, id, version: version + 1, action: 'updated', topic, ...content }
}

/** A deletion: the next version with the last document. It has no differences, because the document contains all values. */
export function deletionOf(
  { name, subject }: ChangedKind,
  { id, version }: { readonly id: string; readonly version: number },
  document: string,
  ownerId: string | null = null,
): Change {
  const topic = `${subject}/deleted`
  return { kind: name, id, version: version + 1, action: 'deleted', topic, ownerId, document, changes: [] }
}

/** The effects of a write, decided from the rows that it has read. */
export type Plan<Result, ReadBack = unknown> =
  | { readonly unchanged: Result }
  /** An action of less than a minute outside of the database. A request with the same key does not repeat it. */
  | { readonly perform: () => Promise<Result> }
  | (((PlannedSteps & { readonly readBack?: never }) | StepsWithReadBack<ReadBack>) & {
      readonly guard: readonly LockedRow[]
      readonly changed: readonly Change[]
      /** Name of a total → by how much it changes. */
      readonly totals: Readonly<Record<string, number>>
      /** The result before stamps: plain JSON, because a replay starts from it. */
      readonly result: Result
      /** Set if the steps make deliveries due without an event. */
      readonly wakesDispatch?: true
      /**
       * A constraint's name → the problem that its violation means, or `again` for a race that a second run resolves.
       * Positions and names (handles, external ids, SKUs) mean `again` by default: the next read reports the conflict.
       */
      readonly constraintProblems?: Readonly<Record<string, Error | 'again'>>
    })

/** The same plan with another result. */
export function mapPlan<From, To, ReadBack>(
  plan: Plan<From, ReadBack>,
  map: (result: From) => To,
): Plan<To, ReadBack> {
  if ('unchanged' in plan) return { unchanged: map(plan.unchanged) }
  if ('perform' in plan) return { perform: async () => map(await plan.perform()) }
  return { ...plan, result: map(plan.result) }
}

/** The query does not run under the clock, so no step does. */
type StepsWithReadBack<ReadBack> = {
  readonly beforeClock: readonly WriteStep[]
  readonly underClock?: never
  /**
   * Selects rows after the steps, for values that only the database can compute under its locks: positions, levels. The
   * rows are returned to the caller and stored for replays. Events with the document `fromReadBack` store them.
   */
  readonly readBack: Statement<ReadBack>
}

type Stamp = { readonly version: number; readonly at: string; readonly sequence: number }
/** The last stamp of each resource by id. Empty when nothing changed. */
export type Stamps = ReadonlyMap<string, Stamp>

/** The outcome of a write. */
export type WriteOutcome<Result, ReadBack = unknown> = {
  readonly result: Result
  readonly stamps: Stamps
  readonly replayed: boolean
  /** The rows that the plan reads back; empty when nothing changed. */
  readonly readBack: readonly ReadBack[]
}

/** The identity and session of a write. */
export type Writer = Pick<
  Context,
  'db' | 'apiVersion' | 'requestId' | 'trace' | 'idempotency' | 'ifMatch'
> & {
  readonly actor: Pick<Context['actor'], 'subject' | 'client' | 'person'>
  /** The language of the written texts. A background job writes none. */
  readonly locale?: Context['locale']
}

/** The stamps by resource: the last one if a resource has several. */
export function stampsOf(rows: readonly RowOf<typeof stampColumns>[]): Stamps {
  return new Map(rows.map(({ id, version, at, sequence }) => [id, { version, at, sequence }]))
}

/** A row with the version and times of its last write. */
export type StampedRow = {
  readonly id: string
  readonly version: number
  readonly createdAt: string
  readonly updatedAt: string
}

/** The version and times of a new row before the commit. */
export const uncommitted = { version: 0, createdAt: '', updatedAt: '' } as const

/** A row with the version and times of a write; unchanged if the write did not change it. */
export function withStamps<Parts extends StampedRow>(parts: Parts, stamps: Stamps): Parts {
  const stamp = stamps.get(parts.id)
  if (!stamp) return parts
  return { ...parts, version: stamp.version, updatedAt: stamp.at, createdAt: parts.createdAt || stamp.at }
}

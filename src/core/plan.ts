import type { Statement } from '../db/query.ts'
import type { Kind } from './kind.ts'
import type { Context } from './operation.ts'
import type { Difference } from './patch.ts'

/** What a write is made of: what it rests on, what it changes, what it answers. */

/** Milliseconds for which workers are told beforehand to wake at a moment; the cron looks that far ahead once a minute. */
export const wokenAhead = 90_000

/** A row that the write rests on, with the version it was read at; null where existence is enough. */
export type LockedRow = { readonly kind: string; readonly id: string; readonly version: number | null }

/** One changed resource: one version, one stamp, and one event unless it has no topic. */
export type Change = {
  readonly kind: string
  readonly id: string
  /** The version after the change. */
  readonly version: number
  readonly action: 'created' | 'updated' | 'deleted'
  /** Null where nobody is told: the change is stamped and leaves no event. */
  readonly topic: string | null
  readonly ownerId?: string | null
  /** The stored shape that the event keeps. */
  readonly document: string
  readonly changes: readonly Difference[]
  /** Canonical instants at which something happens to it by itself: where one of them is near, a worker is to be woken then. */
  readonly moments?: readonly (string | null)[]
}

/** A deletion: one version on, with the row as it was. No difference is told, since the document has them all. */
export function deletionOf(
  { name, subject }: Pick<Kind, 'name' | 'subject'>,
  { id, version }: { readonly id: string; readonly version: number },
  document: string,
  ownerId: string | null = null,
): Change {
  return {
    kind: name,
    id,
    version: version + 1,
    action: 'deleted',
    topic: `${subject}/deleted`,
    ownerId,
    document,
    changes: [],
  }
}

/** What a write does, decided from what it has read. */
export type Plan<Result, Settled = unknown> =
  | { readonly unchanged: Result }
  /** What is done elsewhere, not again for a key that is kept: its outcome is the answer, and is kept for replays. */
  | { readonly perform: () => Promise<Result> }
  | {
      readonly guard: readonly LockedRow[]
      readonly statements: readonly Statement[]
      /**
       * A select of rows as `statements` leave them, for what only the database knows under its locks: positions, levels.
       * They are handed back, kept for replays, and are the event documents of the changed resources whose `id` they have.
       */
      readonly settled?: Statement<Settled>
      readonly changed: readonly Change[]
      /** Name of a total → by how much it moves. */
      readonly totals: Readonly<Record<string, number>>
      /** What is answered, before its stamps: plain JSON, since a replay starts from it. */
      readonly result: Result
      /** A constraint's name → the problem that its violation means, or `again` for a race to be run once more. */
      readonly refusals: Readonly<Record<string, Error | 'again'>>
      /** Where no event tells it: selects the stamps of the changed rows when this very batch has committed, else nothing. */
      readonly trace?: Statement<StampRow>
    }

/** What `commit()` gave a row. */
type Stamp = { readonly version: number; readonly at: string; readonly sequence: number }
/** By resource id: the last stamp that the write gave it. Empty when nothing changed. */
export type Stamps = ReadonlyMap<string, Stamp>

/** What came of a write. */
export type Written<Result, Settled = unknown> = {
  readonly result: Result
  readonly stamps: Stamps
  readonly replayed: boolean
  /** The rows of the plan's `settled`; none when nothing changed. */
  readonly settled: readonly Settled[]
}

/** In whose name a write is made, and through which session. */
export type Writer = Pick<Context, 'db' | 'apiVersion' | 'requestId' | 'trace' | 'idempotency'> & {
  readonly actor: Pick<Context['actor'], 'subject' | 'client' | 'person'>
}

/** A stamp as commit() gives it. */
export type StampRow = {
  id: string
  version: number
  at: string
  sequence: number
  /** Whether a webhook subscription asked to hear of it; null where it has no topic. */
  awaited?: boolean | null
}

/** The stamps by resource; the last where one was stamped twice. */
export function stampsOf(rows: readonly StampRow[]): Stamps {
  return new Map(rows.map(({ id, version, at, sequence }) => [id, { version, at, sequence }]))
}

type Row = {
  readonly id: string
  readonly version: number
  readonly createdAt: string
  readonly updatedAt: string
}

/** A row's parts with the version and times that a write gave it; as they are when the write did not touch it. */
export function withStamps<Parts extends Row>(parts: Parts, stamps: Stamps): Parts {
  const stamp = stamps.get(parts.id)
  if (!stamp) return parts
  return { ...parts, version: stamp.version, updatedAt: stamp.at, createdAt: parts.createdAt || stamp.at }
}

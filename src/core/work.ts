import * as z from 'zod'
import type { Database, Session } from '../db/client.ts'
import type { WriteStep } from '../db/write-steps.ts'
import type { Actor, Tenant } from './context.ts'
import { idPattern } from './iri.ts'
import type { Json } from './json.ts'
import type { Metrics } from './metrics.ts'
import type { Callbacks } from './operation.ts'
import type { Trace } from './trace.ts'

/** A message to send, and the seconds until it arrives. */
export type SentMessage = { readonly body: WorkMessage; readonly delaySeconds?: number }

/** The producer of the queue. */
export type Sender = { sendBatch(messages: Iterable<SentMessage>): Promise<unknown> }

/** Limits of one sendBatch call. */
export type SendLimits = { readonly messages: number; readonly bytes: number }

/** The platform's limits are 100 messages and 256 kB. */
export const sendLimits: SendLimits = { messages: 100, bytes: 240_000 }

/** The caller of stored requests. */
export type StoredCaller = {
  readonly tenant: Tenant
  readonly actor: Actor
  readonly session: Session
  /** Scheme, host and port of the request that stored them. */
  readonly origin: string
  readonly locale: string
  readonly apiVersion: string
  readonly isStrict: boolean
  /** Whether nothing is stored. */
  readonly isDryRun: boolean
  readonly requestId: string
  readonly trace: Trace
  readonly now: Date
}

/** A stored request. The path begins with `/api/`, and may have a query. */
export type StoredRequest = {
  readonly method: string
  readonly path: string
  readonly body?: Json
  readonly headers: Readonly<Record<string, string>>
}

/** The status and document that HTTP would return. */
export type StoredResponse = { readonly status: number; readonly document: Json }

type CommittedChange = {
  readonly kind: string
  readonly id: string
  readonly version: number
  readonly ownerId?: string | null
}

/**
 * Performs requests together, each in at most one commit. `stepsOf` adds steps to a commit, given the changes of the requests that it contains
 * by their index.
 */
type PerformStored = (
  caller: StoredCaller,
  requests: readonly StoredRequest[],
  options: {
    readonly stepsOf?: (works: ReadonlyMap<number, readonly CommittedChange[]>) => readonly WriteStep[]
  },
) => Promise<readonly StoredResponse[]>

/**
 * The dependencies of background work: database, queue, clock, randomness and network. Tests replace
 * them.
 */
export type Runtime = {
  readonly database: Database
  readonly callbacks: Callbacks
  readonly queue: Sender
  readonly perform: PerformStored
  /** Continues work after the messages of a batch are acknowledged. Null if nothing keeps the worker alive for it. */
  readonly background: ((work: Promise<void>) => void) | null
  readonly limits: SendLimits
  readonly metrics: Metrics
  readonly now: () => Date
  /** From 0 to 1. */
  readonly random: () => number
}

/** The jobs are in `src/background/jobs.ts`. */
export const jobName = z.enum([
  'dispatch',
  'boundaries',
  'rebuild',
  'localeChange',
  'bulkOperations',
  'housekeeping',
])

export type JobName = z.infer<typeof jobName>

const id = z.string().regex(idPattern)

/**
 * A message of the queue: a delivery that is due, events to fan out, an offer boundary to record, or a job. The worker that receives it
 * reads its work from Postgres. A message has one delivery, so that the size of a batch bounds the attempts of an invocation, which has six
 * connections.
 */
export const workMessage = z.union([
  z.object({ tenant: id, delivery: id }),
  z.object({ tenant: id, fanOut: z.literal(true) }),
  z.object({ tenant: id, recordAt: z.iso.datetime() }),
  z.object({ tenant: id, job: jobName }),
])
export type WorkMessage = z.infer<typeof workMessage>

/** Counts what this isolate does after the messages for it are acknowledged. */
export function backgroundLimit<Work>(limit: {
  readonly count: number
  readonly bytes?: number
  readonly bytesOf?: (work: Work) => number
  /** Work that is older no longer counts: the platform has cancelled it. */
  readonly lifetimeMs: number
}) {
  const ends = new Map<Work, number>()
  return {
    /** Returns false, and counts none of these, if they exceed the limit. */
    add(added: Iterable<Work>, now: Date): boolean {
      const moment = now.getTime()
      for (const [work, end] of ends) if (end <= moment) ends.delete(work)
      const all = [...ends.keys(), ...added]
      const bytes = all.reduce((sum, work) => sum + (limit.bytesOf?.(work) ?? 0), 0)
      if (all.length > limit.count || bytes > (limit.bytes ?? 0)) return false
      for (const work of added) ends.set(work, moment + limit.lifetimeMs)
      return true
    },
    end(work: Work): void {
      ends.delete(work)
    },
  }
}

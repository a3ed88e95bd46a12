/** What the engine runs on: database, queues, clock, chance and network. Tests put others in their place. */
import type { Metrics } from '../../../core/metrics.ts'
import type { Callbacks } from '../../../core/operation.ts'
import type { Database } from '../../../db/client.ts'
import type { DeliveryMessage, EventsMessage } from './messages.ts'

/** Places at which a worker may die; each says what has happened by then. */
export const crashPoints = [
  'B0 boundaries read',
  'B0 some boundaries recorded',
  'B0 boundaries ahead taken',
  'B0 boundaries recorded',
  'A1 committed',
  'S1 events taken',
  'S2 between two sends of events',
  'A2 events sent',
  'S3 deliveries taken',
  'S4 between two sends of deliveries',
  'F1 nothing fanned out',
  'F2 deliveries made',
  'F3 deliveries sent',
  'F4 before the acknowledgement of events',
  'D0 delivery received',
  'D1 delivery claimed',
  'D2 receiver answered',
  'D3 outcome recorded',
  'D4 before the acknowledgement of deliveries',
  'Q1 dead message put back',
] as const
export type CrashPoint = (typeof crashPoints)[number]

/** A queue's sending end. */
export type Sender<Message> = {
  sendBatch(messages: Iterable<{ body: Message; delaySeconds?: number }>): Promise<unknown>
}

/** What one sendBatch takes; `ids` is what one message carries. */
export type SendLimits = { readonly messages: number; readonly bytes: number; readonly ids: number }

/** Those of the platform are 100 messages and 256 kB. */
export const sendLimits: SendLimits = { messages: 100, bytes: 240_000, ids: 50 }

/** Everything that the engine does not do itself. */
export type Runtime = {
  readonly database: Database
  readonly callbacks: Callbacks
  /** Null where there are no queues: then what would be sent is done at once. */
  readonly events: Sender<EventsMessage> | null
  readonly deliveries: Sender<DeliveryMessage> | null
  /** Continues work after the messages of a batch are acknowledged. Null if nothing keeps the worker alive for it. */
  readonly background: ((work: Promise<void>) => void) | null
  readonly limits: SendLimits
  readonly metrics: Metrics
  readonly now: () => Date
  /** From 0 to 1. */
  readonly random: () => number
  /** Does nothing; a test throws here. */
  readonly crash: (point: CrashPoint) => void
}

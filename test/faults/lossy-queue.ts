import type { Batch } from '../../src/background/queue.ts'
import type { Sender } from '../../src/core/work.ts'
import type { Chance } from './chance.ts'

type Message = { body: unknown; at: number; attempts: number; acknowledged: boolean }

/** How often the queue misbehaves; all zero once a history heals. */
export type QueueFaults = {
  /** sendBatch throws, and nothing was sent. */
  refused: number
  /** sendBatch throws, and all was sent. */
  sentButReported: number
  /** A message comes twice. */
  doubled: number
  /** A message takes up to a minute longer. */
  late: number
}

/** Deliveries of a message before the platform drops it: fewer than in production, so that histories see it. */
const lives = 2
const visibilityTimeout = 30_000

/**
 * A queue as the platform has it: at least once, in no order. A message that was neither acknowledged nor sent back comes again,
 * and is dropped after its last retry.
 */
export class LossyQueue {
  readonly faults: QueueFaults = { refused: 0, sentButReported: 0, doubled: 0, late: 0 }
  readonly #chance: Chance
  readonly #now: () => number
  #messages: Message[] = []

  constructor(chance: Chance, now: () => number) {
    this.#chance = chance
    this.#now = now
  }

  get sender(): Sender {
    return {
      sendBatch: async (batch) => {
        const { refused, sentButReported, doubled, late } = this.faults
        if (this.#chance.is(refused)) throw new Error('the queue did not take it')
        for (const { body, delaySeconds = 0 } of batch) {
          const at =
            this.#now() + delaySeconds * 1000 + (this.#chance.is(late) ? this.#chance.below(60_000) : 0)
          const message = { at, attempts: 1, acknowledged: false }
          for (let copy = this.#chance.is(doubled) ? 2 : 1; copy > 0; copy -= 1) {
            this.#messages.push({ ...message, body: structuredClone(body) })
          }
        }
        if (this.#chance.is(sentButReported)) throw new Error('the queue took it, and the answer was lost')
      },
    }
  }

  get size(): number {
    return this.#messages.length
  }

  /** When the next message is due, or null if none is left. */
  get next(): number | null {
    return this.#messages.length === 0 ? null : Math.min(...this.#messages.map((each) => each.at))
  }

  /** Takes some of the due messages, in any order; null if none is left. */
  take(): (Batch & { settle: () => void }) | null {
    const now = this.#now()
    const ready = this.#messages.filter((each) => each.at <= now)
    if (ready.length === 0) return null
    const taken = ready
      .map((each) => ({ each, key: this.#chance.next() }))
      .sort((a, b) => a.key - b.key)
      .slice(0, 1 + this.#chance.below(8))
      .map(({ each }) => each)
    for (const each of taken) each.at = now + visibilityTimeout
    const sentBack = new Set<Message>()
    return {
      queue: 'catalogue-work',
      messages: taken.map((each) => ({
        body: structuredClone(each.body),
        attempts: each.attempts,
        ack: () => {
          each.acknowledged = true
        },
        retry: ({ delaySeconds }) => {
          sentBack.add(each)
          each.at = this.#now() + delaySeconds * 1000
        },
      })),
      settle: () => {
        for (const each of taken) {
          if (each.acknowledged) continue
          if (!sentBack.has(each)) each.at = this.#now()
          each.attempts += 1
        }
        this.#messages = this.#messages.filter((each) => !each.acknowledged && each.attempts <= lives)
      },
    }
  }

  /** An operator empties the queue, or the platform loses it. */
  purge(): void {
    this.#messages = []
  }
}

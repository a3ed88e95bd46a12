import { log, noRequest, SafeError } from './log.ts'

/**
 * The cron queries the database only if work can be due. One Durable Object of the deployment stores when that is.
 *
 * Invariant: a writer announces each batch before it sends it, and the batch ends before `writingUntil`. The cron runs each minute until a
 * run has begun after `writingUntil`. That run reads the next due time from the database, so it finds the work of every announced batch.
 */

/** Milliseconds after an announcement during which an isolate does not repeat it. */
const announcementLifetimeMs = 30_000
/** Milliseconds from an announcement to `writingUntil`: a batch may begin at the end of the lifetime, and ends within a minute. */
const writingMs = announcementLifetimeMs + 60_000
/** Milliseconds after which the cron runs even if nothing is due: it finds work that no writer announced. */
const longestSleepMs = 30 * 60_000

/** Times in milliseconds since 1970, by the clock of the object. */
type Times = {
  /** Until then, announced batches may commit. */
  readonly writingUntil: number
  /** The earliest due time that the last run read; null if no work waits. */
  readonly due: number | null
  /** The begin of the last finished run; null before the first. */
  readonly lastRun: number | null
}

/** A gauge: the work of a kind that waits, in all tenants or in one. */
export type WaitingWork = {
  readonly kind: string
  readonly tenant: string | null
  readonly amount: number
  readonly seconds: number | null
}

/** The result of a finished run of the cron. */
type FinishedRun = {
  readonly began: number
  readonly due: number | null
  readonly gauges: readonly WaitingWork[]
}

/** The gauges of the last run, and the time of that run. */
type StoredGauges = { readonly at: number; readonly rows: readonly WaitingWork[] }

/** A run that has to begin, and the previous one; null before the first. */
type Run = { readonly began: number; readonly lastRun: number | null }

type Message =
  | { readonly name: 'announce' | 'begin' | 'gauges' }
  | { readonly name: 'finish'; readonly run: FinishedRun }

type Stored = Pick<DurableObjectStorage['kv'], 'get' | 'put'>

/** The Durable Object. It stores its state before it responds. */
export class WakeUp {
  readonly #stored: Stored
  readonly #now: () => number

  constructor({ storage }: { readonly storage: { readonly kv: Stored } }, _: unknown, now = Date.now) {
    this.#stored = storage.kv
    this.#now = now
  }

  async fetch(request: Request): Promise<Response> {
    return Response.json(this.#resultOf(await request.json()))
  }

  #resultOf(message: Message): unknown {
    const now = this.#now()
    const times = this.#stored.get<Times>('times') ?? { writingUntil: 0, due: null, lastRun: null }
    switch (message.name) {
      case 'announce': {
        // If the clock has been set back, the last run is later than now, and must not count.
        const writingUntil = Math.max(times.writingUntil, times.lastRun ?? 0, now + writingMs)
        this.#stored.put<Times>('times', { ...times, writingUntil })
        return null
      }
      case 'begin':
        return isRunDue(times, now) ? { began: now, lastRun: times.lastRun } : null
      case 'finish': {
        const { began, due, gauges } = message.run
        // Of two runs at once, the later one has read what the earlier one read, or more.
        if (times.lastRun !== null && began < times.lastRun && times.lastRun <= now) return null
        this.#stored.put<Times>('times', { ...times, due, lastRun: began })
        this.#stored.put('gauges', gauges)
        return null
      }
      case 'gauges':
        return isRunDue(times, now) ? null : { at: times.lastRun, rows: this.#stored.get('gauges') ?? [] }
    }
  }
}

function isRunDue({ writingUntil, due, lastRun }: Times, now: number): boolean {
  if (lastRun === null || lastRun <= writingUntil) return true
  return (due !== null && due <= now) || Math.abs(now - lastRun) >= longestSleepMs
}

/** The calls of the Worker to the object. A failed call is logged, and never fails its caller. */
export type WakeUpCalls = {
  /** Announces a writing batch. The batch may begin when the promise resolves. */
  announce(): Promise<void>
  /** The run that the cron has to begin at `now`; null if nothing can be due. */
  begin(now: Date): Promise<Run | null>
  finish(run: FinishedRun): Promise<void>
  /** The gauges of the last run, if nothing can have changed since; else null. */
  gauges(): Promise<StoredGauges | null>
}

/** Milliseconds that a caller waits for the object, and after which an isolate calls an object again that failed. */
const deadlineMs = 1000
const failureLifetimeMs = 5000

/**
 * Without a namespace, which is a binding of the deployment, the cron runs each minute. `elapsed` is a time in milliseconds that never
 * steps back.
 */
export function wakeUpOf(
  namespace: Pick<DurableObjectNamespace, 'get' | 'idFromName'> | undefined,
  elapsed = () => performance.now(),
): WakeUpCalls {
  let nextAnnouncement = Number.NEGATIVE_INFINITY

  async function call<Result>(message: Message, otherwise: Result): Promise<Result> {
    if (namespace === undefined) return otherwise
    try {
      const object = namespace.get(namespace.idFromName('deployment'))
      const response = await object.fetch('https://wake-up.invalid', {
        method: 'POST',
        body: JSON.stringify(message),
        signal: AbortSignal.timeout(deadlineMs),
      })
      if (!response.ok) throw new SafeError('WakeUpFailed', `http_${response.status}`)
      return await response.json<Result>()
    } catch (error) {
      log('wake_up_failed', { ...noRequest, operation: message.name }, {}, error)
      return otherwise
    }
  }

  return {
    async announce() {
      const now = elapsed()
      if (now < nextAnnouncement) return
      const isFailed = await call<null | 'failed'>({ name: 'announce' }, 'failed')
      nextAnnouncement = now + (isFailed ? failureLifetimeMs : announcementLifetimeMs)
    },
    begin: (now) => call<Run | null>({ name: 'begin' }, { began: now.getTime(), lastRun: null }),
    async finish(run) {
      await call({ name: 'finish', run }, null)
    },
    gauges: () => call<StoredGauges | null>({ name: 'gauges' }, null),
  }
}

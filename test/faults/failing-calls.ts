/** A runtime and a batch whose calls to the database and the queue can fail, before or after they took effect. */

import type { Batch } from '../../src/background/queue.ts'
import type { Runtime, Sender } from '../../src/core/work.ts'
import { DatabaseError, type Session, StorageUnavailable } from '../../src/db/client.ts'

type Call =
  | (typeof statementCalls)[keyof typeof statementCalls]
  | `sending ${'' | 'more '}deliveries`
  | 'delaying messages'
  | (typeof appliedCalls)[keyof typeof appliedCalls]
  | 'acknowledging messages'
export type FailurePoint = `${'before' | 'after'} ${Call}`

/** The calls to the database that can fail, by the names of their statements. */
const statementCalls = {
  'write exhausted': 'failing exhausted deliveries',
  'write fannedOut due': 'fan-out',
  'write claimRows': 'claiming',
  'write recorded': 'recording',
  'write ahead': 'taking near boundaries',
  'read due': 'reading boundaries',
  'write results': 'recording boundaries',
  'write reserved': 'reserving an operation',
} as const

/** Those of other writes, by a text in their steps. */
const appliedCalls = {
  advance_price_rebuild: 'rebuilding prices',
  'update bulk_operations set status': 'ending an operation',
  'update bulk_operations o': 'recording lines',
  bulk_operation_results: 'performing lines',
} as const

/**
 * The points at which workers of the histories have to fail, and the last completed step at each. Files seldom end while workers fail:
 * src/background/bulk-operations.test.ts lets a worker fail at each trip, also at the end.
 */
export const failurePoints = {
  'before failing exhausted deliveries': 'a cron has found a tenant with work',
  'after failing exhausted deliveries': 'deliveries without attempts left are failed',
  'before fan-out': 'a write is committed, and nothing is fanned out',
  'after fan-out': 'deliveries are inserted and taken, and none is sent',
  'before sending deliveries': 'deliveries are taken',
  'before sending more deliveries': 'some deliveries are sent',
  'after sending deliveries': 'deliveries are sent',
  'before claiming': 'a batch of deliveries is received',
  'after claiming': 'deliveries are claimed',
  'before recording': 'the receiver has answered',
  'after recording': 'the outcome is recorded',
  'before acknowledging messages': 'the work of a batch is done',
  'after taking near boundaries': 'near boundaries are taken',
  'after reading boundaries': 'due boundaries are read',
  'before rebuilding prices': 'a step of a rebuild has computed prices',
  'after rebuilding prices': 'a step of a rebuild is committed',
  'after reserving an operation': 'the operation is leased',
  'before performing lines': 'lines are checked',
  'after performing lines': 'lines are committed with their results',
  'before recording lines': 'the service has the results of rejected and unchanged lines',
  'after recording lines': 'the progress is stored',
  'after recording boundaries': 'some due boundaries are recorded, or all',
} as const satisfies Partial<Record<FailurePoint, string>>

/** Throws if the worker fails at a point. */
type Fail = (point: FailurePoint) => void

/** The runtime of one worker. It fails where `fail` throws. */
export function failingRuntime(runtime: Runtime, fail: Fail): Runtime {
  let hasSent = false
  const perform = async <Result>(call: Call, work: () => Promise<Result>): Promise<Result> => {
    fail(`before ${call}`)
    const result = await work()
    fail(`after ${call}`)
    return result
  }
  const failing =
    (kind: 'read' | 'write', send: Session['read']): Session['read'] =>
    (queries) => {
      hasSent = false
      const name = [kind, ...Object.keys(queries)].join(' ')
      const call = Object.entries(statementCalls).find(([each]) => each === name)?.[1]
      return call ? perform(call, () => send(queries)) : send(queries)
    }
  const { queue } = runtime
  const failingQueue: Sender | null = queue && {
    sendBatch(batch) {
      const messages = [...batch]
      const isDelayed = messages.some(({ delaySeconds }) => delaySeconds !== undefined)
      const call: Call = isDelayed
        ? 'delaying messages'
        : hasSent
          ? 'sending more deliveries'
          : 'sending deliveries'
      if (!isDelayed) hasSent = true
      return perform(call, () => queue.sendBatch(messages))
    },
  }
  return {
    ...runtime,
    database: {
      open(tenantId) {
        const session = runtime.database.open(tenantId)
        let death: unknown
        // A dead worker sends nothing more, although its code continues after the error.
        const whileAlive = async <Result>(send: () => Promise<Result>): Promise<Result> => {
          if (death) throw death
          return send().catch((error) => {
            if (!(error instanceof DatabaseError || error instanceof StorageUnavailable)) death = error
            throw error
          })
        }
        return {
          ...session,
          read: (queries) => whileAlive(() => failing('read', session.read)(queries)),
          write: (queries) => whileAlive(() => failing('write', session.write)(queries)),
          apply(write) {
            const text = JSON.stringify(write)
            const call = Object.entries(appliedCalls).find(([part]) => text.includes(part))?.[1]
            const send = () => session.apply(write)
            return whileAlive(() => (call ? perform(call, send) : send()))
          },
        }
      },
    },
    queue: failingQueue,
  }
}

/** A batch whose acknowledgements fail where `fail` throws. */
export function failingBatch(batch: Batch, fail: Fail): Batch {
  const messages = batch.messages.map((message) => ({
    ...message,
    ack() {
      fail('before acknowledging messages')
      message.ack()
    },
  }))
  return { ...batch, messages }
}

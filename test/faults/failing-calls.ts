/** A runtime and a batch whose calls to the database and the queues can fail, before or after they took effect. */
import type { Session } from '../../src/db/client.ts'
import type { Batch } from '../../src/resources/webhooks/dispatch/queue.ts'
import type { Runtime, Sender } from '../../src/resources/webhooks/dispatch/runtime.ts'

type Call =
  | (typeof statementCalls)[keyof typeof statementCalls]
  | `sending ${'' | 'more '}${Queue}`
  | `delaying ${Queue}`
  | `acknowledging ${Queue | 'dead messages'}`
type Queue = 'events' | 'deliveries'
export type FailurePoint = `${'before' | 'after'} ${Call}`

/** The calls to the database that can fail, by the names of their statements. */
const statementCalls = {
  'write events exhausted due': 'taking work',
  'write fannedOut due': 'fan-out',
  'write claimRows': 'claiming',
  'write attempt recorded': 'recording',
  'write ahead': 'taking near boundaries',
  'read due': 'reading boundaries',
  'write results': 'recording boundaries',
} as const

/** The points at which workers of the histories have to fail, and the last completed step at each. */
export const failurePoints = {
  'before taking work': 'a write is committed',
  'after taking work': 'events or deliveries are taken, and none is sent',
  'before sending events': 'events are taken',
  'before sending more events': 'some events are sent',
  'after sending events': 'events are sent',
  'before sending deliveries': 'deliveries are taken',
  'before sending more deliveries': 'some deliveries are sent',
  'after sending deliveries': 'deliveries are sent',
  'before fan-out': 'nothing is fanned out',
  'after fan-out': 'deliveries are inserted',
  'before acknowledging events': 'the events of a batch are fanned out',
  'before claiming': 'a batch of deliveries is received',
  'after claiming': 'deliveries are claimed',
  'before recording': 'the receiver has answered',
  'after recording': 'the outcome is recorded',
  'before acknowledging deliveries': 'the deliveries of a batch are recorded',
  'before acknowledging dead messages': 'dead messages are put back',
  'after taking near boundaries': 'near boundaries are taken',
  'after reading boundaries': 'due boundaries are read',
  'after recording boundaries': 'some due boundaries are recorded, or all',
} as const satisfies Partial<Record<FailurePoint, string>>

/** Throws if the worker fails at a point. */
type Fail = (point: FailurePoint) => void

/** The runtime of one worker. It fails where `fail` throws. */
export function failingRuntime(runtime: Runtime, fail: Fail): Runtime {
  let sentLast: Queue | null = null
  const perform = async <Result>(call: Call, work: () => Promise<Result>): Promise<Result> => {
    fail(`before ${call}`)
    const result = await work()
    fail(`after ${call}`)
    return result
  }
  const failing =
    (kind: 'read' | 'write', send: Session['read']): Session['read'] =>
    (queries) => {
      sentLast = null
      const name = [kind, ...Object.keys(queries)].join(' ')
      const call = Object.entries(statementCalls).find(([each]) => each === name)?.[1]
      return call ? perform(call, () => send(queries)) : send(queries)
    }
  const failingQueue = <Message>(queue: Queue, sender: Sender<Message> | null): Sender<Message> | null =>
    sender && {
      sendBatch(batch) {
        const messages = [...batch]
        const isDelayed = messages.some(({ delaySeconds }) => delaySeconds !== undefined)
        const more = sentLast === queue ? 'more ' : ''
        if (!isDelayed) sentLast = queue
        const call: Call = isDelayed ? `delaying ${queue}` : `sending ${more}${queue}`
        return perform(call, () => sender.sendBatch(messages))
      },
    }
  return {
    ...runtime,
    database: {
      open(tenantId) {
        const session = runtime.database.open(tenantId)
        return { ...session, read: failing('read', session.read), write: failing('write', session.write) }
      },
    },
    events: failingQueue('events', runtime.events),
    deliveries: failingQueue('deliveries', runtime.deliveries),
  }
}

/** A batch whose acknowledgements fail where `fail` throws. */
export function failingBatch(batch: Batch, fail: Fail): Batch {
  const name = batch.queue.endsWith('-dead')
    ? 'dead messages'
    : batch.queue.endsWith('-events')
      ? 'events'
      : 'deliveries'
  const messages = batch.messages.map((message) => ({
    ...message,
    ack() {
      fail(`before acknowledging ${name}`)
      message.ack()
    },
  }))
  return { ...batch, messages }
}

/**
 * From a write, or a moment at which an offer begins or ends (`boundaries`), to a signed POST. `relay` runs after every write and each minute (`sweep`) for every tenant that has work: it
 * sends the ids of events that were not fanned out, and of deliveries that are due, to the queues. The consumers (`queue`)
 * make a delivery for each subscription that wants an event (`fan-out`), and attempt those that are due (`deliver`): claim
 * them under a lease (`claim`, `due`), render each body from its event (`payload`, `freeze`), sign and POST it (`attempt`,
 * `sign`), record the outcome and the time of the next attempt (`record`, `schedule`). Postgres holds all state; a message
 * carries ids alone, so that a lost one delays work and a repeated one does nothing.
 */

export { attempt, headersOf, type Sendable, type Sending } from './attempt.ts'
export { afterWrite, sweepBoundaries } from './boundaries.ts'
export { frozenAnew, isUnsent } from './freeze.ts'
export { type Frozen, type Payload, payloadOf, payloadText } from './payload.ts'
export { consume } from './queue.ts'
export { type Runtime, sendLimits } from './runtime.ts'
export { webhookId } from './sign.ts'
export { sweep } from './sweep.ts'
export { deliveriesMade, lockFanOut, wantsTopic } from './waiting-events.ts'

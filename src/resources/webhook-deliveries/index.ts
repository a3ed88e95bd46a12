/** What others need of deliveries: to make, claim, render, sign and record them. */
export { type Asked, type Claimed, claimedOf, claimStatements, leaseLife } from './claim.ts'
export { fanOutStatements, putBackEvents, takeWaiting } from './fan-out.ts'
export { type Frozen, payloadOf, servedVersions } from './payload.ts'
export { type Failure, type Outcome, recordStatements } from './record.ts'
export { dropOldDeliveries } from './retention.ts'
export { retryAfterIn } from './schedule.ts'
export { signedHeaders, webhookId } from './sign.ts'
export { giveUpExhausted, putBackDeliveries, tenantsWithWork, wake } from './wake.ts'

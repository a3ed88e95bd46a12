import { fanOutStatements, wake } from '../deliveries/index.ts'
import { deliver } from './deliver.ts'
import type { Outside } from './outside.ts'
import { wakeWorkers } from './send.ts'

/** Events in one transaction, and transactions of one run: what is left is another run's. */
const eventsAtOnce = 200
const rounds = 10
const deliveriesAtOnce = 100

/** Makes the deliveries of a tenant's waiting events, and wakes workers for those that are due. Run twice it does nothing twice. */
export async function fanOut(outside: Outside, tenantId: string): Promise<void> {
  const session = outside.database.open(tenantId)
  for (let round = 0; round < rounds; round += 1) {
    const now = outside.now()
    outside.crash('F1 nothing fanned out')
    const [, made, due] = await session.write(
      ...fanOutStatements(now, eventsAtOnce),
      wake(now, deliveriesAtOnce),
    )
    outside.crash('F2 deliveries made')
    const ids = due.map((each) => each.id)
    if (ids.length > 0 && !(await wakeWorkers(outside, tenantId, ids))) await deliver(outside, tenantId, ids)
    outside.crash('F3 deliveries sent')
    if ((made[0]?.events ?? 0) < eventsAtOnce) return
  }
}

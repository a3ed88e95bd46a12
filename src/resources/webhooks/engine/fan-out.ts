import { deliver } from './deliver.ts'
import type { Runtime } from './runtime.ts'
import { wakeWorkers } from './send.ts'
import { fanOutReading } from './waiting-events.ts'
import { wake } from './wake.ts'

/** Events in one transaction, and transactions of one run: what is left is another run's. */
const eventsAtOnce = 200
const rounds = 10
const deliveriesAtOnce = 100

/** Makes the deliveries of a tenant's waiting events, and wakes workers for those that are due. Run twice it does nothing twice. */
export async function fanOut(runtime: Runtime, tenantId: string): Promise<void> {
  const session = runtime.database.open(tenantId)
  for (let round = 0; round < rounds; round += 1) {
    const now = runtime.now()
    runtime.crash('F1 nothing fanned out')
    const { fannedOut, due } = await session.write({
      fannedOut: fanOutReading(now, eventsAtOnce),
      due: wake(now, deliveriesAtOnce),
    })
    runtime.crash('F2 deliveries made')
    const ids = due.map((each) => each.id)
    if (ids.length > 0 && !(await wakeWorkers(runtime, tenantId, ids))) await deliver(runtime, tenantId, ids)
    runtime.crash('F3 deliveries sent')
    if (fannedOut < eventsAtOnce) return
  }
}

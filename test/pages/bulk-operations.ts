import { setTimeout as sleep } from 'node:timers/promises'
import { continueBulkOperations } from '../../src/background/bulk-operations.ts'
import { openWorld } from '../support/webhooks.ts'

/** Performs the bulk operations of a tenant as the queue's consumer does, until the returned function is called. */
export async function performBulkOperations(
  tenant: string,
  isPaused: () => boolean = () => false,
): Promise<() => Promise<void>> {
  const { runtime } = await openWorld()
  let isOver = false
  const run = async () => {
    while (!isOver) {
      if (!isPaused()) await continueBulkOperations({ ...runtime, now: () => new Date() }, tenant, () => true)
      await sleep(100)
    }
  }
  const running = run()
  return async () => {
    isOver = true
    await running
  }
}

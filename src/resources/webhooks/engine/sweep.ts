/** The net under the queues: once a minute, every tenant that has work is looked after, whatever became of its messages. */
import { tenantsWithWork } from '../deliveries/index.ts'
import { logged } from './log.ts'
import type { Outside } from './outside.ts'
import { relay } from './relay.ts'

const tenantsAtOnce = 100
/** Milliseconds after which a sweep leaves the rest to the next one. */
const budget = 45_000

/** Goes round the tenants that have work, a bounded part of it each, again and again until nothing is left or time is up. */
export async function sweep(outside: Outside): Promise<void> {
  const until = outside.now().getTime() + budget
  for (let again = true; again && outside.now().getTime() < until; ) again = await round(outside, until)
}

async function round(outside: Outside, until: number): Promise<boolean> {
  let more = false
  for (let last: string | null = null; outside.now().getTime() < until; ) {
    const [tenants]: { id: string }[][] = await outside.database
      .open(null)
      .read(tenantsWithWork(outside.now(), last, tenantsAtOnce))
    for (const { id } of tenants!) {
      last = id
      // One tenant's trouble is not the others'; what is left undone is found again.
      const left = await relay(outside, id).catch((error) => {
        console.error(`sweep of tenant ${id}: ${logged(error)}`)
        return false
      })
      more ||= left
    }
    if (tenants!.length < tenantsAtOnce) break
  }
  return more
}

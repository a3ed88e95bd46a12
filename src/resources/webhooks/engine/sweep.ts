/** The net under the queues: once a minute, every tenant that has work is looked after, whatever became of its messages. */

import { watched } from '../../../core/watched.ts'
import { relay } from './relay.ts'
import type { Runtime } from './runtime.ts'
import { tenantsWithWork } from './wake.ts'

const tenantsAtOnce = 100
/** Milliseconds after which a sweep leaves the rest to the next one. */
const budget = 45_000

/** Goes round the tenants that have work, a bounded part of it each, again and again until nothing is left or time is up. */
export async function sweep(runtime: Runtime): Promise<void> {
  const until = runtime.now().getTime() + budget
  for (let again = true; again && runtime.now().getTime() < until; ) again = await round(runtime, until)
}

type Found = { readonly tenants: readonly { readonly id: string }[] }

async function round(runtime: Runtime, until: number): Promise<boolean> {
  let more = false
  for (let last: string | null = null; runtime.now().getTime() < until; ) {
    const { tenants }: Found = await runtime.database
      .open(null)
      .read({ tenants: tenantsWithWork(runtime.now(), last, tenantsAtOnce) })
    for (const { id } of tenants) {
      last = id
      // One tenant's trouble is not the others'; what is left undone is found again.
      const left = await watched(
        'sweep_failed',
        { operation: 'sweep', tenant: id },
        runtime.database,
        (database) => relay({ ...runtime, database }, id),
      ).catch(() => false)
      more ||= left
    }
    if (tenants.length < tenantsAtOnce) break
  }
  return more
}

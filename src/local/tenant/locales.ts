/** Performs the changes of a tenant's locales at once. The service would perform them minute by minute. */

import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { openDatabase } from '../../db/client.ts'
import { callbacksOf } from '../../env.ts'
import { changeLocales } from '../../resources/shared/locale-changes.ts'
import { startBridge } from '../bridge.ts'
import type { Progress } from '../cli/output.ts'
import { findTenant, type StoredTenant } from './stored.ts'

export type LocaleWork = {
  readonly ownerUrl: string
  /** Whether the last pass is waited for, which begins two minutes after the change. */
  readonly waits: boolean
  readonly progress: Progress
}

/** Works off what is due, and gives the tenant as that leaves it. */
export async function workOffLocales(
  client: pg.ClientBase,
  tenant: StoredTenant,
  { ownerUrl, waits, progress }: LocaleWork,
): Promise<StoredTenant> {
  const bridge = await startBridge({ server: ownerUrl })
  try {
    const database = openDatabase({ url: ownerUrl, fetchEndpoint: bridge.endpoint })
    // This work sends no requests.
    const callbacks = callbacksOf({ ENVIRONMENT: 'local', DATABASE_URL: ownerUrl })
    for (;;) {
      progress.start(await rowsOf(client, tenant))
      await changeLocales(database.open(tenant.id), callbacks, Number.POSITIVE_INFINITY, (change) =>
        progress.show(change.locale, change.done),
      ).finally(() => progress.stop())
      const now = await findTenant(client, tenant.id)
      if (!waits || now.localeChanges.length === 0) return now
      while (!(await isDue(client, tenant))) await sleep(lookAgain)
    }
  } finally {
    await bridge.close()
  }
}

/** The number of rows of a pass: all rows with texts for a removal, else the products. */
async function rowsOf(client: pg.ClientBase, { id, localeChanges }: StoredTenant): Promise<number> {
  const products = ['products']
  const texts = [...products, 'product_options', 'option_values', 'categories', 'collections', 'metaobjects']
  const removes = localeChanges.some(({ action }) => action === 'remove')
  const counts = (removes ? [...texts, 'webhook_subscriptions'] : products).map(
    (table) => `(select count(*) from ${table} where tenant_id = $1)`,
  )
  const { rows } = await client.query<{ rows: number }>(`select (${counts.join(' + ')})::float8 as rows`, [
    id,
  ])
  return rows[0]?.rows ?? 0
}

/** Milliseconds after which it is looked again whether there is something to do: the service may have done it meanwhile. */
const lookAgain = 1000

/** Whether a change of a tenant is due, or none is left. */
async function isDue(client: pg.ClientBase, { id }: StoredTenant): Promise<boolean> {
  const { rows } = await client.query<{ due: boolean | null }>(
    'select min(due_at) <= clock_timestamp() as due from locale_changes where tenant_id = $1',
    [id],
  )
  return rows[0]?.due ?? true
}

/** Changes of a tenant's settings, hosts and locales, in one transaction. */

import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { openDatabase } from '../../db/client.ts'
import { callbacksOf } from '../../env.ts'
import { changeLocales, type LocaleChange } from '../../resources/locale-changes.ts'
import { startBridge } from '../bridge/bridge.ts'
import { Failure } from '../cli/command.ts'
import { transaction } from '../cli/database.ts'
import type { Progress } from '../cli/output.ts'
import { maximumImageHosts, maximumLocales, type UpdateValues } from './options.ts'
import { findTenant, type StoredTenant, settingColumns, takenHosts } from './stored.ts'

/** The changes of a tenant. */
export type Wanted = Omit<UpdateValues, 'database-url' | 'json' | 'wait' | 'yes'>

/** The faults of the changes, one sentence each. */
export async function updateFaults(
  client: pg.ClientBase,
  tenant: StoredTenant,
  wanted: Wanted,
): Promise<string[]> {
  const { 'add-host': added = [], 'remove-host': removed = [], 'primary-host': primary } = wanted
  const { 'add-locale': come = [], 'remove-locale': go = [] } = wanted
  const { hosts, locales, localeChanges } = tenant
  const leaving = (locale: string) =>
    localeChanges.some((each) => each.locale === locale && each.action === 'remove')
  const hostsAfter = [...hosts, ...added].filter((each) => !removed.includes(each))
  const primaryAfter = primary ?? tenant.host
  const localesAfter = new Set([...locales, ...come])
  return [
    ...(await takenHosts(client, added, tenant.id)),
    ...added.filter((each) => hosts.includes(each)).map((each) => `${each} is a host of it already.`),
    ...removed.filter((each) => !hosts.includes(each)).map((each) => `${each} is no host of it.`),
    ...(primary !== undefined && !hostsAfter.includes(primary)
      ? [`${primary} is no host of it: give --add-host ${primary} as well.`]
      : []),
    ...(removed.includes(primaryAfter)
      ? [`${primaryAfter} is its primary host: name another with --primary-host.`]
      : []),
    ...come
      .filter((each) => locales.includes(each) && !leaving(each))
      .map((each) => `${each} is a locale of it already.`),
    ...go.filter((each) => !locales.includes(each)).map((each) => `${each} is no locale of it.`),
    ...go.filter(leaving).map((each) => `${each} is being removed already.`),
    ...go
      .filter((each) => each === locales[0])
      .map((each) => `${each} is its default locale, which stays: all documents are stored in it.`),
    ...come.filter((each) => go.includes(each)).map((each) => `${each} cannot be added and removed at once.`),
    ...imageHostFaults(tenant, wanted),
    ...(localesAfter.size > maximumLocales
      ? [`It would have ${localesAfter.size} locales, and may have ${maximumLocales}.`]
      : []),
  ]
}

function imageHostFaults({ imageHosts }: StoredTenant, wanted: Wanted): string[] {
  const { 'add-image-host': added = [], 'remove-image-host': removed = [] } = wanted
  const after = imageHostsAfter(imageHosts, wanted).length
  return [
    ...added
      .filter((each) => imageHosts.includes(each))
      .map((each) => `${each} is an image host of it already.`),
    ...removed.filter((each) => !imageHosts.includes(each)).map((each) => `${each} is no image host of it.`),
    ...(after > maximumImageHosts
      ? [`It would have ${after} image hosts, and may have ${maximumImageHosts}.`]
      : []),
  ]
}

function imageHostsAfter(stored: readonly string[], wanted: Wanted): string[] {
  const { 'add-image-host': added = [], 'remove-image-host': removed = [] } = wanted
  return [...stored, ...added].filter((each) => !removed.includes(each))
}

/** Changes a tenant, and records the changes of its locales, which are performed later. @throws Failure */
export async function updateTenant(
  client: pg.ClientBase,
  { id }: StoredTenant,
  wanted: Wanted,
): Promise<StoredTenant> {
  const change = async () => {
    await client.query('select from tenants where id = $1 for update', [id])
    const tenant = await findTenant(client, id)
    if (tenant.status === 'REMOVING') throw new Failure(`${tenant.host} is being removed.`)
    const faults = await updateFaults(client, tenant, wanted)
    if (faults.length > 0) throw new Failure(faults.join('\n'))
    const changesImageHosts = wanted['add-image-host'] ?? wanted['remove-image-host']
    const imageHosts = changesImageHosts && imageHostsAfter(tenant.imageHosts, wanted)
    const columns = Object.entries({
      ...settingColumns(wanted, tenant.pricePolicies, imageHosts),
      ...(wanted['revoke-tokens'] && {
        // Revoked tokens stay revoked. Every revocation gets a value of its own, which makes Workers fetch the keys again.
        tokens_valid_after: Math.max(wanted['revoke-tokens'], (tenant.tokensValidAfter ?? 0) + 1),
      }),
    })
    const assignments = columns.map(([name], index) => `${name} = $${index + 2}`)
    if (columns.length > 0)
      await client.query(`update tenants set ${assignments.join(', ')} where id = $1`, [
        id,
        ...columns.map(([, value]) => value),
      ])
    await changeHosts(client, id, wanted)
    for (const locale of wanted['add-locale'] ?? []) await noteLocale(client, id, locale, 'index')
    for (const locale of wanted['remove-locale'] ?? []) await noteLocale(client, id, locale, 'remove')
  }
  await transaction(client, change, { tenant: id })
  return findTenant(client, id)
}

async function changeHosts(client: pg.ClientBase, id: string, wanted: Wanted): Promise<void> {
  const { 'add-host': added = [], 'remove-host': removed = [], 'primary-host': primary } = wanted
  await client.query('insert into tenant_hosts (tenant_id, host) select $1, unnest($2::text[])', [id, added])
  if (primary !== undefined) await client.query('update tenants set host = $2 where id = $1', [id, primary])
  await client.query('delete from tenant_hosts where tenant_id = $1 and host = any($2)', [id, removed])
}

/** A locale that is added while it is being removed is indexed again. Its removed texts stay removed. */
async function noteLocale(
  client: pg.ClientBase,
  id: string,
  locale: string,
  action: 'index' | 'remove',
): Promise<void> {
  await client.query(
    `update tenants
        set locales = case when $2 = any(locales) then locales else locales || $2::text end,
            arriving = case when $3 = 'index' then array_remove(arriving, $2) || $2::text else array_remove(arriving, $2) end,
            leaving = case when $3 = 'remove' then array_remove(leaving, $2) || $2::text else array_remove(leaving, $2) end
      where id = $1`,
    [id, locale, action],
  )
  await client.query('delete from locale_changes where tenant_id = $1 and locale = $2', [id, locale])
  await client.query('insert into locale_changes (tenant_id, locale, action) values ($1, $2, $3)', [
    id,
    locale,
    action,
  ])
}

export type LocaleWork = {
  readonly ownerUrl: string
  /** Whether the last pass is waited for, which begins two minutes after the change. */
  readonly waits: boolean
  readonly progress: Progress
}

/** Performs the due changes of a tenant's locales, which the service would perform minute by minute. Returns the changed tenant. */
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
      const show = ({ locale, done }: LocaleChange) => progress.show(locale, done)
      await changeLocales(database.open(tenant.id), callbacks, () => true, show).finally(() =>
        progress.stop(),
      )
      const now = await findTenant(client, tenant.id)
      if (!waits || now.localeChanges.length === 0) return now
      // The service may perform them meanwhile.
      while (!(await isDue(client, tenant))) await sleep(1000)
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

/** Whether a change of a tenant is due, or none is left. */
async function isDue(client: pg.ClientBase, { id }: StoredTenant): Promise<boolean> {
  const { rows } = await client.query<{ due: boolean | null }>(
    'select min(due_at) <= clock_timestamp() as due from locale_changes where tenant_id = $1',
    [id],
  )
  return rows[0]?.due ?? true
}

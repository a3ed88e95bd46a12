import type { StoredTenant } from './stored.ts'

/** All settings of a tenant, a line for each. */
export function tenantText(tenant: StoredTenant): string {
  const { status, suspendedAt, jwksUri, keys, limits, localeChanges } = tenant
  const rows: [string, string][] = [
    ['name', tenant.name],
    ['id', tenant.id],
    ['status', suspendedAt === null ? status : `${status} since ${suspendedAt}`],
    ['hosts', tenant.hosts.join(', ')],
    ['locales', tenant.locales.join(', ')],
    ...localeChanges.map((each): [string, string] => ['', changeText(each)]),
    ['issuer', tenant.issuer],
    ['audience', tenant.audience],
    ['keys', jwksUri ?? `its own: ${(keys ?? []).map((each) => each ?? 'without an id').join(', ')}`],
    ['algorithms', tenant.algorithms.join(', ')],
    ['profile', tenant.tokenProfile],
    ['version', tenant.defaultApiVersion],
    [
      'webhooks',
      `${limits.subscriptions} subscriptions, ${limits.subscriptionsPerHost} of one callback host`,
    ],
    ['prior price', `the lowest of the ${tenant.priorPriceDays} days before a reduction`],
    ['time zone', tenant.timeZone],
    ['image hosts', tenant.imageHosts.length > 0 ? tenant.imageHosts.join(', ') : 'its own alone'],
    ['made', tenant.createdAt],
  ]
  return [tenant.host, ...rows.map(([name, value]) => `  ${name.padEnd(11)} ${value}`)].join('\n')
}

/** How far a locale is. */
export function changeText({
  locale,
  action,
  done,
  isLastPass,
  askedAt,
  settlesAt,
}: StoredTenant['localeChanges'][number]): string {
  const soFar = done > 0 ? `, ${done} so far` : ''
  if (action === 'index') {
    return isLastPass
      ? `${locale}: all products are indexed for it; those written since ${askedAt} are once more, from ${settlesAt} on${soFar}`
      : `${locale}: products are being indexed for it, ${done} so far`
  }
  return isLastPass
    ? `${locale}: its texts are removed; all rows are searched once more, from ${settlesAt} on${soFar}`
    : `${locale}: its texts are being removed, ${done} rows so far`
}

/** When an added locale can be used, and for what. `change` is null if the change is complete. */
export function arrivalText(
  locale: string,
  change: StoredTenant['localeChanges'][number] | null,
  standard: string,
): string {
  if (!change) return `${locale}: read and written now, and searched by its own words within a minute.`
  return `${locale}: read and written from ${change.knownAt} on at the latest; a Worker that does not know of it yet answers a write with 422 locale.not_declared.
${locale}: searched by its own words within about two minutes of ${change.settlesAt}; until then by those of another locale of its language, else of ${standard}.`
}

/** Tenants in a table. */
export function tenantsText(tenants: readonly StoredTenant[]): string {
  if (tenants.length === 0) return 'There is no tenant. Make one: npm run tenant -- create --help'
  const rows = [
    ['host', 'status', 'locales', 'prior price', 'name'],
    ...tenants.map((each) => [
      each.hosts.length > 1 ? `${each.host} (+${each.hosts.length - 1})` : each.host,
      each.status,
      each.locales.join(','),
      `${each.priorPriceDays} days`,
      each.name,
    ]),
  ]
  const widths = [0, 1, 2, 3, 4].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

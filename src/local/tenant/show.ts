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
    ['made', tenant.createdAt],
  ]
  return [tenant.host, ...rows.map(([name, value]) => `  ${name.padEnd(11)} ${value}`)].join('\n')
}

/** How far a locale is. */
export function changeText({
  locale,
  action,
  done,
  settlesAt,
}: StoredTenant['localeChanges'][number]): string {
  const now = action === 'index' ? 'products are indexed for it' : 'its texts are removed'
  return `${locale}: ${now}; ${done} rows done, last pass from ${settlesAt}`
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

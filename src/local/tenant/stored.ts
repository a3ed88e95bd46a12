/** Tenants as an operator sees them in the database. */
import type pg from 'pg'
import { uuidv7 } from 'uuidv7'
import type { Tenant } from '../../core/context.ts'
import { instantOf } from '../../core/instant.ts'
import { settingsTtl } from '../../db/tenants.ts'
import { currentVersion } from '../../versions/index.ts'
import { Failure } from '../cli/command.ts'
import { transaction } from '../cli/database.ts'
import { amount, table } from '../cli/output.ts'
import type { CreateValues, SettingValues } from './options.ts'

type Settings = Omit<SettingValues, 'jwks'> & { readonly jwks?: object | undefined }

/** A tenant with all that an operator may know of it. */
export type StoredTenant = {
  readonly id: string
  readonly host: string
  /** The primary first. */
  readonly hosts: readonly string[]
  /** The hosts at which browsers read published products, with the number of their publishable keys. */
  readonly storefronts: readonly { readonly host: string; readonly keys: number; readonly maxAge: number }[]
  readonly name: string
  readonly status: 'ACTIVE' | 'SUSPENDED' | 'REMOVING'
  readonly suspendedAt: string | null
  readonly locales: readonly [string, ...string[]]
  readonly localeChanges: readonly {
    readonly locale: string
    readonly action: 'index' | 'remove'
    /** Rows that its pass is done with. */
    readonly done: number
    /** Whether only the last pass is left. */
    readonly isLastPass: boolean
    readonly askedAt: string
    /** From when on every Worker knows of it, UTC: Workers keep settings for a minute. */
    readonly knownAt: string
    /** From when on its last pass may begin, UTC. */
    readonly settlesAt: string
  }[]
  readonly defaultApiVersion: string
  readonly issuer: string
  readonly audience: string
  readonly jwksUri: string | null
  /** The ids of its own keys, where it has keys of its own. */
  readonly keys: readonly (string | null)[] | null
  readonly algorithms: readonly string[]
  readonly tokenProfile: string
  /** The OAuth client of /admin at the issuer. */
  readonly adminClient: string | null
  /** Tokens issued before this second since 1970 are rejected. */
  readonly tokensValidAfter: number | null
  readonly limits: { readonly subscriptions: number; readonly subscriptionsPerHost: number }
  /** Days before a reduction in which its prior price is looked for. */
  readonly priorPriceDays: number
  /** The policies of prior prices that it chose, by country, oldest first. */
  readonly pricePolicies: Tenant['pricePolicies']
  /** The quantities to which its unit prices refer. */
  readonly referenceUnits: Tenant['referenceUnits']
  /** The IANA name of the zone in which pages show and take times. */
  readonly timeZone: string
  /** Other hosts than its own from which /admin loads pictures over https. */
  readonly imageHosts: readonly string[]
  readonly createdAt: string
}

// A second more, since a change is seen when its transaction ends, and dated when that begins.
const columns = `t.id, t.host, t.name, t.status, t.locales, t.issuer, t.audience, t.algorithms,
  t.default_api_version as "defaultApiVersion", t.jwks_uri as "jwksUri", t.token_profile as "tokenProfile", t.admin_client as "adminClient",
  t.tokens_valid_after::float8 as "tokensValidAfter",
  instant_text(t.suspended_at) as "suspendedAt", instant_text(t.created_at) as "createdAt",
  (select json_agg(key -> 'kid') from jsonb_array_elements(t.jwks -> 'keys') as key) as keys,
  json_build_object('subscriptions', t.webhook_subscriptions_limit, 'subscriptionsPerHost', t.webhook_host_limit) as limits,
  t.prior_price_days as "priorPriceDays", coalesce(t.price_policies, '{}') as "pricePolicies",
  coalesce(t.reference_units, '[]') as "referenceUnits", t.time_zone as "timeZone", t.image_hosts as "imageHosts",
  (select json_agg(h.host order by h.host <> t.host, h.host) from tenant_hosts h where h.tenant_id = t.id and h.storefront is null) as hosts,
  (select coalesce(json_agg(json_build_object('host', h.host, 'keys', jsonb_array_length(h.storefront -> 'keys'), 'maxAge', h.storefront -> 'maxAge') order by h.host), '[]')
     from tenant_hosts h where h.tenant_id = t.id and h.storefront is not null) as storefronts,
  (select coalesce(json_agg(json_build_object('locale', c.locale, 'action', c.action, 'done', c.done,
     'isLastPass', c.pass_began_at > c.asked_at, 'askedAt', instant_text(c.asked_at),
     'knownAt', instant_text(c.asked_at + interval '${settingsTtl + 1000} milliseconds'), 'settlesAt', instant_text(c.settles_at)) order by c.locale), '[]') from locale_changes c where c.tenant_id = t.id) as "localeChanges"`

/** All tenants, by their primary hosts. */
export async function listTenants(client: pg.ClientBase): Promise<StoredTenant[]> {
  const { rows } = await client.query<StoredTenant>(`select ${columns} from tenants t order by t.host`)
  return rows
}

/** Finds a tenant by a host of it, the first label of its primary host, or its id. @throws Failure for none or several tenants */
export async function findTenant(client: pg.ClientBase, asked: string): Promise<StoredTenant> {
  const name = asked.toLowerCase()
  const { rows } = await client.query<StoredTenant & { isExact: boolean }>(
    `select ${columns}, t.id::text = $1 or exists (select from tenant_hosts h where h.tenant_id = t.id and h.host = $1) as "isExact"
       from tenants t
      where t.id::text = $1 or split_part(t.host, '.', 1) = $1 or exists (select from tenant_hosts h where h.tenant_id = t.id and h.host = $1)
      order by t.host`,
    [name],
  )
  const exact = rows.filter((each) => each.isExact)
  const [found, another] = exact.length > 0 ? exact : rows
  if (!found) throw new Failure(`There is no tenant ${asked}. All of them: npm run tenant -- list`)
  if (another) {
    throw new Failure(
      `Several tenants are called ${asked}. Give the host: ${rows.map(({ host }) => host).join(', ')}.`,
    )
  }
  const { isExact: _, ...tenant } = found
  return tenant
}

/** Those of some hosts that are another tenant's, or storefront hosts, each in a sentence. */
export async function takenHosts(
  client: pg.ClientBase,
  hosts: readonly string[],
  own: string | null,
): Promise<string[]> {
  const { rows } = await client.query<{ host: string; of: string }>(
    `select h.host, t.host as of from tenant_hosts h join tenants t on t.id = h.tenant_id
      where h.host = any($1) and (t.id is distinct from $2::uuid or h.storefront is not null) order by 1`,
    [hosts, own],
  )
  return rows.map(({ host, of }) => `${host} is a host of the tenant ${of} already.`)
}

/** Makes a tenant. @throws Failure where a host is another's */
export async function createTenant(
  client: pg.ClientBase,
  values: Settings & Pick<CreateValues, 'host' | 'locale' | 'image-host'> & { readonly issuer: string },
): Promise<StoredTenant> {
  const [host = '', ...others] = values.host
  const id = uuidv7()
  const taken = await takenHosts(client, values.host, null)
  if (taken.length > 0) throw new Failure(taken.join('\n'))
  const create = async () => {
    const columns = {
      ...{ id, host, name: host, locales: values.locale },
      ...{ default_api_version: currentVersion, audience: `https://${host}/api` },
      ...settingColumns(values, {}, values['image-host']),
    }
    const names = Object.keys(columns)
    const places = names.map((_, index) => `$${index + 1}`)
    const insert = `insert into tenants (${names.join(', ')}) values (${places.join(', ')})`
    await client.query(insert, Object.values(columns))
    const hosts = 'insert into tenant_hosts (tenant_id, host) select $1, unnest($2::text[])'
    await client.query(hosts, [id, others])
    await client.query('insert into tenant_clock (tenant_id) values ($1)', [id])
  }
  await transaction(client, create, { tenant: id })
  return findTenant(client, id)
}

/** The columns of the given settings. `imageHosts` are all image hosts after the change; policies are added to the chosen ones. */
export function settingColumns(
  values: Settings,
  chosen: Tenant['pricePolicies'],
  imageHosts?: readonly string[],
): Record<string, unknown> {
  const { jwks, 'jwks-uri': jwksUri } = values
  const columns = {
    name: values.name,
    issuer: values.issuer,
    audience: values.audience,
    jwks: jwks ? JSON.stringify(jwks) : jwksUri && null,
    jwks_uri: jwksUri ?? (jwks && null),
    algorithms: values.algorithm,
    token_profile: values.profile,
    admin_client: values['admin-client'],
    default_api_version: values['default-version'],
    webhook_subscriptions_limit: values.subscriptions,
    webhook_host_limit: values['subscriptions-per-host'],
    prior_price_days: values['prior-price-days'],
    price_policies: values['price-policy'] && policiesAfter(chosen, values['price-policy']),
    reference_units: values['reference-unit'] && JSON.stringify(values['reference-unit']),
    time_zone: values['time-zone'],
    image_hosts: imageHosts,
  }
  return Object.fromEntries(Object.entries(columns).filter(([, value]) => value !== undefined))
}

/** Adds choices of policies, which are valid from now on. Past prices are judged by earlier ones. */
function policiesAfter(
  chosen: Tenant['pricePolicies'],
  choices: NonNullable<Settings['price-policy']>,
): Tenant['pricePolicies'] {
  const chosenAt = instantOf(new Date())
  const added = choices.map(({ country, rules }) => [
    country,
    [...(chosen[country] ?? []), { chosenAt, rules }],
  ])
  return { ...chosen, ...Object.fromEntries(added) }
}

/**
 * Makes the service answer 503 at a tenant's hosts and hold its webhooks back, within a minute. A suspended tenant stays unchanged.
 * @throws Failure where its removal has begun
 */
export async function suspendTenant(client: pg.ClientBase, tenant: StoredTenant): Promise<StoredTenant> {
  demandNotRemoving(tenant)
  await client.query(
    `update tenants set status = 'SUSPENDED', suspended_at = now() where id = $1 and status = 'ACTIVE'`,
    [tenant.id],
  )
  return findTenant(client, tenant.id)
}

/** For how long what waited is safe from housekeeping: a delivery is attempted over three and a half days. */
export const keptFor = '4 days'

/**
 * Serves a tenant again. Deliveries continue as if no time had passed: none is deleted for its age before it had its attempts, and no
 * subscription is disabled for failures from before.
 * @throws Failure where its removal has begun
 */
export async function resumeTenant(client: pg.ClientBase, tenant: StoredTenant): Promise<StoredTenant> {
  demandNotRemoving(tenant)
  await resumeTenants(client, 'id = $2', tenant.id)
  return findTenant(client, tenant.id)
}

/** Resumes the suspended tenants of a condition on `tenants`, whose `$2` is `value`. Returns their number. */
async function resumeTenants(client: pg.ClientBase, condition: string, value: string): Promise<number> {
  const { rows } = await client.query<{ count: number }>(
    `with resumed as materialized (select id, suspended_at from tenants where status = 'SUSPENDED' and ${condition} for update),
     shifted as (
       update webhook_subscriptions s set failing_since = s.failing_since + (now() - resumed.suspended_at)
         from resumed where s.tenant_id = resumed.id and s.failing_since is not null
     ), served as (
       update tenants t set status = 'ACTIVE', suspended_at = null, kept_until = now() + $1::interval
         from resumed where t.id = resumed.id returning t.id
     )
     select count(*)::int as count from served`,
    [keptFor, value],
  )
  return rows[0]?.count ?? 0
}

/** Suspends every active tenant. Returns their number, and the time at which all of them are suspended. */
export async function suspendAll(client: pg.ClientBase): Promise<{ count: number; suspendedAt: string }> {
  const { rows } = await client.query<{ count: number; suspendedAt: string }>(
    `with suspended as (update tenants set status = 'SUSPENDED', suspended_at = now() where status = 'ACTIVE' returning id)
     select count(*)::int as count, instant_text(now()) as "suspendedAt" from suspended`,
  )
  return rows[0] ?? { count: 0, suspendedAt: '' }
}

/** Resumes the tenants that were suspended at a time or later. Returns their number. */
export const resumeAll = (client: pg.ClientBase, since: string) =>
  resumeTenants(client, 'suspended_at >= $2::timestamptz', since)

/** @throws Failure where the removal of the tenant has begun */
export function demandNotRemoving({ host, status }: StoredTenant): void {
  if (status !== 'REMOVING') return
  throw new Failure(
    `The removal of ${host} has begun, and part of it is gone. Finish it: npm run tenant -- remove ${host} --without-export`,
  )
}

/** All settings of a tenant, a line for each. */
export function tenantText(tenant: StoredTenant): string {
  const { status, suspendedAt, jwksUri, keys, limits, localeChanges, tokensValidAfter } = tenant
  const rows: (readonly [string, string])[] = [
    ['name', tenant.name],
    ['id', tenant.id],
    ['status', suspendedAt === null ? status : `${status} since ${suspendedAt}`],
    ['hosts', tenant.hosts.join(', ')],
    ...tenant.storefronts.map(({ host, keys, maxAge }): [string, string] => [
      'storefront',
      `${host} with ${amount(keys, 'key')}, stored by caches for ${maxAge} s`,
    ]),
    ['locales', tenant.locales.join(', ')],
    ...localeChanges.map((each): [string, string] => ['', changeText(each)]),
    ['issuer', tenant.issuer],
    ['audience', tenant.audience],
    ['keys', jwksUri ?? `its own: ${(keys ?? []).map((each) => each ?? 'without an id').join(', ')}`],
    ...(tokensValidAfter === null ? [] : [['tokens', issuedFrom(tokensValidAfter)] as const]),
    ['algorithms', tenant.algorithms.join(', ')],
    ['profile', tenant.tokenProfile],
    ['version', tenant.defaultApiVersion],
    [
      'webhooks',
      `${limits.subscriptions} subscriptions, ${limits.subscriptionsPerHost} of one callback host`,
    ],
    [
      'prior price',
      `the lowest of the ${tenant.priorPriceDays} days before a reduction, or of the days of the policy if those are more`,
    ],
    ...Object.entries(tenant.pricePolicies).map(([country, choices]): [string, string] => [
      '',
      policyText(country, choices),
    ]),
    [
      'unit prices',
      `per ${tenant.referenceUnits.map(({ value, unit }) => `${value} ${unit}`).join(', ') || '1 kg, l, m, m2 or m3'}`,
    ],
    ['sign-in', tenant.adminClient === null ? 'by a pasted token' : `with client ${tenant.adminClient}`],
    ['time zone', tenant.timeZone],
    ['image hosts', tenant.imageHosts.length > 0 ? tenant.imageHosts.join(', ') : 'its own alone'],
    ['made', tenant.createdAt],
  ]
  return [tenant.host, ...rows.map(([name, value]) => `  ${name.padEnd(11)} ${value}`)].join('\n')
}

const issuedFrom = (second: number) => `issued from ${new Date(second * 1000).toISOString()} on are valid`

function policyText(country: string, choices: Tenant['pricePolicies'][string]): string {
  const last = choices.at(-1)
  const rules = Object.entries(last?.rules ?? {}).map(([name, value]) => `${name}=${value}`)
  const chosen = last?.rules === null ? 'no policy' : rules.join(', ') || 'the policy of the act'
  return `${country}: ${chosen}, chosen at ${last?.chosenAt}`
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
  return table([
    ['host', 'status', 'locales', 'prior price', 'name'],
    ...tenants.map((each) => [
      each.hosts.length > 1 ? `${each.host} (+${each.hosts.length - 1})` : each.host,
      each.status,
      each.locales.join(','),
      `${each.priorPriceDays} days`,
      each.name,
    ]),
  ])
}

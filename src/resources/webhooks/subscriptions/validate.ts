import { sql } from 'drizzle-orm'
import { hint } from '../../../core/body.ts'
import type { Tenant } from '../../../core/context.ts'
import { writableLocales } from '../../../core/locale.ts'
import type { BodyOf, Context } from '../../../core/operation.ts'
import type { Violation } from '../../../core/problem.ts'
import { localeProblems, validationProblems } from '../../../core/problems/validation.ts'
import type { Values } from '../../../core/schema.ts'
import { throwViolations } from '../../../core/violations.ts'
import { type Statement, statement } from '../../../db/query.ts'
import { isRetired, liveApiVersion, versions } from '../../../versions/index.ts'
import { webhookProblems } from '../problems.ts'
import { addressFault, callbackFault, ResolverUnavailable } from './callback-url.ts'
import { shortened, topicOrAny, type UnknownPath, writtenPaths } from './include-fields.ts'
import type { webhookSubscription as shape } from './schema.ts'

/** What must hold of a subscription beyond the form of its properties: what the body tells, and what the world tells. */

/** What is written of a subscription. */
export type Terms = Values<typeof shape>
/** A body that writes some of it. */
export type WrittenTerms = BodyOf<typeof shape>

/**
 * Values with `includeFields` in today's names, and what is wrong with them; `paths` are its paths as written. Those that name
 * nothing are told to a caller who `tells`, and refused under strict handling.
 */
export function termsOf(
  values: Terms,
  paths: readonly string[] | null,
  { tenant, now, callbacks, strict, ignore }: Context,
  tells: boolean,
): { values: Terms; violations: Violation[] } {
  const violations: Violation[] = []
  const { callbackUrl, version, locale, topic } = values
  const live = versions.filter((each) => !isRetired(each, now)).map(({ name }) => name)
  if (version !== null && !live.includes(version))
    violations.push(validationProblems.choice.at('version', { choices: live.join(', ') }))
  const writable = writableLocales(tenant)
  if (locale !== null && !writable.includes(locale)) {
    violations.push(localeProblems.not_declared.at('locale', { locale, locales: writable.join(', ') }))
  }
  const reason = callbackUrl === null ? null : addressFault(callbackUrl, callbacks)
  if (reason !== null) violations.push(webhookProblems.callback_url.at('callbackUrl', { reason }))
  const dialect = liveApiVersion(version ?? tenant.defaultApiVersion, now)
  const read = paths && writtenPaths(paths, topicOrAny(topic), dialect)
  violations.push(...(read?.violations ?? []))
  const unknown = tells ? (read?.unknown ?? []) : []
  if (strict) violations.push(...unknown.map(unknownPath))
  else ignore(unknown.map(({ at }) => at))
  return { values: { ...values, includeFields: read?.paths ?? null }, violations }
}

/** Whether the host of an address is one of the service's own, whichever tenant's. */
export function ownHostStatement(callbackUrl: string | null): Statement<{ own: boolean }> {
  const hostname = callbackUrl !== null && URL.canParse(callbackUrl) ? new URL(callbackUrl).hostname : ''
  return statement<{ own: boolean }>(sql`select tenant_by_host(${hostname}) is not null as own`)
}

function unknownPath({ at, path, known }: UnknownPath): Violation {
  return validationProblems.unknown_property.at(at, { name: shortened(path), hint: hint(path, known) })
}

/**
 * Refuses an address that leads back here or to no public host. Where that cannot be told now it is taken, since every
 * attempt asks again. @throws 422 `webhook.callback_url`
 */
export async function requireReachable(
  callbackUrl: string,
  [host]: readonly { own: boolean }[],
  { callbacks }: Context,
): Promise<void> {
  const fault = host?.own ? 'host of this service' : await faultKnown(callbackUrl, callbacks)
  if (fault !== null) throwViolations([webhookProblems.callback_url.at('callbackUrl', { reason: fault })])
}

/** Milliseconds that a registration waits for the resolver. */
const patience = 2000

/** Where this very machine may be called there may be no resolver either: addresses are looked at as written. */
async function faultKnown(callbackUrl: string, callbacks: Context['callbacks']): Promise<string | null> {
  if (callbacks.allowLoopback) return addressFault(callbackUrl, callbacks)
  try {
    return await callbackFault(callbackUrl, callbacks, patience)
  } catch (error) {
    if (error instanceof ResolverUnavailable) return null
    throw error
  }
}

/** How many subscriptions there may be: counted under a lock of the tenant's, so that no two writers both take the last place. */

const limit = 'limit'
const hostLimit = 'host_limit'

/** Lets one writer of the tenant's count at a time; what was committed before it is counted. */
export const lockCount: Statement = statement(
  sql`select pg_advisory_xact_lock(hashtextextended('webhook_subscriptions:' || current_tenant(), 0))`,
)

type Limits = Tenant['limits']

/** Refuses the batch when a new subscription would be one too many. */
export function requireFreeSlot({ webhookSubscriptions }: Limits): Statement {
  return statement(sql`select reject('PC409', ${limit}) where ${webhookSubscriptions}::int <=
  (select count(*) from webhook_subscriptions where tenant_id = current_tenant())`)
}

/** Refuses the batch when a host would get one too many, beside those of `id` itself. */
export function freeSlotsAtHost(
  { webhookSubscriptionsPerHost }: Limits,
  host: string | null,
  id: string,
): Statement[] {
  if (host === null) return []
  return [
    statement(sql`select reject('PC409', ${hostLimit}) where ${webhookSubscriptionsPerHost}::int <=
    (select count(*) from webhook_subscriptions
      where tenant_id = current_tenant() and callback_host = ${host} and id <> ${id}::uuid)`),
  ]
}

/** What the refusals of both mean. */
export function limitProblems(
  { webhookSubscriptions, webhookSubscriptionsPerHost }: Limits,
  host: string | null,
): Readonly<Record<string, Error>> {
  const all = { maximum: webhookSubscriptions }
  const atHost = { host: host ?? '', maximum: webhookSubscriptionsPerHost }
  return {
    [limit]: webhookProblems.limit(all, { violations: [webhookProblems.limit.at('', all)] }),
    [hostLimit]: webhookProblems.host_limit(atHost, {
      violations: [webhookProblems.host_limit.at('callbackUrl', atHost)],
    }),
  }
}

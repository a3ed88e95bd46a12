import { sql } from 'drizzle-orm'
import * as z from 'zod'
import type { Tenant } from '../../../core/context.ts'
import { writableLocales } from '../../../core/locale.ts'
import type { BodyOf, Context } from '../../../core/operation.ts'
import type { Violation } from '../../../core/problem.ts'
import { localeProblems, validationProblems } from '../../../core/problems/validation.ts'
import type { Values } from '../../../core/schema.ts'
import { hint, nearMiss } from '../../../core/similar-names.ts'
import { problemOfViolation, throwViolations } from '../../../core/violations.ts'
import { type Statement, statement } from '../../../db/query.ts'
import { run, type WriteStep } from '../../../db/write-steps.ts'
import { isRetired, liveApiVersion, versions } from '../../../versions/index.ts'
import { webhookProblems } from '../problems.ts'
import { addressFault, callbackFault, ResolverUnavailable } from './callback-url.ts'
import { parsePaths, shortenPath, type UnknownPath } from './include-fields.ts'
import type { webhookSubscription as shape } from './schema.ts'

/** The writable values of a subscription. */
export type Terms = Values<typeof shape>
/** A body with some of these values. */
export type TermsInput = BodyOf<typeof shape>

/**
 * Validates the values of a subscription beyond the format of each property, and converts `includeFields` to
 * current names. `paths` are its paths in the body. If `reportsUnknown`, paths that match nothing are
 * reported as ignored, or rejected under strict handling. A path that is one edit away from a matching one is always rejected.
 */
export function validateTerms(
  values: Terms,
  paths: readonly string[] | null,
  { tenant, now, callbacks, strict, reportIgnored: ignore }: Context,
  reportsUnknown: boolean,
): { values: Terms; violations: Violation[] } {
  const violations: Violation[] = []
  const { callbackUrl, version, locale, topic } = values
  const liveVersions = versions.filter((apiVersion) => !isRetired(apiVersion, now)).map(({ name }) => name)
  if (version !== null && !liveVersions.includes(version))
    violations.push(validationProblems.choice.at('version', { choices: liveVersions.join(', ') }))
  const writable = writableLocales(tenant)
  if (locale !== null && !writable.includes(locale)) {
    violations.push(localeProblems.not_declared.at('locale', { locale, locales: writable.join(', ') }))
  }
  const reason = callbackUrl === null ? null : addressFault(callbackUrl, callbacks)
  const local =
    'Send an https URL with a public DNS name, or http://localhost with any port: this service is local.'
  if (reason !== null)
    violations.push(
      webhookProblems.callback_url.at('callbackUrl', { reason }, callbacks.allowLoopback ? local : undefined),
    )
  const apiVersion = liveApiVersion(version ?? tenant.defaultApiVersion, now)
  const parsedPaths = paths && parsePaths(paths, topic, apiVersion)
  violations.push(...(parsedPaths?.violations ?? []))
  const unknown = reportsUnknown ? (parsedPaths?.unknown ?? []) : []
  const rejected = unknown.filter(
    ({ name, knownNames }) => strict || nearMiss(name, knownNames) !== undefined,
  )
  violations.push(...rejected.map(unknownPath))
  ignore(unknown.flatMap((path) => (rejected.includes(path) ? [] : path.at)))
  return { values: { ...values, includeFields: parsedPaths?.paths ?? null }, violations }
}

const ownColumn = { own: z.boolean() }

/** Whether the host of a URL belongs to this service, for any tenant. */
export function serviceHostStatement(callbackUrl: string | null): Statement<{ own: boolean }> {
  const hostname = callbackUrl !== null && URL.canParse(callbackUrl) ? new URL(callbackUrl).hostname : ''
  return statement(sql`select tenant_at(${hostname}) is not null as own`, ownColumn)
}

function unknownPath({ at, path, name, knownNames }: UnknownPath): Violation {
  const values = { name: shortenPath(path), hint: hint(name, knownNames) }
  return validationProblems.unknown_property.at(
    at,
    values,
    'No document of the topic has this path. Remove or rename it.',
  )
}

/**
 * Rejects a URL of this service or of a host that is not public. If the resolver does not answer, the URL is
 * accepted, because every attempt checks it again.
 * @throws 422 `webhook.callback_url`
 */
export async function requireReachable(
  callbackUrl: string,
  [host]: readonly { own: boolean }[],
  { callbacks }: Context,
): Promise<void> {
  const fault = host?.own ? 'host of this service' : await knownFault(callbackUrl, callbacks)
  if (fault !== null) throwViolations([webhookProblems.callback_url.at('callbackUrl', { reason: fault })])
}

/** Milliseconds that a registration waits for the resolver. */
const resolverTimeoutMs = 2000

/** Where loopback addresses are allowed there may be no resolver, so only the text is checked. */
async function knownFault(callbackUrl: string, callbacks: Context['callbacks']): Promise<string | null> {
  if (callbacks.allowLoopback) return addressFault(callbackUrl, callbacks)
  try {
    return await callbackFault(callbackUrl, callbacks, resolverTimeoutMs)
  } catch (error) {
    if (error instanceof ResolverUnavailable) return null
    throw error
  }
}

const limit = 'limit'
const hostLimit = 'host_limit'

/** Allows one writer of the tenant at a time, so that each one counts all committed rows. */
export const lockCount: WriteStep = run(
  sql`select pg_advisory_xact_lock(hashtextextended('webhook_subscriptions:' || current_tenant(), 0))`,
)

type Limits = Tenant['limits']

/** Rejects the batch if a new subscription exceeds the limit. */
export function requireFreeSlot({ webhookSubscriptions }: Limits): WriteStep {
  return run(sql`select reject('PC409', ${limit}) where ${webhookSubscriptions}::int <=
  (select count(*) from webhook_subscriptions where tenant_id = current_tenant())`)
}

/** Rejects the batch if the host's subscriptions other than `id` already reach its limit. */
export function freeSlotsAtHost(
  { webhookSubscriptionsPerHost }: Limits,
  host: string | null,
  id: string,
): WriteStep[] {
  if (host === null) return []
  return [
    run(sql`select reject('PC409', ${hostLimit}) where ${webhookSubscriptionsPerHost}::int <=
    (select count(*) from webhook_subscriptions
      where tenant_id = current_tenant() and callback_host = ${host} and id <> ${id}::uuid)`),
  ]
}

/** The problems for the rejections of both limits. */
export function limitProblems(
  { webhookSubscriptions, webhookSubscriptionsPerHost }: Limits,
  host: string | null,
): Readonly<Record<string, Error>> {
  const hostLimitValues = { host: host ?? '', maximum: webhookSubscriptionsPerHost }
  return {
    [limit]: problemOfViolation(webhookProblems.limit.at('', { maximum: webhookSubscriptions })),
    [hostLimit]: problemOfViolation(webhookProblems.host_limit.at('callbackUrl', hostLimitValues)),
  }
}

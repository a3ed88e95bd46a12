/** What must hold of a subscription beyond the form of its properties: what the body tells, and what the world tells. */
import { sql } from 'drizzle-orm'
import type { Json } from '../../core/json.ts'
import type { Context } from '../../core/operation.ts'
import type { Violation } from '../../core/problem.ts'
import { localeProblems, serverProblems, validationProblems } from '../../core/problems/index.ts'
import { refuse } from '../../core/violations.ts'
import { type Statement, statement } from '../../db/client.ts'
import { isRetired, standingDialect, versions } from '../../versions/index.ts'
import { addressFault } from './callback-address.ts'
import { writtenFields } from './include-fields.ts'
import { webhookProblems } from './problems.ts'
import { callbackFault, ResolverUnavailable } from './resolve.ts'

export type Values = Readonly<Record<string, Json>>

/** Values with `includeFields` in today's names, and what is wrong with them; `fields` are the paths as written. */
export function settled(
  values: Values,
  fields: readonly string[] | null,
  { tenant, now, callbacks }: Context,
): { values: Values; violations: Violation[] } {
  const violations: Violation[] = []
  const { callbackUrl, version, locale, topic } = values
  const live = versions.filter((each) => !isRetired(each, now)).map(({ name }) => name)
  if (version !== null && !live.includes(String(version)))
    violations.push(validationProblems.choice.at('version', { choices: live.join(', ') }))
  if (locale !== null && !tenant.locales.includes(String(locale))) {
    const locales = tenant.locales.join(', ')
    violations.push(localeProblems.not_declared.at('locale', { locale: String(locale), locales }))
  }
  const reason = addressFault(String(callbackUrl), callbacks)
  if (reason !== null) violations.push(webhookProblems.callback_url.at('callbackUrl', { reason }))
  const dialect = standingDialect((version as string | null) ?? tenant.defaultApiVersion, now)
  const read = fields && writtenFields(fields, String(topic), dialect)
  violations.push(...(read?.violations ?? []))
  return { values: { ...values, includeFields: read?.fields ?? null }, violations }
}

/** Whether the host of an address is one of the service's own, whichever tenant's. */
export function ownHostStatement(callbackUrl: string): Statement<{ own: boolean }> {
  const hostname = URL.canParse(callbackUrl) ? new URL(callbackUrl).hostname : ''
  return statement<{ own: boolean }>(sql`select tenant_by_host(${hostname}) is not null as own`)
}

/** Refuses an address that leads back here or to no public host. @throws 422 `webhook.callback_url`; 503 when it cannot be told */
export async function demandReachable(
  callbackUrl: string,
  [host]: readonly { own: boolean }[],
  { callbacks }: Context,
): Promise<void> {
  const fault = host?.own
    ? 'host of this service'
    : await callbackFault(callbackUrl, callbacks).catch(unknown)
  if (fault !== null) refuse([webhookProblems.callback_url.at('callbackUrl', { reason: fault })])
}

function unknown(error: unknown): never {
  throw error instanceof ResolverUnavailable
    ? serverProblems.resolver_unavailable(undefined, { headers: { 'Retry-After': '5' } })
    : error
}

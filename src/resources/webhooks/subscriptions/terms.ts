/** What must hold of a subscription beyond the form of its properties: what the body tells, and what the world tells. */
import { sql } from 'drizzle-orm'
import { hint } from '../../../core/body.ts'
import { writableLocales } from '../../../core/locale.ts'
import type { BodyOf, Context } from '../../../core/operation.ts'
import type { Violation } from '../../../core/problem.ts'
import { localeProblems, validationProblems } from '../../../core/problems/index.ts'
import type { Values } from '../../../core/property.ts'
import { refuse } from '../../../core/violations.ts'
import { type Statement, statement } from '../../../db/client.ts'
import { isRetired, standingDialect, versions } from '../../../versions/index.ts'
import { addressFault } from './callback-address.ts'
import { shortened, topicOrAny, type UnknownPath, writtenPaths } from './include-fields.ts'
import { webhookProblems } from './problems.ts'
import { callbackFault, ResolverUnavailable } from './resolve.ts'
import type { webhookSubscription as shape } from './schema.ts'

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
  const dialect = standingDialect(version ?? tenant.defaultApiVersion, now)
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
export async function demandReachable(
  callbackUrl: string,
  [host]: readonly { own: boolean }[],
  { callbacks }: Context,
): Promise<void> {
  const fault = host?.own ? 'host of this service' : await faultKnown(callbackUrl, callbacks)
  if (fault !== null) refuse([webhookProblems.callback_url.at('callbackUrl', { reason: fault })])
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

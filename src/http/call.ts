import type { Actor, Tenant } from '../core/context.ts'
import type { Locale } from '../core/locale.ts'
import type { Problem } from '../core/problem.ts'
import type { Scope } from '../core/scopes.ts'
import type { Trace } from '../core/trace.ts'
import type { Dialect } from '../core/versions.ts'
import type { Session } from '../db/client.ts'
import type { Bindings } from '../env.ts'

/** What is known of a request so far. Every step of the door adds its part; a problem is rendered from what there is. */
export type Call = {
  readonly requestId: string
  readonly trace: Trace
  /** The operation's name, or a page's path; null where nothing is at this address. */
  readonly operation: string | null
  readonly url: URL
  /** The origins that are the tenant's own where IRIs are read. */
  origins: readonly string[]
  readonly now: Date
  /** `performance.now()` when the request came in. */
  readonly started: number
  locale: Locale
  /** Why the locale asked for is refused, once it is known that the token is good. */
  localeProblem: Problem | null
  tenant: Tenant | null
  dialect: Dialect | null
  versionProblem: Problem | null
  /** Whether the request names its version itself. */
  readonly versionAsked: boolean
  actor: Actor | null
  /** Every scope that the request needs, as far as it tells itself. */
  demanded: readonly Scope[]
  session: Session | null
  /** Through which the tenant was looked up, where that was not known. */
  lookUp: Session | null
  /** `Prefer: handling=strict` (RFC 7240 §4.4). */
  readonly strict: boolean
  /** Paths of members of the body that mean nothing. */
  readonly ignored: Set<string>
  /** Of the answer's body, where it is known. */
  bytes: number
  /** What goes on after the answer. */
  readonly later: Promise<unknown>[]
  /** Headers that the answer carries whatever it is. */
  readonly headers: Headers
}

/** The types of the door's Hono. */
export type Door = { Bindings: Bindings; Variables: { call: Call } }

/** A member of the call that an earlier step has set. */
export function established<Value>(value: Value | null): Value {
  if (value === null) throw new Error('a step of the door ran before the one that it leans on')
  return value
}

/**
 * Idempotency keys: for a day, a retry with the key of an earlier write returns the response of that write. A key
 * belongs to tenant, client and subject, so that users of the same client never receive each other's responses.
 */
import { type SQL, sql } from 'drizzle-orm'
import * as z from 'zod'
import { DatabaseError, type Session } from '../db/client.ts'
import { committedStamps } from '../db/columns.ts'
import { combineQueries, type DatabaseQueries, type RowOf, type Statement, statement } from '../db/query.ts'
import type { Idempotency } from './operation.ts'
import { stampsOf, type WriteOutcome, type Writer } from './plan.ts'
import { idempotencyProblems } from './problems/server.ts'
import { scopeText } from './scopes.ts'

/**
 * The stored result of the first request with a key, which has no stamps while that request performs its action. `readBack` holds the rows that were read back after its steps,
 * `scopes` the scopes that it needed, `parts` the digests of the request, which keys of earlier deployments lack.
 */
const keyColumns = {
  fingerprint: z.string(),
  result: z.object({
    result: z.unknown(),
    scopes: z.array(scopeText),
    parts: z.record(z.string(), z.string()).optional(),
    readBack: z.array(z.unknown()).optional(),
  }),
  stamps: committedStamps.nullable(),
}

type StoredKey = RowOf<typeof keyColumns>

/** The writer of a request with an idempotency key. */
export type Keyed = Writer & { readonly idempotency: Idempotency }

export function isKeyed(context: Writer): context is Keyed {
  return context.idempotency !== null
}

/** The idempotency of a request whose body is a file: the digest identifies it, because the fingerprint does not cover the file. */
export function ofFile(idempotency: Idempotency, digest: string): Idempotency {
  const { fingerprint, parts } = idempotency
  return { ...idempotency, fingerprint: `${fingerprint} ${digest}`, parts: { ...parts, body: digest } }
}

/** The days that a key counts, and is stored. */
export const keyDays = 1

/** Reads for a write, and with them the request's idempotency key. `key()` reads it alone if nothing was read before. */
export function keyedRead(context: Writer) {
  if (!isKeyed(context)) return { read: context.db.read, key: async () => null }
  const lookup = statement(keyColumns)`select fingerprint, result, stamps from idempotency_keys
    where ${isRowOf(context)} and ${isValid}`
  let isRead = false
  let key: StoredKey | null = null
  const read: Session['read'] = async (queries) => {
    isRead = true
    const { rows, keys } = await context.db.read({ rows: combineQueries(queries), keys: lookup })
    key ??= keys[0] ?? null
    return rows
  }
  const readKey = async () => {
    if (!isRead) await read({})
    return key
  }
  return { read, key: readKey }
}

/** Whether a key counts: for a day, or for a minute if its request claimed it and has not completed it. No action takes longer. */
const isValid = sql`created_at > now() - case when stamps is null then interval '1 minute' else key_lifetime() end`

function isRowOf({ actor: { client, subject }, idempotency: { key } }: Keyed): SQL {
  return sql`tenant_id = current_tenant() and client = ${client} and subject = ${subject} and key = ${key}`
}

/** Stores a key before an action outside of the database. Fails for the later one of two requests: see `isKeyRace()`. */
export function claimKey(context: Keyed, operation: string) {
  const key = storedKey(context, operation, null)
  return {
    expired: statement(sql`delete from idempotency_keys where ${isRowOf(context)} and not (${isValid})`),
    claimed:
      statement(sql`insert into idempotency_keys (tenant_id, client, subject, key, fingerprint, operation, result)
      select current_tenant(), client, subject, key, fingerprint, operation, result
        from jsonb_populate_record(null::idempotency_keys, ${JSON.stringify(key)}::jsonb)`),
  } satisfies DatabaseQueries
}

/** Stores the result of an action with its claimed key. */
export function completeKey(context: Keyed, operation: string, result: unknown): Statement {
  const stored = JSON.stringify(storedKey(context, operation, result).result)
  return statement(
    sql`update idempotency_keys set result = ${stored}::jsonb, stamps = '[]' where ${isRowOf(context)}`,
  )
}

/** Deletes the claimed key of an action that failed. */
export function releaseKey(context: Keyed): Statement {
  return statement(sql`delete from idempotency_keys where ${isRowOf(context)} and stamps is null`)
}

/** The key of a request and its result, as `apply_write()` stores them. The write adds the stamps and the rows read back. */
export function storedKey(
  { actor, idempotency: { key, fingerprint, parts, neededScopes } }: Keyed,
  operation: string,
  result: unknown,
) {
  const { client, subject } = actor
  const stored = { result, scopes: [...neededScopes], parts }
  return { client, subject, key, fingerprint, operation, result: stored }
}

/** True if a concurrent request with the same key was first. */
export function isKeyRace(error: unknown): boolean {
  return error instanceof DatabaseError && error.constraint === 'idempotency_keys_pkey'
}

/**
 * The stored result, for a caller that may still do what the first request did; null without a key.
 * @throws 422 `idempotency.key_reused` if the key belongs to another request; 409 `idempotency.in_flight` if the first one has
 * no result yet; 403 if the caller lacks a scope that it needed
 */
export function replay<Result, ReadBack>(
  { idempotency }: Writer,
  key: StoredKey | null,
): WriteOutcome<Result, ReadBack> | null {
  if (idempotency === null || key === null) return null
  if (key.fingerprint !== idempotency.fingerprint) throw reused(idempotency.parts, key.result.parts)
  if (key.stamps === null) throw idempotencyProblems.in_flight()
  idempotency.requireScopes(key.result.scopes)
  // The same operation stored it for the same request.
  const { result, readBack = [] } = key.result as { result: Result; readBack?: ReadBack[] }
  return { result, stamps: stampsOf(key.stamps), replayed: true, readBack }
}

/** The problem of a key that another request has used, with the parts that differ. It reveals nothing of the earlier request. */
function reused(parts: Idempotency['parts'], earlier: Idempotency['parts'] = parts): Error {
  const different = Object.keys(parts).filter((name) => parts[name] !== earlier[name])
  const difference =
    different.length > 0 ? `The earlier request with this key differs in: ${different.join(', ')}. ` : ''
  return idempotencyProblems.key_reused(undefined, {
    help: `${difference}${idempotencyProblems.key_reused.description}`,
  })
}

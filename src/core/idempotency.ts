/** Keys of writes: what a first request with one answered is answered again, for a day, to the same client alone. */
import { sql } from 'drizzle-orm'
import { DatabaseError, type Session, type Statement, statement } from '../db/client.ts'
import { gathered, united } from '../db/reading.ts'
import { stepStatement } from '../db/steps.ts'
import { type StampRow, stampsOf, type Writer, type Written } from './plan.ts'
import { idempotencyProblems } from './problems/index.ts'

/** What is kept of the first request with a key. `settled` are the rows as its statements left them. */
export type KeptKey = {
  fingerprint: string
  result: { result: unknown; settled?: unknown[] }
  stamps: StampRow[] | null
}

/** Who writes with an idempotency key. */
export type Keyed = Writer & { readonly idempotency: NonNullable<Writer['idempotency']> }

/** Whether a write has an idempotency key. */
export function isKeyed(context: Writer): context is Keyed {
  return context.idempotency !== null
}

const keptFor = sql`interval '24 hours'`

/** The first read of a write: one statement, which also looks for the request's idempotency key. */
export function readingKey(context: Writer, kept: { found: KeptKey | null }): Session['read'] {
  return async (readings) => {
    const asked = gathered(readings)
    if (!isKeyed(context)) return (await context.db.read({ asked: united(asked) })).asked
    const { all } = await context.db.read({ all: united(gathered({ asked, keys: keyLookup(context) })) })
    kept.found ??= all.keys[0] ?? null
    return all.asked
  }
}

/** Selects what is kept of the request's key. */
export function keyLookup({ actor, idempotency }: Keyed): Statement<KeptKey> {
  return statement<KeptKey>(sql`select fingerprint, result, stamps from idempotency_keys
    where tenant_id = current_tenant() and client = ${actor.client} and key = ${idempotency.key}
      and created_at > now() - ${keptFor}`)
}

/** Keeps the request's key with its result; `stamps` are commit()'s to complete, or none where nothing changed. */
export function keyStatement(
  { actor, idempotency: { key, fingerprint } }: Keyed,
  operation: string,
  result: unknown,
  stamps: readonly [] | null,
): Statement {
  return stepStatement({
    do: 'keep_key',
    client: actor.client,
    key,
    fingerprint,
    operation,
    result: { result },
    stamps,
  })
}

/** Keeps the settled rows beside the result. */
export function keepSettled({ actor, idempotency }: Keyed, settled: Statement): Statement {
  return statement(sql`update idempotency_keys
    set result = result || jsonb_build_object('settled', (select coalesce(jsonb_agg(to_jsonb(s)), '[]') from (${settled.query}) as s))
    where tenant_id = current_tenant() and client = ${actor.client} and key = ${idempotency.key}`)
}

/** True where another request with the same key was first. */
export function isKeyRace(error: unknown): boolean {
  return error instanceof DatabaseError && error.constraint === 'idempotency_keys_pkey'
}

/** The answer that is kept. @throws 422 `idempotency.key_reused` when it was given to another request */
export function replay<Result, Settled>({ idempotency }: Keyed, kept: KeptKey): Written<Result, Settled> {
  if (kept.fingerprint !== idempotency.fingerprint) throw idempotencyProblems.key_reused()
  // The operation's own answer to the same request, written out by itself.
  const { result, settled = [] } = kept.result as { result: Result; settled?: Settled[] }
  return { result, stamps: stampsOf(kept.stamps ?? []), replayed: true, settled }
}

/** Keys of writes: what a first request with one answered is answered again, for a day, to the same client alone. */
import { sql } from 'drizzle-orm'
import { DatabaseError, type Session, type Statement, statement } from '../db/client.ts'
import type { Json } from './json.ts'
import { type StampRow, stampsOf, type Writer, type Written } from './plan.ts'
import { idempotencyProblems } from './problems/index.ts'

/** What is kept of the first request with a key. `settled` are the rows as its statements left them. */
export type KeptKey = {
  fingerprint: string
  result: { result: Json; settled?: unknown[] }
  stamps: StampRow[] | null
}

const keptFor = sql`interval '24 hours'`

/** The first read of a write also looks for the request's idempotency key. */
export function readingKey(context: Writer, kept: { found: KeptKey | null }): Session['read'] {
  if (!context.idempotency) return context.db.read
  return (async (...statements: readonly Statement[]) => {
    const rows = await context.db.read(...statements, keyLookup(context))
    kept.found ??= (rows.pop() as KeptKey[])[0] ?? null
    return rows
  }) as Session['read']
}

/** Selects what is kept of the request's key. */
export function keyLookup(context: Writer): Statement<KeptKey> {
  return statement<KeptKey>(sql`select fingerprint, result, stamps from idempotency_keys
    where tenant_id = current_tenant() and client = ${context.actor.client} and key = ${context.idempotency!.key}
      and created_at > now() - ${keptFor}`)
}

/** Keeps the request's key with its result; `stamps` are commit()'s to complete, or none where nothing changed. */
export function keyStatements(
  { actor, idempotency }: Writer,
  operation: string,
  result: Json,
  stamps: readonly [] | null,
): Statement[] {
  const { key, fingerprint } = idempotency!
  return [
    statement(sql`delete from idempotency_keys where tenant_id = current_tenant() and client = ${actor.client}
      and key = ${key} and created_at <= now() - ${keptFor}`),
    statement(sql`insert into idempotency_keys (tenant_id, client, key, fingerprint, operation, result, stamps)
      values (current_tenant(), ${actor.client}, ${key}, ${fingerprint}, ${operation}, ${JSON.stringify({ result })}::jsonb,
              ${stamps && JSON.stringify(stamps)}::jsonb)`),
  ]
}

/** Keeps the settled rows beside the result. */
export function keepSettled(context: Writer, settled: Statement): Statement {
  return statement(sql`update idempotency_keys
    set result = result || jsonb_build_object('settled', (select coalesce(jsonb_agg(to_jsonb(s)), '[]') from (${settled.query}) as s))
    where tenant_id = current_tenant() and client = ${context.actor.client} and key = ${context.idempotency!.key}`)
}

/** True where another request with the same key was first. */
export function isKeyRace(error: unknown): boolean {
  return error instanceof DatabaseError && error.constraint === 'idempotency_keys_pkey'
}

/** The answer that is kept. @throws 422 `idempotency.key_reused` when it was given to another request */
export function replay<Result>(context: Writer, kept: KeptKey): Written<Result> {
  if (kept.fingerprint !== context.idempotency!.fingerprint) throw idempotencyProblems.key_reused()
  const { result, settled = [] } = kept.result
  return { result: result as Result, stamps: stampsOf(kept.stamps ?? []), replayed: true, settled }
}

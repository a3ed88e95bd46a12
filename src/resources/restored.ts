/**
 * Rows of a catalogue that are written as they were elsewhere, with their ids: first the rows, in any number of steps, then their
 * stamps and events, by commit() like those of every write. A row without a version has not had its event yet, so that whoever was
 * interrupted goes on. What the rules of an operation would refuse by now (an offer of an archived variant, a rule on a category
 * that is gone) is restored all the same; the constraints of the database hold.
 */
import { sql } from 'drizzle-orm'
import type { Json } from '../core/json.ts'
import { write } from '../core/write.ts'
import { type Session, type Statement, statement } from '../db/client.ts'
import { effects } from '../db/reading.ts'
import { uuids } from '../db/rows.ts'
import { joined, stepStatement } from '../db/steps.ts'
import { type RestoredKind, type Restorer, stampings } from './restored-events.ts'

/** A row, and rows of other tables that tell of it, by their columns without the tenant's. */
export type Moved = {
  readonly id: string
  readonly row: Readonly<Record<string, Json>>
  readonly beside: Readonly<Record<string, readonly Readonly<Record<string, Json>>[]>>
}

/** Writes rows of a kind, by the name of its table, that are not there yet; answers how many these were. @throws DatabaseError */
export async function writeRows(db: Session, kind: string, rows: readonly Moved[]): Promise<number> {
  const { known } = await db.read({ known: knownStatement(kind, rows) })
  const there = new Set(known.map((each) => each.id))
  const missing = rows.filter(({ id }) => !there.has(id))
  const tables = [...new Set(missing.flatMap(({ beside }) => Object.keys(beside)))]
  const steps = [
    insertStep(
      kind,
      missing.map(({ row }) => ({ ...row, version: 0 })),
    ),
    ...tables.map((table) =>
      insertStep(
        table,
        missing.flatMap(({ beside }) => beside[table] ?? []),
      ),
    ),
  ]
  if (missing.length > 0) await db.write({ rows: effects(joined(steps)) })
  return missing.length
}

function knownStatement(kind: string, rows: readonly Moved[]): Statement<{ id: string }> {
  const ids = uuids(rows.map((each) => each.id))
  return statement(
    sql`select id from ${sql.identifier(kind)} where tenant_id = current_tenant() and id = any(${ids})`,
  )
}

const insertStep = (table: string, rows: readonly object[]) => stepStatement({ do: 'insert', table, rows })

/**
 * Gives some rows of a kind that have none yet their stamps and their events, as if they had just been created; when they
 * were created stays as it was. They are taken by their id, behind `after`; answers how many they were and the last of them, which is
 * null once none is left. @throws Problem as every write does
 */
export async function stampRows(
  restorer: Restorer,
  kind: RestoredKind,
  after: string | null,
): Promise<{ readonly count: number; readonly last: string | null }> {
  const { result } = await write<{ count: number; last: string | null }>(
    restorer,
    'restore',
    async (read) => {
      const { found } = await read({ found: unstamped(kind, after) })
      const ids = found.map((each) => each.id)
      if (ids.length === 0) return { unchanged: { count: 0, last: null } }
      const { changed, statements = [], totals = {} } = await stampings[kind](read, ids, restorer)
      return {
        guard: ids.map((id) => ({ kind, id, version: 0 })),
        statements,
        // Another action than that of a creation leaves the moment of it.
        changed: changed.map((each) => ({
          ownerId: null,
          ...each,
          kind,
          version: 1,
          action: 'updated' as const,
        })),
        totals,
        result: { count: ids.length, last: ids.at(-1) ?? null },
        refusals: {},
      }
    },
  )
  return result
}

/** Rows of one write at most, and the bytes of all of them. */
const mostRows = 200
const mostBytes = 2_000_000

function unstamped(kind: string, after: string | null): Statement<{ id: string }> {
  return statement(sql`
    select id from (
      select id, row_number() over (order by id) as n, sum(bytes) over (order by id) as bytes from (
        select t.id, octet_length(to_jsonb(t)::text) as bytes from ${sql.identifier(kind)} t
         where t.tenant_id = current_tenant() and t.version = 0 and t.id > coalesce(${after}::uuid, '00000000-0000-0000-0000-000000000000') order by t.id limit ${mostRows}) as first) as weighed
     where n = 1 or bytes <= ${mostBytes} order by id`)
}

/**
 * Writes a webhook subscription that is not there yet: paused, with a secret of its own (ciphertext), which nobody knows until it
 * is rotated. Answers whether it was missing.
 */
export async function writeSubscription(
  restorer: Restorer,
  { id, row }: Moved,
  secret: string,
): Promise<boolean> {
  const { result } = await write<boolean>(restorer, 'restore', async (read) => {
    const { known } = await read({
      known: knownStatement('webhook_subscriptions', [{ id, row, beside: {} }]),
    })
    if (known.length > 0) return { unchanged: false }
    return {
      guard: [],
      statements: [insertStep('webhook_subscriptions', [{ ...row, version: 0, status: 'PAUSED', secret }])],
      changed: [
        {
          kind: 'webhook_subscriptions',
          id,
          version: 1,
          action: 'updated',
          topic: null,
          document: '',
          changes: [],
        },
      ],
      totals: { webhook_subscriptions: 1 },
      result: true,
      refusals: {},
    }
  })
  return result
}

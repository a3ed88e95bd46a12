/** Collections whose products have still to be sorted anew: kept as rows, so that nothing that stops work on them loses any. */
import { type SQL, sql } from 'drizzle-orm'
import { budgets } from '../../../core/budgets.ts'
import type { Context } from '../../../core/operation.ts'
import { type KeptActor, keptActor } from '../../../core/trace.ts'
import type { Guarded, Writer } from '../../../core/write.ts'
import { type Statement, statement } from '../../../db/client.ts'
import { uuids } from '../../../db/rows.ts'
import { collectionProblems } from './problems.ts'
import { rulesChangeGuard } from './sorting.ts'

/** For how long a rebuild is reserved to the worker that sorts. */
const lease = sql`interval '30 seconds'`

const first = '00000000-0000-0000-0000-000000000000'

/** In whose name products are sorted, as their events will tell. */
type Asker = Pick<Writer, 'actor' | 'apiVersion' | 'requestId' | 'trace'>

/** Has all products sorted anew into a collection, by the one who asks for it. */
export function rebuildStatement(asker: Asker, id: string): Statement {
  return openStatement(asker, [id], first, sql`now() + ${lease}`)
}

/** Has products from `from` on sorted anew into some collections, by the minute's round. */
export function resortStatement(asker: Asker, ids: readonly string[], from: string): Statement {
  return openStatement(asker, ids, from, sql`now()`)
}

function openStatement(asker: Asker, ids: readonly string[], from: string, leasedUntil: SQL): Statement {
  return statement(sql`
    insert into collection_rebuilds as r (tenant_id, id, version, next_id, leased_until, actor, api_version, request_id)
    select current_tenant(), id, 1, ${from}::uuid, ${leasedUntil}, ${JSON.stringify(keptActor(asker))}::jsonb,
           ${asker.apiVersion}, ${asker.requestId}
      from unnest(${uuids(ids)}) as id order by id
    on conflict (tenant_id, id) do update set version = r.version + 1, next_id = least(r.next_id, excluded.next_id),
      leased_until = greatest(r.leased_until, excluded.leased_until), actor = excluded.actor,
      api_version = excluded.api_version, request_id = excluded.request_id`)
}

/** What a write adds that changes the rules of a collection. */
export function ruleChange(
  context: Context,
  id: string,
): { guard: readonly Guarded[]; statements: readonly Statement[] } {
  return {
    guard: [rulesChangeGuard],
    statements: [
      statement(sql`insert into collection_rules as r (tenant_id, version) values (current_tenant(), 1)
        on conflict (tenant_id) do update set version = r.version + 1`),
      rebuildStatement(context, id),
    ],
  }
}

const limit = 'collection.rules_limit'

/** Refuses the batch where a tenant's rules became more than every write of a product may have to look at. */
export const demandRoomForRules: Statement = statement(sql`
  select reject('PC409', ${limit}) from collections where tenant_id = current_tenant() and rules is not null
  having count(*) > ${budgets.rules.collections} or sum(octet_length(rules::text)) > ${budgets.rules.bytes}`)

/** What that refusal means. */
export const ruleRefusals: Readonly<Record<string, Error>> = {
  [limit]: collectionProblems.rules_limit(
    { collections: budgets.rules.collections, bytes: budgets.rules.bytes },
    {
      violations: [
        collectionProblems.rules_limit.at('rules', {
          collections: budgets.rules.collections,
          bytes: budgets.rules.bytes,
        }),
      ],
    },
  ),
}

/** Notes that products before `next` are sorted; null when all are. */
export function advanceStatement(id: string, next: string | null): Statement {
  const own = sql`tenant_id = current_tenant() and id = ${id}::uuid`
  if (next === null) return statement(sql`delete from collection_rebuilds where ${own}`)
  return statement(sql`update collection_rebuilds set version = version + 1, next_id = ${next}::uuid,
    leased_until = now() + ${lease} where ${own}`)
}

export type Rebuild = { readonly id: string } & Pick<Writer, 'apiVersion' | 'requestId'> & {
    readonly actor: KeptActor
  }

/** Rebuilds of a tenant whose lease has expired. */
export const dueStatement: Statement<Rebuild> = statement(sql`
  select id, actor, api_version as "apiVersion", request_id as "requestId" from collection_rebuilds
   where tenant_id = current_tenant() and leased_until < now() order by leased_until limit 100`)

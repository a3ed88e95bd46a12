import { sql } from 'drizzle-orm'
import type { Json } from '../../core/json.ts'
import type { Violation } from '../../core/problem.ts'
import { type Statement, statement } from '../../db/client.ts'
import { texts, uuids } from '../../db/rows.ts'
import { collectionProblems } from './problems.ts'

/** A name that another collection has. */
export type Taken = { readonly kind: 'handle' | 'externalId'; readonly value: string }

type Names = { readonly handles: readonly string[]; readonly externalId: Json | undefined }

/** Finds out which names others than the collection itself have. */
export function takenStatement({ handles, externalId }: Names, except: string): Statement<Taken> {
  return statement<Taken>(sql`
    select 'handle' as kind, handle as value from collections
     where tenant_id = current_tenant() and handle = any(${texts(handles)}) and id <> ${except}::uuid
    union all
    select 'externalId', external_id from collections
     where tenant_id = current_tenant() and external_id = ${externalId ?? null}::text and id <> ${except}::uuid`)
}

/** The conflicts of a written handle and external id with names that others have. */
export function nameConflicts(
  { handle, externalId }: Readonly<Record<string, Json>>,
  taken: readonly Taken[],
): Violation[] {
  const has = (kind: Taken['kind'], value: Json | undefined): value is string =>
    taken.some((each) => each.kind === kind && each.value === value)
  return [
    ...(has('handle', handle) ? [collectionProblems.handle_taken.at('handle', { handle })] : []),
    ...(has('externalId', externalId)
      ? [collectionProblems.external_id_taken.at('externalId', { externalId })]
      : []),
  ]
}

const categoryIri = /\/api\/categories\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})/g

/** Which of the categories that written rules name are there. Before they are judged, so they may be anything. */
export function categoriesStatement(rules: Json | undefined): Statement<{ id: string }> {
  const ids = [...JSON.stringify(rules ?? null).matchAll(categoryIri)].map(([, id]) => id!)
  return statement(
    sql`select id from categories where tenant_id = current_tenant() and id = any(${uuids(ids)})`,
  )
}

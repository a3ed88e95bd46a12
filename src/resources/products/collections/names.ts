import { sql } from 'drizzle-orm'
import { type Statement, statement } from '../../../db/client.ts'
import { texts, uuids } from '../../../db/rows.ts'
import type { Taken } from '../../taken-names.ts'

type Names = { readonly handles: readonly string[]; readonly externalId: string | null | undefined }

/** Finds out which names others than the collection itself have. */
export function takenStatement({ handles, externalId }: Names, except: string): Statement<Taken> {
  return statement<Taken>(sql`
    select 'handle' as kind, handle as value from collections
     where tenant_id = current_tenant() and handle = any(${texts(handles)}) and id <> ${except}::uuid
    union all
    select 'externalId', external_id from collections
     where tenant_id = current_tenant() and external_id = ${externalId ?? null}::text and id <> ${except}::uuid`)
}

const categoryIri = /\/api\/categories\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})/g

/** Which of the categories that written rules name are there. Before they are judged, so they may be anything. */
export function categoriesStatement(rules: unknown): Statement<{ id: string }> {
  const ids = [...JSON.stringify(rules ?? null).matchAll(categoryIri)].flatMap(([, id]) => id ?? [])
  return statement(
    sql`select id from categories where tenant_id = current_tenant() and id = any(${uuids(ids)})`,
  )
}

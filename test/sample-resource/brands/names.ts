import { sql } from 'drizzle-orm'
import { type Statement, statement } from '../../db/client.ts'
import { texts } from '../../db/rows.ts'
import type { Taken } from '../taken-names.ts'

type Names = { readonly handles: readonly string[]; readonly externalId: string | null | undefined }

/** Finds out which names others than the brand itself have. */
export function takenStatement({ handles, externalId }: Names, except: string): Statement<Taken> {
  return statement<Taken>(sql`
    select 'handle' as kind, handle as value from brands
     where tenant_id = current_tenant() and handle = any(${texts(handles)}) and id <> ${except}::uuid
    union all
    select 'externalId', external_id from brands
     where tenant_id = current_tenant() and external_id = ${externalId ?? null}::text and id <> ${except}::uuid`)
}

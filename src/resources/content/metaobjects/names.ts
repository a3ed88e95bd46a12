import { type SQL, sql } from 'drizzle-orm'
import { type Statement, statement } from '../../../db/client.ts'
import { texts } from '../../../db/rows.ts'
import type { Taken } from '../../taken-names.ts'

type Asked = {
  readonly definitionId: SQL
  readonly handles: readonly string[]
  readonly externalId: string | null | undefined
  /** The metaobject whose own names are free to it. */
  readonly except: string
}

/** Finds out which handles of a definition, and which external id, other metaobjects have. */
export function takenStatement({ definitionId, handles, externalId, except }: Asked): Statement<Taken> {
  return statement<Taken>(sql`
    select 'handle' as kind, handle as value from metaobjects
     where tenant_id = current_tenant() and definition_id = (${definitionId}) and handle = any(${texts(handles)}) and id <> ${except}::uuid
    union all
    select 'externalId', external_id from metaobjects
     where tenant_id = current_tenant() and external_id = ${externalId ?? null}::text and id <> ${except}::uuid`)
}

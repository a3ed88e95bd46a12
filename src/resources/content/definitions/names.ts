import { sql } from 'drizzle-orm'
import type { Violation } from '../../../core/problem.ts'
import { type Statement, statement } from '../../../db/client.ts'
import { metaobjectDefinitionProblems } from './problems.ts'

type Named = { readonly type?: string | null; readonly externalId?: string | null }
export type Taken = { readonly type: boolean | null; readonly externalId: boolean | null }

/** Finds out which names of a definition another one than `id` has. */
export function takenStatement({ type, externalId }: Named, id: string): Statement<Taken> {
  return statement<Taken>(sql`
    select bool_or(type = ${type ?? null}::text) as type, bool_or(external_id = ${externalId ?? null}::text) as "externalId"
      from metaobject_definitions
     where tenant_id = current_tenant() and id <> ${id}::uuid
       and (type = ${type ?? null}::text or external_id = ${externalId ?? null}::text)`)
}

/** The conflicts of names that others have. */
export function nameConflicts({ type, externalId }: Named, [taken]: readonly Taken[]): Violation[] {
  return [
    ...(taken?.type ? [metaobjectDefinitionProblems.type_taken.at('type', { type: type ?? '' })] : []),
    ...(taken?.externalId
      ? [metaobjectDefinitionProblems.external_id_taken.at('externalId', { externalId: externalId ?? '' })]
      : []),
  ]
}

import { type SQL, sql } from 'drizzle-orm'
import type { Session, Statement } from '../../../db/client.ts'
import { statement } from '../../../db/client.ts'
import { instantText } from '../../../db/columns.ts'
import { sequenced } from '../../../db/sequence.ts'
import type { DefinitionParts } from './document.ts'

/** The columns of a definition's row, of the table `metaobject_definitions`. */
export const definitionColumns = sql`id, document, version,
  ${instantText(sql`created_at`)} as "createdAt", ${instantText(sql`updated_at`)} as "updatedAt"`

/** Selects definitions by a subquery of their ids. */
export function definitionStatement(ids: SQL): Statement<DefinitionParts> {
  return statement<DefinitionParts>(sql`select ${definitionColumns} from metaobject_definitions
    where tenant_id = current_tenant() and id in (${ids})`)
}

/** Reads one definition; null when there is none. */
export async function readDefinition(
  read: Session['read'],
  id: string,
): Promise<{ definition: DefinitionParts; sequence: number } | null> {
  const { found } = await read({ found: sequenced(definitionStatement(sql`${id}::uuid`)) })
  const {
    rows: [definition],
    sequence,
  } = found
  return definition ? { definition, sequence } : null
}

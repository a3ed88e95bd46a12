import { type SQL, sql } from 'drizzle-orm'
import type { Answer, Context, Input } from '../../../core/operation.ts'
import type { Session } from '../../../db/client.ts'
import { instantText } from '../../../db/columns.ts'
import { type Statement, statement } from '../../../db/query.ts'
import { withSequence } from '../../../db/sql.ts'
import { listing, listParameters, listRows } from '../../shared/list.ts'
import { externalId, shortText } from '../../shared/properties.ts'
import { type DefinitionParts, definitionDocument } from './document.ts'
import { metaobjectDefinitionProblems } from './problems.ts'
import { metaobjectDefinitions } from './table.ts'

/** The columns of `DefinitionParts` in the table `metaobject_definitions`. */
const definitionColumns = sql`id, document, version,
  ${instantText(sql`created_at`)} as "createdAt", ${instantText(sql`updated_at`)} as "updatedAt"`

/** Selects definitions by a subquery of their ids. */
export function definitionStatement(ids: SQL): Statement<DefinitionParts> {
  return statement<DefinitionParts>(sql`select ${definitionColumns} from metaobject_definitions
    where tenant_id = current_tenant() and id in (${ids})`)
}

/** Reads one definition. Returns null if it does not exist. */
async function readDefinition(
  read: Session['read'],
  id: string,
): Promise<{ definition: DefinitionParts; sequence: number } | null> {
  const { result } = await read({ result: withSequence(definitionStatement(sql`${id}::uuid`)) })
  const {
    rows: [definition],
    sequence,
  } = result
  return definition ? { definition, sequence } : null
}

const list = listing(metaobjectDefinitions, {
  orders: ['createdAt', 'updatedAt', 'type', 'id'],
  equal: ['type', 'externalId'],
})

export const definitionListParameters = listParameters(list, {
  type: shortText.optional(),
  externalId: externalId.optional(),
})

type Query = { query: typeof definitionListParameters }

/** Lists definitions: newest first, or by ascending `updatedAt` for clients that follow changes. */
export function listDefinitions(context: Context, { query }: Input<Query>): Promise<Answer> {
  return listRows<DefinitionParts>(context, query, {
    list,
    columns: definitionColumns,
    document: (row) => definitionDocument(row, context.locale),
  })
}

export async function getDefinition(
  context: Context,
  { params: { id } }: Input<{ params: 'id' }>,
): Promise<Answer> {
  const result = await readDefinition(context.db.read, id)
  if (!result) throw metaobjectDefinitionProblems.not_found({ id })
  const { definition, sequence } = result
  const document = definitionDocument(definition, context.locale)
  return { kind: 'item', document, version: definition.version, sequence }
}

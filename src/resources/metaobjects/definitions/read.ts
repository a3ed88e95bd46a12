import { type SQL, sql } from 'drizzle-orm'
import type { Answer, Context, Input, ItemInput } from '../../../core/operation.ts'
import { instantText } from '../../../db/columns.ts'
import { type Statement, statement } from '../../../db/query.ts'
import { listing, listParameters, listRows } from '../../shared/list.ts'
import { readItem } from '../../shared/ordinary-operations.ts'
import { externalId, shortText } from '../../shared/properties.ts'
import { metaobjectDefinitionProblems } from '../problems.ts'
import { metaobjectDefinitions } from '../table.ts'
import { type DefinitionParts, definitionDocument, definitionRow } from './document.ts'

const definitionColumns = sql`id, document, version,
  ${instantText(sql`created_at`)} as "createdAt", ${instantText(sql`updated_at`)} as "updatedAt"`

/** Selects definitions by a subquery of their ids. */
export function definitionStatement(ids: SQL): Statement<DefinitionParts> {
  return statement(definitionRow)`select ${definitionColumns} from metaobject_definitions
    where tenant_id = current_tenant() and id in (${ids})`
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
  return listRows(context, query, {
    row: definitionRow,
    list,
    columns: definitionColumns,
    document: (row) => definitionDocument(row, context.locale),
  })
}

export function getDefinition(context: Context, { params: { id } }: ItemInput): Promise<Answer> {
  return readItem(
    context,
    definitionStatement(sql`${id}::uuid`),
    (row) => definitionDocument(row, context.locale),
    () => metaobjectDefinitionProblems.not_found({ id }),
  )
}

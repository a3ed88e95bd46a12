import { type SQL, sql } from 'drizzle-orm'
import type { Answer, Context, Input } from '../../../core/operation.ts'
import {
  dateConditions,
  dateParameters,
  type Orders,
  orderParameters,
  pageParameters,
} from '../../../core/paging.ts'
import type { Session } from '../../../db/client.ts'
import { instantText } from '../../../db/columns.ts'
import { type Statement, statement } from '../../../db/query.ts'
import { withSequence } from '../../../db/sql.ts'
import { listRows } from '../../shared/list.ts'
import { externalId, shortText } from '../../shared/properties.ts'
import { type DefinitionParts, definitionDocument } from './document.ts'
import { metaobjectDefinitionProblems } from './problems.ts'

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

const orders: Orders = {
  createdAt: { column: sql`created_at`, type: 'timestamptz' },
  updatedAt: { column: sql`updated_at`, type: 'timestamptz' },
  type: { column: sql`type`, type: 'text' },
  id: { column: sql`id`, type: 'uuid' },
}

export const definitionListParameters = {
  ...pageParameters,
  ...orderParameters(orders),
  type: shortText.optional(),
  externalId: externalId.optional(),
  ...dateParameters('createdAt'),
  ...dateParameters('updatedAt'),
}

type Query = { query: typeof definitionListParameters }

function conditions(query: Input<Query>['query']): SQL[] {
  return [
    ...(query.type === undefined ? [] : [sql`type = ${query.type}`]),
    ...(query.externalId === undefined ? [] : [sql`external_id = ${query.externalId}`]),
    ...dateConditions('createdAt', sql`created_at`, query),
    ...dateConditions('updatedAt', sql`updated_at`, query),
  ]
}

/** Lists definitions: newest first, or by ascending `updatedAt` for clients that follow changes. */
export function listDefinitions(context: Context, { query }: Input<Query>): Promise<Answer> {
  return listRows<DefinitionParts>(context, query, {
    table: 'metaobject_definitions',
    orders,
    standard: [['createdAt', 'desc']],
    conditions: conditions(query),
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

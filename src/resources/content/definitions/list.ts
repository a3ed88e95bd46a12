import { type SQL, sql } from 'drizzle-orm'
import type { Answer, Context, Input } from '../../../core/operation.ts'
import {
  dateConditions,
  dateParameters,
  type Orders,
  orderParameters,
  pageParameters,
} from '../../../core/page.ts'
import { listRows } from '../../list.ts'
import { externalId, shortText } from '../../property-schemas.ts'
import { type DefinitionParts, definitionDocument } from './document.ts'
import { metaobjectDefinitionProblems } from './problems.ts'
import { definitionColumns, readDefinition } from './store.ts'

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

/** Lists definitions: newest first, or by `updatedAt` upwards for those who follow changes. */
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

/** Reads one definition. */
export async function getDefinition(
  context: Context,
  { params: { id } }: Input<{ params: 'id' }>,
): Promise<Answer> {
  const found = await readDefinition(context.db.read, id)
  if (!found) throw metaobjectDefinitionProblems.not_found({ id })
  const { definition, sequence } = found
  const document = definitionDocument(definition, context.locale)
  return { kind: 'item', document, version: definition.version, sequence }
}

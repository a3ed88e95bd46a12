import { type SQL, sql } from 'drizzle-orm'
import type { Answer, Context, Input } from '../../core/operation.ts'
import {
  dateConditions,
  dateParameters,
  type Orders,
  orderParameters,
  pageParameters,
  planPage,
} from '../../core/page.ts'
import { totalOf, totalStatement } from '../../core/totals.ts'
import { statement } from '../../db/client.ts'
import { sequenceStatement } from '../../db/sequence.ts'
import { externalId, shortText } from '../fields.ts'
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

function conditions(query: Input['query']): SQL[] {
  return [
    ...(query.type === undefined ? [] : [sql`type = ${query.type}`]),
    ...(query.externalId === undefined ? [] : [sql`external_id = ${query.externalId}`]),
    ...dateConditions('createdAt', sql`created_at`, query),
    ...dateConditions('updatedAt', sql`updated_at`, query),
  ]
}

/** Lists definitions: newest first, or by `updatedAt` upwards for those who follow changes. */
export async function listDefinitions(context: Context, { query }: Input): Promise<Answer> {
  const page = planPage(query, context.url, orders, [['createdAt', 'desc']])
  const filters = conditions(query)
  const all = sql`from metaobject_definitions where ${sql.join([sql`tenant_id = current_tenant()`, ...filters], sql` and `)}`
  const [clock, totals, found] = await context.db.read(
    sequenceStatement,
    totalStatement(filters.length > 0, 'metaobject_definitions', all),
    statement<DefinitionParts & { keys: string[] }>(
      sql`select ${definitionColumns}, ${page.keys} as keys ${all} and ${page.after} ${page.window}`,
    ),
  )
  const total = totalOf(filters.length > 0, totals)
  const { rows, view } = page.links(found, total)
  return {
    kind: 'collection',
    members: rows.map((row) => definitionDocument(row, context.locale)),
    total: total ?? undefined,
    ...(view ? { view } : {}),
    sequence: clock[0]?.sequence ?? 0,
  }
}

/** Reads one definition. */
export async function getDefinition(context: Context, { params }: Input): Promise<Answer> {
  const id = params.id!
  const found = await readDefinition(context.db.read, id)
  if (!found) throw metaobjectDefinitionProblems.not_found({ id })
  const { definition, sequence } = found
  const document = definitionDocument(definition, context.locale)
  return { kind: 'item', document, version: definition.version, sequence }
}

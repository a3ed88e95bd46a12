import { type SQL, sql } from 'drizzle-orm'
import * as z from 'zod'
import { listQuery } from '../../core/list-query.ts'
import type { Answer, Context, Input, ItemInput } from '../../core/operation.ts'
import { selects } from '../../core/select.ts'
import { rowBytes } from '../../db/columns.ts'
import { withColumns } from '../../db/query.ts'
import { withSequence } from '../../db/sql.ts'
import { listing, listParameters, newestFirst, source } from '../shared/list.ts'
import { externalId, referenceParameter, shortText } from '../shared/properties.ts'
import { metaobjectDocument } from './document.ts'
import { metaobjectProblems } from './problems.ts'
import {
  metaobjectColumns,
  metaobjectsOf,
  metaobjectsQuery,
  metaobjectsStatement,
  outlinesQuery,
  skippedColumns,
} from './read.ts'
import { seesDrafts } from './rules.ts'
import { statuses } from './schema.ts'
import { metaobjects } from './table.ts'

const list = listing(metaobjects, {
  orders: ['createdAt', 'updatedAt', 'id'],
  equal: ['status', 'handle', 'externalId'],
  references: ['definition'],
})

export const metaobjectListParameters = listParameters(list, {
  type: shortText.optional(),
  definition: referenceParameter('/api/metaobject_definitions').optional(),
  status: z.enum(statuses).optional(),
  handle: shortText.optional(),
  externalId: externalId.optional(),
})

/** The condition for metaobjects of a type. An undefined type matches nothing, without a scan. */
function ofType(type: string): SQL {
  const definition = sql`(select id from metaobject_definitions where tenant_id = current_tenant() and type = ${type})`
  return sql`${definition} is not null and definition_id = ${definition}`
}

type ListQuery = { query: typeof metaobjectListParameters }

/** Lists metaobjects: newest first, or by ascending `updatedAt` for clients that follow changes. */
export async function listMetaobjects(context: Context, { query }: Input<ListQuery>): Promise<Answer> {
  const isDraftVisible = seesDrafts(context)
  const page = list.page(context, query, newestFirst)
  const filters = [...(query.type === undefined ? [] : [ofType(query.type)]), ...list.conditions(query)]
  const visible = isDraftVisible ? [] : [sql`status = 'ACTIVE'`]
  const { from } = source(metaobjects, filters, { visible })
  const withValues = selects(context.selectedMembers, 'displayName', 'fields')
  const queryOf = withValues ? metaobjectsQuery : outlinesQuery
  const result = await context.db.read({
    list: listQuery(page, {
      row: metaobjectColumns,
      otherRow: skippedColumns,
      from,
      columns: withValues ? sql`id, document, fields, translations` : sql`id, document`,
      bytes: withValues ? rowBytes(sql`fields`, sql`translations`) : rowBytes(),
      totalName: filters.length > 0 ? null : isDraftVisible ? 'metaobjects' : 'metaobjects_active',
      outputRows: sql`select metaobject.*, page.keys, page.found, page.nth
        from (${queryOf(sql`select id from page`)}) as metaobject left join page on page.id = metaobject.id`,
    }),
  })
  const { rows, read, paging, sequence } = result.list
  const loaded = metaobjectsOf(read)
  return {
    kind: 'collection',
    members: rows.flatMap(({ id }) => {
      const metaobject = loaded.parts(id)
      return metaobject ? [metaobjectDocument(metaobject.parts, context.locale, isDraftVisible)] : []
    }),
    ...paging,
    sequence,
  }
}

export function getMetaobject(context: Context, { params: { id } }: ItemInput): Promise<Answer> {
  return readMetaobject(context, sql`id = ${id}::uuid`, id)
}

export function getMetaobjectByHandle(
  context: Context,
  { params: { type, handle } }: Input<{ params: 'type' | 'handle' }>,
): Promise<Answer> {
  return readMetaobject(context, sql`${ofType(type)} and handle = ${handle}`, `${type}/${handle}`)
}

/** Reads one metaobject. A draft is not found if the caller may not see drafts. */
async function readMetaobject(context: Context, condition: SQL, name: string): Promise<Answer> {
  const ids = sql`select id from metaobjects where tenant_id = current_tenant() and ${condition}`
  const rows = sql`select metaobject.*, metaobject.id in (${ids}) as "isRequested" from (${metaobjectsQuery(ids)}) as metaobject`
  const { result } = await context.db.read({
    result: withSequence(withColumns(metaobjectsStatement(rows), rows, { isRequested: z.boolean() })),
  })
  const first = result.rows.find(({ isRequested }) => isRequested)
  const metaobject = first && metaobjectsOf(result.rows).parts(first.id)
  const isDraftVisible = seesDrafts(context)
  if (!metaobject || (metaobject.parts.status === 'DRAFT' && !isDraftVisible)) {
    throw metaobjectProblems.not_found({ id: name })
  }
  const { parts } = metaobject
  const document = metaobjectDocument(parts, context.locale, isDraftVisible)
  return { kind: 'item', document, version: parts.version, sequence: result.sequence }
}

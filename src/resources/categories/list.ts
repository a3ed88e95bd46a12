import { type SQL, sql } from 'drizzle-orm'
import * as z from 'zod'
import { budgets } from '../../core/budgets.ts'
import { listReading } from '../../core/listing.ts'
import type { Answer, Context, Input } from '../../core/operation.ts'
import {
  dateConditions,
  dateParameters,
  type Orders,
  orderParameters,
  pageParameters,
  planPage,
} from '../../core/page.ts'
import { validationProblems } from '../../core/problems/index.ts'
import { violation } from '../../core/violations.ts'
import { documentColumn, rowBytes, textsColumn } from '../../db/columns.ts'
import { sequenced } from '../../db/sequence.ts'
import { externalId, referenceParameter, shortText } from '../property-schemas.ts'
import { itemAnswer } from './answer.ts'
import { categoryDocument } from './document.ts'
import { expandParameter, levelsOf } from './expand.ts'
import { categoryProblems } from './problems.ts'
import { type CategoryRow, categoriesOf, categoryStatement } from './store.ts'
import { categories } from './table.ts'

const orders: Orders = {
  createdAt: { column: sql`categories.created_at`, type: 'timestamptz' },
  updatedAt: { column: sql`categories.updated_at`, type: 'timestamptz' },
  title: { column: sql`categories.title`, type: 'text' },
  position: { column: sql`categories.position`, type: 'int' },
  id: { column: sql`categories.id`, type: 'uuid' },
}

export const categoryListParameters = {
  ...pageParameters,
  ...orderParameters(orders),
  expand: expandParameter,
  parent: z
    .union([referenceParameter('/api/categories'), z.literal('null')])
    .optional()
    .meta({ description: 'Only the children of this category, in their order; `null` for the roots.' }),
  handle: shortText.optional(),
  level: z
    .string()
    .refine((text) => /^\d{1,9}$/.test(text), violation(validationProblems.not_integer.at('')))
    .transform(Number)
    .optional()
    .meta({ type: 'integer', minimum: 0, description: 'Only categories of this level; 0 are the roots.' }),
  externalId: externalId.optional(),
  ...dateParameters('createdAt'),
  ...dateParameters('updatedAt'),
}

type Listed = { query: typeof categoryListParameters }

function conditions({
  parent,
  handle,
  level,
  externalId: external,
  ...query
}: Input<Listed>['query']): SQL[] {
  return [
    ...(parent === undefined
      ? []
      : [
          parent === 'null' ? sql`categories.parent_id is null` : sql`categories.parent_id = ${parent}::uuid`,
        ]),
    ...(handle === undefined ? [] : [sql`categories.handle = ${handle}`]),
    ...(level === undefined ? [] : [sql`categories.level = ${level}`]),
    ...(external === undefined ? [] : [sql`categories.external_id = ${external}`]),
    ...dateConditions('createdAt', sql`categories.created_at`, query),
    ...dateConditions('updatedAt', sql`categories.updated_at`, query),
  ]
}

/** Lists categories: those of one parent in their order, all of them newest first. */
export async function listCategories(context: Context, { query }: Input<Listed>): Promise<Answer> {
  const { locale, outline } = context
  // An outline has no children.
  const form = { locale, outline, expand: outline === null ? levelsOf(query.expand) : 0 }
  const page = planPage(
    query,
    context.url,
    orders,
    query.parent === undefined ? [['createdAt', 'desc']] : [['position', 'asc']],
  )
  const filters = conditions(query)
  const all = sql`from ${categories} where ${sql.join([sql`categories.tenant_id = current_tenant()`, ...filters], sql` and `)}`
  const document = documentColumn(sql`document`, outline)
  const columns = locale.stored
    ? sql`id, ${document}`
    : sql`id, ${document}, ${textsColumn(sql`translations`, outline)}`
  const { query: shown } = categoryStatement(sql`select id from page`, form)
  const { list } = await context.db.read({
    list: listReading<CategoryRow>(page, {
      from: all,
      columns,
      bytes: locale.stored ? rowBytes() : rowBytes(sql`translations`),
      keptTotal: filters.length > 0 ? null : 'categories',
      shown: sql`select category.*, page.keys, page.found, page.nth
        from (${shown}) as category left join page on page.id = category.id`,
    }),
  })
  const parts = categoriesOf(list.read, form)
  return {
    kind: 'collection',
    members: list.rows.flatMap(({ id }) => {
      const each = parts.get(id)
      return each ? [categoryDocument(each, locale)] : []
    }),
    ...list.paging,
    sequence: list.sequence,
  }
}

/** Reads one category. */
export async function getCategory(
  context: Context,
  { params: { id }, query }: Input<{ params: 'id'; query: { expand: typeof expandParameter } }>,
): Promise<Answer> {
  const expand = levelsOf(query.expand)
  const form = { locale: context.locale, expand, children: budgets.children.item }
  const { found } = await context.db.read({
    found: sequenced(categoryStatement(sql`select ${id}::uuid`, form)),
  })
  const own = categoriesOf(found.rows, form).get(id)
  if (!own) throw categoryProblems.not_found({ id })
  return { ...itemAnswer(context, own), sequence: found.sequence }
}

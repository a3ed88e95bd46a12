import { sql } from 'drizzle-orm'
import type { Json } from '../../core/json.ts'
import type { Answer, Context, Input } from '../../core/operation.ts'
import { demandVersion, write } from '../../core/write.ts'
import { statement } from '../../db/client.ts'
import { deleteRows } from '../../db/rows.ts'
import { writeReading } from './answer.ts'
import { categoryEventDocument } from './document.ts'
import { categoryProblems } from './problems.ts'
import { assembleCategories, categoryStatements } from './store.ts'
import { categories } from './table.ts'
import { closeGaps, treeGuard } from './tree.ts'

/** Deletes a category that has no children and is in no use; its siblings close up. */
export async function deleteCategory(context: Context, { params }: Input): Promise<Answer> {
  const id = params.id!
  const { replayed } = await write<Json>(context, 'deleteCategory', async (read) => {
    const reading = writeReading(context, 0)
    const [rows, uses] = (await read(
      ...categoryStatements(sql`select ${id}::uuid`, reading),
      statement(
        sql`select 1 from product_categories where tenant_id = current_tenant() and category_id = ${id}::uuid limit 1`,
      ),
    )) as unknown[] as [Json[], unknown[]]
    const own = assembleCategories([rows], reading).get(id)
    if (!own) throw categoryProblems.not_found({ id })
    demandVersion(context, own.version)
    if (own.childrenTotal > 0) throw categoryProblems.has_children()
    if (uses.length > 0) throw categoryProblems.in_use()
    return {
      guard: [treeGuard, { kind: 'categories', id, version: own.version }],
      statements: [...deleteRows(categories, [id]), ...closeGaps([own.parentId])],
      changed: [
        {
          kind: 'categories',
          id,
          version: own.version + 1,
          action: 'deleted',
          topic: 'category/deleted',
          document: categoryEventDocument(own),
          changes: [],
        },
      ],
      totals: { categories: -1 },
      result: null,
      refusals: {
        categories_has_children: categoryProblems.has_children(),
        product_categories_category: categoryProblems.in_use(),
      },
    }
  })
  return { kind: 'empty', replayed }
}

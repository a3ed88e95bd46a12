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

/**
 * Deletes a category that has no children and no product but archived ones, whose memberships go with it, without a version
 * or an event; its siblings close up. A product that is restored meanwhile guards its categories: whoever is first, the
 * other finds out.
 */
export async function deleteCategory(context: Context, { params }: Input): Promise<Answer> {
  const id = params.id!
  const { replayed } = await write<Json>(context, 'deleteCategory', async (read) => {
    const reading = writeReading(context, 0)
    const [rows, uses] = (await read(
      ...categoryStatements(sql`select ${id}::uuid`, reading),
      statement(
        sql`select 1 from product_categories m
          join products p on p.tenant_id = current_tenant() and p.id = m.product_id
         where m.tenant_id = current_tenant() and m.category_id = ${id}::uuid and p.status <> 'ARCHIVED' limit 1`,
      ),
    )) as unknown[] as [Json[], unknown[]]
    const own = assembleCategories([rows], reading).get(id)
    if (!own) throw categoryProblems.not_found({ id })
    demandVersion(context, own.version)
    if (own.childrenTotal > 0) throw categoryProblems.has_children()
    if (uses.length > 0) throw categoryProblems.in_use()
    return {
      guard: [treeGuard, { kind: 'categories', id, version: own.version }],
      statements: [
        statement(
          sql`delete from product_categories m using products p
           where m.tenant_id = current_tenant() and m.category_id = ${id}::uuid
             and p.tenant_id = current_tenant() and p.id = m.product_id and p.status = 'ARCHIVED'`,
        ),
        ...deleteRows(categories, [id]),
        ...closeGaps([own.parentId]),
      ],
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
        // A product that came meanwhile: read again, it is in use, or was made archived.
        product_categories_category: 'again',
      },
    }
  })
  return { kind: 'empty', replayed }
}

import { sql } from 'drizzle-orm'
import type { Answer, Context, Input } from '../../core/operation.ts'
import { deletionOf } from '../../core/plan.ts'
import { demandVersion, write } from '../../core/write.ts'
import { statement } from '../../db/client.ts'
import { place } from '../../db/place.ts'
import { deleteRows } from '../../db/rows.ts'
import { writtenForm } from './answer.ts'
import { categoryEventDocument } from './document.ts'
import { categoryKind } from './kind.ts'
import { categoryProblems } from './problems.ts'
import { categoriesReading } from './store.ts'
import { categories } from './table.ts'
import { treeGuard } from './tree.ts'

/**
 * Deletes a category that has no children and no product but archived ones, whose memberships go with it, without a version
 * or an event; its siblings close up. A product that is restored meanwhile guards its categories: whoever is first, the
 * other finds out.
 */
export async function deleteCategory(
  context: Context,
  { params: { id } }: Input<{ params: 'id' }>,
): Promise<Answer> {
  const { replayed } = await write<null>(context, 'deleteCategory', async (read) => {
    const { found, uses } = await read({
      found: categoriesReading(sql`select ${id}::uuid`, writtenForm(context, 0)),
      uses: statement<object>(
        sql`select 1 from product_categories m
          join products p on p.tenant_id = current_tenant() and p.id = m.product_id
         where m.tenant_id = current_tenant() and m.category_id = ${id}::uuid and p.status <> 'ARCHIVED' limit 1`,
      ),
    })
    const own = found.get(id)
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
        place(categories, own.parentId),
      ],
      changed: [deletionOf(categoryKind, own, categoryEventDocument(own))],
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

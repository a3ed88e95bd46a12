import { sql } from 'drizzle-orm'
import { type Statement, statement } from '../../../db/client.ts'
import { insertRows } from '../../../db/rows.ts'
import type { VariantParts } from './document.ts'
import { variantOptionValues } from './table.ts'

/** A variant's rows in the table of its option values. */
export const valueLinks = (row: { id: string; optionValueIds: readonly string[] }) =>
  row.optionValueIds.map((optionValueId) => ({ optionValueId, variantId: row.id }))

/** Only active variants hold on to their option values. */
export function relink(parts: VariantParts): Statement[] {
  return [
    statement(
      sql`delete from ${variantOptionValues} where tenant_id = current_tenant() and variant_id = ${parts.id}::uuid`,
    ),
    ...(parts.status === 'ACTIVE' ? insertRows(variantOptionValues, valueLinks(parts)) : []),
  ]
}

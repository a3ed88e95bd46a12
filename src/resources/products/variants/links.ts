import type { Statement } from '../../../db/client.ts'
import { deleteRows, insertRows } from '../../../db/rows.ts'
import type { VariantParts } from './document.ts'
import { variantOptionValues } from './table.ts'

/** A variant's rows in the table of its option values. */
export const valueLinks = (row: { id: string; optionValueIds: readonly string[] }) =>
  row.optionValueIds.map((optionValueId) => ({ optionValueId, variantId: row.id }))

/** Only active variants hold on to their option values. */
export function relink(parts: VariantParts): Statement[] {
  return [
    ...deleteRows(variantOptionValues, [parts.id], 'variant_id'),
    ...(parts.status === 'ACTIVE' ? insertRows(variantOptionValues, valueLinks(parts)) : []),
  ]
}

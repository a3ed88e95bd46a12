import type { Context } from '../../core/operation.ts'
import type { Statement } from '../../db/client.ts'
import { insertRows } from '../../db/rows.ts'
import type { Draft } from './draft.ts'
import { optionRow, productOptions } from './options/index.ts'
import { channelRows, membershipStatements, productRow, tagRows } from './rows.ts'
import { indexStatements } from './search.ts'
import { productChannels, products, productTags } from './table.ts'
import { optionValues, valueRow } from './values/index.ts'
import { variantOptionValues, variantRow, variants } from './variants/index.ts'

/** The insert statements of new products, one a table. */
export function insertStatements(context: Context, drafts: readonly Draft[]): Statement[] {
  const owned = <Row>(rowsOf: (draft: Draft) => readonly Row[]) =>
    drafts.flatMap((each) =>
      rowsOf(each).map((row) => ({ ...row, productArchived: each.status === 'ARCHIVED' })),
    )
  const options = owned((each) => each.options.map(optionRow))
  const values = owned(({ id, options }) =>
    options.flatMap((option) => option.values.map((value) => valueRow(id, value))),
  )
  const variantRows = owned((each) => each.variants.map(variantRow))
  return [
    ...insertRows(
      products,
      drafts.map((each) => productRow(each, each.state, context.tenant.locales)),
    ),
    ...insertRows(
      productTags,
      drafts.flatMap((each) => tagRows(each.id, each.state.values.tags)),
    ),
    ...insertRows(
      productChannels,
      drafts.flatMap((each) => channelRows(each.id, each.state.values.channels)),
    ),
    ...insertRows(productOptions, options),
    ...insertRows(optionValues, values),
    ...insertRows(variants, variantRows),
    ...insertRows(
      variantOptionValues,
      variantRows.flatMap((row) =>
        row.optionValueIds.map((optionValueId) => ({ optionValueId, variantId: row.id })),
      ),
    ),
    ...membershipStatements(drafts.map((each) => ({ productId: each.id, categoryIds: each.categoryIds }))),
    ...indexStatements(drafts, context.tenant.locales),
  ]
}

import type { Context } from '../../core/operation.ts'
import type { Statement } from '../../db/client.ts'
import { insertRows } from '../../db/rows.ts'
import { saleOfferStatements } from '../prices/sale/index.ts'
import type { NewProduct } from './new-product.ts'
import { productOptions } from './options/index.ts'
import { channelRows, membershipStatements, productRow, tagRows } from './rows.ts'
import { indexStatements } from './search.ts'
import { productChannels, products, productTags } from './table.ts'
import { optionValues } from './values/index.ts'
import { variantOptionValues, variants } from './variants/index.ts'

/**
 * The insert statements of new products, one a table, and in front of those that take the tenant's clock whatever needs it not:
 * that a product is there is checked at the end.
 */
export function insertStatements(
  context: Context,
  additions: readonly NewProduct[],
  sortings: readonly Statement[],
): Statement[] {
  const owned = <Row>(rowsOf: (rows: NewProduct['rows']) => readonly Row[]) =>
    additions.flatMap((each) =>
      rowsOf(each.rows).map((row) => ({ ...row, productArchived: each.parts.status === 'ARCHIVED' })),
    )
  const options = owned((each) => each.options)
  const values = owned((each) => each.values)
  const variantRows = owned((each) => each.variants)
  return [
    ...insertRows(
      productTags,
      additions.flatMap((each) => tagRows(each.parts.id, each.state.values.tags)),
    ),
    ...insertRows(
      productChannels,
      additions.flatMap((each) => channelRows(each.parts.id, each.state.values.channels)),
    ),
    ...membershipStatements(
      additions.map((each) => ({ productId: each.parts.id, categoryIds: each.categoryIds })),
    ),
    ...indexStatements(
      additions.map(({ parts, state, rows }) => ({ id: parts.id, state, variants: rows.variants })),
      context.tenant,
    ),
    ...sortings,
    // From here on under the clock's lock.
    ...insertRows(
      products,
      additions.map(({ parts, state, archivedChannels }) => ({
        ...productRow(parts, state, context.tenant.locales),
        archivedChannels: [...archivedChannels],
      })),
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
    ...saleOfferStatements(additions.flatMap((each) => each.saleOffers)),
  ]
}

import { type State, standardText } from '../../core/state.ts'
import type { Statement } from '../../db/client.ts'
import { insertRows } from '../../db/rows.ts'
import { metaobjectIdsOf } from '../content/custom-fields/index.ts'
import type { Subject } from './collections/index.ts'
import type { ProductRow } from './document.ts'
import type { product as shape } from './schema.ts'
import { productCategories } from './table.ts'

/** The row of a product, but for what commit() stamps. */
export function productRow(
  { id, document }: ProductRow,
  state: State<typeof shape>,
  locales: readonly [string, ...string[]],
) {
  const { externalId, handle, status, vendor, productType, fields } = state.values
  return {
    id,
    externalId,
    // Written or derived, and never cleared.
    handle: handle ?? '',
    status,
    title: standardText(state, 'title', locales) ?? '',
    vendor,
    productType,
    metaobjectIds: metaobjectIdsOf(fields),
    document,
    translations: state.translations,
  }
}

/** A product as the rules of collections see it. */
export function subjectOf(
  { values: { status, vendor, productType, tags, channels } }: State<typeof shape>,
  row: { readonly title: string; readonly createdAt: string; readonly categoryIds: readonly string[] },
): Subject {
  return { ...row, status, vendor, productType, tags, channels }
}

export function tagRows(productId: string, tags: readonly string[]) {
  return tags.map((tag) => ({ tag, productId }))
}

export function channelRows(productId: string, channels: readonly string[]) {
  return channels.map((channel) => ({ channel, productId }))
}

/** Puts products into categories, in the order given. */
export function membershipStatements(
  memberships: readonly { productId: string; categoryIds: readonly string[] }[],
): Statement[] {
  const rows = memberships.flatMap(({ productId, categoryIds }) =>
    categoryIds.map((categoryId, position) => ({ productId, categoryId, position })),
  )
  return insertRows(productCategories, rows)
}

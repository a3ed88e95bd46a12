import type { Tenant } from '../../core/context.ts'
import type { Context } from '../../core/operation.ts'
import type { Change, LockedRow } from '../../core/plan.ts'
import { defaultText, type State } from '../../core/state.ts'
import type { Statement } from '../../db/query.ts'
import { insertRows } from '../../db/write-steps.ts'
import { categoriesForEvent } from '../categories/document.ts'
import type { Subject } from '../collections/rules.ts'
import { metaobjectIdsOf } from '../fields/custom-fields.ts'
import type { ProductOutline, ProductRow } from './document.ts'
import { productProblems } from './problems.ts'
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
    title: defaultText(state, 'title', locales) ?? '',
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

/** What a change to anything that a product embeds adds to the write: the guard, and the product's own event. */
export type Touch = { readonly guard: LockedRow; readonly changed: Change }

/**
 * Bumps a product because one of its options, values or variants changed (the `changes` say which), at the version at
 * which it was read: two writers of one product never both win. @throws 409 `product.archived`
 */
export function touch(product: ProductOutline, changes: Change['changes'] = []): Touch {
  if (product.status === 'ARCHIVED') throw productProblems.archived()
  return bumped(product, changes)
}

/** Like `touch`, also of an archived product: for what happens to it without anybody writing it. */
export function bumped(product: ProductOutline, changes: Change['changes']): Touch {
  return {
    guard: { kind: 'products', id: product.id, version: product.version },
    changed: {
      kind: 'products',
      id: product.id,
      version: product.version + 1,
      action: 'updated',
      topic: 'product/updated',
      document: productEventDocument(product),
      changes,
    },
  }
}

/**
 * What a product's event keeps: its row and its categories. Options, values and variants as they were at that sequence are
 * found through their own events, so that a write costs the same whatever the size of the product.
 */
export function productEventDocument({
  id,
  document,
  translations,
  status,
  categories,
  collections,
  metaobjects,
}: Omit<ProductOutline, 'version' | 'createdAt' | 'updatedAt'>): string {
  const own = { id, document, translations, status, collections, ...(metaobjects ? { metaobjects } : {}) }
  return JSON.stringify({ ...own, categories: categoriesForEvent(categories) })
}

/** What of a request's context decides what a written product becomes. */
export type WriteContext = Pick<Context, 'locale' | 'now'> & { readonly tenant: Pick<Tenant, 'locales'> }

/** The rows of a product, its event document, and the change that bumps its version. */

import type { Tenant } from '../../core/context.ts'
import type { Context } from '../../core/operation.ts'
import { type Change, type LockedRow, updateOf } from '../../core/plan.ts'
import { defaultText, type State } from '../../core/state.ts'
import { categoriesForEvent } from '../categories/document.ts'
import type { Subject } from '../collections/rules.ts'
import { metaobjectIdsOf } from '../fields/custom-fields.ts'
import { type ProductBase, type ProductRow, productKind } from './document.ts'
import { productProblems, restoreHelp } from './problems.ts'
import type { product as shape } from './schema.ts'
import { productIri } from './schema.ts'

/** The row of a product without version and times, which the write sets. */
export function productRow(
  { id, document }: ProductRow,
  state: State<typeof shape>,
  locales: readonly [string, ...string[]],
) {
  const { externalId, handle, status, vendor, productType, fields } = state.values
  return {
    id,
    externalId,
    // Always set: it is required or derived from the title.
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

/** The values of a product that the rules of collections compare. */
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

export function categoryRows(productId: string, categoryIds: readonly string[]) {
  return categoryIds.map((categoryId, position) => ({ productId, categoryId, position }))
}

/** The lock and the event of a product that a write adds when a row below the product changes. */
export type ProductBump = { readonly guard: LockedRow; readonly changed: Change }

/**
 * Bumps the version of a product whose options, values or variants change. The guard requires the version that was read, so only one of
 * two concurrent writes succeeds. @throws 409 `product.archived`
 */
export function bumpProduct(product: ProductBase, changes: Change['changes'] = []): ProductBump {
  if (product.status === 'ARCHIVED') {
    throw productProblems.archived(undefined, { help: restoreHelp(productIri(product.id)) })
  }
  return bumpEvenIfArchived(product, changes)
}

/** Bumps the version of any product: for changes of the service itself, which also apply to archived products. */
export function bumpEvenIfArchived(product: ProductBase, changes: Change['changes']): ProductBump {
  return {
    guard: { kind: 'products', id: product.id, version: product.version },
    changed: updateOf(productKind, product, { document: productEventDocument(product), changes }),
  }
}

/**
 * The stored document of a product's event: its row, categories and collections. Options, values and variants of that time come from
 * their own events, so the cost of a write does not depend on their number.
 */
export function productEventDocument({
  id,
  document,
  translations,
  status,
  categories,
  collections,
  metaobjects,
}: Omit<ProductBase, 'version' | 'createdAt' | 'updatedAt'>): string {
  const members = { id, document, translations, status, collections, ...(metaobjects ? { metaobjects } : {}) }
  return JSON.stringify({ ...members, categories: categoriesForEvent(categories) })
}

/** The parts of a request's context that affect the written product. */
export type WriteContext = Pick<Context, 'locale' | 'now'> & { readonly tenant: Pick<Tenant, 'locales'> }

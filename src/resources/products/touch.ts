import type { Changed, Guarded } from '../../core/write.ts'
import { keptCategories } from '../categories/index.ts'
import type { ProductOutline } from './document.ts'
import { productProblems } from './problems.ts'

/** What a change to anything that a product embeds adds to the write: the guard, and the product's own event. */
export type Touch = { readonly guard: Guarded; readonly changed: Changed }

/**
 * Bumps a product because one of its options, values or variants changed (the `changes` say which), at the version at
 * which it was read: two writers of one product never both win. @throws 409 `product.archived`
 */
export function touch(product: ProductOutline, changes: Changed['changes'] = []): Touch {
  if (product.status === 'ARCHIVED') throw productProblems.archived()
  return bumped(product, changes)
}

/** Like `touch`, also of an archived product: for what happens to it without anybody writing it. */
export function bumped(product: ProductOutline, changes: Changed['changes']): Touch {
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
  return JSON.stringify({ ...own, categories: keptCategories(categories) })
}

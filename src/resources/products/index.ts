/** What other resources need of products: the aggregate that options, values and variants belong to. */
export { type ProductOutline, type ProductParts, productDocument } from './document.ts'
export { listProductsOf, productListParameters } from './list.ts'
export type { InProduct, Moment } from './moment.ts'
export { productProblems } from './problems.ts'
export { embeddedInList, embeddedOnItem, inList, onItem, type Room, withoutVariants } from './room.ts'
export { product } from './schema.ts'
export { reindexed } from './search.ts'
export {
  idOf,
  outlinedVariantColumns,
  outlineStatements,
  outlinesOf,
  readProduct,
  variantBytes,
  variantColumns,
} from './store.ts'
export { bumped, type Touch, touch } from './touch.ts'

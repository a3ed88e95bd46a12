/** What other resources need of products: the aggregate that options, values and variants belong to. */
export type { ProductOutline, ProductParts } from './document.ts'
export type { Embedding, InProduct } from './embedding.ts'
export { productListParameters } from './filters.ts'
export { indexProducts, productsToIndex } from './indexing.ts'
export { listProductsOf } from './list.ts'
export { pageIn, pageLines } from './page-lines.ts'
export { readParameters } from './parameters.ts'
export { productProblems } from './problems.ts'
export { forgetTexts } from './rendered.ts'
export { embeddedInList, embeddedOnItem, withoutVariants } from './room.ts'
export { product } from './schema.ts'
export { reindexed } from './search.ts'
export {
  idOf,
  outlinedVariantColumns,
  outlinesReading,
  productReading,
  productsOf,
  productsReading,
  variantBytes,
  variantColumns,
} from './store.ts'
export { bumped, type Touch, touch } from './touch.ts'

/** What other resources need of products: the aggregate that options, values and variants belong to. */
export { type ProductParts, productDocument } from './document.ts'
export { productProblems } from './problems.ts'
export { product } from './schema.ts'
export {
  embeddedInList,
  embeddedOnItem,
  idOf,
  readProduct,
  variantColumns,
} from './store.ts'
export { type Touch, touch } from './touch.ts'

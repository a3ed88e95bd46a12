/** What other resources need of categories: to embed them. */
export {
  type CategoryParts,
  categoryDocument,
  categoryEventDocument,
  withChildrenById,
} from './document.ts'
export { expandParameter } from './expand.ts'
export { category } from './schema.ts'
export { assembleCategories, type CategoryReading, categoryStatements } from './store.ts'

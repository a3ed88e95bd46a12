/** What other resources need of categories: to embed them. */
export {
  type CategoryParts,
  embeddedCategories,
  keptCategories,
} from './document.ts'
export { expandParameter, expandParameterWith, levelsOf } from './expand.ts'
export { maximumChildren } from './schema.ts'
export {
  type CategoryRow,
  categoriesOf,
  categoryLines,
  categoryOfLine,
  embeddedReading,
  toldCategories,
} from './store.ts'

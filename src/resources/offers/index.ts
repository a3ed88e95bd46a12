/** What sale offers and purchase offers share in what can be done with them, and in the variant that they are of. */
export type { Offering } from './offering.ts'
export { offerOperations } from './operations.ts'
export { patchedTarget, requiredVariant, targetProperties } from './schema.ts'
export { productCategoriesReading, shownColumns } from './store.ts'

/** What products need of collections: to show those that they are in, and to be sorted by rules at every write. */
export { demandChoice, entryGuards, existingCollections, placed, writtenCollections } from './choosing.ts'
export { resortStatement } from './rebuilds.ts'
export type { Subject } from './rules.ts'
export {
  rulesGuard,
  rulesReading,
  type Sorting,
  sortingStatements,
  sortingTotals,
  type TenantRules,
  undecided,
} from './sorting.ts'
export { inCollection } from './store.ts'

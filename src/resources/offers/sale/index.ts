/** What others need of sale offers: to record where they begin and cease to apply. */
export {
  dueBoundaries,
  recordStatement,
  takeAhead,
  tenantsWithBoundaries,
} from './boundaries.ts'

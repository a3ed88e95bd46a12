/** The published versions, oldest first. A version that breaks something has a file of its own. */
import type { Version } from '../core/versions.ts'
import { version as v202607 } from './2026-07.ts'

export const versions: readonly Version[] = [
  { name: '2026-01', released: '2026-01-01', sunset: '2027-07-01', breakingChanges: [] },
  { name: '2026-04', released: '2026-04-01', sunset: '2027-10-01', breakingChanges: [] },
  v202607,
  { name: '2026-10', released: '2026-10-01', sunset: '2028-04-01', breakingChanges: [] },
  { name: 'unstable', released: null, sunset: null, breakingChanges: [] },
]

/** The newest stable version: what a new tenant defaults to. */
export const currentVersion = '2026-10'

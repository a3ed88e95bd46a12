import type { Fields } from '../core/changed.ts'

/** The address of the grid of the products that a filter of their list selects. */
export function gridAddress(filter: Fields): string {
  return `/grid/${encodeURIComponent(JSON.stringify(filter))}`
}

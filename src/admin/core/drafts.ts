/**
 * Edits that are not saved yet, kept in the session storage of the tab. They survive a reload and a crashed tab, and end with the
 * tab, with saving and with signing out.
 */
import type { Json } from './changed.ts'
import { currentClaims, personOf } from './session.ts'
import { catalogue, currentLocale } from './settings.ts'

/** One edited value. `path` is the name of an input, or the key of a cell of a grid. */
export type Edit = { readonly path: string; readonly before: Json; readonly after: Json }

export type Draft = {
  /** When the last edit was made, as ISO 8601. */
  readonly at: string
  readonly edits: readonly Edit[]
}

const prefix = 'catalogue.draft '

/** A draft belongs to one person of one tenant, to one page, and to the language in which its texts are written. */
function keyOf(page: string): string {
  return `${prefix}${JSON.stringify([catalogue().host, personOf(currentClaims()), currentLocale(), page])}`
}

export function draftOf(page: string): Draft | null {
  try {
    return JSON.parse(sessionStorage.getItem(keyOf(page)) ?? 'null')
  } catch {
    return null
  }
}

/** Replaces the draft of a page; without edits it removes the draft. */
export function keepDraft(page: string, edits: readonly Edit[]): void {
  try {
    if (edits.length === 0) sessionStorage.removeItem(keyOf(page))
    else sessionStorage.setItem(keyOf(page), JSON.stringify({ at: new Date().toISOString(), edits }))
  } catch {
    // The storage is full. The edits stay in the page; a reload still asks before it drops them.
  }
}

/** Removes every draft of this tab. */
export function removeDrafts(): void {
  for (const key of Object.keys(sessionStorage)) if (key.startsWith(prefix)) sessionStorage.removeItem(key)
}

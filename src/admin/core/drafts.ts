/**
 * Edits that are not saved yet, kept in the session storage of the tab. They survive a reload and a crashed tab, and end with the
 * tab, with saving and with signing out.
 */
import { type Fields, isFields, type Json, same, written } from './changed.ts'
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
export function draftKey(page: string): string {
  return `${prefix}${JSON.stringify([catalogue().host, personOf(currentClaims()), currentLocale(), page])}`
}

export function draftOf(key: string): Draft | null {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? 'null')
  } catch {
    return null
  }
}

/** Replaces a draft; without edits it removes the draft. */
export function keepDraft(key: string, edits: readonly Edit[], at = new Date().toISOString()): void {
  try {
    if (edits.length === 0) sessionStorage.removeItem(key)
    else sessionStorage.setItem(key, JSON.stringify({ at, edits }))
  } catch {
    // The storage is full. The edits stay in the page, which still asks before it drops them.
  }
}

/** Removes every draft of this tab. */
export function removeDrafts(): void {
  for (const key of Object.keys(sessionStorage)) if (key.startsWith(prefix)) sessionStorage.removeItem(key)
}

/** Edits between two documents by the paths of their inputs; a list is one value. */
export function editsBetween(before: Fields, after: Fields, within = ''): Edit[] {
  return Object.entries(after).flatMap(([name, value]): Edit[] => {
    const [was, is] = [before[name], value]
    if (same(written(was), written(is))) return []
    const path = `${within}${name}`
    if (isFields(was) && isFields(is)) return editsBetween(was, is, `${path}.`)
    return [{ path, before: was ?? null, after: is ?? null }]
  })
}

/** The value at the path of an input. */
export function valueAt(fields: Fields, path: string): Json {
  const [name = '', ...deeper] = path.split('.')
  const value = fields[name] ?? null
  if (deeper.length === 0) return value
  return isFields(value) ? valueAt(value, deeper.join('.')) : null
}

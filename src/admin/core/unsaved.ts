import { spoken } from './language.ts'
import { coreWords } from './words.ts'

/** Forms with edits that are not saved; whatever would drop them asks first. */
const dirty = new Map<symbol, () => void>()

/** Says that a form has edits, and how they are dropped; what it gives takes that back. */
export function markUnsaved(drop: () => void): () => void {
  const form = Symbol()
  dirty.set(form, drop)
  return () => {
    dirty.delete(form)
  }
}

/** Whether what is shown may be replaced: nothing is unsaved, or the person in front of it agrees to drop it. */
export function mayDropEdits(): boolean {
  if (dirty.size === 0) return true
  if (!window.confirm(spoken(coreWords).unsaved)) return false
  dropEdits()
  return true
}

/** Drops what is unsaved unasked: what it was written into is gone. */
export function dropEdits(): void {
  for (const drop of dirty.values()) drop()
}

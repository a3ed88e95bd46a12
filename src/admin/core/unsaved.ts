import { messages } from './language.ts'

/** Forms with edits that are not saved; whatever would drop them asks first. */
const dirty = new Map<symbol, () => void>()

/** Registers a form's edits and the function that drops them. Returns a function that ends the registration. */
export function markUnsaved(drop: () => void): () => void {
  const form = Symbol()
  dirty.set(form, drop)
  return () => {
    dirty.delete(form)
  }
}

/** Whether the page may be replaced: it has no edits, or the user agrees to drop them. */
export function mayDropEdits(): boolean {
  if (dirty.size === 0) return true
  if (!window.confirm(messages('core').unsaved)) return false
  dropEdits()
  return true
}

/** Drops edits without confirmation, because their document is gone. */
export function dropEdits(): void {
  for (const drop of dirty.values()) drop()
}

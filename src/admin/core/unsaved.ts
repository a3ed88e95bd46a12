/** Forms with edits that are not saved; whatever would drop them asks first. */
const dirty = new Map<symbol, () => void>()

/** What is asked before edits are dropped. */
const unsavedQuestion =
  'Some of your changes are not saved yet, and would be lost. Do you want to go on without them?'

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
  if (!window.confirm(unsavedQuestion)) return false
  for (const drop of dirty.values()) drop()
  return true
}

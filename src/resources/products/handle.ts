import { slugify } from '../../core/slug.ts'

const tries = 20

/** The handles that a title may get, in order: shirt, shirt-2, … shirt-20. */
export function handleCandidates(title: string, standard = 'product'): string[] {
  const base = (slugify(title) || standard).slice(0, 240).replace(/-+$/, '')
  return Array.from({ length: tries }, (_, index) => (index === 0 ? base : `${base}-${index + 1}`))
}

/**
 * The first candidate that is free; after twenty namesakes, or where others race for the same ones (`crowded`), one that
 * ends in the id. A given handle is never changed.
 */
export function pickHandle(
  wanted: { handle: string | null; candidates: readonly string[] },
  taken: ReadonlySet<string>,
  id: string,
  crowded = false,
): { handle: string; taken: boolean } {
  if (wanted.handle !== null) return { handle: wanted.handle, taken: taken.has(wanted.handle) }
  const free = crowded ? undefined : wanted.candidates.find((each) => !taken.has(each))
  return { handle: free ?? `${wanted.candidates[0]}-${id.slice(-12)}`, taken: false }
}

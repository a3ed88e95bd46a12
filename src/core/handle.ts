/** Handles that the service derives: shirt, shirt-2, shirt-3, … */
import { slugify } from './slug.ts'

const tries = 20

/** The first handle that a title would get; `standard` where it has nothing to make one of. Leaves room for a suffix. */
export function handleOf(title: string, standard: string): string {
  return (slugify(title) || standard).slice(0, 240).replace(/-+$/, '')
}

/** What a handle may become, in order, when others of a request (`namesakes`) want it too. */
export function handleCandidates(base: string, namesakes = 0): string[] {
  return Array.from({ length: tries + namesakes }, (_, index) =>
    index === 0 ? base : `${base}-${index + 1}`,
  )
}

/** The first candidate that is not taken; when all are, one that ends in the id. */
export function freeHandle(base: string, taken: ReadonlySet<string>, id: string, namesakes = 0): string {
  return handleCandidates(base, namesakes).find((each) => !taken.has(each)) ?? ownHandle(base, id)
}

/** A handle that no other writer can want, for one who has lost races for the numbered ones. */
export function ownHandle(base: string, id: string): string {
  return `${base}-${id.slice(-12)}`
}

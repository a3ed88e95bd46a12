/** What a handle looks like: lower-case ASCII letters and digits in words joined by single hyphens. Its length is not checked. */
export const slugPattern = /^[a-z0-9]+(?:-[a-z0-9]+)*$/

/** Characters that a handle may have at most. */
export const slugMaximumLength = 255

/**
 * A handle made from a title: `Crème brûlée & Œufs` becomes `creme-brulee-oeufs`. At most 255 characters; empty when the
 * title has no Latin letter and no digit.
 */
export function slugify(title: string): string {
  return title
    .replace(/['’ʼ`´™℠]/g, '')
    .normalize('NFKD')
    .replace(/\p{Mark}/gu, '')
    .toLowerCase()
    .replace(/[^\p{ASCII}]/gu, (letter) => spelling.get(letter) ?? ' ')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-/, '')
    .slice(0, slugMaximumLength)
    .replace(/-$/, '')
}

/** Letters that Unicode does not decompose into a base letter and a mark. */
export const spelling = new Map([
  ['ß', 'ss'],
  ['æ', 'ae'],
  ['œ', 'oe'],
  ['ø', 'o'],
  ['ł', 'l'],
  ['đ', 'd'],
  ['ð', 'd'],
  ['þ', 'th'],
  ['ħ', 'h'],
  ['ı', 'i'],
  ['ŋ', 'n'],
  ['ŧ', 't'],
  ['ə', 'e'],
])

/** Handles that the service derives: shirt, shirt-2, shirt-3, … */

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

/**
 * The beginning of a text, of at most so many UTF-16 units. It never ends in half a surrogate pair, which UTF-8 cannot
 * encode and Postgres refuses.
 */
export function truncate(text: string, longest: number): string {
  const last = text.charCodeAt(longest - 1)
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? longest - 1 : longest)
}

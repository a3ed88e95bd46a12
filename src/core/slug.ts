/** The form of a handle: lower-case ASCII letters and digits in words joined by single hyphens. It does not limit the length. */
export const slugPattern = /^[a-z0-9]+(?:-[a-z0-9]+)*$/

/** The maximum length of a handle. */
export const slugMaximumLength = 255

/**
 * Derives a handle from a title: `Crème brûlée & Œufs` becomes `creme-brulee-oeufs`. At most 255 characters; empty when
 * the title has no Latin letter and no digit.
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

const maximumCandidates = 20

/** The base handle of a title, short enough for a suffix; `defaultHandle` if the title gives none. */
export function handleOf(title: string, defaultHandle: string): string {
  return (slugify(title) || defaultHandle).slice(0, 240).replace(/-+$/, '')
}

/** The candidates for a handle, in order: shirt, shirt-2, shirt-3. Each other title of the request with the same base (`sameTitleCount`) adds one. */
export function handleCandidates(base: string, sameTitleCount = 0): string[] {
  return Array.from({ length: maximumCandidates + sameTitleCount }, (_, index) =>
    index === 0 ? base : `${base}-${index + 1}`,
  )
}

/** The first free candidate; if all are taken, the handle that ends in the id. */
export function freeHandle(
  base: string,
  takenHandles: ReadonlySet<string>,
  id: string,
  sameTitleCount = 0,
): string {
  return (
    handleCandidates(base, sameTitleCount).find((candidate) => !takenHandles.has(candidate)) ??
    ownHandle(base, id)
  )
}

/** A handle that no other writer can choose, for a writer that lost the race for a numbered one. */
export function ownHandle(base: string, id: string): string {
  return `${base}-${id.slice(-12)}`
}

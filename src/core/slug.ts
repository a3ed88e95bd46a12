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

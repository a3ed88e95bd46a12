/** The characters of large texts: each alphabet is the largest, or the most laborious, in a way of its own. */

/** A text of so many UTF-16 units; the number makes it differ from others of its alphabet. */
type Alphabet = (units: number, from: number) => string

const repeated =
  (pattern: string): Alphabet =>
  (units) =>
    pattern.repeat(Math.ceil(units / pattern.length)).slice(0, units)

/** So many words that no two of a text are equal: the index has an entry for each, and more for misspellings. */
const words = Array.from({ length: 14_000 }, (_, index) => (index * 7919 + 46_656).toString(36)).join(' ')

const alphabets = {
  ascii: repeated('cotton shirt '),
  'long words': repeated('Donaudampfschifffahrt'),
  'different words': (units, from) => {
    const start = (from * 977) % 5_000
    return repeated(words.slice(start))(units, from)
  },
  html: repeated('<p class="note">Cut &amp; sewn close to home.</p>\n'),
  /** Two bytes each in JSON. */
  quotes: repeated('"\\'),
  /** Six bytes each in JSON. */
  controls: repeated('\u0001\u001f'),
  'two bytes': repeated('éñß '),
  'three bytes': repeated('語彙体系'),
  'four bytes': repeated('😀𝒳'),
  /** Letters that become several when case or width is folded away. */
  folding: repeated('㌖ﬁİﷺŉ '),
} as const satisfies Record<string, Alphabet>

export type AlphabetName = keyof typeof alphabets

export const alphabetNames = Object.keys(alphabets) as readonly AlphabetName[]

/** A text of exactly so many units that no other number has, as far as they have room for it; never half a character. */
export function textOf(alphabet: AlphabetName, units: number, number: number): string {
  const start = `${number.toString(36)} `.slice(0, units)
  const text = start + alphabets[alphabet](units - start.length, number)
  return text.isWellFormed() ? text : `${text.slice(0, -1)}x`
}

/** What a search takes for a word: lower case, without accents, without punctuation. */
import { cut } from './cut.ts'
import { spelling } from './slug.ts'

/** Lower-case text without accents; letters that have no base letter are spelt out. */
export function folded(text: string): string {
  if (ascii.test(text)) return text.toLowerCase()
  return (
    text
      .normalize('NFKD')
      .toLowerCase()
      // The marks of Latin, Greek and Cyrillic letters alone: in other scripts marks are vowels.
      .replace(/[\u0300-\u036f]/g, '')
      .normalize('NFC')
      .replace(/[^\p{ASCII}]/gu, (letter) => spelling.get(letter) ?? letter)
  )
}

/** Nothing in it is a mark, or spelt out. */
const ascii = /^\p{ASCII}*$/u

/** What stands between blanks: `T-Shirt` is one word, joined `tshirt`, of the parts `t` and `shirt`. */
export type Word = { readonly text: string; readonly joined: string; readonly parts: readonly string[] }

const separators = /[^\p{Letter}\p{Number}\p{Mark}]+/u
/** Control characters, halves of surrogate pairs and what has no meaning yet: Postgres does not take all of them. */
const unprintable = /\p{Other}/gu

/** The words of a text, in their order. */
export function wordsOf(text: string): Word[] {
  return folded(text)
    .split(/\s+/)
    .flatMap((chunk) => {
      const parts = chunk.split(separators).filter((part) => part !== '')
      if (parts.length === 0) return []
      return [{ text: chunk.replace(unprintable, ' '), joined: word(parts.join('')), parts: parts.map(word) }]
    })
}

/** UTF-16 units: Postgres keeps words of up to 2,046 bytes, and a unit is at most three. */
const longest = 255
const word = (letters: string) => cut(letters, longest)

/**
 * A word and what is left of it without any one of its letters. Two words share one of these when a single letter was
 * left out, added, mistaken or changed places with its neighbour. None for short words, long ones and those with digits.
 */
export function neighbours(word: string): string[] {
  if (!/^\p{Letter}{4,32}$/u.test(word)) return []
  const found = new Set([word])
  let place = 0
  for (const letter of word) {
    found.add(word.slice(0, place) + word.slice(place + letter.length))
    place += letter.length
  }
  return [...found]
}

/** The text of HTML: without its tags, with the commonest entities written out. */
export function plainText(html: string): string {
  return html
    .replace(/<[/!a-z][^<>]*>/gi, ' ')
    .replace(/&(\w)(?:acute|grave|circ|uml|tilde|cedil|ring|slash);/g, '$1')
    .replace(/&(\w\w)lig;/g, '$1')
    .replace(/&#(\d{1,7});/g, (_, code: string) => character(Number(code)))
    .replace(/&#x([0-9a-f]{1,6});/gi, (_, code: string) => character(Number.parseInt(code, 16)))
    .replace(/&\w+;/g, ' ')
}

/** Postgres stores no U+0000 and no half of a surrogate pair. */
function character(code: number): string {
  return code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff)
    ? String.fromCodePoint(code)
    : ' '
}

/** Decimal numbers as people write them: `89,90`, `1 234.50`, `1.234,5`. They stay texts, and exact. */

/** A typed number in the form of the API (`89.90`); null if the text is not a number, or ambiguous. */
export function decimalOf(text: string, locale: string): string | null {
  const plain = text.replaceAll(/[\s\u00a0\u202f'’]/g, '')
  if (!/^-?[\d.,]*\d[\d.,]*$/.test(plain)) return null
  const marks = [...plain.matchAll(/[.,]/g)]
  const [last] = marks.toReversed()
  if (last === undefined) return plain
  const kinds = new Set(marks.map(([mark]) => mark))
  const isGrouped = groups.test(plain)
  // Two marks of one kind separate thousands; of two kinds the last separates decimals.
  if (kinds.size === 2) return parted(plain, last.index)
  if (marks.length > 1) return isGrouped ? plain.replaceAll(/[.,]/g, '') : null
  // One mark before three digits may be either: the language says which.
  return isGrouped && last[0] !== decimalMark(locale) && last[0] === groupMark(locale)
    ? plain.replaceAll(/[.,]/g, '')
    : parted(plain, last.index)
}

const groups = /^-?[1-9]\d{0,2}(?:[.,]\d{3})+$/

function parted(text: string, at: number): string | null {
  const [whole, fraction] = [text.slice(0, at), text.slice(at + 1)]
  if (/[.,]/.test(fraction) || fraction === '') return null
  if (/[.,]/.test(whole) && !groups.test(whole)) return null
  return `${whole.replaceAll(/[.,]/g, '') || '0'}.${fraction}`
}

/** A number as one types it in a language: with its decimal mark, without groups. */
export function decimalText(decimal: string, locale: string): string {
  return decimal.replace('.', decimalMark(locale))
}

function decimalMark(locale: string): string {
  return partOf(1.5, 'decimal', locale) ?? '.'
}

function groupMark(locale: string): string | undefined {
  return partOf(12_345, 'group', locale)
}

function partOf(number: number, type: string, locale: string): string | undefined {
  return new Intl.NumberFormat(locale).formatToParts(number).find((each) => each.type === type)?.value
}

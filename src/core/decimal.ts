/**
 * Decimals: amounts of money stay text from the request to the database and back, because a binary float holds neither
 * 0.1 nor every amount of fifteen digits.
 */

/** Compares two decimal texts (`19.9`, `-0.50`) by value: negative, zero or positive as a sort needs it; `1.5` equals `1.50`. */
export function compareDecimals(a: string, b: string): number {
  if (a === b) return 0
  const left = readDecimal(a)
  const right = readDecimal(b)
  if (left.negative !== right.negative) return left.negative ? -1 : 1
  return left.negative ? compareMagnitudes(right, left) : compareMagnitudes(left, right)
}

/**
 * The amount with exactly as many decimals as its currency has (`exponent`, ISO 4217): `19.9` is `19.90` for 2. Null for
 * what is no plain decimal number: signs, exponents, leading zeros, more decimals than the currency's even when they
 * are zeros, more than 15 integer digits. A JSON number is null also where its neighbours are too far apart to tell
 * one smallest unit from the next (from 10^(15 − exponent) on); as text such an amount is fine.
 */
export function canonicalAmount(input: string | number, exponent: number): string | null {
  if (typeof input === 'number' && !(Math.abs(input) < 10 ** (15 - exponent))) return null
  const parts = plainAmount.exec(String(input))
  if (parts === null) return null
  const [, whole = '', fraction = ''] = parts
  if (fraction.length > exponent) return null
  return exponent === 0 ? whole : `${whole}.${fraction.padEnd(exponent, '0')}`
}

const plainAmount = /^(0|[1-9]\d{0,14})(?:\.(\d+))?$/

type Decimal = { readonly negative: boolean; readonly whole: string; readonly fraction: string }

function readDecimal(text: string): Decimal {
  const signed = text.startsWith('-')
  const point = text.indexOf('.')
  const end = point === -1 ? text.length : point
  const whole = text.slice(signed ? 1 : 0, end).replace(/^0+/, '')
  const fraction = text.slice(end + 1).replace(/0+$/, '')
  return { negative: signed && (whole !== '' || fraction !== ''), whole, fraction }
}

function compareMagnitudes(a: Decimal, b: Decimal): number {
  if (a.whole.length !== b.whole.length) return a.whole.length - b.whole.length
  if (a.whole !== b.whole) return a.whole < b.whole ? -1 : 1
  if (a.fraction !== b.fraction) return a.fraction < b.fraction ? -1 : 1
  return 0
}

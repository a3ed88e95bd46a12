/**
 * Decimals: amounts of money stay strings from the request to the database and back. A binary float represents neither
 * 0.1 nor every amount of fifteen digits.
 */

/**
 * Compares two decimal strings (`19.9`, `-0.50`) by value, as a sort needs it: negative, zero or positive. `1.5` equals
 * `1.50`.
 */
export function compareDecimals(a: string, b: string): number {
  if (a === b) return 0
  const left = readDecimal(a)
  const right = readDecimal(b)
  if (left.negative !== right.negative) return left.negative ? -1 : 1
  return left.negative ? compareMagnitudes(right, left) : compareMagnitudes(left, right)
}

/**
 * The percentage by which an amount is below a higher one, to one decimal. It is rounded down, so that it never promises too much:
 * 33.3 for 19.99 and 29.99.
 */
export function percentBelow(amount: string, higher: string): number {
  const exponent = Math.max(...[amount, higher].map((text) => text.split('.')[1]?.length ?? 0))
  const scaled = (text: string) => {
    const [whole = '', fraction = ''] = text.split('.')
    return BigInt(whole + fraction.padEnd(exponent, '0'))
  }
  return Number(((scaled(higher) - scaled(amount)) * 1000n) / scaled(higher)) / 10
}

/**
 * The amount with exactly as many decimals as its currency has (`exponent`, ISO 4217): `19.9` is `19.90` for 2. Null if
 * the input is no plain decimal: signs, exponents, leading zeros, more decimals than the currency has (even zeros), or
 * more than 15 integer digits.
 * A JSON number is also null from 10^(15 − exponent) on, where floats no longer distinguish neighbouring smallest
 * units. As a string such an amount is valid.
 */
export function canonicalAmount(input: string | number, exponent: number): string | null {
  if (typeof input === 'number' && !(Math.abs(input) < 10 ** (15 - exponent))) return null
  const parts = plainAmount.exec(String(input))
  if (parts === null) return null
  const [, whole = '', fraction = ''] = parts
  if (fraction.length > exponent) return null
  return exponent === 0 ? whole : `${whole}.${fraction.padEnd(exponent, '0')}`
}

/** The amount of a number of smallest units: `1990` is `19.90` for 2 decimals. */
export function amountOfUnits(units: string, exponent: number): string {
  if (exponent === 0) return units
  const digits = units.padStart(exponent + 1, '0')
  return `${digits.slice(0, -exponent)}.${digits.slice(-exponent)}`
}

const plainAmount = /^(0|[1-9]\d{0,14})(?:\.(\d+))?$/

type Decimal = { readonly negative: boolean; readonly integer: string; readonly fraction: string }

function readDecimal(text: string): Decimal {
  const signed = text.startsWith('-')
  const point = text.indexOf('.')
  const end = point === -1 ? text.length : point
  const integer = text.slice(signed ? 1 : 0, end).replace(/^0+/, '')
  const fraction = text.slice(end + 1).replace(/0+$/, '')
  return { negative: signed && (integer !== '' || fraction !== ''), integer, fraction }
}

function compareMagnitudes(a: Decimal, b: Decimal): number {
  if (a.integer.length !== b.integer.length) return a.integer.length - b.integer.length
  if (a.integer !== b.integer) return a.integer < b.integer ? -1 : 1
  if (a.fraction !== b.fraction) return a.fraction < b.fraction ? -1 : 1
  return 0
}

/** Decimals of a currency's amounts (ISO 4217, "minor unit"), by its upper-case code; undefined if no such currency is in use. */
export function currencyExponent(code: string): number | undefined {
  return exponents.get(code)
}

/** All numbers of decimals that currencies use, in ascending order. */
export function everyExponent(): number[] {
  return codesByExponent.map(([exponent]) => exponent)
}

// ISO 4217 list one as of January 2026, funds included. Metals, test codes and special drawing rights have no minor
// unit there and are left out, because no amount can be written in them.
const codesByExponent: readonly (readonly [exponent: number, codes: string])[] = [
  [0, 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'],
  [
    2,
    `AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF
    CHE CHF CHW CNY COP COU CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD
    GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL
    MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR
    PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TOP
    TRY TTD TWD TZS UAH USD USN UYU UZS VED VES WST XAD XCD XCG YER ZAR ZMW ZWG`,
  ],
  [3, 'BHD IQD JOD KWD LYD OMR TND'],
  [4, 'CLF UYW'],
]

const exponents = new Map(
  codesByExponent.flatMap(([exponent, codes]) => codes.split(/\s+/).map((code) => [code, exponent] as const)),
)

/** The decimals of currencies that do not have two, by code. */
export const exponentsApart = Object.fromEntries([...exponents].filter(([, exponent]) => exponent !== 2))

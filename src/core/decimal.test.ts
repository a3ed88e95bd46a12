import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { canonicalAmount, compareDecimals } from './money.ts'

describe('compareDecimals', () => {
  test.each([
    ['9', '10', -1],
    ['19.9', '19.90', 0],
    ['19.9', '19.89', 1],
    ['0.1', '0.09', 1],
    ['007', '7.0', 0],
    ['-1', '1', -1],
    ['-2', '-1', -1],
    ['-0.00', '0', 0],
    ['999999999999999.99', '999999999999999.98', 1],
  ])('%s against %s is %i', (a, b, sign) => {
    expect(Math.sign(compareDecimals(a, b))).toBe(sign)
    expect(Math.sign(compareDecimals(b, a))).toBe(0 - sign)
  })

  test('agrees with integers of the smallest unit, however many zeros end the text', () => {
    const cents = fc.bigInt({ min: -(10n ** 17n), max: 10n ** 17n })
    fc.assert(
      fc.property(cents, cents, fc.nat(3), fc.nat(3), (a, b, zerosOfA, zerosOfB) => {
        const sign = compareDecimals(written(a, zerosOfA), written(b, zerosOfB))
        expect(Math.sign(sign)).toBe(a < b ? -1 : Number(a > b))
      }),
    )
  })
})

describe('canonicalAmount', () => {
  test.each([
    ['19.9', 2, '19.90'],
    ['19', 2, '19.00'],
    [19.9, 2, '19.90'],
    [0, 2, '0.00'],
    [-0, 2, '0.00'],
    ['0', 0, '0'],
    ['0.05', 2, '0.05'],
    ['1990', 0, '1990'],
    [1990, 0, '1990'],
    ['1.234', 3, '1.234'],
    ['999999999999999.99', 2, '999999999999999.99'],
    [9999999999999.99, 2, '9999999999999.99'],
  ])('%j with %i decimals is %s', (input, exponent, amount) => {
    expect(canonicalAmount(input, exponent)).toBe(amount)
  })

  test.each([
    ['-1', 2],
    ['+1', 2],
    [-0.01, 2],
    [Number.NaN, 2],
    [Number.POSITIVE_INFINITY, 2],
    ['NaN', 2],
    ['Infinity', 2],
    ['1e3', 2],
    [1e21, 2],
    [1e-7, 4],
    ['19.900', 2],
    [19.901, 2],
    ['1990.0', 0],
    ['007', 2],
    ['00', 2],
    ['1.', 2],
    ['.5', 2],
    ['', 2],
    [' 1', 2],
    ['1\n', 2],
    ['1,50', 2],
    ['1_000', 2],
    ['0x10', 2],
    ['١٢', 2],
    ['1000000000000000', 2],
    // The next smaller double is 10 cents away: the intended amount is ambiguous.
    [900719925474099.2, 2],
  ])('%j with %i decimals is no amount', (input, exponent) => {
    expect(canonicalAmount(input, exponent)).toBeNull()
  })

  test('text and number give the same amount, which is canonical already', () => {
    fc.assert(
      fc.property(fc.nat(Number.MAX_SAFE_INTEGER), fc.nat(4), (units, exponent) => {
        const most = units % 10 ** 15
        const amount = smallestUnits(most, exponent)
        expect(canonicalAmount(amount, exponent)).toBe(amount)
        expect(canonicalAmount(Number(amount), exponent)).toBe(amount)
      }),
    )
  })

  test('any text gives null or an amount of equal value', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.stringMatching(/^[-+]?\d{0,17}\.?\d{0,5}$/)),
        fc.nat(4),
        (text, exponent) => {
          const amount = canonicalAmount(text, exponent)
          if (amount === null) return
          expect(amount).toMatch(exponent === 0 ? /^\d{1,15}$/ : new RegExp(`^\\d{1,15}\\.\\d{${exponent}}$`))
          expect(compareDecimals(amount, text)).toBe(0)
        },
      ),
    )
  })
})

function written(cents: bigint, zeros: number): string {
  const digits = String(cents < 0n ? -cents : cents).padStart(3, '0')
  return `${cents < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}${'0'.repeat(zeros)}`
}

function smallestUnits(units: number, exponent: number): string {
  const digits = String(units).padStart(exponent + 1, '0')
  return exponent === 0 ? digits : `${digits.slice(0, -exponent)}.${digits.slice(-exponent)}`
}

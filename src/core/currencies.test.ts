import { expect, test } from 'vitest'
import { currencyExponent } from './money.ts'

test.each([
  ['EUR', 2],
  ['USD', 2],
  ['JPY', 0],
  ['ISK', 0],
  ['KWD', 3],
  ['CLF', 4],
  ['HUF', 2],
  ['XCG', 2],
  ['ZWG', 2],
])('%s has %i decimals', (code, exponent) => {
  expect(currencyExponent(code)).toBe(exponent)
})

test.each(['eur', 'XXX', 'XAU', 'XTS', 'HRK', 'BGN', 'DEM', 'EURO', '', 'toString', '__proto__'])(
  '%j is no currency that an amount can be in',
  (code) => {
    expect(currencyExponent(code)).toBeUndefined()
  },
)

test('165 currencies and funds are supported: all of the platform but replaced ones', () => {
  const codes = lettersOfThree().filter((code) => currencyExponent(code) !== undefined)
  expect(codes).toHaveLength(165)
  const replaced = ['ANG', 'BGN', 'SLL', 'XDR', 'XSU', 'ZWL', 'CUC', 'HRK']
  const missing = Intl.supportedValuesOf('currency').filter((code) => !codes.includes(code))
  expect(missing.filter((code) => !replaced.includes(code))).toEqual([])
})

function lettersOfThree(): string[] {
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']
  return letters.flatMap((a) => letters.flatMap((b) => letters.map((c) => a + b + c)))
}

import { describe, expect, test } from 'vitest'
import { type Terms, validateTerms } from './schema.ts'

const [first, later] = ['2026-03-01T00:00:00.000000Z', '2026-04-01T00:00:00.000000Z']

const priced = (terms: Terms) => {
  const { values, violations } = validateTerms(terms, (name) => `[2].${name}`)
  return {
    amounts: [values.amount, values.compareAtAmount],
    wrong: violations.map((violation) => [violation.problem.slug, violation.propertyPath, violation.values]),
  }
}
const right = (...amounts: (string | null)[]) => ({ amounts, wrong: [] })

describe('validateTerms', () => {
  test('gives amounts the decimals of their currency, and leaves the rest as it is', () => {
    expect(priced({ currency: 'EUR', amount: '9.9', compareAtAmount: 12 })).toEqual(right('9.90', '12.00'))
    expect(priced({ currency: 'JPY', amount: 900 })).toEqual(right('900', null))
    expect(priced({ currency: 'EUR', amount: null })).toEqual(right(null, null))
    const values = { currency: 'EUR', amount: '1', priority: 3 }
    expect(validateTerms(values, (name) => name).values).toEqual({
      ...values,
      amount: '1.00',
      compareAtAmount: null,
    })
  })

  test('an amount that does not fit its currency is none', () => {
    const misfit = (name: string, currency: string, decimals: number) => [
      'validation.amount',
      `[2].${name}`,
      { currency, decimals },
    ]
    expect(priced({ currency: 'EUR', amount: '9.999', compareAtAmount: '-1' })).toEqual({
      amounts: [null, null],
      wrong: [misfit('amount', 'EUR', 2), misfit('compareAtAmount', 'EUR', 2)],
    })
    expect(priced({ currency: 'JPY', amount: '9.5' }).wrong).toEqual([misfit('amount', 'JPY', 0)])
  })

  test('without a currency, or with an unknown one, an amount must fit some currency', () => {
    for (const currency of [undefined, null, '', 'XQQ']) {
      expect(priced({ currency, amount: '9' })).toEqual(right('9', null))
      expect(priced({ currency, amount: '9.5' })).toEqual(right('9.50', null))
      expect(priced({ currency, amount: '9.1234' })).toEqual(right('9.1234', null))
      expect(priced({ currency, amount: '9.12345' })).toEqual({
        amounts: [null, null],
        wrong: [['validation.malformed_amount', '[2].amount', { decimals: 4 }]],
      })
    }
  })

  test('what a price is compared with is above it, by value', () => {
    const violation = ['sale_offer.compare_at_not_above', '[2].compareAtAmount', {}]
    const compared = (amount: string | null, compareAtAmount: string | null) =>
      priced({ currency: 'EUR', amount, compareAtAmount }).wrong
    expect(compared('9.99', '10')).toEqual([])
    expect(compared('10.00', '10')).toEqual([violation])
    expect(compared('10.01', '10')).toEqual([violation])
    expect(compared(null, '10')).toEqual([])
    expect(compared('10', null)).toEqual([])
  })

  test('a window ends after it begins', () => {
    const reversed = [['sale_offer.window_reversed', '[2].validUntil', {}]]
    expect(priced({ validFrom: first, validUntil: later }).wrong).toEqual([])
    expect(priced({ validFrom: first, validUntil: first }).wrong).toEqual(reversed)
    expect(priced({ validFrom: later, validUntil: first }).wrong).toEqual(reversed)
    for (const open of [null, undefined]) {
      expect(priced({ validFrom: later, validUntil: open }).wrong).toEqual([])
      expect(priced({ validFrom: open, validUntil: later }).wrong).toEqual([])
    }
  })
})

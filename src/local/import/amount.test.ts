import { expect, test } from 'vitest'
import { compareAmounts, sameAmount, tidyAmount } from './amount.ts'

test.each([
  ['9.99', '10', -1],
  ['10.00', '10', 0],
  ['10.01', '10.001', 1],
  ['90071992547409930.01', '90071992547409930.02', -1],
  ['1,299.00', '3', null],
  ['-1', '3', null],
])('%s against %s is %s', (a, b, order) => {
  expect(compareAmounts(a, b)).toBe(order)
})

test('only a fraction of nothing but zeros is dropped', () => {
  expect(['1990.00', '19.90', '100', '0.00', '1.', 'free'].map(tidyAmount)).toEqual([
    '1990',
    '19.90',
    '100',
    '0',
    '1',
    'free',
  ])
})

test('no amount is the same as no amount, and not as zero', () => {
  expect(sameAmount(null, undefined)).toBe(true)
  expect(sameAmount('0', null)).toBe(false)
  expect(sameAmount('19.9', '19.90')).toBe(true)
})

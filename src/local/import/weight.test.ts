import { expect, test } from 'vitest'
import { weightFromGrams } from './weight.ts'

test.each([
  ['1234', 'kg', { value: 1.234, unit: 'kg' }],
  ['454', 'lb', { value: 1, unit: 'lb' }],
  ['205', 'lb', { value: 0.452, unit: 'lb' }],
  ['28', 'oz', { value: 1, unit: 'oz' }],
  ['250.5', 'g', { value: 250.5, unit: 'g' }],
  ['250', 'stone', { value: 250, unit: 'g' }],
  ['250', '', { value: 250, unit: 'g' }],
  ['0', 'kg', null],
  ['', 'kg', null],
  ['-5', 'kg', undefined],
])('%s grams shown in %j are %j', (grams, unit, weight) => {
  expect(weightFromGrams(grams, unit)).toEqual(weight)
})

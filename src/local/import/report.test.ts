import { expect, test } from 'vitest'
import { Report, remarksOnProduct } from './report.ts'

const product = {
  line: 2,
  handle: 'mug',
  options: [],
  variants: [
    { line: 2, optionValues: [{ option: 'Size', value: 'S' }], price: '5', compareAt: null },
    { line: 7, optionValues: [{ option: 'Size', value: 'M' }], price: null, compareAt: null },
  ],
}

test('a violation inside a variant is told on the line of that variant', () => {
  const remarks = remarksOnProduct(product, [
    { propertyPath: 'title', message: 'Required.' },
    { propertyPath: 'variants[1].barcode', message: 'No GTIN.' },
  ])
  expect(remarks).toEqual([
    { line: 2, handle: 'mug', message: 'title: Required.' },
    { line: 7, handle: 'mug', message: 'M: barcode: No GTIN.' },
  ])
})

test('the text counts everything and lists remarks by line', () => {
  const report = new Report()
  report.count('products', 'created', 3)
  report.refuseProduct(product, [
    { line: 12, handle: 'mug', message: 'Taken.' },
    { line: 7, handle: '', message: 'No handle.' },
  ])
  expect(report.text()).toBe(
    [
      '              created    updated  unchanged    refused',
      'products            3          0          0          1',
      'variants            0          0          0          2',
      'offers              0          0          0          1',
      '',
      'Refused:',
      '  line  7  –  No handle.',
      '  line 12  mug  Taken.',
    ].join('\n'),
  )
})

test('a note alone is no refusal', () => {
  const report = new Report()
  report.notes.push({ line: 3, handle: 'mug', message: 'Left out.' })
  expect(report.refusedAnything).toBe(false)
  expect(report.text()).toContain('Noted:\n  line 3  mug  Left out.')
})

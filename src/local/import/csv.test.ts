import { expect, test } from 'vitest'
import { cell } from './columns.ts'
import { groupRows, type RowGroup } from './csv.ts'
import { UnreadableFile } from './records.ts'
import { compareAmounts, contentOf, sameAmount, slug, tidyAmount, weightFromGrams } from './values.ts'

async function groupsOf(...chunks: string[]): Promise<RowGroup[]> {
  return collected(groupRows(chunks))
}

test('a row knows the line on which it begins, past quoted line breaks and empty lines', async () => {
  const groups = await groupsOf(
    'Handle,Title,Body (HTML)\r\nmug,Mug,"one\r\ntwo\r\nthree"\r\n\r\nlamp,Lamp,x\r\n',
  )
  expect(groups.map(({ rows }) => rows[0]!.line)).toEqual([2, 6])
  expect(cell(groups[0]!.rows[0]!, 'description')).toBe('one\ntwo\nthree')
})

test('a line end that is cut in two by a chunk is one line end', async () => {
  const groups = await groupsOf('Handle,Title\r', '\nmug,Mug\r', '\nlamp,Lamp\r')
  expect(groups.map(({ handle, rows }) => [handle, rows[0]!.line])).toEqual([
    ['mug', 2],
    ['lamp', 3],
  ])
})

test('old and new names of a column are the same column', async () => {
  const [old] = await groupsOf('Handle,Variant Price,Variant Compare At Price\nmug,5,7\n')
  const [plain] = await groupsOf('Handle,Price,Compare At Price\nmug,5,7\n')
  const [recent] = await groupsOf('URL handle,Price,Compare-at price\nmug,5,7\n')
  for (const group of [old, plain, recent]) {
    expect(cell(group!.rows[0]!, 'price')).toBe('5')
    expect(cell(group!.rows[0]!, 'compareAt')).toBe('7')
  }
})

test('prices of other markets are not taken for the price', async () => {
  const [group] = await groupsOf('Handle,Price / International,Variant Price\nmug,9,5\n')
  expect(cell(group!.rows[0]!, 'price')).toBe('5')
})

test('a blank cell and a missing column are distinguished', async () => {
  const [group] = await groupsOf('Handle,Title\nmug,\n')
  expect(cell(group!.rows[0]!, 'title')).toBe('')
  expect(cell(group!.rows[0]!, 'tags')).toBeUndefined()
})

test('blank rows are skipped; each row without a handle is its own group', async () => {
  const groups = await groupsOf('Handle,Title\n , \n,Mug\n,Lamp\n')
  expect(groups.map(({ handle, rows }) => [handle, rows[0]!.line])).toEqual([
    ['', 3],
    ['', 4],
  ])
})

test('a file without a Handle column is refused by name', async () => {
  await expect(groupsOf('Name,Price\nMug,5\n')).rejects.toThrow(/no column "Handle".*: Name, Price/)
  await expect(groupsOf('')).rejects.toThrow(UnreadableFile)
})

test('a million bytes are grouped one product at a time', async () => {
  let made = 0
  function* rows() {
    yield 'Handle,Title\n'
    for (; made < 20_000; made += 1) yield `product-${made},A product with quite a long title indeed\n`
  }
  const groups = groupRows(rows())
  await groups.next()
  expect(made).toBeLessThan(10_000)
  await groups.return(undefined)
})

async function collected<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = []
  for await (const item of items) all.push(item)
  return all
}

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

test('with decimal commas, amounts and weights are read as decimals', async () => {
  const amounts = ['19,90', '1.299,00', '1.299', '19.90', '1,2,3'].map(
    (amount) => `mug,"${amount}","${amount}"\n`,
  )
  const groups = groupRows([`Handle,Title,Price\n${amounts.join('')}`], { decimalComma: true })
  const [group] = await collected(groups)
  expect(group!.rows.map((row) => cell(row, 'price'))).toEqual(['19.90', '1299.00', '1299', '19.90', '1,2,3'])
  expect(cell(group!.rows[0]!, 'title')).toBe('19,90')
})

test('only a fraction of zeros is dropped', () => {
  expect(['1990.00', '19.90', '9.5000', '100', '0.00', '1.', 'free'].map(tidyAmount)).toEqual([
    '1990',
    '19.90',
    '9.50',
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

test.each([
  ['already-fine-2', 'already-fine-2'],
  ['Under_Score', 'under-score'],
  ['--two  blanks--', 'two-blanks'],
  ['Crème brûlée', 'creme-brulee'],
  ['茶', null],
])('%j becomes %j', (written, handle) => {
  expect(slug(written)).toBe(handle)
})

test.each([
  ['750', 'ml', { value: 750, unit: 'ml' }],
  ['500.00', 'G', { value: 500, unit: 'g' }],
  ['33', 'cl', { value: 0.33, unit: 'l' }],
  ['2.5', 'mg', { value: 0.0025, unit: 'g' }],
  ['150', 'cm', { value: 1.5, unit: 'm' }],
  ['7', 'mm', { value: 0.007, unit: 'm' }],
  ['1.44', 'm2', { value: 1.44, unit: 'm2' }],
  ['6', 'item', { value: 6, unit: 'piece' }],
  ['0.00', '', null],
  ['', 'ml', null],
  ['12', 'floz', undefined],
  ['12', '', undefined],
  ['1,5', 'l', undefined],
  ['-5', 'g', undefined],
])('a content of %s %s is %j', (measure, unit, content) => {
  expect(contentOf(measure, unit)).toEqual(content)
})

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

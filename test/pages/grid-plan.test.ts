/** The cells of the grid of many products, as they are read and planned before anything is sent. */
import { describe, expect, test } from 'vitest'
import { changedText, type TextChange } from '../../src/admin/grid/change-text.ts'
import { bySku, cellCount } from '../../src/admin/grid/clipboard.ts'
import { type GridRow, patchesOf, propertyKey, propertyText } from '../../src/admin/grid/properties.ts'
import { inheritedOffer, pasted } from '../../src/admin/prices/grid.ts'
import type { SaleOffer } from '../../src/admin/prices/offer.ts'
import { saleOffer } from './sale-offer.ts'

describe('a paste by SKU', () => {
  const rows = new Map([
    ['A', 0],
    ['B', 1],
    ['12', 2],
  ])
  const prices = { isPrice: true, locale: 'en-US' }
  const read = (text: string, column = prices) => bySku(pasted(text), rows, column)

  test('finds rows in any order, below a heading, and without empty lines', () => {
    expect(read('Article\tPrice\r\nB\t€ 26.00\t7\r\n\t\r\nA\t1,234.50\r\n')).toEqual({
      lines: [
        { row: 1, texts: ['€ 26.00', '7'] },
        { row: 0, texts: ['1,234.50'] },
      ],
      unknown: [],
      duplicate: [],
    })
  })

  test('lists unknown and duplicate SKUs, and uses none of their lines', () => {
    expect(read('A\t1\nC\t2\nB\t3\nB\t4')).toEqual({
      lines: [{ row: 0, texts: ['1'] }],
      unknown: ['C'],
      duplicate: ['B'],
    })
    expect(read('X\t1\nY\t2')).toMatchObject({ lines: [], unknown: ['X', 'Y'] })
  })

  test('is none if the first column has values for the cells', () => {
    expect(read('25\t26\n27\t28')).toBeNull()
    expect(read('A\nB')).toBeNull()
    expect(read('red\tblue', { ...prices, isPrice: false })).toBeNull()
    expect(read('12\t26')).toMatchObject({ lines: [{ row: 2, texts: ['26'] }] })
  })

  test('counts cells without parsing them', () => {
    expect(cellCount('a\tb\nc\td')).toBe(4)
    expect(cellCount(Array(10_000).fill(Array(10).fill('1').join('\t')).join('\n'))).toBe(100_000)
  })
})

test.each<[string, TextChange, string | null, string]>([
  ['10.00', { kind: 'prices', percent: 5, rounding: 'unit' }, 'EUR', '10.50'],
  ['10.00', { kind: 'prices', percent: 0, rounding: 'ends 95' }, 'EUR', '9.95'],
  ['1,234.50', { kind: 'prices', percent: -10, rounding: 'unit' }, 'EUR', '1111.05'],
  ['1000', { kind: 'prices', percent: 5, rounding: 'unit' }, 'JPY', '1050'],
  ['', { kind: 'prices', percent: 5, rounding: 'unit' }, 'EUR', ''],
  ['ten', { kind: 'prices', percent: 5, rounding: 'unit' }, 'EUR', 'ten'],
  ['50 cm', { kind: 'prices', percent: 5, rounding: 'unit' }, null, '50 cm'],
  ['red, dark red', { kind: 'replace', find: 'red', by: 'blue' }, null, 'blue, dark blue'],
])('%s becomes another text', (text, change, currency, expected) => {
  expect(changedText(text, change, currency, 'en-US')).toBe(expected)
})

describe('properties in cells', () => {
  const product = {
    '@id': '/api/products/1',
    version: 3,
    title: 'Cup',
    vendor: null,
    tags: ['a', 'b'],
    status: 'ACTIVE',
  }
  const variant = (id: string) => ({
    '@id': `/api/products/1/variants/${id}`,
    version: 1,
    sku: null,
    weight: { value: 1.5, unit: 'kg' },
  })
  const rows: GridRow[] = ['1', '2'].map((id) => ({ name: id, product, variant: variant(id) }))
  const [row] = rows as [GridRow]
  const at = new Map(
    rows.flatMap((each) =>
      (['title', 'vendor', 'tags', 'status', 'sku', 'weight'] as const).map(
        (property) => [propertyKey(each, property), { row: each, property }] as const,
      ),
    ),
  )
  const plan = (
    edits: Partial<Record<'title' | 'vendor' | 'tags' | 'status' | 'sku' | 'weight', string>>,
  ) => {
    const texts = Object.entries(edits) as [keyof typeof edits, string][]
    return patchesOf(new Map(texts.map(([name, text]) => [propertyKey(row, name), text])), at, 'fr-FR')
  }

  test('become one patch for each document, and leave equal values out', () => {
    const { patches, mistakes } = plan({
      vendor: '=1+1',
      tags: 'a, b',
      status: 'DRAFT',
      sku: ' X-1 ',
      weight: '180,5',
    })
    expect(patches.map(({ document, patch }) => [document['@id'], patch])).toEqual([
      ['/api/products/1', { vendor: '=1+1', status: 'DRAFT' }],
      ['/api/products/1/variants/1', { sku: 'X-1', weight: { value: 180.5, unit: 'kg' } }],
    ])
    expect(mistakes.size).toBe(0)
    expect(plan({ sku: '', weight: '' }).patches[0]?.patch).toEqual({ weight: null })
  })

  test('are rejected if they are no status or weight', () => {
    expect([...plan({ status: 'sold', weight: 'heavy' }).mistakes.values()]).toEqual(['status', 'weight'])
  })

  test('are shown as they are typed', () => {
    expect(propertyText(row.variant, 'weight', 'fr-FR')).toBe('1,5 kg')
    expect(propertyText(product, 'tags', 'fr-FR')).toBe('a, b')
    expect(propertyText(product, 'vendor', 'fr-FR')).toBe('')
  })
})

test('a cell without a price inherits that of the closest broader place in its currency', () => {
  const offer = (terms: Partial<SaleOffer>) =>
    saleOffer({ '@id': `/api/sale_offers/${JSON.stringify(terms)}`, ...terms })
  const everywhere = offer({})
  const web = offer({ channel: 'web' })
  const offers = [
    everywhere,
    web,
    offer({ currency: 'USD' }),
    offer({ channel: 'pos' }),
    offer({ minQuantity: 5 }),
  ]
  const inherited = (channel: string | null, countries: string[]) =>
    inheritedOffer(offers, { channel, countries, currency: 'EUR' }, '2026-11-30T00:00:00.000000Z')
  expect(inherited('web', ['FR'])).toBe(web)
  expect(inherited('web', [])).toBe(everywhere)
  expect(inherited('outlet', ['FR'])).toBe(everywhere)
  expect(inherited(null, [])).toBeUndefined()
})

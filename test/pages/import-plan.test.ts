/** The columns of a file in /admin as they are mapped, and its products, before anything is sent. */
import { describe, expect, test } from 'vitest'
import {
  isComplete,
  type OpenedFile,
  openFile,
  placesIn,
  readProducts,
  suggestedMapping,
} from '../../src/admin/import/read.ts'
import { csvHeader } from '../../src/admin/products/csv.ts'
import { columnNames } from '../../src/local/import/columns.ts'
import { rejectedFile } from '../../src/local/import/rejected.ts'

const opened = (text: string, name = 'file.csv') => openFile(new File([text], name))
const mappingOf = ({ header, layout }: OpenedFile) => suggestedMapping(header, { layout, currency: 'EUR' })
const read = (file: OpenedFile, mapping = mappingOf(file)) => {
  const format = { layout: file.layout, currency: 'EUR' }
  return readProducts(file, { ...format, places: placesIn(mapping, file.header, format) })
}

describe('the layout of a file', () => {
  test.each([
    ['shopify', csvHeader],
    ['sheet', 'Title,SKU,Price,Vendor'],
    ['sheet', 'SKU,EAN,Price'],
    ['sheet', 'Artikel,Preis'],
    ['woocommerce', 'Type,SKU,Name,Published,Regular price,Sale price,Images,Attribute 1 name'],
    ['google-merchant', 'id,title,description,image_link,price,brand,gtin'],
  ])('is %s if it knows most of the columns', async (layout, header) => {
    expect(await opened(header)).toMatchObject({ layout })
  })

  test('of the export maps each of its columns to one field', async () => {
    const mapping = mappingOf(await opened(csvHeader))
    expect(mapping.every((fields) => fields.length === 1)).toBe(true)
    expect(new Set(mapping.flat())).toEqual(new Set(columnNames))
  })
})

test('columns without a known name are not imported until the user maps them', async () => {
  const file = await opened('Artikel,EAN,Notiz\nTeller,4006381333931,x\n')
  const mapping = mappingOf(file)
  expect(mapping).toEqual([[], ['barcode'], []])
  expect(isComplete(mapping, file.layout)).toBe(false)
  const { products } = await read(file, [['title'], ['barcode'], []])
  expect(products).toMatchObject([
    { handle: 'teller', title: 'Teller', variants: [{ barcode: '4006381333931' }] },
  ])
})

test('a column that the user takes out is not imported', async () => {
  const file = await opened('Title,Vendor\nMug,Kiln\n')
  const { products } = await read(file, [['title'], []])
  expect(products[0]).not.toHaveProperty('vendor')
})

test('the column that the layout prefers comes first, whatever its place', async () => {
  const file = await opened('SKU,Name,Regular price,Sale price,Attribute 1 name,Published\nA,Mug,10,8,,1\n')
  expect(file.layout).toBe('woocommerce')
  expect((await read(file)).products[0]?.variants[0]).toMatchObject({ price: '8', compareAt: '10' })
})

test('rows of one product are one product with variants; a product with a wrong row is rejected whole', async () => {
  const file = await opened('Title,Size,SKU,Price\nMug,S,M-S,5\nLamp,,L,=1+1\nMug,L,M-L,6\nLamp,,K,7\n')
  const { products, rejectedProducts, rejected, sheet } = await read(file)
  expect(products.map(({ title, variants }) => [title, variants.map(({ sku }) => sku)])).toEqual([
    ['Mug', ['M-S', 'M-L']],
  ])
  expect(rejectedProducts).toBe(1)
  const lines = rejectedFile(sheet, rejected).split('\n')
  expect(lines).toHaveLength(4)
  expect(lines[1]).toBe("Price: The amount is no number such as 19.90.,Lamp,,L,'=1+1")
})

test.each([
  ['9,50', true],
  ['9.50', false],
  ['1,000', false],
])('a price %s has a decimal comma: %s', async (price, hasDecimalCommas) => {
  expect(await opened(`Title;Price\nMug;${price}\n`)).toMatchObject({ hasDecimalCommas, rows: 1 })
})

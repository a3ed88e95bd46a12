import { expect, test } from 'vitest'
import { groupRows } from './csv.ts'
import { type Reading, readProduct } from './product.ts'

async function read(csv: string): Promise<Reading> {
  for await (const group of groupRows([csv])) return readProduct(group)
  throw new Error('The file holds no product.')
}

test('a product with options, images, tags and search texts is read whole', async () => {
  const { product, notes } =
    await read(`Handle,Title,Body (HTML),Vendor,Type,Tags,Published,Option1 Name,Option1 Value,Option2 Name,Option2 Value,Variant SKU,Variant Grams,Variant Price,Variant Compare At Price,Variant Barcode,Image Src,Image Position,Image Alt Text,SEO Title,SEO Description,Variant Image,Variant Weight Unit
scarf,Wool scarf,<p>Warm</p>,Loom,Scarf,"wool, winter,wool",true,Color,Red,Length,Short,SC-R-S,250,20.00,25.5,'0012345678905,https://i.example/b.jpg,2,Back,Scarf!,Soft,https://i.example/a.jpg,kg
scarf,,,,,,,,Red,,Long,SC-R-L,300,22,,,https://i.example/a.jpg,1,Front,,,,kg
scarf,,,,,,,,,,,,,,,,https://i.example/c.jpg,3,,,,,
`)
  expect(notes).toEqual([])
  expect(product).toEqual({
    line: 2,
    handle: 'scarf',
    title: 'Wool scarf',
    description: '<p>Warm</p>',
    vendor: 'Loom',
    productType: 'Scarf',
    tags: ['wool', 'winter'],
    published: true,
    seo: { title: 'Scarf!', description: 'Soft' },
    media: [
      { url: 'https://i.example/a.jpg', alt: 'Front', type: 'IMAGE' },
      { url: 'https://i.example/b.jpg', alt: 'Back', type: 'IMAGE' },
      { url: 'https://i.example/c.jpg', alt: null, type: 'IMAGE' },
    ],
    options: [
      { title: 'Color', values: ['Red'] },
      { title: 'Length', values: ['Short', 'Long'] },
    ],
    variants: [
      {
        line: 3 - 1,
        optionValues: [
          { option: 'Color', value: 'Red' },
          { option: 'Length', value: 'Short' },
        ],
        sku: 'SC-R-S',
        barcode: '0012345678905',
        weight: { value: 0.25, unit: 'kg' },
        media: [{ url: 'https://i.example/a.jpg', alt: 'Front', type: 'IMAGE' }],
        price: '20',
        compareAt: '25.5',
      },
      {
        line: 3,
        optionValues: [
          { option: 'Color', value: 'Red' },
          { option: 'Length', value: 'Long' },
        ],
        sku: 'SC-R-L',
        barcode: null,
        weight: { value: 0.3, unit: 'kg' },
        media: [],
        price: '22',
        compareAt: null,
      },
    ],
  })
})

test('Title / Default Title means no options and one variant', async () => {
  const { product } = await read(
    'Handle,Title,Option1 Name,Option1 Value,Variant Price\nmug,Mug,Title,Default Title,9.99\n',
  )
  expect(product?.options).toEqual([])
  expect(product?.variants).toEqual([{ line: 2, optionValues: [], price: '9.99', compareAt: null }])
})

test('an option that is really named Title stays an option', async () => {
  const { product } = await read(
    'Handle,Title,Option1 Name,Option1 Value,Variant Price\nbook,Book,Title,One,9\nbook,,,Two,9\n',
  )
  expect(product?.options).toEqual([{ title: 'Title', values: ['One', 'Two'] }])
})

test('columns that the file lacks are not in the product, blank ones clear', async () => {
  const { product } = await read('Handle,Title,Vendor,Tags,SEO Title,Image Src\nmug,Mug,,,,\n')
  expect(product).toEqual({
    line: 2,
    handle: 'mug',
    title: 'Mug',
    vendor: null,
    tags: [],
    seo: { title: null, description: null },
    media: [],
    options: [],
    variants: [],
  })
})

test.each([
  ['Published\nmug,Mug,true', true],
  ['Published\nmug,Mug,FALSE', false],
  ['Published\nmug,Mug,', undefined],
  ['Published,Status\nmug,Mug,true,draft', false],
  ['Published,Status\nmug,Mug,true,active', true],
  ['Published,Status\nmug,Mug,false,active', false],
  ['Status\nmug,Mug,active', true],
  ['Vendor\nmug,Mug,Loom', undefined],
])('whether it is on sale: %j is %s', async (rest, published) => {
  expect((await read(`Handle,Title,${rest}\n`)).product?.published).toBe(published)
})

test('a handle in another form is slugged and noted, one that leaves nothing is refused', async () => {
  const { product, notes } = await read('Handle,Title\nCafé_Noir ,Coffee\n')
  expect(product?.handle).toBe('cafe-noir')
  expect(notes).toEqual([
    { line: 2, handle: 'cafe-noir', message: 'The handle "Café_Noir" was written as "cafe-noir".' },
  ])
  expect((await read('Handle,Title\n緑茶,Tea\n')).refusals).toMatchObject([
    { line: 2, message: expect.stringContaining('緑茶') },
  ])
  expect((await read('Handle,Title\n,Tea\n')).refusals).toMatchObject([
    { line: 2, message: 'The row has no handle.' },
  ])
})

test('a compare-at price that is not above the price is left out and noted', async () => {
  const { product, notes } = await read(
    'Handle,Option1 Name,Option1 Value,Price,Compare At Price\nmug,Size,S,9.90,9.9\nmug,,M,10,9\nmug,,L,10,0.00\nmug,,XL,10.00,10.01\n',
  )
  expect(product?.variants.map(({ compareAt }) => compareAt)).toEqual([null, null, null, '10.01'])
  expect(notes.map(({ line }) => line)).toEqual([2, 3])
})

test('two rows with the same values are refused on the second line', async () => {
  const { product, refusals } = await read(
    'Handle,Option1 Name,Option1 Value,Price\nmug,Size,S,9\nmug,,S,10\n',
  )
  expect(product).toBeNull()
  expect(refusals).toEqual([
    { line: 3, handle: 'mug', message: 'The row has the same option values as line 2.' },
  ])
})

test('a value whose option has no name is refused', async () => {
  const { refusals } = await read('Handle,Option1 Name,Option1 Value,Price\nmug,,Small,9\n')
  expect(refusals).toMatchObject([{ line: 2, message: expect.stringContaining('no row names the option') }])
})

test('a measure with a unit that is not metric is left out and noted', async () => {
  const { product, notes } = await read(
    "Handle,Option1 Name,Option1 Value,Unit price total measure,Unit price total measure unit\noil,Size,S,'750,ml\noil,,M,12,floz\noil,,L,,\n",
  )
  const measures = [{ value: 750, unit: 'ml' }, undefined, null]
  expect(product?.variants.map(({ measure }) => measure)).toEqual(measures)
  expect(notes).toMatchObject([{ line: 3, message: expect.stringContaining('"12 floz"') }])
})

test('a weight that is no number is left out and noted, zero is no weight', async () => {
  const { product, notes } = await read(
    'Handle,Option1 Name,Option1 Value,Variant Grams\nmug,Size,S,heavy\nmug,,M,0\nmug,,L,120\n',
  )
  expect(product?.variants.map(({ weight }) => weight)).toEqual([undefined, null, { value: 120, unit: 'g' }])
  expect(notes.map(({ line }) => line)).toEqual([2])
})

import { expect, test } from 'vitest'
import { groupRows } from './csv.ts'
import { readProduct } from './product.ts'

/** The product without its rows, and the remarks. */
async function read(csv: string) {
  for await (const group of groupRows([csv])) {
    const { product, ...remarks } = readProduct(group)
    if (!product) return { ...remarks, product: null }
    const { rows: _, ...rest } = product
    return { ...remarks, product: rest }
  }
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
    isPartial: false,
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
    isPartial: false,
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
    {
      line: 2,
      handle: 'cafe-noir',
      column: 'Handle',
      value: 'Café_Noir',
      message: 'The handle is written as "cafe-noir".',
    },
  ])
  expect((await read('Handle,Title\n緑茶,Tea\n')).refusals).toMatchObject([{ line: 2, value: '緑茶' }])
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

test('the second row with the same values is rejected, and a row whose option has no name', async () => {
  const { product, refusals } = await read(
    'Handle,Option1 Name,Option1 Value,Option2 Value,Price\nmug,Size,S,,9\nmug,,S,,10\nmug,,M,Red,9\nmug,,L,,9\n',
  )
  expect(product?.isPartial).toBe(true)
  expect(product?.variants.map(({ line }) => line)).toEqual([2, 5])
  expect(product?.options).toEqual([{ title: 'Size', values: ['S', 'L'] }])
  expect(refusals.map(({ line, column, value }) => [line, column, value])).toEqual([
    [3, 'Option1 Value', 'S'],
    [4, 'Option2 Value', 'Red'],
  ])
})

test.each([
  ['Status', 'ACTIV', '"active" is probably meant'],
  ['Status', 'gone', 'active, draft, archived, unlisted'],
  ['Published', 'tru', '"true" is probably meant'],
  ['Image Src', 'mug.jpg', 'https://'],
  ['Variant Image', '//cdn.example/mug.jpg', 'https://'],
  ['Price', '19,90', '--decimal-comma'],
  ['Price', 'free', 'no number such as 19.90'],
  ['Compare At Price', '29,90', '--decimal-comma'],
  ['Variant Grams', 'heavy', 'no number of grams'],
  ['Variant Barcode', '96385075', 'GTIN-8 is wrong: it would be 4'],
  ['Variant Barcode', '036000291453', 'GTIN-12 is wrong: it would be 2'],
  ['Variant Barcode', '4006381333932', 'GTIN-13 is wrong: it would be 1'],
  ['Variant Barcode', '10012345678903', 'GTIN-14 is wrong: it would be 2'],
  ['Variant Barcode', '4.00638E+12', 'rounded'],
])('%s %j is rejected, and the rest of its row is imported', async (column, value, reason) => {
  const values = new Map([
    ['Handle', 'mug'],
    ['Title', 'Mug'],
    ['SKU', 'MUG'],
    ['Price', '9.90'],
    [column, value],
  ])
  const { product, refusals } = await read(
    `${[...values.keys()].join()}\n${[...values.values()].map((each) => `"${each}"`).join()}\n`,
  )
  expect(refusals).toEqual([
    { line: 2, handle: 'mug', column, value, message: expect.stringContaining(reason) },
  ])
  expect(product).toMatchObject({ title: 'Mug', isPartial: true, variants: [{ sku: 'MUG' }] })
  expect(product?.keepsMedia).toBe(column === 'Image Src' || undefined)
  const isOfStatus = column === 'Status' || column === 'Published'
  if (isOfStatus) expect(product).not.toHaveProperty('published')
  const [variant] = product!.variants
  expect(variant?.price).toBe(column === 'Price' ? null : '9.90')
  expect(variant?.barcode ?? variant?.weight ?? variant?.compareAt ?? null).toBeNull()
})

test('a missing price is noted, and the product is partial', async () => {
  const { product, notes, refusals } = await read('Handle,Title,SKU,Price\nmug,Mug,MUG,\n')
  expect(refusals).toEqual([])
  expect(notes).toMatchObject([
    { line: 2, column: 'Price', value: '', message: expect.stringContaining('missing') },
  ])
  expect(product).toMatchObject({ isPartial: true, variants: [{ sku: 'MUG', price: null }] })
  expect(product).not.toHaveProperty('keepsMedia')
  expect((await read('Handle,Title,Price\nmug,Mug,\n')).notes).toHaveLength(1)
  expect((await read('Handle,Title,SKU\nmug,Mug,MUG\n')).notes).toEqual([])
})

test('rows without a title clear no column of the product', async () => {
  const { product } = await read('Handle,Title,Vendor,Tags,Published,SKU\nmug,,,,,MUG-M\n')
  expect(product).toEqual({
    line: 2,
    isPartial: false,
    handle: 'mug',
    options: [],
    variants: [{ line: 2, optionValues: [], sku: 'MUG-M', price: null, compareAt: null }],
  })
})

test('a content whose unit is not metric is rejected', async () => {
  const { product, refusals } = await read(
    "Handle,Option1 Name,Option1 Value,Unit price total measure,Unit price total measure unit\noil,Size,S,'750,ml\noil,,M,12,floz\noil,,L,,\n",
  )
  const measures = [{ value: 750, unit: 'ml' }, undefined, null]
  expect(product?.variants.map(({ measure }) => measure)).toEqual(measures)
  expect(refusals).toMatchObject([
    {
      line: 3,
      column: 'Unit price total measure unit',
      value: 'floz',
      message: 'The unit of the content is one of g, kg, ml, l, m, m2, m3, mg, cl, cm, mm, item, piece.',
    },
  ])
})

test('a file without a column for the unit has contents such as 100 g', async () => {
  const { product, refusals } = await read(
    'Handle,Option1 Name,Option1 Value,Unit price total measure\ntea,Size,S,100 g\ntea,,M,0.5kg\ntea,,L,75\n',
  )
  const measures = [{ value: 100, unit: 'g' }, { value: 0.5, unit: 'kg' }, undefined]
  expect(product?.variants.map(({ measure }) => measure)).toEqual(measures)
  expect(refusals).toMatchObject([{ line: 4, column: 'Unit price total measure', value: '75' }])
})

test('zero is no weight', async () => {
  const { product } = await read(
    'Handle,Option1 Name,Option1 Value,Variant Grams\nmug,Size,M,0\nmug,,L,120\n',
  )
  expect(product?.variants.map(({ weight }) => weight)).toEqual([null, { value: 120, unit: 'g' }])
})

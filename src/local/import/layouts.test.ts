import { expect, test } from 'vitest'
import { type Format, layoutNames, layouts } from './columns.ts'
import { groupRows, type Sheet } from './csv.ts'
import { type ImportedProduct, readProduct } from './product.ts'

/** Rows as objects: the header has each of their columns. */
function csv(rows: readonly Readonly<Record<string, string>>[], delimiter = ','): string {
  const header = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  const line = (cells: readonly string[]) =>
    cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(delimiter)
  return [header, ...rows.map((row) => header.map((name) => row[name] ?? ''))].map(line).join('\n')
}

async function read(text: string, format: Format) {
  const products: Omit<ImportedProduct, 'rows'>[] = []
  const remarks: string[] = []
  let sheet: Sheet | null = null
  for await (const group of groupRows([text], { currency: 'EUR', ...format })) {
    const { product, refusals, notes } = readProduct(group)
    for (const { line, column, message } of [...refusals, ...notes])
      remarks.push(`${line} ${column}: ${message}`)
    sheet = group.sheet
    if (!product) continue
    const { rows: _, ...rest } = product
    products.push(rest)
  }
  return { products, remarks, ignored: [...(sheet?.ignored ?? [])] }
}

const [a, b, c] = ['a', 'b', 'c'].map((name) => `https://cdn.example/${name}.jpg`)

test('the option of a product with one row is left out, with a note', async () => {
  const { products, remarks } = await read(csv([{ Title: 'Cap', Size: 'M', SKU: 'CAP' }]), {
    layout: 'sheet',
  })
  expect(products).toMatchObject([{ options: [], variants: [{ sku: 'CAP', optionValues: [] }] }])
  expect(remarks).toEqual(['2 Size: A product with one row gets no option.'])
})

test('every layout names its source', () => {
  expect(layoutNames).toContain('shopify')
  for (const { source } of Object.values(layouts)) expect(source).toMatch(/^https:\/\/|^none: /)
})

// The columns are those of https://github.com/woocommerce/woocommerce/blob/trunk/plugins/woocommerce/sample-data/sample_products.csv
test('a WooCommerce export has variants anywhere in the file, and pictures as lists', async () => {
  const file = csv([
    {
      ID: '76',
      Type: 'variation',
      SKU: 'TEE-RED',
      Name: 'V-Neck Tee - Red',
      Published: '1',
      Parent: 'TEE',
      'Attribute 1 name': 'Color',
      'Attribute 1 value(s)': 'Red',
      'Regular price': '20',
      Images: `${b}`,
      Description: 'Red one',
    },
    {
      ID: '44',
      Type: 'variable',
      SKU: 'TEE',
      Name: 'V-Neck Tee',
      Published: '1',
      Description: 'Soft',
      Tags: 'top, soft',
      'Weight (lbs)': '.5',
      Images: `${a}, ${b}`,
      'Attribute 1 name': 'Color',
      'Attribute 1 value(s)': 'Red, Blue',
      Categories: 'Clothing > Tees',
    },
    {
      ID: '48',
      Type: 'simple',
      SKU: 'BEANIE',
      Name: 'Beanie',
      Published: '-1',
      'Sale price': '18',
      'Regular price': '20',
      'Attribute 1 name': 'Color',
      'Attribute 1 value(s)': 'Red',
      'Weight (lbs)': '.2',
      'GTIN, UPC, EAN, or ISBN': '4006381333931',
    },
    {
      ID: '77',
      Type: 'variation',
      SKU: 'TEE-BLUE',
      Name: 'V-Neck Tee - Blue',
      Published: '1',
      Parent: 'id:44',
      'Attribute 1 name': 'Color',
      'Attribute 1 value(s)': 'Blue',
      'Sale price': '15',
      'Regular price': '20',
    },
    { ID: '49', Type: 'simple', SKU: 'B-2', Name: 'Beanie', Published: '1', 'Regular price': '20' },
  ])
  const { products, remarks, ignored } = await read(file, { layout: 'woocommerce' })
  const color = (value: string) => [{ option: 'Color', value }]
  expect(products).toEqual([
    {
      line: 3,
      isPartial: false,
      handle: 'v-neck-tee',
      title: 'V-Neck Tee',
      description: 'Soft',
      tags: ['top', 'soft'],
      published: true,
      media: [a, b].map((url) => ({ url, alt: null, type: 'IMAGE' })),
      options: [{ title: 'Color', values: ['Red', 'Blue'] }],
      variants: [
        {
          line: 2,
          optionValues: color('Red'),
          sku: 'TEE-RED',
          barcode: null,
          weight: null,
          price: '20',
          compareAt: null,
          media: [{ url: b, alt: null, type: 'IMAGE' }],
        },
        {
          line: 5,
          optionValues: color('Blue'),
          sku: 'TEE-BLUE',
          barcode: null,
          weight: null,
          price: '15',
          compareAt: '20',
        },
      ],
    },
    expect.objectContaining({
      handle: 'beanie',
      published: false,
      options: [],
      variants: [
        {
          line: 4,
          optionValues: [],
          sku: 'BEANIE',
          barcode: '4006381333931',
          weight: { value: 0.2, unit: 'lb' },
          price: '18',
          compareAt: '20',
        },
      ],
    }),
    expect.objectContaining({
      handle: 'beanie-b-2',
      variants: [expect.objectContaining({ price: '20', compareAt: null })],
    }),
  ])
  expect(remarks).toEqual([])
  expect(ignored).toEqual(['Type', 'Categories'])
})

// The attributes and their formats are those of https://support.google.com/merchants/answer/7052112
test('a Google Merchant feed has groups of items, and prices with a currency', async () => {
  const item = {
    link: 'https://shop.example/tee',
    description: 'Soft',
    brand: 'Loom',
    availability: 'in_stock',
    image_link: `${a}`,
  }
  const file = csv(
    [
      {
        ...item,
        id: 'TEE-R',
        title: 'Tee',
        item_group_id: 'TEE',
        color: 'Red',
        size: 'S',
        price: '20.00 EUR',
        sale_price: '15.00 EUR',
        gtin: '4006381333931',
        shipping_weight: '0.3 kg',
        additional_image_link: `${b},${c}`,
      },
      {
        ...item,
        id: 'TEE-B',
        title: 'Tee',
        item_group_id: 'TEE',
        color: 'Blue',
        size: 'S',
        price: '20.00 EUR',
      },
      { ...item, id: 'MUG', title: 'Mug', color: 'White', price: '9.50 USD' },
    ],
    '\t',
  )
  const { products, remarks } = await read(file, { layout: 'google-merchant' })
  expect(products).toMatchObject([
    {
      handle: 'tee',
      title: 'Tee',
      vendor: 'Loom',
      published: true,
      media: [{ url: a }, { url: b }, { url: c }],
      options: [
        { title: 'color', values: ['Red', 'Blue'] },
        { title: 'size', values: ['S'] },
      ],
      variants: [
        {
          sku: 'TEE-R',
          barcode: '4006381333931',
          weight: { value: 0.3, unit: 'kg' },
          price: '15',
          compareAt: '20',
          media: [{ url: a }],
        },
        { sku: 'TEE-B', barcode: null, price: '20', compareAt: null },
      ],
    },
    { handle: 'mug', isPartial: true, options: [], variants: [{ sku: 'MUG', price: null }] },
  ])
  expect(remarks).toEqual(['4 price: The amount is no number such as 19.90.'])
})

// The form is that of https://support.google.com/merchants/answer/160589 (RSS 2.0).
test('a Google Merchant feed in XML has an item for each variant, and an item that is not closed is rejected', async () => {
  const feed = `<?xml version="1.0"?>
<rss xmlns:g="http://base.google.com/ns/1.0" version="2.0"><channel>
<title>A shop</title>
<item>
  <title>Tee</title><link>https://shop.example/tee</link>
  <g:id>TEE-R</g:id><g:item_group_id>tee</g:item_group_id><g:color>Red</g:color>
  <g:description><![CDATA[<p>Soft & warm</p>]]></g:description>
  <g:image_link>${a}</g:image_link>
  <g:additional_image_link>${b}</g:additional_image_link><g:additional_image_link>${c}</g:additional_image_link>
  <g:price>20.00 EUR</g:price><g:sale_price>15.00 EUR</g:sale_price><g:brand>Loom &amp; Co</g:brand>
  <g:shipping><g:country>DE</g:country><g:price>4.00 EUR</g:price></g:shipping>
</item>
<item>
  <g:id>TEE-B</g:id><g:item_group_id>tee</g:item_group_id><g:title>Tee</g:title><g:color>Blue</g:color><g:price>20.00 EUR</g:price>
</item>
<item>
  <g:id>MUG</g:id><g:title>Mug
<item>
  <g:id>BOWL</g:id><g:title>Bowl</g:title><g:price>7.00 EUR</g:price>
</item>
</channel></rss>`
  const { products, remarks, ignored } = await read(feed, { layout: 'google-merchant' })
  expect(products).toMatchObject([
    {
      line: 4,
      handle: 'tee',
      title: 'Tee',
      description: '<p>Soft & warm</p>',
      vendor: 'Loom & Co',
      media: [{ url: a }, { url: b }, { url: c }],
      options: [{ title: 'color', values: ['Red', 'Blue'] }],
      variants: [
        { sku: 'TEE-R', price: '15', compareAt: '20' },
        { sku: 'TEE-B', price: '20', compareAt: null },
      ],
    },
    { line: 18, handle: 'bowl', variants: [{ sku: 'BOWL', price: '7' }] },
  ])
  expect(remarks).toEqual(['16 undefined: An element of the item is not closed.'])
  expect(ignored).toEqual(['link', 'shipping'])
  const atom = '<feed><entry><g:id>CUP</g:id><title>Cup</title><g:price>5 EUR</g:price></entry></feed>'
  expect((await read(atom, { layout: 'google-merchant' })).products).toMatchObject([{ handle: 'cup' }])
  await expect(read(atom, {})).rejects.toThrow(/^The file has no column "Handle".*: id, title, price$/)
})

// Untested against another program: each sheet has its own columns.
test('a sheet has the columns that are mapped, and rows of one title are variants', async () => {
  const file = `Artikel;Preis (EUR);Grösse;Gewicht;Lager
Becher;9,50;S;300;1
Becher;11,50;M;350;2
Lampe;1.299,00;;;3`
  const mapped = new Map([
    ['title', 'Artikel'],
    ['price', 'preis eur'],
    ['option1Value', 'Grösse'],
    ['grams', 'Gewicht'],
  ] as const)
  const { products, remarks, ignored } = await read(file, { layout: 'sheet', mapped, decimalComma: true })
  expect(products).toMatchObject([
    {
      handle: 'becher',
      title: 'Becher',
      options: [{ title: 'Grösse', values: ['S', 'M'] }],
      variants: [
        { price: '9.50', weight: { value: 300, unit: 'g' } },
        { line: 3, price: '11.50' },
      ],
    },
    { handle: 'lampe', options: [], variants: [{ price: '1299', weight: null }] },
  ])
  expect([remarks, ignored]).toEqual([[], ['Lager']])
  await expect(read(file, { layout: 'sheet', mapped: new Map([['title', 'Titel']]) })).rejects.toThrow(
    /^The file has no column "Titel".*: Artikel, Preis/,
  )
  await expect(read(file, { layout: 'sheet' })).rejects.toThrow('The file has no column for the title')
})

// The columns are those of https://github.com/PrestaShop/PrestaShop/blob/develop/docs/csv_import/products_import.csv
test('a PrestaShop file has products, whose combinations are in another file', async () => {
  const row = {
    'Product ID': '1',
    'Active (0/1)': '1',
    'Name *': 'Nano',
    'Price tax excluded': '100',
    'Reference #': 'RP-1',
    Manufacturer: 'Apple',
    EAN13: '4006381333931',
    Weight: '0.068',
    Description: '<p>New</p>',
    'Tags (x,y,z...)': 'apple, nano',
    'Meta title': 'Nano!',
    'URL rewritten': 'Nano-7',
    'Image URLs (x,y,z...)': `${a},${b}`,
  }
  const { products, remarks } = await read(csv([row], ';'), { layout: 'prestashop' })
  expect(products).toMatchObject([
    {
      handle: 'nano-7',
      title: 'Nano',
      vendor: 'Apple',
      tags: ['apple', 'nano'],
      published: true,
      seo: { title: 'Nano!' },
      media: [{ url: a }, { url: b }],
      variants: [
        { sku: 'RP-1', barcode: '4006381333931', weight: { value: 0.068, unit: 'kg' }, price: '100' },
      ],
    },
  ])
  expect(remarks).toEqual([])
})

// The columns are those of https://docs.medusajs.com/user-guide/products/import
test('a Medusa file repeats its product on the row of each variant, with prices by currency', async () => {
  const product = {
    'Product Handle': 'tee',
    'Product Title': 'Tee',
    'Product Status': 'published',
    'Product Tag 1': 'top',
    'Product Tag 2': 'soft',
    'Product Image 1 Url': `${a}`,
    'Product Image 2 Url': `${b}`,
    'Variant Option 1 Name': 'Size',
  }
  const file = csv([
    {
      ...product,
      'Variant SKU': 'TEE-S',
      'Variant Price EUR': '10',
      'Variant Price USD': '12',
      'Variant Option 1 Value': 'S',
    },
    {
      ...product,
      'Variant SKU': 'TEE-M',
      'Variant Price EUR': '11',
      'Variant Price USD': '13',
      'Variant Option 1 Value': 'M',
      'Variant Weight': '400',
    },
  ])
  const { products, remarks, ignored } = await read(file, { layout: 'medusa' })
  expect(products).toMatchObject([
    {
      handle: 'tee',
      published: true,
      tags: ['top', 'soft'],
      media: [{ url: a }, { url: b }],
      options: [{ title: 'Size', values: ['S', 'M'] }],
      variants: [
        { sku: 'TEE-S', price: '10' },
        { sku: 'TEE-M', price: '11', weight: { value: 400, unit: 'g' } },
      ],
    },
  ])
  expect([remarks, ignored]).toEqual([[], ['Variant Price USD']])
})

// The columns are those of https://experienceleague.adobe.com/en/docs/commerce-admin/systems/data-transfer/data-attributes-product
test('a Magento export lists the variants of a product after them', async () => {
  const file = csv([
    {
      sku: 'TEE-S',
      product_type: 'simple',
      name: 'Tee-S',
      price: '20.0000',
      special_price: '15.0000',
      url_key: 'tee-s',
      product_online: '1',
    },
    {
      sku: 'TEE-M',
      product_type: 'simple',
      name: 'Tee-M',
      price: '20.0000',
      url_key: 'tee-m',
      product_online: '1',
    },
    {
      sku: 'TEE',
      product_type: 'configurable',
      name: 'Tee',
      url_key: 'tee',
      product_online: '1',
      base_image: `${a}`,
      additional_images: `${a},${b}`,
      configurable_variations: 'sku=TEE-S,size=S,color=Red|sku=TEE-M,size=M,color=Red',
    },
    {
      sku: 'MUG',
      product_type: 'simple',
      name: 'Mug',
      price: '9.5000',
      url_key: 'mug',
      product_online: '2',
      base_image: '/m/u/mug.jpg',
    },
  ])
  const { products, remarks } = await read(file, { layout: 'magento' })
  expect(products).toMatchObject([
    {
      handle: 'tee',
      title: 'Tee',
      published: true,
      media: [{ url: a }, { url: b }],
      options: [
        { title: 'size', values: ['S', 'M'] },
        { title: 'color', values: ['Red'] },
      ],
      variants: [
        { sku: 'TEE-S', price: '15', compareAt: '20' },
        { sku: 'TEE-M', price: '20' },
      ],
    },
    { handle: 'mug', published: false, media: [], variants: [{ price: '9.50' }] },
  ])
  expect(remarks).toEqual([
    '5 base_image: The address of a picture begins with https:// or http://. --picture-base completes paths.',
  ])
  const pictureBase = 'https://shop.example/media/catalog/product/'
  const completed = await read(file, { layout: 'magento', pictureBase })
  expect(completed.products).toMatchObject([
    { media: [{ url: a }, { url: b }] },
    { media: [{ url: `${pictureBase}m/u/mug.jpg` }] },
  ])
  expect(completed.remarks).toEqual([])
})

// The columns are those of https://github.com/akeneo/pim-docs/blob/7.0/import_and_export_data/formats/product.rst and product_model.rst
test('an Akeneo file has names by language, prices by currency and products with a parent', async () => {
  const file = csv(
    [
      {
        code: 'TEE',
        'name-en_US': 'Tee',
        'name-fr_FR': 'T-shirt',
        'description-en_US-web': 'Soft',
        enabled: '1',
      },
      { sku: 'TEE-S', parent: 'TEE', 'price-EUR': '10', 'price-USD': '12', clothing_size: 's' },
      { sku: 'TEE-M', parent: 'TEE', 'price-EUR': '11', 'price-USD': '13', clothing_size: 'm' },
    ],
    ';',
  )
  const mapped = new Map([
    ['option1Value', 'clothing_size'],
    ['title', 'name-fr_FR'],
  ] as const)
  const { products, remarks } = await read(file, { layout: 'akeneo', mapped })
  expect(products).toMatchObject([
    {
      handle: 't-shirt',
      title: 'T-shirt',
      description: 'Soft',
      published: true,
      options: [{ title: 'clothing_size', values: ['s', 'm'] }],
      variants: [
        { sku: 'TEE-S', price: '10' },
        { sku: 'TEE-M', price: '11' },
      ],
    },
  ])
  expect(remarks).toEqual([])
})

// The columns are those of https://support.bigcommerce.com/articles/en_US/Knowledge/Supported-Product-Fields; the form of Options is untested.
test('a BigCommerce export has variants and pictures below their product', async () => {
  const file = csv([
    {
      Item: 'Product',
      ID: '1',
      Name: 'Tee',
      SKU: 'TEE',
      Price: '20',
      'Sale Price': '15',
      'Is Visible': 'TRUE',
      'Product URL': '/tee/',
      Type: 'Physical',
    },
    { Item: 'Variant', ID: '11', SKU: 'TEE-S', Price: '20', Options: 'Type=Rectangles|Name=Size|Value=S' },
    {
      Item: 'Variant',
      ID: '12',
      SKU: 'TEE-R',
      Price: '21',
      Options: 'Type=Swatch|Name=Size|Value=M[#ff0000]',
    },
    { Item: 'Image', ID: '21', 'Image URL (Import)': `${a}` },
    { Item: 'Product', ID: '2', Name: 'Mug', SKU: 'MUG', Price: '9', 'Is Visible': 'FALSE' },
  ])
  const { products, remarks } = await read(file, { layout: 'bigcommerce' })
  expect(products).toMatchObject([
    {
      handle: 'tee',
      published: true,
      media: [{ url: a }],
      options: [{ title: 'Size', values: ['S', 'M'] }],
      variants: [
        { sku: 'TEE-S', price: '20' },
        { sku: 'TEE-R', price: '21' },
      ],
    },
    { handle: 'mug', published: false, variants: [{ sku: 'MUG', price: '9' }] },
  ])
  expect(remarks).toEqual([])
})

test('a wrong quote, a wrong value and a variant without its product are reported with the columns of the file', async () => {
  const file = `ID,SKU,Name,Regular price,Sale price,Parent,Published
1,MUG,"Mug,9,,,1
2,TEE,Tee,"9,50",,,1
3,CUP-S,Cup - S,8,,CUP,1
`
  const { products, remarks } = await read(file, { layout: 'woocommerce' })
  expect(remarks).toEqual([
    '2 Name: A quote is not closed, or not doubled within a value.',
    '3 Regular price: The amount is no number such as 19.90. For decimal commas, add --decimal-comma.',
  ])
  expect(products).toMatchObject([
    { handle: 'tee', isPartial: true },
    { handle: 'cup-s', title: 'Cup - S', variants: [{ sku: 'CUP-S' }] },
  ])
})

/** The CSV of /admin: a spreadsheet computes none of it, and the importer reads it back unchanged. */
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { csvHeader, csvOf, type ExportedProduct } from '../../src/admin/products/csv.ts'
import { groupRows } from '../../src/local/import/csv.ts'
import { readProduct } from '../../src/local/import/product.ts'

type Texts = Readonly<
  Record<
    'title' | 'description' | 'vendor' | 'tag' | 'option' | 'value' | 'sku' | 'barcode' | 'alt' | 'seo',
    string
  >
>

function exported(texts: Texts): string {
  const product: ExportedProduct = {
    '@id': '/api/products/1',
    handle: 'mug',
    title: texts.title,
    description: texts.description,
    status: 'ACTIVE',
    channels: ['web'],
    vendor: texts.vendor,
    productType: texts.vendor,
    tags: [texts.tag],
    media: [{ url: 'https://a.example/1.jpg', alt: texts.alt }],
    seo: { title: texts.seo, description: texts.seo },
    options: [{ '@id': '/api/product_options/1', title: texts.option }],
    variants: [
      {
        '@id': '/api/variants/1',
        sku: texts.sku,
        barcode: texts.barcode,
        weight: null,
        measure: { value: 0.33, unit: 'l' },
        media: [],
        optionValues: [{ option: '/api/product_options/1', title: texts.value }],
      },
    ],
    variantsTotal: 1,
  }
  return csvHeader + csvOf(product, 'web', () => ({ amount: '9.90', compareAtAmount: null }))
}

async function imported(file: string): Promise<Texts> {
  for await (const group of groupRows([file])) {
    const { product, refusals } = readProduct(group)
    if (!product) throw new Error(JSON.stringify(refusals))
    const [variant] = product.variants
    expect(variant?.measure).toEqual({ value: 0.33, unit: 'l' })
    return {
      title: product.title ?? '',
      description: product.description ?? '',
      vendor: product.vendor ?? '',
      tag: product.tags?.[0] ?? '',
      option: variant?.optionValues[0]?.option ?? '',
      value: variant?.optionValues[0]?.value ?? '',
      sku: variant?.sku ?? '',
      barcode: variant?.barcode ?? '',
      alt: product.media?.[0]?.alt ?? '',
      seo: product.seo?.title ?? '',
    }
  }
  throw new Error('The file has no product.')
}

const names = [
  'title',
  'description',
  'vendor',
  'tag',
  'option',
  'value',
  'sku',
  'barcode',
  'alt',
  'seo',
] as const
/** The same text in each place; of a tag the file keeps no blanks around it. */
const all = (text: string) =>
  ({ ...Object.fromEntries(names.map((name) => [name, text])), tag: text.trim() }) as Texts

/** Texts as the importer takes them: it trims cells, and reads each line end as \\n. */
const text = fc
  .tuple(
    fc.constantFrom('', "'", "''", '=', '+', '-', '@', '\t=', "'\t", "'=", "''@", "'-"),
    fc.string({ unit: fc.constantFrom(...`='+-@"; \tab1é\n`), maxLength: 8 }),
    fc.constantFrom('x', '1', '"', '=', "'"),
  )
  .map((parts) => parts.join(''))
const kept = text.filter((each) => each === each.replace(/^[ \n]+/, ''))

test.each([
  '=HYPERLINK("https://evil.example")',
  '@SUM(A1)',
  '+1',
  '-5',
  '-5.25',
  '\t=1',
  '=1+1\n=2',
  "'=1",
  "''=1",
  "'007",
  "'",
  "'quoted'",
  '007',
  '1-2',
])('%j is exported and imported unchanged', async (each) => {
  expect(await imported(exported(all(each)))).toEqual(all(each))
})

test('a value that begins with a carriage return is exported as text; the importer reads it as a line break', async () => {
  const file = exported(all('\r=1'))
  expect(file).toContain(`"'\r=1"`)
  expect(await imported(file)).toEqual(all('\n=1'))
})

describe('any texts', () => {
  const texts = fc.record({
    title: kept,
    description: kept,
    vendor: kept,
    tag: kept.map((each) => each.trim()),
    option: kept,
    value: kept,
    sku: kept,
    barcode: kept,
    alt: kept,
    seo: kept,
  })

  test('come back unchanged', async () => {
    await fc.assert(
      fc.asyncProperty(texts, async (each) => {
        expect(await imported(exported(each))).toEqual(each)
      }),
      { numRuns: 500 },
    )
  })

  test('begin with nothing that a spreadsheet computes', () => {
    fc.assert(
      fc.property(
        fc.record({ ...Object.fromEntries(names.map((name) => [name, fc.string({ unit: 'binary' })])) } as {
          [Name in keyof Texts]: fc.Arbitrary<string>
        }),
        (each) => {
          const rows: string[][] = parse(exported(each), { record_delimiter: '\r\n' })
          for (const cell of rows.flat()) expect(cell).not.toMatch(/^[=+\-@\t\r]/)
        },
      ),
      { numRuns: 500 },
    )
  })
})

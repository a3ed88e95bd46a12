import { afterEach, beforeEach, expect, test } from 'vitest'
import { startFakeCatalogue } from '../../../test/support/fake-catalogue.ts'
import { type Client, openClient } from '../cli/http.ts'
import { noProgress } from '../cli/output.ts'
import { importProducts } from './command.ts'
import { groupRows } from './csv.ts'
import { Report, remarksOn } from './report.ts'

let service: Awaited<ReturnType<typeof startFakeCatalogue>>
let client: Client

beforeEach(async () => {
  service = await startFakeCatalogue()
  client = openClient({ port: service.port, host: 'acme.localhost', token: 'good', sleep: async () => {} })
})

afterEach(async () => {
  client.close()
  await service.close()
})

function load(csv: string, through = client): Promise<Report> {
  return importProducts(groupRows([csv]), through, { channel: 'web', currency: 'EUR' }, noProgress)
}

/** How many rows each POST to a path had. */
const sizes = (path: string) =>
  service.calls
    .filter((call) => call.method === 'POST' && call.path === path)
    .map(({ body }) => (body as unknown[]).length)

const counts = ({ counts: { products, variants, prices } }: Report) =>
  [products, variants, prices].map(({ created, changed, unchanged, rejected }) => [
    created,
    changed,
    unchanged,
    rejected,
  ])

const header =
  'Handle,Title,Vendor,Tags,Published,Option1 Name,Option1 Value,Variant SKU,Variant Grams,Variant Price,Variant Compare At Price,Variant Barcode,Image Src\n'
const shop = `${header}mug,Mug,Loom,"a, b",true,Size,S,MUG-S,300,9.50,12,,https://i.example/mug.jpg
mug,,,,,,M,MUG-M,350,11.50,,,
lamp,Lamp,Lux,,false,Title,Default Title,LAMP,1200,59,59,,
`

test('a file is imported whole, with prices in the channel', async () => {
  const report = await load(shop)
  expect(counts(report)).toEqual([
    [2, 0, 0, 0],
    [3, 0, 0, 0],
    [3, 0, 0, 0],
  ])
  expect(report.refusals.length > 0).toBe(false)
  expect(report.notes).toMatchObject([{ line: 4 }])
  expect(service.products).toMatchObject([
    { handle: 'mug', status: 'ACTIVE', channels: ['web'], tags: ['a', 'b'] },
    { handle: 'lamp', status: 'DRAFT', channels: [], options: [] },
  ])
  expect(
    service.offers.map(({ amount, compareAtAmount, channel, currency }) => [
      amount,
      compareAtAmount,
      channel,
      currency,
    ]),
  ).toEqual([
    ['9.50', '12', 'web', 'EUR'],
    ['11.50', undefined, 'web', 'EUR'],
    ['59', undefined, 'web', 'EUR'],
  ])
})

test('a second run changes nothing and writes nothing', async () => {
  await load(shop)
  service.takeWrites()
  const report = await load(shop)
  expect(service.takeWrites()).toEqual([])
  expect(counts(report)).toEqual([
    [0, 0, 2, 0],
    [0, 0, 3, 0],
    [0, 0, 3, 0],
  ])
})

test('an edited file writes only the edits', async () => {
  await load(shop)
  service.takeWrites()
  const report = await load(
    shop
      .replace('Mug,Loom', 'Big mug,Loom')
      .replace('MUG-M,350,11.50', 'MUG-M,360,10.90')
      .replace('59,59', '59,79'),
  )
  expect(service.takeWrites().map(({ method, body }) => [method, body])).toEqual(
    expect.arrayContaining([
      ['PATCH', { title: 'Big mug' }],
      ['PATCH', { weight: { value: 360, unit: 'g' } }],
      ['PATCH', { amount: '10.90' }],
      ['PATCH', { compareAtAmount: '79' }],
    ]),
  )
  expect(counts(report)).toEqual([
    [0, 1, 1, 0],
    [0, 1, 2, 0],
    [0, 2, 1, 0],
  ])
  expect(
    counts(
      await load(
        shop
          .replace('Mug,Loom', 'Big mug,Loom')
          .replace('MUG-M,350,11.50', 'MUG-M,360,10.90')
          .replace('59,59', '59,79'),
      ),
    )[0],
  ).toEqual([0, 0, 2, 0])
})

test('a value, then an option, that the file gains are added with their variants and prices', async () => {
  await load(shop)
  const grown = `${header}mug,Mug,Loom,"a, b",true,Size,S,MUG-S,300,9.50,12,,https://i.example/mug.jpg\nmug,,,,,,L,MUG-L,400,13,,,\n`
  expect(counts(await load(grown))).toEqual([
    [0, 1, 0, 0],
    [1, 0, 1, 0],
    [1, 0, 1, 0],
  ])
  const colored = `Handle,Title,Option1 Name,Option1 Value,Option2 Name,Option2 Value,Variant Price\nmug,Mug,Size,S,Color,Red,9.50\nmug,,,S,,Blue,9.50\n`
  expect(counts(await load(colored))).toEqual([
    [0, 1, 0, 0],
    [1, 1, 0, 0],
    [1, 1, 0, 0],
  ])
  expect(counts(await load(colored))).toEqual([
    [0, 0, 1, 0],
    [0, 0, 2, 0],
    [0, 0, 2, 0],
  ])
  expect(service.products[0]!.variants).toHaveLength(4)
})

test('a rejected part is reported with its line, and the rest is imported as a draft', async () => {
  const report = await load(`${header}a,A,,,true,Size,S,A-S,,5,,,
a,,,,,,M,A-M,,5,,123,
b,B,,,true,Title,Default Title,B,,7,,,
c,,,,true,Title,Default Title,C,,7,,,
d,D,,,true,Title,Default Title,D,,"7,50",,,
e,E,,,true,Title,Default Title,E,,7.505,,,
`)
  expect(report.refusals.toSorted((x, y) => x.line - y.line)).toEqual([
    { line: 3, handle: 'a', column: 'Variant Barcode', value: '123', message: 'This is no GTIN.' },
    { line: 5, handle: 'c', column: 'Title', value: '', message: 'This is required.' },
    {
      line: 6,
      handle: 'd',
      column: 'Variant Price',
      value: '7,50',
      message: expect.stringContaining('--decimal-comma'),
    },
    { line: 7, handle: 'e', column: 'Variant Price', value: '7.505', message: 'This is no amount.' },
  ])
  expect(
    service.products.map(({ handle, status, variants }) => [handle, status, (variants as []).length]),
  ).toEqual([
    ['b', 'ACTIVE', 1],
    ['d', 'DRAFT', 1],
    ['a', 'DRAFT', 1],
    ['e', 'DRAFT', 1],
  ])
  expect(counts(report)).toEqual([
    [4, 0, 0, 1],
    [4, 0, 0, 2],
    [2, 0, 0, 3],
  ])
})

test('one broken quote of 200 products leaves no other product unread', async () => {
  const rows = Array.from(
    { length: 200 },
    (_, index) => `p${index},${index === 149 ? '"' : ''}P,,,true,Title,Default Title,S${index},,1,,,\n`,
  )
  const report = await load(header + rows.join(''))
  expect(report.refusals).toMatchObject([{ line: 151, handle: 'p149', column: 'Title', value: '"P' }])
  expect(counts(report)[0]).toEqual([199, 0, 0, 1])
  expect(report.text()).toMatch(/^rows +200 +1 +0$/m)
})

test('the file of rejected rows has all rows of their products, and completes the import when it is corrected', async () => {
  const wrong = shop
    .replace('11.50', '"11,50"')
    .replace('true,Size', 'yep,Size')
    .replace('lamp,Lamp', 'lamp,"Lamp')
  const report = await load(wrong)
  expect(report.rejectedFile()).toBe(
    `\uFEFFRejected because,${header}"Published: The value is unknown: ""yes"" is probably meant.",mug,Mug,Loom,"a, b",yep,Size,S,MUG-S,300,9.50,12,,https://i.example/mug.jpg
"Variant Price: The amount is no number such as 19.90. For decimal commas, add --decimal-comma.",mug,,,,,,M,MUG-M,350,"11,50",,,
"Title: A quote is not closed, or not doubled within a value.",lamp,Lamp,Lux,,false,Title,Default Title,LAMP,1200,59,59,,
`,
  )
  expect(service.products).toMatchObject([{ handle: 'mug', status: 'DRAFT', variants: [{}, {}] }])
  // Nothing goes on sale as long as a part is rejected.
  await load(wrong)
  expect(service.products).toMatchObject([{ status: 'DRAFT' }])
  const corrected = report.rejectedFile()!.slice(1).replace('"11,50",', '11.50,').replace(',yep,', ',true,')
  const completed = await load(corrected)
  expect([completed.refusals, counts(completed)]).toEqual([
    [],
    [
      [1, 1, 0, 0],
      [1, 0, 2, 0],
      [2, 0, 1, 0],
    ],
  ])
  expect(service.products).toMatchObject([
    { handle: 'mug', status: 'ACTIVE', channels: ['web'] },
    { handle: 'lamp', status: 'DRAFT' },
  ])
  expect(completed.rejectedFile()).toBeNull()
  expect(completed.text()).not.toContain('not imported')
})

test('a product goes on sale after its variants, and not if one of them is rejected', async () => {
  await load(shop.replace('true,Size', 'false,Size'))
  service.takeWrites()
  const bad = await load(shop.replace('350,11.50,,', '350,11.50,,123'))
  expect(bad.refusals).toHaveLength(1)
  expect(service.products[0]).toMatchObject({ status: 'DRAFT', channels: [] })
  service.takeWrites()
  expect(counts(await load(shop))[0]).toEqual([0, 1, 1, 0])
  expect(service.takeWrites().at(-1)?.body).toEqual({ status: 'ACTIVE', channels: ['web'] })
})

test('a conflict that names no row is searched for, and only its product is refused', async () => {
  const rows = Array.from(
    { length: 9 },
    (_, index) => `p${index},P,,,true,Title,Default Title,${index === 6 ? 'SAME' : `S${index}`},,1,,,\n`,
  )
  await load(`${header}first,First,,,true,Title,Default Title,SAME,,1,,,\n`)
  const report = await load(header + rows.join(''))
  expect(report.refusals).toEqual([{ line: 8, handle: 'p6', message: 'The SKU is taken.' }])
  expect(service.products).toHaveLength(9)
})

test('a new product is not created if other products have the SKUs of all its variants', async () => {
  const list = { status: 200, body: { member: [] } }
  const violations = [0, 1].map((place) => ({
    propertyPath: `[0].variants[${place}].sku`,
    message: 'Another variant has this SKU.',
    slug: 'variant.sku_taken',
  }))
  service.troubles.push(list, list, { status: 409, body: { violations } })
  const report = await load(`${header}tasse,Tasse,,,true,Taille,P,MUG-S,,1,,,\ntasse,,,,,,M,MUG-M,,1,,,\n`)
  expect(service.products).toEqual([])
  expect(counts(report)).toEqual([
    [0, 0, 0, 1],
    [0, 0, 0, 2],
    [0, 0, 0, 2],
  ])
  expect(report.refusals).toMatchObject([
    { line: 2, message: 'Another variant has this SKU. To change that product, give the row its handle.' },
    { line: 3 },
  ])
  // One free SKU is enough for a draft.
  service.troubles.push(list, list, { status: 409, body: { violations: violations.slice(0, 1) } })
  await load(`${header}tasse,Tasse,,,true,Taille,P,MUG-S,,1,,,\ntasse,,,,,,M,MUG-M,,1,,,\n`)
  expect(service.products).toMatchObject([{ handle: 'tasse', status: 'DRAFT', variants: [{ sku: 'MUG-M' }] }])
})

test('new products without a column for their status are drafts, with a note', async () => {
  const text = (await load('Handle,Title\nmug,Mug\npot,Pot\n')).text()
  expect(text).toContain('2 new products are drafts, because no column says whether they are published')
  expect((await load('Handle,Title\nmug,Mug\n')).text()).not.toContain('draft')
  expect((await load('Handle,Title,Published\npan,Pan,false\n')).text()).not.toContain('draft')
})

test('a refused variant does not stop the other rows of its product', async () => {
  await load(shop)
  const report = await load(shop.replace('350,11.50,,', '350,11.50,,123').replace('9.50,12', '9.90,12'))
  expect(report.refusals).toEqual([
    { line: 3, handle: 'mug', column: 'Variant Barcode', value: '123', message: 'This is no GTIN.' },
  ])
  expect(counts(report)).toEqual([
    [0, 0, 2, 0],
    [0, 0, 2, 1],
    [0, 1, 1, 1],
  ])
})

test('a product whose update is rejected is reported with its line, and its variants are not written', async () => {
  await load(shop)
  service.takeWrites()
  const title = 'x'.repeat(256)
  const report = await load(shop.replace('Mug,Loom', `${title},Loom`).replace('350,11.50', '360,12'))
  expect(report.refusals).toEqual([
    { line: 2, handle: 'mug', column: 'Title', value: title, message: 'This is too long.' },
  ])
  expect(service.takeWrites().map(({ body }) => body)).toEqual([{ title }])
  expect(counts(report)).toEqual([
    [0, 0, 1, 1],
    [0, 0, 1, 2],
    [0, 0, 1, 2],
  ])
})

test('rows of a handle that are not together are refused instead of clearing the product', async () => {
  const report = await load(`${shop}mug,,,,,,L,MUG-L,400,13,,,\n`)
  expect(report.refusals).toMatchObject([
    { line: 5, handle: 'mug', message: expect.stringContaining('line 2') },
  ])
  expect(service.products[0]).toMatchObject({ vendor: 'Loom', tags: ['a', 'b'] })
})

test('requests hold at most fifty products and 250 offers', async () => {
  const rows = Array.from({ length: 120 }, (_, index) => {
    const sizes = Array.from(
      { length: 6 },
      (_, size) => `p${index},${size ? '' : 'P'},,,true,${size ? '' : 'Size'},${size},,,1,,,\n`,
    )
    return sizes.join('')
  })
  const report = await load(header + rows.join(''))
  expect(report.counts.prices.created).toBe(720)
  expect(sizes('/api/products').slice(0, 2)).toEqual([41, 9])
  expect(sizes('/api/products').slice(2).toSorted()).toEqual([20, 41, 9])
  expect(sizes('/api/sale_offers')).toEqual([])
  await load(`${header}${Array.from({ length: 60 }, (_, index) => `q${index},P,,,,,,,,,,,\n`).join('')}`)
  expect(sizes('/api/products').slice(5)).toEqual([50, 10])
})

const many = (count: number, of: (index: number) => string) =>
  header + Array.from({ length: count }, (_, index) => of(index)).join('')
const lookups = () =>
  service.calls.filter(({ method, path }) => method === 'GET' && path === '/api/products').length

test('products are looked for until a batch has found none, and again when one is refused', async () => {
  const row = (index: number) => `p${index},P,,,true,Title,Default Title,S${index},,1,,,\n`
  expect(counts(await load(many(160, row)))[0]).toEqual([160, 0, 0, 0])
  expect(lookups()).toBe(1 + 50)
  service.calls.length = 0
  expect(counts(await load(many(160, row)))).toEqual(Array(3).fill([0, 0, 160, 0]))
  expect([lookups(), sizes('/api/products')]).toEqual([1 + 160, []])
  service.calls.length = 0
  // Three batches of new ones, and one of those that are there: it is refused as a whole, and found.
  const mixed = many(200, (index) => row(index < 150 ? index + 1000 : index - 100))
  expect(counts(await load(mixed))[0]).toEqual([150, 0, 50, 0])
  expect([lookups(), sizes('/api/products')]).toEqual([1 + 100, [50, 50, 50, 50]])
})

test('of two products in one file with one SKU the first has it, however many are written at once', async () => {
  const row = (index: number) =>
    `p${index},P,,,true,Title,Default Title,${index % 50 === 49 && index > 50 ? 'SAME' : `S${index}`},,1,,,\n`
  // The second batch is held up.
  service.troubles.push(...Array(52).fill(undefined), 'hang up')
  const report = await load(many(150, row))
  expect(report.refusals).toEqual([{ line: 151, handle: 'p149', message: 'The SKU is taken.' }])
  expect(service.products).toHaveLength(149)
})

test('the prices of a product that has more than one request takes are written after it', async () => {
  const rows = Array.from(
    { length: 600 },
    (_, size) => `big,${size ? '' : 'Big'},,,true,${size ? '' : 'Size'},${size},,,${size % 2 ? '' : 5},,,\n`,
  )
  const more = Array.from(
    { length: 251 },
    (_, size) => `huge,${size ? '' : 'H'},,,true,Size,${size},,,7,,,\n`,
  )
  const file = header + rows.join('') + more.join('')
  const report = await load(file)
  expect(counts(report)).toEqual([
    [2, 0, 0, 0],
    [851, 0, 0, 0],
    [551, 0, 0, 0],
  ])
  expect(sizes('/api/products')).toEqual([1, 1])
  expect(sizes('/api/sale_offers')).toEqual([51])
  expect(new Set(service.offers.map(({ variant }) => variant)).size).toBe(551)
  service.takeWrites()
  expect(counts(await load(file))[2]).toEqual([0, 0, 551, 0])
  expect(service.takeWrites()).toEqual([])
})

test('large descriptions are spread over several requests', async () => {
  const text = 'x'.repeat(60_000)
  const rows = Array.from({ length: 40 }, (_, index) => `p${index},P,${text}\n`)
  const report = await load(`Handle,Title,Body (HTML)\n${rows.join('')}`)
  expect(report.counts.products.created).toBe(40)
  const bytes = service.calls
    .filter(({ method }) => method === 'POST')
    .map(({ body }) => JSON.stringify(body).length)
  expect(bytes.length).toBeGreaterThan(1)
  expect(Math.max(...bytes)).toBeLessThan(1_048_576)
})

test('a slow-down and a broken connection in between lose nothing and double nothing', async () => {
  service.troubles.push(
    'hang up',
    { status: 429, body: {}, headers: { 'retry-after': '1' } },
    { status: 503, body: {} },
    'hang up',
  )
  expect(counts(await load(shop))[0]).toEqual([2, 0, 0, 0])
  expect(service.products).toHaveLength(2)
})

test('a token without rights stops the import instead of refusing every line', async () => {
  const stranger = openClient({ port: service.port, host: 'acme.localhost', token: 'bad' })
  const report = new Report()
  const target = { channel: 'web', currency: 'EUR' }
  const stopped = importProducts(
    groupRows([many(160, (index) => `p${index},P,,,true,,,,,1,,,\n`)]),
    stranger,
    target,
    noProgress,
    report,
  )
  await expect(stopped).rejects.toThrow('The token is not valid.')
  expect([report.refusals, report.notes]).toEqual([[], []])
  expect(report.text()).toMatch(/^rows +0 +0 +160\nproducts +0 +0 +0 +0 +0 +160$/m)
  stranger.close()
})

test('an import in a second language translates, and refuses options it cannot match', async () => {
  await load(shop)
  const french = openClient({ port: service.port, host: 'acme.localhost', token: 'good', locale: 'fr-FR' })
  const report = await load(
    `Handle,Title,Option1 Name,Option1 Value,Variant SKU\nlamp,Lampe,Title,Default Title,LAMP\nmug,Tasse,Taille,P,MUG-S\n`,
    french,
  )
  french.close()
  expect(report.refusals).toMatchObject([{ line: 3, handle: 'mug' }])
  expect(service.products.map(({ title }) => title)).toEqual([
    { 'en-US': 'Mug' },
    { 'en-US': 'Lamp', 'fr-FR': 'Lampe' },
  ])
})

test('an SKU that one product leaves and another one takes, further on in the file, is free by then', async () => {
  const row = (index: number, sku = `S${index}`) => `p${index},P,,,true,Title,Default Title,${sku},,1,,,\n`
  await load(many(150, row))
  const moved = (index: number) => row(index, index === 60 ? 'OWN' : index === 160 ? 'S60' : undefined)
  const report = await load(many(200, moved))
  expect(report.refusals).toEqual([])
  expect(counts(report)[0]).toEqual([50, 0, 150, 0])
})

test('an import that is stopped reports all its writes, and writes nothing more', async () => {
  const row = (index: number) => `p${index},P,,,true,Title,Default Title,S${index},,1,,,\n`
  const report = new Report()
  async function* broken() {
    yield* groupRows([many(220, row)])
    throw new Error('The file ends in the middle of a line.')
  }
  const stopped = importProducts(broken(), client, { channel: 'web', currency: 'EUR' }, noProgress, report)
  await expect(stopped).rejects.toThrow('in the middle')
  const made = service.products.length
  expect([made, report.counts.products.created]).toEqual([200, 200])
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(service.products).toHaveLength(made)
})

const product = {
  line: 2,
  rows: [],
  isPartial: false,
  handle: 'mug',
  options: [],
  variants: [
    { line: 2, optionValues: [{ option: 'Size', value: 'S' }], price: '5', compareAt: null },
    { line: 7, optionValues: [{ option: 'Size', value: 'M' }], price: null, compareAt: null },
  ],
}

test('a violation inside a variant is reported with the line of that variant', () => {
  const remarks = remarksOn(product, [
    { propertyPath: 'title', message: 'Required.' },
    { propertyPath: 'variants[1].barcode', message: 'No GTIN.' },
  ])
  expect(remarks).toEqual([
    { line: 2, handle: 'mug', message: 'title: Required.' },
    { line: 7, handle: 'mug', message: 'barcode: No GTIN.' },
  ])
})

test('the text counts everything and lists remarks by line', () => {
  const report = new Report()
  const sheet = { header: ['Handle', 'SKU', 'Colour'], delimiter: ',', ignored: new Set(['Colour']) }
  const source = { line: 12, cells: ['mug', 'X', 'red'], fault: null }
  const row = { line: 12, fault: null, cells: new Map(), nameOf: new Map(), source }
  const twice = { ...product, rows: [row] }
  report.find(twice.rows, sheet, twice)
  report.find([row, { ...row, source: { ...source } }], sheet, twice)
  report.count('products', 'created')
  report.rejectProduct(twice, [
    { line: 12, handle: 'mug', column: 'SKU', value: 'X', message: 'Taken.' },
    { line: 7, handle: '', message: 'No handle.' },
  ])
  expect(report.text()).toBe(
    [
      '          read  created  changed  unchanged  rejected  unread',
      'rows         1                                      1       2',
      'products     2        1        0          0         1       0',
      'variants     2        0        0          0         2       2',
      'prices       1        0        0          0         1       1',
      '',
      'Columns that are not imported: Colour',
      '',
      'Rejected:',
      '  line  7  –    No handle.',
      '  line 12  mug  SKU "X": Taken.',
    ].join('\n'),
  )
})

test('a note alone is no refusal', () => {
  const report = new Report()
  report.notes.push({ line: 3, handle: 'mug', message: 'Left out.' })
  expect(report.refusals.length > 0).toBe(false)
  expect(report.text()).toContain('Noted:\n  line 3  mug  Left out.')
})

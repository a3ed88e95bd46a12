import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Doorstep, openDoor } from '../../../test/support/doorstep.ts'
import { openWorld, type World } from '../../../test/support/webhooks.ts'
import { type Client, openClient } from '../cli/http.ts'
import { noProgress } from '../cli/output.ts'
import type { Import } from './apply.ts'
import { importProducts } from './command.ts'
import { groupRows } from './csv.ts'
import { remarksOn } from './rejected.ts'
import { Report } from './report.ts'

let world: World
let door: Doorstep
let client: Client
/** The paths of requests that write. */
let writes: string[]

beforeEach(async () => {
  world = await openWorld()
  door = await openDoor(world.shop, '127.0.0.1')
  client = await connect()
})

afterEach(async () => {
  client.close()
  await door.close()
})

/** A client that performs bulk operations when it reads them. */
async function connect(locale?: string): Promise<Client> {
  const { shop } = world
  const port = Number(new URL(door.origin).port)
  const opened = openClient({ port, host: shop.host, token: await shop.token(), locale })
  const noted = async (method: string, path: string) => {
    if (method !== 'GET') writes.push(`${method} ${path.replace(/\?.*/, '')}`)
    else if (path.startsWith('/api/bulk_operations')) await world.drain()
  }
  return {
    ...opened,
    async send(method, path, ...rest) {
      await noted(method, path)
      return opened.send(method, path, ...rest)
    },
    async read(path) {
      await noted('GET', path)
      return opened.read(path)
    },
    async write(method, path, ...rest) {
      await noted(method, path)
      return opened.write(method, path, ...rest)
    },
  }
}

type Given = Partial<Import & { readonly atOnce: number }>

function load(csv: string, given: Given = {}): Promise<Report> {
  writes = []
  const { signal } = new AbortController()
  const target = { channel: 'web', currency: 'EUR' }
  const standard = { client, target, progress: noProgress, report: new Report(), signal, bulkAbove: 1000 }
  return importProducts(groupRows([csv]), { ...standard, ...given })
}

const products = async (query = ''): Promise<Record<string, unknown>[]> =>
  (await world.shop.read(`/api/products?itemsPerPage=100${query}`)).member.toSorted(
    (a: { handle: string }, b: { handle: string }) => a.handle.localeCompare(b.handle),
  )
const product = async (handle: string): Promise<Record<string, unknown>> =>
  (await products(`&handle=${handle}`))[0] ?? {}
const offers = async (query = ''): Promise<Record<string, unknown>[]> =>
  (await world.shop.read(`/api/sale_offers?itemsPerPage=100&order[createdAt]=asc${query}`)).member
const sequence = async () => Number((await world.shop.get('/api/products')).headers.get('service-sequence'))

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
const row = (index: number, sku = `S${index}`) => `p${index},P,,,true,Title,Default Title,${sku},,1,,,\n`
const many = (count: number, of: (index: number) => string = row) =>
  header + Array.from({ length: count }, (_, index) => of(index)).join('')
const bulk = { bulkAbove: 1, atOnce: 5 }
/** An SKU that the service rejects. */
const long = 'x'.repeat(256)

test.each([
  ['single upserts', {}],
  ['bulk operations', bulk],
])('a file is imported whole by %s, then found equal, and its edits are written', async (_, given) => {
  const report = await load(shop, given)
  expect(report.refusals).toEqual([])
  expect(counts(report)).toEqual([
    [2, 0, 0, 0],
    [3, 0, 0, 0],
    [3, 0, 0, 0],
  ])
  expect(report.notes).toMatchObject([{ line: 4 }])
  expect(await products()).toMatchObject([
    { handle: 'lamp', status: 'DRAFT', channels: [], options: [] },
    {
      handle: 'mug',
      externalId: expect.stringMatching(/^import:/),
      status: 'ACTIVE',
      channels: ['web'],
      tags: ['a', 'b'],
      media: [{ url: 'https://i.example/mug.jpg' }],
      variants: [{ sku: 'MUG-S', weight: { value: 300, unit: 'g' } }, { sku: 'MUG-M' }],
    },
  ])
  expect(
    (await offers())
      .map(({ amount, compareAtAmount, channel, currency }) => [amount, compareAtAmount, channel, currency])
      .toSorted(([one], [other]) => Number(one) - Number(other)),
  ).toEqual([
    ['9.50', '12.00', 'web', 'EUR'],
    ['11.50', null, 'web', 'EUR'],
    ['59.00', null, 'web', 'EUR'],
  ])

  const before = await sequence()
  const unchanged = [
    [0, 0, 2, 0],
    [0, 0, 3, 0],
    [0, 0, 3, 0],
  ]
  expect(counts(await load(shop, given))).toEqual(unchanged)
  const edited = shop
    .replace('Mug,Loom', 'Big mug,Loom')
    .replace('MUG-M,350,11.50', 'MUG-M,360,10.90')
    .replace('59,59', '59,79')
  const own = async () => (await sequence()) - before
  if (given !== bulk) expect(await own()).toBe(0)
  expect(counts(await load(edited, given))).toEqual([
    [0, 2, 0, 0],
    [0, 1, 2, 0],
    [0, 2, 1, 0],
  ])
  expect(await product('mug')).toMatchObject({ title: 'Big mug', version: 2 })
  expect(counts(await load(edited, given))).toEqual(unchanged)
  expect(writes.map((write) => write.replace(/\/import.*/, ''))).toEqual(
    given === bulk
      ? ['POST /api/bulk_operations']
      : ['PATCH /api/products/by-external-id', 'PATCH /api/products/by-external-id'],
  )
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
  expect((await product('mug')).variants).toMatchObject([{ sku: 'MUG-S' }, {}, {}, { sku: null }])
})

test.each([
  ['single upserts', {}],
  ['bulk operations', bulk],
])(
  'by %s, a rejected part is reported with its line, and the rest is imported as a draft',
  async (_, given) => {
    const report = await load(
      `${header}a,A,,,true,Size,S,A-S,,5,,,
a,,,,,,M,${long},,5,,,
b,B,,,true,Title,Default Title,B,,7,,,
c,,,,true,Title,Default Title,C,,7,,,
d,D,,,true,Title,Default Title,D,,"7,50",,,
e,E,,,true,Title,Default Title,E,,7.505,,,
`,
      given,
    )
    expect(report.refusals.toSorted((x, y) => x.line - y.line)).toEqual([
      { line: 3, handle: 'a', column: 'Variant SKU', value: long, message: expect.any(String) },
      { line: 5, handle: 'c', column: 'Title', value: '', message: expect.any(String) },
      {
        line: 6,
        handle: 'd',
        column: 'Variant Price',
        value: '7,50',
        message: expect.stringContaining('--decimal-comma'),
      },
      { line: 7, handle: 'e', column: 'Variant Price', value: '7.505', message: expect.any(String) },
    ])
    const stored = await products()
    expect(stored.map(({ handle, status, variantsTotal }) => [handle, status, variantsTotal])).toEqual([
      ['a', 'DRAFT', 1],
      ['b', 'ACTIVE', 1],
      ['d', 'DRAFT', 1],
      ['e', 'DRAFT', 1],
    ])
    expect(counts(report)).toEqual([
      [4, 0, 0, 1],
      [4, 0, 0, 2],
      [2, 0, 0, 3],
    ])
  },
)

test('one broken quote of 200 products leaves no other product unread', async () => {
  const report = await load(many(200, (index) => row(index).replace(',P,', index === 149 ? ',"P,' : ',P,')))
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
  expect(await products()).toMatchObject([{ handle: 'mug', status: 'DRAFT', variants: [{}, {}] }])
  // Nothing goes on sale as long as a part is rejected.
  await load(wrong)
  expect(await products()).toMatchObject([{ status: 'DRAFT' }])
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
  expect(await products()).toMatchObject([
    { handle: 'lamp', status: 'DRAFT' },
    { handle: 'mug', status: 'ACTIVE', channels: ['web'] },
  ])
  expect(completed.rejectedFile()).toBeNull()
  expect(completed.text()).not.toContain('not imported')
})

test('a product does not go on sale if one of its variants is rejected, and keeps its pictures', async () => {
  await load(shop.replace('true,Size', 'false,Size'))
  const bad = await load(shop.replace('MUG-M', long).replace('https://i.example/mug.jpg', 'mug.jpg'))
  expect(bad.refusals).toHaveLength(2)
  expect(await product('mug')).toMatchObject({
    status: 'DRAFT',
    channels: [],
    media: [{ url: 'https://i.example/mug.jpg' }],
  })
  expect(counts(await load(shop))[0]).toEqual([0, 1, 1, 0])
  expect(await product('mug')).toMatchObject({ status: 'ACTIVE', channels: ['web'] })
})

test('publishing adds the channel, withdrawing removes this channel alone', async () => {
  await load(shop)
  const { '@id': iri } = await product('mug')
  await world.shop.update(String(iri), { channels: ['store', 'web'] })
  await load(shop.replace('true,Size', 'false,Size'))
  expect(await product('mug')).toMatchObject({ status: 'ACTIVE', channels: ['store'] })
  await load(shop)
  expect(await product('mug')).toMatchObject({ status: 'ACTIVE', channels: ['store', 'web'] })
  await world.shop.update(String(iri), { channels: ['web'] })
  await load(shop.replace('true,Size', 'false,Size'))
  expect(await product('mug')).toMatchObject({ status: 'DRAFT', channels: [] })
})

/** A client that delays the first upsert with an SKU. */
function slow(sku: string): Client {
  let isFirst = true
  return {
    ...client,
    async send(method, path, body, ...rest) {
      const isDelayed = isFirst && JSON.stringify(body ?? '').includes(`"sku":"${sku}"`)
      if (isDelayed) isFirst = false
      if (isDelayed) await new Promise((resolve) => setTimeout(resolve, 1000))
      return client.send(method, path, body, ...rest)
    },
  }
}

test.each([
  ['single upserts', {}],
  ['bulk operations', bulk],
])('by %s, of products with one SKU the first in the file has it', async (_, given) => {
  const report = await load(
    many(12, (index) => row(index, index % 5 === 4 ? 'SAME' : undefined)),
    given,
  )
  expect(report.refusals).toMatchObject([{ line: 11, handle: 'p9', column: 'Variant SKU', value: 'SAME' }])
  expect(counts(report)[0]).toEqual([11, 0, 0, 1])
})

test('a new product is not created if other products have the SKUs of all its variants', async () => {
  await load(shop)
  const file = `${header}tasse,Tasse,,,true,Taille,P,MUG-S,,1,,,\ntasse,,,,,,M,MUG-M,,1,,,\n`
  const report = await load(file)
  expect(counts(report)).toEqual([
    [0, 0, 0, 1],
    [0, 0, 0, 2],
    [0, 0, 0, 2],
  ])
  expect(report.refusals).toMatchObject([
    { line: 2, message: expect.stringMatching(/ To change that product, give the row its handle\.$/) },
    { line: 3 },
  ])
  // One free SKU is enough for a draft.
  await load(file.replace('MUG-M', 'TASSE-M'))
  expect(await product('tasse')).toMatchObject({ status: 'DRAFT', variants: [{ sku: 'TASSE-M' }] })
})

test('new products without a column for their status are drafts, with a note', async () => {
  const text = (await load('Handle,Title\nmug,Mug\npot,Pot\n')).text()
  expect(text).toContain('2 new products are drafts, because no column says whether they are published')
  expect((await load('Handle,Title\nmug,Mug\n')).text()).not.toContain('draft')
  expect((await load('Handle,Title,Published\npan,Pan,false\n')).text()).not.toContain('draft')
})

test('a refused variant does not stop the other rows of its product', async () => {
  await load(shop)
  const report = await load(shop.replace('MUG-M', long).replace('9.50,12', '9.90,12'))
  expect(report.refusals).toMatchObject([{ line: 3, handle: 'mug', column: 'Variant SKU', value: long }])
  expect(counts(report)).toEqual([
    [0, 1, 1, 0],
    [0, 0, 2, 1],
    [0, 1, 1, 1],
  ])
})

test('a price list without options finds variants by their SKUs', async () => {
  await load(shop)
  const list = 'Handle,Variant SKU,Variant Price\nmug,MUG-M,10\n'
  expect(counts(await load(list))).toEqual([
    [0, 1, 0, 0],
    [0, 0, 1, 0],
    [0, 1, 0, 0],
  ])
  expect(await product('mug')).toMatchObject({
    title: 'Mug',
    tags: ['a', 'b'],
    variants: [{ title: 'S' }, { title: 'M' }],
  })
})

test('a product whose update is rejected is reported with its line, and its variants are not written', async () => {
  await load(shop)
  const before = await sequence()
  const title = 'x'.repeat(256)
  const report = await load(shop.replace('Mug,Loom', `${title},Loom`).replace('350,11.50', '360,12'))
  expect(report.refusals).toMatchObject([{ line: 2, handle: 'mug', column: 'Title', value: title }])
  expect(await sequence()).toBe(before)
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
  expect(await product('mug')).toMatchObject({ vendor: 'Loom', tags: ['a', 'b'] })
})

test('a product with more rows than one request takes is written by several, and is on sale after the last', async () => {
  const columns =
    'Handle,Title,Published,Option1 Name,Option1 Value,Option2 Name,Option2 Value,Variant SKU,Variant Price\n'
  const big = (title: string) =>
    columns +
    Array.from({ length: 420 }, (_, n) => {
      const own = n === 0 ? `${title},true,Size,0,Color` : `,,,${n % 21},`
      return `big,${own},${Math.floor(n / 21)},V${n},${n % 2 ? '' : 5}\n`
    }).join('')
  const first = await load(big('Big'))
  expect(first.refusals).toEqual([])
  expect(counts(first)).toEqual([
    [1, 0, 0, 0],
    [420, 0, 0, 0],
    [210, 0, 0, 0],
  ])
  expect(writes).toHaveLength(3)
  expect(await product('big')).toMatchObject({ variantsTotal: 420, status: 'DRAFT' })
  const changed = big('Bigger').replace('V419,', 'V419,7')
  expect(counts(await load(changed, bulk))).toEqual([
    [0, 1, 0, 0],
    [0, 0, 420, 0],
    [1, 0, 210, 0],
  ])
})

test('a file of several bulk operations has the results of all', async () => {
  const report = await load(
    many(12, (index) => row(index).replace(',P,', index === 7 ? ',,' : ',P,')),
    bulk,
  )
  expect(writes.slice(0, 2)).toEqual(['POST /api/bulk_operations', 'POST /api/bulk_operations'])
  expect(report.refusals).toMatchObject([{ line: 9, handle: 'p7', column: 'Title' }])
  expect(counts(report)[0]).toEqual([11, 0, 0, 1])
})

test('a cancelled bulk operation leaves the products that it has not performed unread', async () => {
  const controller = new AbortController()
  const report = new Report()
  const cancelling: Client = {
    ...client,
    async write(method, path, ...rest) {
      const document = await client.write(method, path, ...rest)
      controller.abort()
      return document as never
    },
  }
  const given = { ...bulk, client: cancelling, report, signal: controller.signal }
  await expect(load(many(8), given)).rejects.toThrow('Cancelled. Written products remain.')
  expect(writes).toEqual([
    'POST /api/bulk_operations',
    expect.stringMatching(/^DELETE \/api\/bulk_operations\//),
  ])
  expect(await products()).toEqual([])
  expect(report.text()).toMatch(/^rows +0 +0 +8\nproducts +0 +0 +0 +0 +0 +8$/m)
  expect(counts(await load(many(8), bulk))[0]).toEqual([8, 0, 0, 0])
})

test('a token without rights stops the import instead of refusing every line', async () => {
  const stranger = openClient({
    port: Number(new URL(door.origin).port),
    host: world.shop.host,
    token: 'bad',
  })
  const report = new Report()
  await expect(load(many(160), { client: stranger, report })).rejects.toThrow(/token/i)
  expect([report.refusals, report.notes]).toEqual([[], []])
  expect(report.text()).toMatch(/^rows +0 +0 +160\nproducts +0 +0 +0 +0 +0 +160$/m)
  stranger.close()
})

test('a failure of the service stops the import after the writes that have begun, and reports these', async () => {
  const report = new Report()
  let sent = 0
  const failing: Client = {
    ...client,
    async send(method, path, ...rest) {
      if (method === 'PATCH') sent += 1
      const reply = await client.send(method, path, ...rest)
      return sent > 20 ? { ...reply, status: 503, body: { message: 'Away.' } } : reply
    },
  }
  await expect(load(many(60), { client: failing, report })).rejects.toThrow('Away.')
  expect(sent).toBeLessThan(40)
  const { created } = report.counts.products
  expect(created).toBeGreaterThan(5)
  expect(report.text()).toMatch(
    new RegExp(`^products +${created} +${created} +0 +0 +0 +${60 - created}$`, 'm'),
  )
  const before = await sequence()
  await new Promise((resolve) => setTimeout(resolve, 100))
  expect(await sequence()).toBe(before)
})

test('an import in a second language translates, and refuses options it cannot match', async () => {
  await load(shop)
  const french = await connect('fr-FR')
  const report = await load(
    `Handle,Title,Option1 Name,Option1 Value,Variant SKU\nlamp,Lampe,Title,Default Title,LAMP\nmug,Tasse,Taille,P,MUG-S\n`,
    { client: french },
  )
  french.close()
  expect(report.refusals).toMatchObject([{ line: 3, handle: 'mug' }])
  expect((await products()).map(({ title }) => title)).toEqual(['Lamp', 'Mug'])
  const shown = await world.shop.read('/api/products?order[title]=asc', { locale: 'fr-FR' })
  expect(shown.member.map(({ title }: { title: string }) => title)).toEqual(['Lampe', 'Mug'])
})

test('an SKU that one product leaves and another one takes, further on in the file, is free by then', async () => {
  await load(many(20))
  const moved = (index: number) => row(index, index === 3 ? 'OWN' : index === 25 ? 'S3' : undefined)
  const report = await load(many(30, moved), { client: slow('OWN') })
  expect(report.refusals).toEqual([])
  expect(counts(report)[0]).toEqual([10, 1, 19, 0])
})

test('a product that has no external id gets one, and is not changed otherwise', async () => {
  await world.shop.create('/api/products', { title: 'Mug', handle: 'mug', variants: [{ sku: 'MUG' }] })
  const file = 'Handle,Title,Variant SKU\nmug,Mug,MUG\n'
  for (const given of [{}, bulk]) {
    const report = await load(file, given)
    expect(counts(report)[0]).toEqual([0, 0, 1, 0])
    expect(report.linked).toBe(given === bulk ? 0 : 1)
  }
  const { '@id': iri, externalId } = await product('mug')
  expect(externalId).toBe(`import:${String(iri).split('/').at(-1)}`)
})

test('an archived product remains archived, and its handle gets a new one', async () => {
  await load(shop)
  const { '@id': lamp } = await product('lamp')
  await world.shop.delete(String(lamp), { status: 204 })
  expect(counts(await load(shop))[0]).toEqual([1, 0, 1, 0])
  expect(await world.shop.read(String(lamp))).toMatchObject({ status: 'ARCHIVED' })
})

test('an equal price of every channel is enough; a price whose terms were changed remains the imported one', async () => {
  const variants = ['A', 'B'].map((sku, index) => ({
    sku,
    optionValues: [{ option: 'Size', value: sku }],
    saleOffers: [
      { currency: 'EUR', amount: '9.00' },
      { currency: 'EUR', amount: '5.00', minQuantity: 9 + index },
    ],
  }))
  const options = [{ title: 'Size', values: [{ title: 'A' }, { title: 'B' }] }]
  await world.shop.create('/api/products', { title: 'Cup', handle: 'cup', options, variants })
  const cup =
    'Handle,Title,Option1 Name,Option1 Value,Variant SKU,Variant Price\ncup,Cup,Size,A,A,9\ncup,,,B,B,8\n'
  expect(counts(await load(cup))[2]).toEqual([1, 0, 1, 0])
  expect(counts(await load(cup))[2]).toEqual([0, 0, 2, 0])

  await load(shop)
  const [{ '@id': offer } = {}] = (await offers()).filter(({ amount }) => amount === '9.50')
  await world.shop.update(String(offer), { countries: ['FR'] })
  const report = await load(shop.replace('9.50', '9.90'))
  expect(counts(report)[2]).toEqual([0, 1, 2, 0])
  expect(await world.shop.read(String(offer))).toMatchObject({
    amount: '9.90',
    countries: ['FR'],
    channel: 'web',
  })
})

const read = {
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
  const remarks = remarksOn(read, [
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
  const record = { line: 12, fault: null, cells: new Map(), nameOf: new Map(), source }
  const twice = { ...read, rows: [record] }
  report.find(twice.rows, sheet, twice)
  report.find([record, { ...record, source: { ...source } }], sheet, twice)
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

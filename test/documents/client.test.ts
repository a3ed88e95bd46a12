/** The typed client: made from what the service publishes, strict, and working against the service itself. */
import { execFile } from 'node:child_process'
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Webhook } from 'standardwebhooks'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { type Doorstep, openDoorstep } from '../support/doorstep.ts'
import { restoreAndRecover, saveRows } from '../support/earlier.ts'

const directory = join(import.meta.dirname, '../../src/client')
const run = (...args: string[]) =>
  promisify(execFile)(process.execPath, args, { cwd: directory }).catch((failed) => failed)

type Module = ReturnType<typeof JSON.parse>
const built = (file: string): Promise<Module> => import(/* @vite-ignore */ join(directory, 'dist', file))

let door: Doorstep
let token: string
beforeAll(async () => {
  door = await openDoorstep()
  token = await door.shop.token()
  // TypeScript 5.9, which openapi-typescript supports; the types of all versions, and examples that must not compile.
  const generated = await run('generate.ts')
  expect(generated.code ?? 0, `${generated.stdout}${generated.stderr}`).toBe(0)
}, 120_000)
afterAll(() => door.close())

test('each TypeScript block of the documents compiles', async () => {
  const root = join(import.meta.dirname, '../..')
  const pages = globSync(
    ['README.md', '.github/**/*.md', 'src/{docs/guide,guides}/*.md', 'src/client/README.md'],
    { cwd: root },
  )
  const blocks = pages.flatMap((page) => [
    ...readFileSync(join(root, page), 'utf8').matchAll(/^```(?:ts|js|typescript)(?: .*)?\n([\s\S]+?)^```$/gm),
  ])
  expect(blocks.length).toBeGreaterThan(1)
  expect(await compile(blocks.map(([, code]) => code!))).toBe('')
})

test('deliveries and events narrow by their topic, and only members that may be absent are optional', async () => {
  const types = `import { type CatalogueEvent, type Delivery, eventsAfter, createCatalogueClient } from 'product-catalogue-client'
export function delivered({ topic, payload }: Delivery<'2026-10'>): string | null | undefined {
  if (topic === 'sale_offer/updated') return payload.amount
  // @ts-expect-error: not every payload has an amount
  return payload.amount
}
export function changed(event: CatalogueEvent<'2026-10'>): string | null | undefined {
  const time: string = event.occurredAt + event.topic + event.resource + event.sequence.toFixed() + event.changes.length
  // @ts-expect-error: time makes some changes, which have no actor
  event.actor.client
  // @ts-expect-error: not a topic
  if (event.topic === 'product/sold') return time
  // @ts-expect-error: the document may be null
  if (event.topic === 'product/created') return event.document.title
  if (event.topic === 'product/updated') return event.document?.title
  if (event.topic === 'sale_offer/started') return event.document?.amount ?? event.effectiveAt
  // @ts-expect-error: a category has no amount
  return event.topic === 'category/created' ? event.document?.amount : null
}
const catalogue = createCatalogueClient({ baseUrl: '', token: '', version: '2026-10' })
for await (const event of eventsAfter(catalogue, 0)) if (event.topic === 'variant/created') console.log(event.document?.sku)
`
  expect(await compile([types])).toBe('')
})

test('resources have the operations of their paths, and documents the selected members', async () => {
  const types = `import { type CatalogueClient, createCatalogueClient, type PropertyPath, type Document } from 'product-catalogue-client'
const catalogue = createCatalogueClient({ baseUrl: '', token: '', version: '2026-10' })
const { products, saleOffers } = catalogue
const properties = ['title', 'variants.sku', 'categories.title', 'variants.resolvedPrice.priorPrice.amount'] as const
for await (const product of products.list({ status: 'ACTIVE', 'resolveContext[channel]': 'web', properties })) {
  const texts: string[] = [product['@id'], product['@type'], product.title]
  const [variant] = product.variants
  const sku: string | null | undefined = variant?.sku
  const amount: string | undefined = variant?.resolvedPrice?.priorPrice?.amount
  const [category] = product.categories
  if (typeof category === 'object') texts.push(category.title)
  // @ts-expect-error: not selected
  product.vendor
  // @ts-expect-error: not selected
  variant?.barcode
  // @ts-expect-error: not selected
  variant?.resolvedPrice?.amount
}
for await (const { title, variants } of products.list()) {
  const sku: string | null | undefined = variants[0]?.sku
  // @ts-expect-error: absent without a price context
  const price: string = title + variants[0].resolvedPrice.amount
}
for await (const { variants } of products.list({ properties: ['variants'] })) variants[0]?.barcode
// @ts-expect-error: no property
products.list({ properties: ['titel'] })
// @ts-expect-error: no property of a variant
products.list({ properties: ['variants.skuu'] })
// @ts-expect-error: no filter
products.list({ colour: 'red' })
// @ts-expect-error: not one of the states
products.list({ status: 'SOLD' })
const one: string = (await products.create({ title: 'Shirt' })).title
const many: string[] = (await products.create([{ title: 'Shirt' }])).map(({ title }) => title)
await products.update(one, ({ title, tags }) => ({ title: title.trim(), tags: [...tags, 'new'] }))
// @ts-expect-error: an unknown status
await products.update(one, () => ({ status: 'SOLD' }))
await saleOffers.delete(one, { headers: { 'If-Match': '"1"' } })
const variants = catalogue.resource('/api/products/{productId}/variants', { productId: one })
for await (const { sku } of variants.list({ properties: ['sku'] })) await variants.update('', { sku })
const options = catalogue.resource('/api/product_options')
const option: string = (await options.get('', { properties: ['values.title'] })).values?.[0]?.title ?? ''
// @ts-expect-error: only options of a product are listed
options.list()
// @ts-expect-error: no such path
catalogue.resource('/api/produkte')
// @ts-expect-error: without the id of the product
catalogue.resource('/api/products/{productId}/variants')
catalogue.resource('/api/products/{id}/price_timeline', { id: one }).list({ market: 'fr' })
// @ts-expect-error: events are not written
catalogue.resource('/api/events').create
export const children = async (old: CatalogueClient<'2026-04'>) => (await old.categories.get('')).childrens
const path: PropertyPath<Document<'2026-10', 'Product'>> = 'variants.categories.children.children.title'
`
  const recorded = readFileSync(join(directory, '../docs/examples.ndjson'), 'utf8').trim().split('\n')
  const examples = recorded.flatMap((line) => {
    const { query = {}, response } = JSON.parse(line)
    const isSelected = Object.keys(query).some((name) => name.startsWith('properties['))
    return isSelected || !response?.['@type'] || response['@type'] === 'Collection'
      ? isSelected
        ? []
        : (response?.member ?? [])
      : [response]
  })
  expect(examples.length).toBeGreaterThan(100)
  const documents = examples.map(
    (example) => `  ${JSON.stringify(example)} satisfies Complete<Schemas['${example['@type']}']>,\n`,
  )
  const whole = `import type { Complete, Components } from 'product-catalogue-client'
type Schemas = Components['unstable']['schemas']
export const examples = [\n${documents.join('')}]
`
  expect(await compile([types, whole])).toBe('')
})

/** Compiles modules against the client. Returns the errors. */
async function compile(modules: readonly string[]): Promise<string> {
  const root = join(import.meta.dirname, '../..')
  // In this tree, so that packages are found.
  const artefacts = join(root, 'test/artefacts')
  mkdirSync(artefacts, { recursive: true })
  const moduleDirectory = mkdtempSync(join(artefacts, 'blocks-'))
  try {
    for (const [index, code] of modules.entries())
      writeFileSync(join(moduleDirectory, `block-${index}.ts`), code)
    const compilerOptions = {
      ...{ target: 'es2023', module: 'nodenext', lib: ['es2024', 'dom', 'dom.iterable'], types: ['node'] },
      ...{ strict: true, noEmit: true, skipLibCheck: true },
      paths: { 'product-catalogue-client': [join(directory, 'dist/index.d.ts')] },
    }
    writeFileSync(join(moduleDirectory, 'package.json'), '{"type": "module"}')
    writeFileSync(join(moduleDirectory, 'tsconfig.json'), JSON.stringify({ compilerOptions }))
    return (await run(join(root, 'node_modules/typescript/bin/tsc'), '--project', moduleDirectory)).stdout
  } finally {
    rmSync(moduleDirectory, { recursive: true })
  }
}

test('an error in the body of one resource names the property', async () => {
  const wrong = `import { createCatalogueClient } from 'product-catalogue-client'
await createCatalogueClient({ baseUrl: '', token: '', version: '2026-10' }).categories.create({ title: '', childrens: [] })`
  expect(await compile([wrong])).toContain("mean to write 'children'?")
})

test('an example creates, changes and prices a product', async () => {
  const { productsByType } = await built('examples/products.js')
  const { product, status, prices } = await productsByType({ baseUrl: door.origin, token })
  expect(product).toMatchObject({ '@type': 'Product', title: 'Organic cotton shirt', status: 'DRAFT' })
  expect(status).toBe('ACTIVE')
  expect(prices).toEqual([{ sku: 'SHIRT-RED', amount: null }])
})

test('an example keeps the prices of a shop current', async () => {
  const { keepPrices } = await built('examples/right-prices.js')
  const offer = (amount: string) => ({ currency: 'EUR', amount })
  const { '@id': product, variants } = await door.shop.create('/api/products', {
    ...{
      title: 'Cup',
      status: 'ACTIVE',
      options: [{ title: 'Size', values: [{ title: 'S' }, { title: 'L' }] }],
    },
    variants: ['S', 'L'].map((value, n) => ({
      ...{
        sku: `CUP-${value}`,
        optionValues: [{ option: 'Size', value }],
        saleOffers: [offer(`${n + 1}.00`)],
      },
    })),
  })
  const [small, large]: string[] = variants.map((variant: Module) => variant['@id'])
  const shopper = { channel: 'web', country: 'FR' }
  const prices = await keepPrices({ baseUrl: door.origin, token, shopper, products: [product] })
  const amounts = () => [small, large].map((variant) => prices.shown.get(variant).amount)
  expect(amounts()).toEqual(['1.00', '2.00'])
  await door.shop.create('/api/sale_offers', { variant: large, priority: 1, ...offer('1.50') })
  await prices.catchUp()
  expect(amounts()).toEqual(['1.00', '1.50'])
  for (const variant of [small, large])
    await door.shop.create('/api/sale_offers', { variant, priority: 2, ...offer('0.50') })
  await prices.catchUp()
  expect(amounts()).toEqual(['0.50', '0.50'])
  expect(await prices.changesUntil(product, new Date(Date.now() + 86_400_000))).toEqual([])
})

test('a client of an old version uses its names', async () => {
  const { createCatalogueClient } = await built('index.js')
  const { subCategories } = await built('examples/products.js')
  const child = await door.shop.create('/api/categories', { title: 'Socks' })
  const body = { title: 'Clothes', children: [child['@id']] }
  const parent = await door.shop.create('/api/categories', body)
  const old = createCatalogueClient({ baseUrl: door.origin, token: async () => token, version: '2026-04' })
  expect(await subCategories(old, parent.id)).toEqual([child['@id']])
})

test('an error is data: the problem document', async () => {
  const { createCatalogueClient } = await built('index.js')
  const french = createCatalogueClient({ baseUrl: door.origin, token, version: '2026-10', locale: 'fr-FR' })
  const { error, response } = await french.POST('/api/products', { body: { title: '' } })
  expect(response.status).toBe(422)
  expect(error).toMatchObject({ '@type': 'ConstraintViolation', violations: [{ propertyPath: 'title' }] })
  expect(response.headers.get('content-language')).toBe('fr-FR')
})

test('a misspelt property is an error, unless the client is tolerant', async () => {
  const { createCatalogueClient } = await built('index.js')
  const options = { baseUrl: door.origin, token, version: '2026-10' }
  const body = { title: 'Shirt', vendr: 'Acme' }
  const refused = await createCatalogueClient(options).POST('/api/products', { body })
  expect(refused.error).toMatchObject({
    slug: 'validation.unknown_property',
    violations: [{ propertyPath: 'vendr', message: expect.stringContaining('vendor') }],
  })
  const filter = { params: { query: { vendr: 'Acme' } } }
  const listed = await createCatalogueClient(options).GET('/api/products', filter)
  expect(listed.error).toMatchObject({ slug: 'validation.unknown_parameter' })
  const tolerant = createCatalogueClient({ ...options, strict: false })
  const { response } = await tolerant.POST('/api/products', { body })
  expect([response.status, response.headers.get('service-ignored-properties')]).toEqual([201, 'vendr'])
  const once = { body, headers: { Prefer: 'handling=lenient' } }
  expect((await createCatalogueClient(options).POST('/api/products', once)).response.status).toBe(201)
})

test('a document can be sent back under strict handling', async () => {
  const { createCatalogueClient } = await built('index.js')
  const catalogue = createCatalogueClient({ baseUrl: door.origin, token, version: '2026-10' })
  const { data } = await catalogue.POST('/api/products', { body: { title: 'Hat', vendor: 'Acme' } })
  const params = { path: { id: data.id } }
  const read = await catalogue.GET('/api/products/{id}', { params })
  const sent = await catalogue.PATCH('/api/products/{id}', { params, body: read.data })
  expect(sent.response.status, JSON.stringify(sent.error)).toBe(200)
})

test('pages follow the links of a list, by cursor, by time and by sequence', async () => {
  const { createCatalogueClient, idOf, pages } = await built('index.js')
  const shop = await door.shop
  const tags = 'pages-of-the-client'
  for (let n = 0; n < 5; n++)
    await shop.post('/api/products', { body: { title: `${n}`, tags: [tags] }, status: 201 })
  const catalogue = createCatalogueClient({ baseUrl: door.origin, token, version: '2026-10' })
  const walk = async (path: string, query: object, name: string) => {
    const values: unknown[][] = []
    const read = (next: object) => catalogue.GET(path, { params: { query: { ...query, ...next } } })
    for await (const { member } of pages(read)) values.push(member.map((each: Module) => each[name]))
    return values
  }
  const products = { tag: tags, itemsPerPage: 2, 'order[title]': 'asc' }
  expect(await walk('/api/products', products, 'title')).toEqual([['0', '1'], ['2', '3'], ['4']])
  const changed = { tag: tags, itemsPerPage: 3, 'updatedAt[after]': '2020-01-01T00:00:00Z' }
  expect((await walk('/api/products', changed, 'title')).flat()).toEqual(['0', '1', '2', '3', '4'])
  const events = { topic: 'product/created', itemsPerPage: 2 }
  const sequences = (await walk('/api/events', events, 'sequence')).flat()
  expect(sequences.length).toBeGreaterThanOrEqual(5)
  expect(new Set(sequences).size).toBe(sequences.length)
  await expect(walk('/api/products', { page: 0 }, 'title')).rejects.toMatchObject({
    cause: { slug: 'validation.too_small' },
  })
  expect(idOf('/api/products/1/variants/2')).toBe('2')
})

test('events are read to the last one, of a topic or of all', async () => {
  const { createCatalogueClient, eventsAfter } = await built('index.js')
  const catalogue = createCatalogueClient({ baseUrl: door.origin, token, version: '2026-10' })
  const first = await door.shop.create('/api/products', { title: 'First' })
  const all: Module[] = await Array.fromAsync(eventsAfter(catalogue, 0))
  expect(all.map(({ sequence }) => sequence)).toEqual(all.map((_, index) => index + 1))
  expect(all.at(-1)).toMatchObject({
    resource: first['@id'],
    document: { title: 'First' },
    effectiveAt: null,
  })
  for (let n = 0; n < 101; n++)
    await door.shop.post('/api/categories', { body: { title: `Category ${n}` }, status: 201 })
  const categories: Module[] = await Array.fromAsync(eventsAfter(catalogue, all.length, 'category/*'))
  expect(new Set(categories.map(({ document }) => document.title)).size).toBe(101)
  const beyond = eventsAfter(catalogue, 1_000_000).next()
  await expect(beyond).rejects.toMatchObject({ cause: { slug: 'event.beyond_head' } })
})

test('a copy has all resources, follows changes in order, and begins again after a restore', async () => {
  const { createCatalogueClient, sync } = await built('index.js')
  const catalogue = createCatalogueClient({ baseUrl: door.origin, token, version: '2026-10' })
  const titles = Array.from({ length: 60 }, (_, n) => `${n}`)
  const sizes = { title: 'Size', values: titles.map((title) => ({ title })) }
  const { '@id': kept } = await catalogue.products.create({
    ...{ title: 'Sized', options: [sizes] },
    variants: titles.map((value) => ({ sku: `copied-${value}`, optionValues: [{ option: 'Size', value }] })),
  })
  const copy = new Map<string, Module>()
  let stored: number | null = null
  let isBusy = true
  const topics: (string | null)[] = []
  const options = {
    lists: ['products', 'saleOffers'],
    position: () => stored,
    store: (position: number) => {
      stored = position
    },
    clear: () => copy.clear(),
    apply: async ({ resource, document, event }: Module) => {
      topics.push(event?.topic ?? null)
      if (isBusy && document?.title === 'Busy') throw new Error('busy')
      if (document === null) copy.delete(resource)
      else copy.set(resource, document)
    },
  }
  const copied = () => topics.splice(0)
  await sync(catalogue, options)
  const ofProduct = [...copy.values()].filter((document) => document.product === kept)
  const types = Map.groupBy(ofProduct, (document) => document['@type'])
  expect(types.get('Variant')!.filter(({ sku }) => sku.startsWith('copied-'))).toHaveLength(60)
  const [option] = types.get('ProductOption')!
  const values = [...copy.values()].filter((document) => document.option === option['@id'])
  expect([values.length, values.every(({ version }) => version === 1)]).toEqual([60, true])
  expect(new Set(copied())).toEqual(new Set([null]))

  await door.shop.create('/api/categories', { title: 'Not copied' })
  const { '@id': lost } = await catalogue.products.create({ title: 'Busy' })
  await expect(sync(catalogue, options)).rejects.toThrow('busy')
  expect(copied()).toEqual(['product/created'])
  isBusy = false
  await catalogue.products.delete(kept)
  await sync(catalogue, options)
  expect(copied().slice(0, 2)).toEqual(['product/created', 'product/deleted'])
  expect([copy.has(kept), copy.get(lost).title]).toEqual([false, 'Busy'])

  const saved = await saveRows(door.shop.tenant.id)
  await catalogue.products.update(lost, { title: 'Lost' })
  await sync(catalogue, options)
  expect(copy.get(lost).title).toBe('Lost')
  const { firstSequence } = await restoreAndRecover(door.shop.tenant.id, saved)
  door.shop.restart()
  await sync(catalogue, options)
  expect([copy.get(lost).title, stored]).toEqual(['Busy', firstSequence])
  copied()
  await sync(catalogue, options)
  expect(copied()).toEqual([])
})

test('a copy continues an export that was cut off at its last link', async () => {
  const { createCatalogueClient, sync } = await built('index.js')
  for (let count = 0; count < 11; count += 1)
    await door.shop.create(
      '/api/categories',
      Array.from({ length: 100 }, (_, n) => ({ title: `Exported ${count} ${n}` })),
    )
  const addresses: string[] = []
  const cutting = async (request: Request) => {
    const response = await fetch(request)
    if (request.headers.get('accept') !== 'application/x-ndjson') return response
    addresses.push(request.url)
    const text = await response.text()
    return new Response(addresses.length > 2 ? text : text.slice(0, -200), response)
  }
  const catalogue = createCatalogueClient({
    baseUrl: door.origin,
    token,
    version: '2026-10',
    fetch: cutting,
  })
  const copy = new Set<string>()
  let position: number | null = null
  await sync(catalogue, {
    lists: ['categories'],
    position: () => position,
    store: (sequence: number) => {
      position = sequence
    },
    clear: () => copy.clear(),
    apply: ({ resource }: Module) => copy.add(resource),
  })
  expect(copy.size).toBe((await door.shop.read('/api/categories?itemsPerPage=0')).totalItems)
  expect(addresses).toHaveLength(3)
  expect(addresses[1]).toMatch(/\?.*cursor=/)
  expect(addresses[2]).toBe(addresses[1])
})

test.each([
  ['at the last sequence of the lost time', 'product/*', true],
  ['at a sequence from before, with deliveries of the lost time', 'product/*', false],
  ['of all topics', undefined, true],
])('a copy %s is read again after a restore, and then continues', async (_, topic, isAhead) => {
  const { createCatalogueClient, followEvents, lastSequence, pages } = await built('index.js')
  const catalogue = createCatalogueClient({ baseUrl: door.origin, token, version: '2026-10' })
  const copy = new Map<string, string>()
  let sequence = 0
  const readAgain = async (head: number) => {
    copy.clear()
    const read = (next: object) => catalogue.GET('/api/products', { params: { query: { ...next } } })
    for await (const { member } of pages(read)) for (const each of member) copy.set(each['@id'], each.title)
    sequence = head
  }
  const follow = async () => {
    for await (const event of followEvents(catalogue, sequence, { topic, readAgain })) {
      copy.set(event.resource, event.document.title)
      sequence = event.sequence
    }
  }
  const title = async (iri: string) => (await door.shop.read(iri)).title
  const kept = await door.shop.create('/api/products', { title: 'Kept' })
  await readAgain(await lastSequence(catalogue))
  const saved = await saveRows(door.shop.tenant.id)
  await door.shop.update(kept['@id'], { title: 'Lost' })
  const lost = await door.shop.create('/api/products', { title: 'Lost, too' })
  if (isAhead) await follow()
  else copy.set(kept['@id'], 'Lost').set(lost['@id'], 'Lost, too')
  expect(copy.get(lost['@id'])).toBe('Lost, too')
  const { firstSequence } = await restoreAndRecover(door.shop.tenant.id, saved)
  door.shop.restart()
  await follow()
  expect([copy.get(kept['@id']), copy.has(lost['@id']), sequence]).toEqual(['Kept', false, firstSequence])
  await door.shop.update(kept['@id'], { title: 'Changed' })
  await follow()
  expect([copy.get(kept['@id']), sequence]).toEqual([await title(kept['@id']), firstSequence + 1])
})

test('a receiver takes what a living secret signed, once, and nothing else; failed work is done again', async () => {
  const { receive } = await built('examples/webhook-receiver.js')
  const [secret, other] = ['A', 'B'].map((letter) => `whsec_${Buffer.alloc(32, letter).toString('base64')}`)
  const body = JSON.stringify({ '@type': 'Product', title: 'Shirt', variants: [{ sku: 'A' }] })
  const signed = (by: string, id: string) => {
    const at = new Date()
    const headers = {
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': new Webhook(by).sign(id, at, body),
      'Service-Topic': 'product/created',
      'Service-Sequence': '7',
    }
    return new Request('https://hooks.example.com/', { method: 'POST', headers, body })
  }
  expect((await receive(signed(secret!, 'one'), [other, secret])).status).toBe(204)
  expect((await receive(signed(other!, 'two'), [secret])).status).toBe(401)
  const handled: string[] = []
  const handle = ({ id }: { id: string }) => {
    handled.push(id)
    if (handled.length === 1) throw new Error('busy')
  }
  const statuses: number[] = []
  for (let time = 0; time < 3; time++)
    statuses.push((await receive(signed(secret!, 'again'), [secret], handle)).status)
  expect([statuses, handled]).toEqual([
    [500, 204, 204],
    ['again', 'again'],
  ])
  const { verifyWebhook } = await built('index.js')
  const request = signed(secret!, 'three')
  expect(await verifyWebhook(body, request.headers, secret)).toMatchObject({
    id: 'three',
    topic: 'product/created',
    sequence: 7,
    payload: { title: 'Shirt' },
  })
})

test('deliveries are verified like by the library of Standard Webhooks', async () => {
  const { verifyWebhook } = await built('index.js')
  const [secret, other] = ['A', 'B'].map((letter) => `whsec_${Buffer.alloc(32, letter).toString('base64')}`)
  const body = '{"title":"Crème"}'
  const now = Math.floor(Date.now() / 1000)
  const sign = (by: string, time = now, text = body) =>
    new Webhook(by).sign('one', new Date(time * 1000), text)
  const sent = (signature: string, time: number | string = now) => ({
    'webhook-id': 'one',
    'webhook-timestamp': String(time),
    'webhook-signature': signature,
  })
  const deliveries: [Record<string, string>, boolean][] = [
    [sent(sign(secret!)), true],
    [sent(`v1a,x v1,AAAA ${sign(other!)} ${sign(secret!)}`), true],
    [sent(sign(secret!, now - 290), now - 290), true],
    [sent(sign(secret!, now - 310), now - 310), false],
    [sent(sign(secret!, now + 310), now + 310), false],
    [sent(sign(other!)), false],
    [sent(sign(secret!).replace('v1,', 'v2,')), false],
    [sent(sign(secret!).slice(0, -4)), false],
    [sent('v1,###'), false],
    [sent(sign(secret!), now - 1), false],
    [sent(sign(secret!), 'soon'), false],
    [sent(sign(secret!, now, body.replace('Crème', 'Creme'))), false],
    [{ ...sent(sign(secret!)), 'webhook-id': 'two' }, false],
    [{ 'webhook-id': 'one', 'webhook-timestamp': String(now) }, false],
  ]
  for (const [headers, isValid] of deliveries) {
    const byLibrary = () => new Webhook(secret!).verify(body, headers)
    const byClient = verifyWebhook(body, new Headers(headers), secret)
    const text = JSON.stringify(headers)
    if (isValid) {
      expect(byLibrary(), text).toEqual({ title: 'Crème' })
      expect((await byClient).payload, text).toEqual({ title: 'Crème' })
    } else {
      expect(byLibrary, text).toThrow()
      await expect(byClient, text).rejects.toMatchObject({ name: 'WebhookVerificationError' })
    }
  }
  await expect(verifyWebhook(body, new Headers(sent(sign(secret!))), 'whsec_')).rejects.toThrow(TypeError)
})

test('resources create, read, list, update and delete by id or IRI', async () => {
  const { createCatalogueClient } = await built('index.js')
  const catalogue = createCatalogueClient({ baseUrl: door.origin, token, version: '2026-10' })
  const tag = 'of-a-resource'
  const made = (n: number) => ({ title: `${n}`, tags: [tag], variants: [{ sku: `${tag}-${n}` }] })
  const many = await catalogue.products.create([1, 2, 3].map(made))
  const one = await catalogue.products.create(made(4))
  const properties = ['title', 'variants.sku']
  const parameters = { tag, itemsPerPage: 3, 'order[title]': 'asc', properties }
  const listed: Module[] = await Array.fromAsync(catalogue.products.list(parameters))
  expect(listed.map(({ title, variants }) => [title, variants[0].sku])).toEqual(
    [1, 2, 3, 4].map((n) => [`${n}`, `${tag}-${n}`]),
  )
  expect(Object.keys(listed[0]).sort()).toEqual(['@id', '@type', 'title', 'variants'])
  expect(await catalogue.products.get(one.id)).toMatchObject({ '@id': one['@id'], vendor: null })
  expect(await catalogue.products.update(one['@id'], { vendor: 'Acme' })).toMatchObject({ vendor: 'Acme' })
  const variants = catalogue.resource('/api/products/{productId}/variants', { productId: one['@id'] })
  const [variant]: Module[] = await Array.fromAsync(variants.list())
  expect(await variants.update(variant['@id'], { sku: 'changed' })).toMatchObject({ sku: 'changed' })
  for (const each of many) await catalogue.products.delete(each['@id'], { headers: { 'If-Match': '*' } })
  expect(await Array.fromAsync(catalogue.products.list({ tag }))).toHaveLength(1)
  const missing = '019aa000-0000-7000-8000-00000000abcd'
  await expect(catalogue.products.get(missing)).rejects.toMatchObject({
    ...{ name: 'CatalogueError', status: 404, slug: 'product.not_found' },
    message: expect.stringContaining(missing),
  })
  await expect(catalogue.products.get(variant['@id'])).rejects.toThrow('is not in /api/products')
  await expect(catalogue.categories.get(one['@id'])).rejects.toThrow(TypeError)
})

test('an update by a function is decided again after another write, and fails after five', async () => {
  const { createCatalogueClient } = await built('index.js')
  const catalogue = createCatalogueClient({ baseUrl: door.origin, token, version: '2026-10' })
  const { id } = await catalogue.products.create({ title: 'Raced', tags: ['first'] })
  const calls: string[][] = []
  const add = (competitors: number) =>
    catalogue.products.update(id, async ({ tags }: Module) => {
      calls.push(tags)
      if (calls.length <= competitors)
        await catalogue.products.update(id, { tags: [...tags, `${competitors}.${calls.length}`] })
      return { tags: [...tags, 'mine'] }
    })
  expect(await add(2)).toMatchObject({ tags: ['first', '2.1', '2.2', 'mine'] })
  expect(calls).toHaveLength(3)
  calls.length = 0
  await expect(add(9)).rejects.toMatchObject({ status: 412, slug: 'concurrency.version_mismatch' })
  expect(calls).toHaveLength(5)
  const { version } = await catalogue.products.get(id)
  expect(await catalogue.products.update(id, () => null)).toMatchObject({ version })
})

describe('a client', () => {
  afterEach(() => vi.useRealTimers())

  /** The requests of a call whose first answers are given, with the seconds at which they were sent. Later answers are 200. */
  async function sent(
    answers: readonly (Response | Error)[],
    call: (catalogue: Module) => Promise<unknown>,
    retries?: number,
  ) {
    vi.useFakeTimers({ now: new Date('2026-11-29T12:00:00Z') })
    vi.spyOn(Math, 'random').mockReturnValue(0)
    const { createCatalogueClient } = await built('index.js')
    const requests: { time: number; key: string | null; body: string }[] = []
    const start = Date.now()
    const fetch = async (request: Request) => {
      const [time, key] = [(Date.now() - start) / 1000, request.headers.get('Idempotency-Key')]
      requests.push({ time, key, body: await request.text() })
      const answer = answers[requests.length - 1] ?? Response.json({ '@id': '/api/products/1' })
      if (answer instanceof Error) throw answer
      return answer
    }
    const options = { baseUrl: 'https://acme.example', token: '', version: '2026-10', fetch, retries }
    const outcome = call(createCatalogueClient(options)).then(
      () => 'ok',
      (error) => error.status ?? error.message,
    )
    await vi.advanceTimersByTimeAsync(120_000)
    return { outcome: await outcome, times: requests.map(({ time }) => time), requests }
  }
  const refusal = (status: number, retryAfter?: string, slug = '') =>
    Response.json({ slug, message: '' }, { status, headers: retryAfter ? { 'Retry-After': retryAfter } : {} })
  const read = (catalogue: Module) => catalogue.products.get('1')
  const create = (catalogue: Module) => catalogue.products.create({ title: 'Hat' })

  test.each([
    ['waits for Retry-After in seconds', () => [refusal(429, '7'), refusal(503, '0')], read, 'ok', [0, 7, 7]],
    [
      'waits until the date in Retry-After',
      () => [refusal(503, 'Sun, 29 Nov 2026 12:00:20 GMT')],
      read,
      'ok',
      [0, 20],
    ],
    [
      'waits longer each time',
      () => [502, 504, 503].map((status) => refusal(status)),
      read,
      'ok',
      [0, 0.25, 0.75, 1.75],
    ],
    [
      'repeats a request three times',
      () => Array.from({ length: 9 }, () => refusal(503)),
      read,
      503,
      [0, 0.25, 0.75, 1.75],
    ],
    ['does not wait for more than a minute', () => [refusal(503, '61')], read, 503, [0]],
    [
      'repeats a request after a lost response',
      () => [new TypeError('fetch failed')],
      create,
      'ok',
      [0, 0.25],
    ],
    [
      'waits while the lost request is in progress',
      () => [new TypeError('fetch failed'), refusal(409, undefined, 'idempotency.in_flight')],
      create,
      'ok',
      [0, 0.25, 0.75],
    ],
    ['repeats no refused request', () => [refusal(409, undefined, 'product.handle_taken')], create, 409, [0]],
    ['repeats no faulty request', () => [refusal(500)], read, 500, [0]],
  ])('%s', async (_, answers, call, outcome, times) => {
    const result = await sent(answers(), call)
    expect([result.outcome, result.times]).toEqual([outcome, times.map((time) => expect.closeTo(time, 1))])
    expect(new Set(result.requests.map(({ key }) => key)).size).toBe(1)
    expect(new Set(result.requests.map(({ body }) => body)).size).toBe(1)
    expect(result.requests[0]!.key === null).toBe(call === read)
  })

  test('repeats nothing with retries of 0, nor after its signal', async () => {
    expect((await sent([refusal(503)], read, 0)).times).toEqual([0])
    const signal = AbortSignal.abort(new Error('stopped'))
    const stopped = await sent([refusal(503)], (catalogue) => catalogue.products.get('1', {}, { signal }))
    expect([stopped.outcome, stopped.times.length]).toEqual(['stopped', 1])
  })

  test('keeps the key of its caller', async () => {
    const headers = { 'Idempotency-Key': 'order-17' }
    const { requests } = await sent([refusal(503)], (catalogue) => catalogue.products.create({}, { headers }))
    expect(requests.map(({ key }) => key)).toEqual(['order-17', 'order-17'])
  })
})

test('the packed client is installed, compiled and run in a folder of its own', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'packed-client-'))
  try {
    const call = promisify(execFile)
    const args = ['pack', '--ignore-scripts', '--json', '--pack-destination', folder]
    const [{ filename, unpackedSize }] = JSON.parse((await call('npm', args, { cwd: directory })).stdout)
    expect(unpackedSize).toBeGreaterThan(100_000)
    const installed = join(folder, 'node_modules/product-catalogue-client')
    mkdirSync(installed, { recursive: true })
    await call('tar', ['-xzf', join(folder, filename), '-C', installed, '--strip-components=1'])
    const { dependencies } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'))
    expect(Object.keys(dependencies)).toEqual(['openapi-fetch'])
    const root = join(import.meta.dirname, '../..')
    for (const name of ['openapi-fetch', 'openapi-typescript-helpers'])
      symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name))
    const program = `import { CatalogueError, createCatalogueClient } from 'product-catalogue-client'
import { productsByType } from 'product-catalogue-client/examples/products'
declare const process: { argv: string[] }
const [, , baseUrl = '', token = ''] = process.argv
const catalogue = createCatalogueClient({ baseUrl, token, version: '2026-10' })
const { id } = await catalogue.products.create({ title: 'Packed' })
const { title } = await catalogue.products.get(id, { properties: ['title'] })
const refused = await catalogue.products.create({ title: '' }).catch((error: unknown) => error)
console.log(title, refused instanceof CatalogueError ? refused.status : null, typeof productsByType)
`
    writeFileSync(join(folder, 'package.json'), '{"type": "module"}')
    writeFileSync(join(folder, 'program.ts'), program)
    const compilerOptions = {
      ...{ target: 'es2022', module: 'nodenext', lib: ['es2022', 'dom', 'dom.iterable'], types: [] },
      ...{
        strict: true,
        exactOptionalPropertyTypes: true,
        noUncheckedIndexedAccess: true,
        skipLibCheck: false,
      },
    }
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['program.ts'] }))
    // The same compiler as that of `npm run client`.
    const compiler = join(directory, 'node_modules/typescript/bin/tsc')
    expect((await run(compiler, '--project', folder)).stdout).toBe('')
    const { stdout, stderr } = await run(join(folder, 'program.js'), door.origin, token)
    expect(stdout, stderr).toBe('Packed 422 function\n')
  } finally {
    rmSync(folder, { recursive: true })
  }
})

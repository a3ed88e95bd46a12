/** The typed client: made from what the service publishes, strict, and working against the service itself. */
import { execFile } from 'node:child_process'
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, expect, test } from 'vitest'
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
  const pages = globSync(['README.md', '.github/**/*.md', 'src/docs/guide/*.md', 'src/client/README.md'], {
    cwd: root,
  })
  const blocks = pages.flatMap((page) => [
    ...readFileSync(join(root, page), 'utf8').matchAll(/^```(?:ts|js|typescript)\n([^`]+)^```/gm),
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
      ...{ target: 'es2023', module: 'nodenext', lib: ['es2024', 'dom', 'dom.iterable'], types: [] },
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

test('an example creates, changes and prices a product', async () => {
  const { productsByType } = await built('examples/products.js')
  const { product, status, prices } = await productsByType({ baseUrl: door.origin, token })
  expect(product).toMatchObject({ '@type': 'Product', title: 'Organic cotton shirt', status: 'DRAFT' })
  expect(status).toBe('ACTIVE')
  expect(prices).toEqual([{ sku: 'SHIRT-RED', amount: null }])
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
  expect(verifyWebhook(body, request.headers, secret)).toMatchObject({
    id: 'three',
    topic: 'product/created',
    sequence: 7,
    payload: { title: 'Shirt' },
  })
  expect(() => verifyWebhook(body.replace('Shirt', 'Skirt'), request.headers, secret)).toThrow()
})

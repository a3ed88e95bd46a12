/** Clients of Hydra send whole documents back: as they were read they change nothing, whatever showed them. */
import { expect, test } from 'vitest'
import type { Operation } from '../../src/core/operation.ts'
import { kinds } from '../../src/resources/events/topics.ts'
import { resources } from '../../src/resources/index.ts'
import { differingVersions } from '../support/differing-versions.ts'
import { makeCanaries } from '../support/samples.ts'
import type { Asked, Shop } from '../support/shop.ts'
import { overtakenCatalogue } from './overtaken-catalogue.ts'
import { type Catalogue, type Thing, wholeCatalogue } from './whole-catalogue.ts'

/** The operations that replace an existing document. */
const writers = resources
  .flatMap(({ operations }) => operations)
  // Batches and upserts have addresses of their own.
  .filter(
    ({ method, body, isUpsert }) => (method === 'PATCH' && !body?.isBatch && !isUpsert) || method === 'PUT',
  )

function writerOf(path: string): Operation | undefined {
  return writers.find((each) => new RegExp(`^${each.path.replace(/\{\w+\}/g, '[^/]+')}$`).test(path))
}

/** Every document that an answer shows of something that can be written, embedded ones too. */
function documentsIn(value: unknown): Thing[] {
  if (value === null || typeof value !== 'object') return []
  const own = value as Thing
  const inner = Object.values(value).flatMap(documentsIn)
  return typeof own['@id'] === 'string' && writerOf(own['@id']) ? [own, ...inner] : inner
}

/** The whole catalogue, and one resource of each missing kind. */
async function everyKind(): Promise<Catalogue> {
  const catalogue = await wholeCatalogue()
  const known = catalogue.items.map((each) => writerOf(each)?.shape)
  const missing = Object.values(kinds).filter(({ shape }) => !known.includes(shape))
  if (missing.length === 0) return catalogue
  const canaryOf = await makeCanaries(catalogue.shop)
  return {
    ...catalogue,
    items: [...catalogue.items, ...missing.map(({ subject }) => canaryOf(subject)['@id'])],
  }
}

async function subscribe(shop: Shop, version: string): Promise<string[]> {
  const callbackUrl = 'http://localhost:9999/hook'
  const old = version < '2026-07'
  const bodies = [
    {
      callbackUrl,
      topic: 'product/*',
      version,
      locale: 'fr-FR',
      includeFields: ['title', `categories.${old ? 'childrens' : 'children'}`, '*.id'],
    },
    { callbackUrl, topic: '*', status: 'PAUSED' },
    { callbackUrl, topic: null },
  ]
  const made: string[] = []
  for (const body of bodies) {
    const reply = await shop.create('/api/webhook_subscriptions', body, { version })
    made.push(reply['@id'])
  }
  return made
}

const price = 'resolveContext[channel]=web&resolveContext[country]=FR&resolveContext[at]=2026-10-01T00:00:00Z'

/** Every response with documents of the catalogue: items, with everything they embed, and lists. */
function readsOf({ items, priced }: Catalogue, version: string): string[] {
  const [product] = items
  const expand = version < '2026-07' ? 'expand=childrens' : 'expand=children'
  const expanding = /^(Product|Variant|Category|SaleOffer|PurchaseOffer)$/
  return [
    ...items,
    ...translationsOf(items),
    ...items.filter((each) => expanding.test(writerOf(each)!.shape.type)).map((each) => `${each}?${expand}`),
    ...priced.map((each) => `${each}?${price}`),
    '/api/products',
    `${product}/variants`,
    `${product}/product_options`,
    '/api/option_values',
    '/api/categories',
    '/api/collections',
    '/api/sale_offers',
    '/api/purchase_offers',
    '/api/metaobjects',
    '/api/metaobject_definitions',
    '/api/webhook_subscriptions',
    '/api/price_policies',
  ]
}

function translationsOf(items: readonly string[]): string[] {
  return items.map((each) => `${each}/translations`).filter(writerOf)
}

type Sending = {
  readonly reads: readonly string[]
  readonly version: string
  readonly locales: readonly string[]
}

/** Sends back every document once; returns the operations that were called. */
async function sendBack(shop: Shop, { reads, version, locales }: Sending): Promise<Operation[]> {
  const before = await standing(shop, reads, version)
  const sent = new Set<string>()
  const asked = new Set<Operation>()
  for (const locale of locales) {
    for (const read of reads) {
      const body = await shop.read(read, { version, locale })
      for (const document of documentsIn(body)) {
        const text = JSON.stringify([locale, document])
        if (sent.has(text)) continue
        sent.add(text)
        asked.add(await sendOne(shop, document, read, { version, locale }))
      }
    }
  }
  expect(await standing(shop, reads, version)).toEqual(before)
  return [...asked]
}

/** With the `expand` that it was read with: what an answer does not embed cannot be compared with it. */
async function sendOne(shop: Shop, body: Thing, read: string, asked: Asked): Promise<Operation> {
  const operation = writerOf(body['@id'])!
  const [expand] = operation.query.expand ? (/expand=\w+/.exec(read) ?? []) : []
  const path = expand ? `${body['@id']}?${expand}` : body['@id']
  const headers = { Prefer: 'handling=strict' }
  const reply = await shop.request(operation.method, path, { ...asked, body, headers, status: 200 })
  expect([path, reply.headers.get('Service-Ignored-Properties')]).toEqual([path, null])
  return operation
}

/** The state that a change would move: the sequence of events, entity tags and documents. */
async function standing(shop: Shop, reads: readonly string[], version: string) {
  const states: unknown[] = []
  for (const read of reads) {
    const { headers, body } = await shop.get(read, { version, status: 200 })
    states.push([read, headers.get('service-sequence'), headers.get('etag'), body])
  }
  return states
}

const names = (operations: readonly Operation[]) => operations.map(({ name }) => name).toSorted()

test.each(differingVersions)(
  'in %s every document that is sent back as any answer showed it changes nothing and names nothing, under strict handling',
  async (version) => {
    const catalogue = await everyKind()
    const { shop, items } = catalogue
    const subscriptions = await subscribe(shop, version)
    const shown = [...readsOf(catalogue, version), ...(version === 'unstable' ? subscriptions : [])]
    const asked = await sendBack(shop, { reads: shown, version, locales: ['en-US'] })
    expect(names(asked)).toEqual(names(writers))
    await sendBack(shop, {
      reads: [...items, ...translationsOf(items)],
      version,
      locales: ['fr-FR', 'de-DE'],
    })
  },
  120_000,
)

test('what could not be made any more, or is archived, is sent back as it is and stays so', async () => {
  const { shop, items } = await overtakenCatalogue()
  const reads = [...items, ...translationsOf(items)]
  await sendBack(shop, { reads, version: '2026-10', locales: ['en-US', 'fr-FR'] })
}, 60_000)

test('a caller who may read and write only one resource sends its documents back', async () => {
  const { shop, items } = await everyKind()
  for (const path of [...items, ...translationsOf(items)]) {
    const { shape, scope } = writerOf(path)!
    const token = await shop.token({ scope: `${shape.readWith} ${scope}` })
    const body = await shop.read(path, { token })
    await sendOne(shop, body, '', { token })
    expect(await shop.read(path, { token })).toEqual(body)
  }
}, 60_000)

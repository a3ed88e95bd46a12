/**
 * How many statements a write sends, since Postgres is waited for twice for each of them, and plans it anew. Counted on the wire,
 * the settings of each batch included. A number may go down; one that goes up says what it buys.
 */
import { beforeAll, expect, test } from 'vitest'
import type { Operation } from '../src/core/operation.ts'
import { resources } from '../src/resources/index.ts'
import { type Sample, sampleCalls } from './support/samples.ts'
import { sentBy } from './support/sent.ts'
import { openShop } from './support/shop.ts'
import { volatileIn } from './support/snapshots.ts'

/** The reads that were sent by themselves. */
const alone: string[] = []

/** What a request sends in its two batches; what follows its answer is not shown. */
async function shown(request: () => Promise<unknown>): Promise<string> {
  const batches = await sentBy(request)
  const [[read, ...others] = []] = batches
  if (read && others.length === 0 && batches.length > 1) alone.push(read.query, ...read.params.map(String))
  return batches
    .slice(0, 2)
    .map((each) => each.length)
    .join(' + ')
}

const writes = resources.flatMap((each) => each.operations).filter((each) => each.method !== 'GET')
const inOrder = [
  ...writes.filter((each) => each.method !== 'DELETE'),
  ...writes.filter((each) => each.method === 'DELETE' && each.name !== 'deleteProduct'),
  ...writes.filter((each) => each.name === 'deleteProduct'),
]

let shop: Awaited<ReturnType<typeof openShop>>
let sampleOf: (operation: Operation) => Sample
beforeAll(async () => {
  shop = await openShop()
  sampleOf = await sampleCalls(shop)
})

function counted(operation: Operation): Promise<string> {
  const { params, body } = sampleOf(operation)
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => params[name] ?? '')
  const method = operation.method.toLowerCase() as 'post' | 'patch' | 'put' | 'delete'
  const inItsVersion = operation.onlyIn === undefined ? {} : { version: operation.onlyIn }
  return shown(async () => {
    const reply = await shop[method](path, { ...(body === undefined ? {} : { body }), ...inItsVersion })
    expect(reply.status, reply.text).toBeLessThan(300)
  })
}

test('writes send as many statements as this table says', async () => {
  const found: Record<string, string> = {}
  for (const operation of inOrder) found[operation.name] = await counted(operation)
  expect(found).toMatchInlineSnapshot(`
    {
      "addCollectionProducts": "1 + 1",
      "countCollectionProducts": "1",
      "createCategories": "1 + 4",
      "createCollection": "1 + 1",
      "createMetaobject": "1 + 1",
      "createMetaobjectDefinition": "1 + 1",
      "createOptionValue": "1 + 1",
      "createProductOption": "1 + 1",
      "createProducts": "1 + 1",
      "createPurchaseOffers": "1 + 1",
      "createSaleOffers": "1 + 1",
      "createVariants": "1 + 1",
      "createWebhookSubscription": "1 + 5",
      "deleteCategory": "1 + 4",
      "deleteCollection": "1 + 4",
      "deleteMetaobject": "1 + 1",
      "deleteMetaobjectDefinition": "1 + 1",
      "deleteOptionValue": "1 + 1",
      "deleteProduct": "1 + 1",
      "deleteProductOption": "1 + 1",
      "deletePurchaseOffer": "1 + 1",
      "deleteSaleOffer": "1 + 1",
      "deleteVariant": "1 + 1",
      "deleteWebhookSubscription": "1 + 1",
      "patchCategory": "1 + 4",
      "patchCollection": "1 + 1",
      "patchMetaobject": "1 + 1",
      "patchMetaobjectDefinition": "1 + 1",
      "patchOptionValue": "1 + 1",
      "patchProduct": "1 + 1",
      "patchProductOption": "1 + 1",
      "patchPurchaseOffer": "1 + 1",
      "patchSaleOffer": "1 + 1",
      "patchVariant": "1 + 1",
      "patchWebhookSubscription": "1 + 1",
      "previewWebhook": "4",
      "putCategoryTranslations": "1 + 4",
      "putOptionValueTranslations": "1 + 1",
      "putProductCollectionTranslations": "1 + 1",
      "putProductOptionTranslations": "1 + 1",
      "putProductTranslations": "1 + 1",
      "removeCollectionProduct": "1 + 1",
      "replayWebhookEvents": "1 + 5",
      "retryWebhookDelivery": "1 + 5",
      "rotateWebhookSecret": "1 + 1",
      "testWebhook": "4",
      "uploadPicture": "",
    }
  `)
})

test('a product with all that it owns and belongs to is made in two statements, and changed in two', async () => {
  const make = async (path: string, body: unknown) =>
    (await shop.post(path, { body, status: 201 })).body['@id']
  const category = await make('/api/categories', { title: 'Counted' })
  const other = await make('/api/categories', { title: 'Counted too' })
  const collection = await make('/api/collections', { title: 'Counted' })
  const sizes = ['S', 'M', 'L']
  const body = {
    title: 'Counted',
    vendor: 'Acme',
    tags: ['a', 'b'],
    channels: ['web'],
    categories: [category],
    collections: [collection],
    fields: [{ key: 'size', type: '/api/metafield_definition_types/single_line_text_field', value: 'large' }],
    options: [{ title: 'Size', values: sizes.map((title) => ({ title })) }],
    variants: sizes.map((value) => ({
      sku: `counted-${value}`,
      optionValues: [{ option: 'Size', value }],
      saleOffers: [{ amount: '10.00', currency: 'EUR', channel: 'web' }],
    })),
  }
  const headers = { 'Idempotency-Key': 'counted-key-0123456789' }
  let iri = ''
  const created = await shown(async () => {
    iri = (await shop.post('/api/products', { body, headers, status: 201 })).body['@id']
  })
  const patched = (change: object) => shown(() => shop.patch(iri, { body: change, status: 200 }))
  const changed = await patched({
    title: 'Counted again',
    tags: ['c'],
    channels: [],
    categories: [other, category],
    collections: [],
  })
  const archived = await patched({ status: 'ARCHIVED' })
  const restored = await patched({ status: 'ACTIVE' })
  expect([created, changed, archived, restored]).toEqual(Array(4).fill('1 + 1'))
})

test('all that one of its reads by itself finds is of one snapshot', async () => {
  expect(alone.length).toBeGreaterThan(writes.length)
  expect(await volatileIn(alone)).toEqual([])
})

/**
 * How many statements a read sends, since Postgres is waited for twice for each of them, and plans it anew. Counted on the wire; one by
 * itself makes its settings, of a batch the first does. A number may go down; none goes beyond three.
 */
import { beforeAll, expect, test } from 'vitest'
import type { Operation } from '../src/core/operation.ts'
import { metaOf } from '../src/core/zod.ts'
import { resources } from '../src/resources/index.ts'
import { addressOf, sampleCalls } from './support/samples.ts'
import type { Sample } from './support/sampling.ts'
import { sentBy } from './support/sent.ts'
import { openShop } from './support/shop.ts'
import { volatileIn } from './support/snapshots.ts'

const reads = resources.flatMap((each) => each.operations).filter((each) => each.method === 'GET')

let shop: Awaited<ReturnType<typeof openShop>>
let sampleOf: (operation: Operation) => Sample
beforeAll(async () => {
  shop = await openShop()
  sampleOf = await sampleCalls(shop)
})

/** The statements that were sent by themselves. */
const alone: string[] = []

/** What each read sends, by the number of statements; `queryOf` is its query. */
async function counted(queryOf: (operation: Operation) => string): Promise<Record<string, string[]>> {
  const found: [name: string, statements: number][] = []
  for (const operation of reads) {
    const path = addressOf(operation, sampleOf(operation), { more: queryOf(operation) })
    const inItsVersion = operation.onlyIn === undefined ? {} : { version: operation.onlyIn }
    // Another locale than the one that documents are stored in has texts to be read as well.
    const asked = { locale: 'fr-FR', status: 200, ...inItsVersion }
    const sent = await sentBy(() => shop.get(path, asked))
    expect(sent.length, operation.name).toBeLessThanOrEqual(1)
    const [batch = []] = sent
    if (batch.length === 1) alone.push(batch[0]!.query, ...batch[0]!.params.map(String))
    found.push([operation.name, sent[0]?.length ?? 0])
  }
  const byNumber = Map.groupBy(found.toSorted(), ([, statements]) => String(statements))
  return Object.fromEntries([...byNumber].map(([number, each]) => [number, each.map(([name]) => name)]))
}

const none = [
  'getErrorCode',
  'getMetafieldDefinitionType',
  'getVersion',
  'getWebhookTopic',
  'listErrorCodes',
  'listMetafieldDefinitionTypes',
  'listVersions',
  'listWebhookTopics',
]
const three = [
  'getEvent',
  'getVariant',
  'getWebhookDelivery',
  'getWebhookDeliveryBody',
  'listCollectionProducts',
  'listEvents',
  'listPriceTimelines',
  'listVariants',
  'listWebhookDeliveries',
]
const one = reads
  .map(({ name }) => name)
  .filter((name) => !none.includes(name) && !three.includes(name))
  .toSorted()

test('reads send one statement, and those that the table names two and their settings', async () => {
  expect(await counted(() => '')).toEqual({ 0: none, 1: one, 3: three })
})

test('they send no more for whatever can be asked of them', async () => {
  const query = ({ query }: Operation) =>
    Object.entries({
      'resolveContext[channel]': 'web',
      'resolveContext[country]': 'FR',
      'resolveContext[at]': '2090-10-01T00:00:00Z',
      'resolveContext[knownAt]': '2090-10-01T00:00:00Z',
      explain: 'price',
      expand: query.expand === undefined ? '' : (metaOf(query.expand).choices?.at(-1) ?? ''),
      q: 'shirt',
      topic: 'product/*',
      'updatedAt[after]': '2026-01-01',
    })
      // What must be asked for is in the sample.
      .filter(([name]) => query[name] !== undefined && !metaOf(query[name]).mandatory)
      // Lists reject it.
      .filter(([name]) => name !== 'explain' || query.itemsPerPage === undefined)
      .map((pair) => pair.map(encodeURIComponent).join('='))
      .join('&')
  expect(await counted(query)).toEqual({ 0: none, 1: one, 3: three })
})

test('all that one by itself reads is of one snapshot', async () => {
  expect(alone.length).toBeGreaterThan(2 * one.length)
  expect(await volatileIn(alone)).toEqual([])
  // Of a function that another one calls as well.
  expect(await volatileIn(['select apply_write($1)'])).toContain('stamp_rows')
})

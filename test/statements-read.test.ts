/** Each read sends one statement, a call of `run_reads()`, or none. The statements are counted on the wire. */
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

/** The texts of the statements and their parameters, which contain the queries. */
const sentTexts: string[] = []

/** The names of the reads by the number of statements that they send. `queryOf` returns the query of a read. */
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
    for (const { query, params } of batch) sentTexts.push(query, ...params.map(String))
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
const one = reads
  .map(({ name }) => name)
  .filter((name) => !none.includes(name))
  .toSorted()

test('a read sends one statement', async () => {
  expect(await counted(() => '')).toEqual({ 0: none, 1: one })
})

test('a read with all its parameters sends one statement', async () => {
  const query = (operation: Operation) => {
    const { query } = operation
    const { query: sample = {} } = sampleOf(operation)
    return (
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
        .filter(([name]) => query[name] !== undefined && !Object.hasOwn(sample, name))
        // Lists reject it.
        .filter(([name]) => name !== 'explain' || query.itemsPerPage === undefined)
        .map((pair) => pair.map(encodeURIComponent).join('='))
        .join('&')
    )
  }
  expect(await counted(query)).toEqual({ 0: none, 1: one })
})

test('the functions that a read calls use its snapshot', async () => {
  expect(sentTexts.length).toBeGreaterThan(2 * one.length)
  expect(await volatileIn(sentTexts)).toEqual([])
  // A volatile function that another function calls is found, too.
  expect(await volatileIn(['select apply_write($1)'])).toContain('stamp_rows')
})

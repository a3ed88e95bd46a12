/** Makes stored rows larger than writes allow: rows that are older than the limits. */
import { afterAll, beforeAll, inject } from 'vitest'
import { type Bridge, startBridge } from '../../src/local/bridge/bridge.ts'
import { owner } from './ledger.ts'
import type { Shop } from './shop.ts'

/**
 * Starts a bridge to the tests' database with the smallest response limit of any proxy of Neon's, for the
 * tests of the file that calls this. Returns the connection string of a Worker, available once the tests run.
 */
export function tightBridge(): () => string {
  let bridge: Bridge
  beforeAll(async () => {
    bridge = await startBridge({ server: inject('ownerUrl'), maximumResponse: 10 * 1024 * 1024 })
  })
  afterAll(() => bridge.close())
  return () => bridge.endpoint
}

/** Fattens what a shop's events of a kind keep by about so many bytes each, in a property of their documents. */
export async function fattenEvents(
  shop: Shop,
  {
    kind,
    bytes,
    ids,
    property = 'barcode',
  }: { kind: string; bytes: number; ids?: readonly string[]; property?: string },
): Promise<void> {
  await owner((client) =>
    client.query(
      `update events set document = jsonb_set(document::jsonb, '{document}', to_jsonb(
           jsonb_set((document::jsonb ->> 'document')::jsonb, array[$3], to_jsonb(repeat('x', $4)))::text))::text
        where tenant_id = $1 and kind = $2 and ($5::uuid[] is null or resource_id = any($5))`,
      [shop.tenant.id, kind, property, bytes, ids ?? null],
    ),
  )
}

/** A product with so many variants, each with what `more` gives it. */
export async function productWithVariants(
  shop: Shop,
  count: number,
  more: (n: number) => object = () => ({}),
  atOnce = 100,
): Promise<{ '@id': string; id: string }> {
  const values = Array.from({ length: count }, (_, n) => ({ title: `v${n}` }))
  const body = await shop.create('/api/products', { title: 'Heavy', options: [{ title: 'N', values }] })
  const variants = values.map(({ title }, n) => ({
    sku: title,
    optionValues: [{ option: 'N', value: title }],
    ...more(n),
  }))
  for (let from = 0; from < count; from += atOnce)
    await shop.create(`${body['@id']}/variants`, variants.slice(from, from + atOnce))
  return body
}

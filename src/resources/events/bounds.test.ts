import { describe, expect, test } from 'vitest'
import { fattenEvents, productWithVariants, tightBridge } from '../../../test/support/heavy.ts'
import { owner } from '../../../test/support/ledger.ts'
import { openShop as openAnyShop, type Shop } from '../../../test/support/shop.ts'
import { byteLimits } from '../../core/limits.ts'

const endpoint = tightBridge()
const openShop = () => openAnyShop({ bindings: { NEON_FETCH_ENDPOINT: endpoint() } })
const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value)).length

/** Every page of the feed from a link on: its size and its events. */
async function pagesFrom(shop: Shop, from: string) {
  const pages: { size: number; member: ReturnType<typeof JSON.parse>[] }[] = []
  for (let link: string | undefined = from; link; ) {
    const { body, text } = await shop.get(link, { status: 200 })
    pages.push({ size: new TextEncoder().encode(text).length, member: body.member })
    link = body.view.next
  }
  return pages
}

describe('documents of products with large variants', () => {
  test('contain every event of the feed once, each event and each page within its size limit', async () => {
    const shop = await openShop()
    const product = await productWithVariants(shop, 40)
    for (let n = 0; n < 30; n += 1) await shop.update(product['@id'], { vendor: `v${n}` })
    await fattenEvents(shop, { kind: 'variants', bytes: 400_000 })
    const pages = await pagesFrom(shop, '/api/events?itemsPerPage=100')
    const events = pages.flatMap(({ member }) => member)
    expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, index) => index + 1))
    expect(events).toHaveLength(1 + 1 + 40 + 40 + 1 + 30)
    for (const { size } of pages) expect(size).toBeLessThanOrEqual(byteLimits.answer)
    for (const event of events) expect(bytes(event), event.topic).toBeLessThanOrEqual(byteLimits.event)
    const { document } = events.at(-1)
    expect(document.variants.map(({ sku }: { sku: string }) => sku)).toEqual(['v0', 'v1', 'v2', 'v3'])
    expect(document.variantsTotal).toBe(40)
    expect(document.variantsView.next).toBe(
      `${product['@id']}/variants?position%5Bfrom%5D=4&itemsPerPage=100`,
    )
    expect(document.options[0].values).toHaveLength(40)
    const alone = await shop.read(events.at(-1)['@id'])
    expect(alone.document).toEqual(document)
    const french = await shop.read(events.at(-1)['@id'], { locale: 'fr-FR' })
    expect(french.document.variants).toHaveLength(4)
  }, 60_000)

  test('embed all variants, or none if they exceed the limit together', async () => {
    const shop = await openShop()
    const product = await productWithVariants(shop, 5)
    const body = await shop.read('/api/events?topic=product/updated')
    const event = body.member.at(-1)
    // The number of bytes that the five may grow by: the limit without the current event and its envelope.
    const envelope = { ...event, document: undefined, changes: undefined }
    const remainingBytes = byteLimits.event - bytes(event) + bytes(envelope) - 4_000
    const documentOf = async () => (await shop.read(event['@id'])).document
    const skus = async () => (await documentOf()).variants.map(({ sku }: { sku: string }) => sku)
    await fattenEvents(shop, { kind: 'variants', bytes: Math.floor((remainingBytes - 300) / 5) })
    expect(await skus()).toEqual(['v0', 'v1', 'v2', 'v3', 'v4'])
    await fattenEvents(shop, { kind: 'variants', bytes: Math.floor((remainingBytes + 600) / 5) })
    expect(await skus()).toEqual([])
    expect(await documentOf()).toMatchObject({
      variantsTotal: 5,
      variantsView: { next: `${product['@id']}/variants?position%5Bfrom%5D=0&itemsPerPage=100` },
    })
    expect(product['@id']).toBe(event.resource)
  })

  test('omit variants and option values first, replace categories by IRIs next, and are null if that is not enough', async () => {
    const shop = await openShop()
    const category = await shop.create('/api/categories', { title: 'Shoes' })
    const product = await productWithVariants(shop, 3)
    await shop.update(product['@id'], { categories: [category['@id']] })
    const last = (await shop.read('/api/events?topic=product/updated')).member.at(-1)
    const readLast = async () => await shop.read(last['@id'])
    await fattenEvents(shop, { kind: 'option_values', bytes: 1_100_000 })
    const narrow = (await readLast()).document
    expect(narrow.options).toMatchObject([{ title: 'N', valuesTotal: 3 }])
    expect(narrow.options[0]).not.toHaveProperty('values')
    expect(narrow).toMatchObject({ variants: [], variantsTotal: 3, categories: [{ title: 'Shoes' }] })
    const values = await shop.read(narrow.options[0].valuesView.next)
    expect(values.member.map(({ title }: { title: string }) => title)).toEqual(['v0', 'v1', 'v2'])
    const variants = await shop.read(narrow.variantsView.next)
    expect(variants.member).toHaveLength(3)
    await fattenEvents(shop, { kind: 'products', bytes: 1_800_000 })
    await owner((client) =>
      client.query(
        `update events set document = jsonb_set(document::jsonb, '{categories,0,document}',
           to_jsonb(jsonb_set((document::jsonb #>> '{categories,0,document}')::jsonb, '{description}', to_jsonb(repeat('d', 100000)))::text))::text
          where tenant_id = $1 and sequence = $2`,
        [shop.tenant.id, last.sequence],
      ),
    )
    const linked = await readLast()
    expect(linked.document).toMatchObject({ categories: [category['@id']], variantsTotal: 3 })
    expect(bytes(linked)).toBeLessThanOrEqual(byteLimits.event)
    for (const size of [2_100_000, 5_000_000]) {
      await fattenEvents(shop, { kind: 'products', bytes: size })
      expect(await readLast()).toMatchObject({ sequence: last.sequence, document: null })
    }
    const pages = await pagesFrom(shop, '/api/events?itemsPerPage=50')
    expect(pages.flatMap(({ member }) => member)).toHaveLength(last.sequence)
  })

  test('contain the titles of the values of a variant, however large other values are', async () => {
    const shop = await openShop()
    const product = await productWithVariants(shop, 4)
    await fattenEvents(shop, { kind: 'option_values', bytes: 2_000_000 })
    const pages = await pagesFrom(shop, '/api/events?topic=variant/created')
    expect(pages.length).toBeGreaterThan(1)
    const titles = pages.flatMap(({ member }) => member.map(({ document }) => document.title))
    expect(titles).toEqual(['v0', 'v1', 'v2', 'v3'])
    expect(product.id).toBeDefined()
  })
})

describe('changes', () => {
  test('omit values that are too large, the largest first, with omitted: true', async () => {
    const shop = await openShop()
    const product = await shop.create('/api/products', { title: 'A' })
    // Three bytes each, before and after, and in a field: more than half a megabyte.
    const text = (sign: string) => sign.repeat(65_000)
    await shop.update(product['@id'], { description: text('漢') })
    const seo = { title: text('s').slice(0, 70), description: text('s').slice(0, 300) }
    const patch = { description: text('字'), fields: { a: text('版') }, seo }
    await shop.update(product['@id'], patch)
    const body = await shop.read(`${product['@id']}/audit_trail`)
    const changes = Object.fromEntries(
      body.member[0].changes.map((change: { path: string }) => [change.path, change]),
    )
    expect(bytes(body.member[0].changes)).toBeLessThan(byteLimits.rowDocument)
    expect(changes.description).toEqual({ path: 'description', before: null, after: null, omitted: true })
    expect(changes.seo ?? changes['seo.title']).not.toHaveProperty('omitted')
    const [{ document }] = (await shop.read('/api/events?after=2')).member
    expect(document.description).toBe(text('字'))
  })

  test('that were stored before the limits existed appear within the limits, and their page ends early', async () => {
    const shop = await openShop()
    const product = await shop.create('/api/products', { title: 'A' })
    for (let n = 0; n < 29; n += 1) await shop.update(product['@id'], { vendor: `v${n}` })
    const change = `jsonb_build_object('path', 'description', 'before', null, 'after', repeat('x', $2))`
    const write = (size: number) =>
      owner((client) =>
        client.query(
          `update events set changes = jsonb_build_array(${change}, jsonb_build_object('path', 'vendor', 'before', null, 'after', 'v'))
            where tenant_id = $1`,
          [shop.tenant.id, size],
        ),
      )
    const trail = `${product['@id']}/audit_trail?itemsPerPage=100`
    await write(500_000)
    const pages = await pagesFrom(shop, trail)
    expect(pages.length).toBeGreaterThan(1)
    const sequences = pages.flatMap(({ member }) => member.map(({ sequence }) => sequence))
    expect(sequences).toEqual(Array.from({ length: 30 }, (_, index) => 30 - index))
    for (const { size } of pages) expect(size).toBeLessThanOrEqual(byteLimits.answer)
    await write(3_000_000)
    const cut = (await pagesFrom(shop, trail)).flatMap(({ member }) => member)
    expect(cut).toHaveLength(30)
    expect(cut[0].changes).toEqual([
      { path: 'description', before: null, after: null, omitted: true },
      { path: 'vendor', before: null, after: 'v' },
    ])
  })
})

test('a product whose variants moved too often contains their total and a link', async () => {
  const shop = await openShop()
  const product = await productWithVariants(shop, 3)
  const [variant] = (await shop.read(`${product['@id']}/variants`)).member
  await owner(async (client) => {
    // As if it had been moved to its current position that many times.
    await client.query(
      `insert into events (tenant_id, sequence, id, topic, kind, resource_id, owner_id, resource_version, occurred_at, actor, api_version, request_id, document, changes, fanned_out_at)
       select tenant_id, 1000 + n, gen_random_uuid(), 'variant/updated', kind, resource_id, owner_id, 1, occurred_at, actor, api_version, n::text, document,
              '[{"path": "position", "before": 0, "after": 0}]', now()
         from events, generate_series(1, 20000) n where tenant_id = $1 and kind = 'variants' and resource_id = $2`,
      [shop.tenant.id, variant.id],
    )
    await client.query('update tenant_clock set sequence = 30000 where tenant_id = $1', [shop.tenant.id])
  })
  await shop.update(product['@id'], { vendor: 'v' })
  await shop.delete(variant['@id'], { status: 204 })
  const body = await shop.read('/api/events?after=30000&topic=product/*')
  expect(body.member.map(({ document }: { document: object }) => document)).toMatchObject([
    { vendor: 'v', variants: [], variantsTotal: 3, variantsView: { '@id': `${product['@id']}/variants` } },
    { variants: [], variantsTotal: 2 },
  ])
})

/** Responses that an isolate caches: always equal to a new response, after any write; and only for equal requests. */
import { beforeAll, describe, expect, test } from 'vitest'
import { chanceOf } from '../faults/chance.ts'
import { createApp } from '../support/app.ts'
import { connected, databaseUrls } from '../support/database.ts'
import { executionContext } from '../support/later.ts'
import { sentBy } from '../support/sent.ts'
import { openShop, type Reply, type Shop } from '../support/shop.ts'

type Body = Reply['body']

const app = createApp()

/** Asks past every memory. */
async function madeAnew(shop: Shop, path: string, headers: Readonly<Record<string, string>> = {}) {
  const request = new Request(`http://${shop.host}${path}`, {
    headers: { Authorization: `Bearer ${await shop.token()}`, ...headers },
  })
  return app.fetch(request, { ...shop.bindings, ANSWER_MEMORY: '0' }, executionContext)
}

const contentOf = async (response: Response | Reply) => ({
  text: typeof response.text === 'string' ? response.text : await response.text(),
  etag: response.headers.get('etag'),
  sequence: response.headers.get('service-sequence'),
  locale: response.headers.get('content-language'),
})

const price = 'resolveContext[channel]=web&resolveContext[country]=FR&resolveContext[at]=2026-12-01T00:00:00Z'

describe('a cached response', () => {
  let shop: Shop
  let product: Body

  beforeAll(async () => {
    shop = await openShop()
    product = await shop.create('/api/products', { title: 'Lamp', variants: [{}] })
  })

  test('is given again after one look at the clock, in one trip, and is the same', async () => {
    const first = await shop.get(product['@id'], { status: 200 })
    let again: Reply | undefined
    const sent = await sentBy(async () => {
      again = await shop.get(product['@id'], { status: 200 })
    })
    const [[read, ...others] = []] = sent
    expect([sent.length, others.length]).toEqual([1, 0])
    expect(read?.query).toMatch(/^select \* from run_reads\(/)
    expect(read?.params[2]).toMatch(/^20.*Z$/)
    expect(await contentOf(again!)).toEqual(await contentOf(first))
  })

  test('is created again after a write, also after an unrelated one', async () => {
    const first = await shop.get(product['@id'], { status: 200 })
    await shop.create('/api/products', { title: 'Chair' })
    const other = await shop.get(product['@id'], { status: 200 })
    expect(Number(other.headers.get('service-sequence'))).toBeGreaterThan(
      Number(first.headers.get('service-sequence')),
    )
    await shop.update(product['@id'], { title: 'Lantern' })
    expect((await shop.read(product['@id'])).title).toBe('Lantern')
  })

  test('belongs to one caller’s access, language, version, host and address', async () => {
    await shop.create('/api/purchase_offers', {
      variant: product.variants[0]['@id'],
      supplier: 'x',
      currency: 'EUR',
      cost: '1.00',
    })
    await shop.get(product['@id'], { status: 200 })
    const narrow = await shop.token({ scope: 'categories:read' })
    await shop.get(product['@id'], { token: narrow, status: 403 })
    const fieldDefinitions = [
      { key: 'title', type: '/api/metafield_definition_types/single_line_text_field' },
    ]
    const definition = await shop.create('/api/metaobject_definitions', { type: 'note', fieldDefinitions })
    await shop.create('/api/metaobjects', {
      definition: definition['@id'],
      status: 'DRAFT',
      fields: { title: 'Secret' },
    })
    expect((await shop.read('/api/metaobjects')).totalItems).toBe(1)
    const reader = await shop.token({ scope: 'metaobjects:read' })
    expect((await shop.read('/api/metaobjects', { token: reader })).totalItems).toBe(0)
    const french = await shop.get(product['@id'], { locale: 'fr-FR', status: 200 })
    expect(french.headers.get('content-language')).toBe('fr-FR')
    const old = await shop.get('/api/products', { version: '2026-04', status: 200 })
    expect(old.text).toBe(
      await (await madeAnew(shop, '/api/products', { 'Service-Api-Version': '2026-04' })).text(),
    )
    const elsewhere = await openShop()
    await elsewhere.get(product['@id'], { status: 404 })
    const priced = await shop.read(`${product['@id']}?${price}`)
    expect(priced.variants[0]).toHaveProperty('resolvedPrice')
  })

  test('is judged like every request: a token that is revoked or too narrow gets nothing', async () => {
    await shop.get(product['@id'], { status: 200 })
    await shop.get(product['@id'], { token: 'made.up.token', status: 401 })
    await shop.get(product['@id'], { token: null, status: 401 })
  })

  test('of an age that the caller takes comes without a trip, with its age', async () => {
    await shop.get(product['@id'], { status: 200 })
    const young = { 'Cache-Control': 'max-age=60' }
    const [sent, asked] = await counted(() => shop.get(product['@id'], { headers: young, status: 200 }))
    expect([sent, asked.headers.get('age')]).toEqual([0, '0'])
    await shop.update(product['@id'], { vendor: 'Acme' })
    const [, old] = await counted(() => shop.get(product['@id'], { headers: young, status: 200 }))
    expect(old.body.vendor).toBeNull()
    const [none, now] = await counted(() => shop.get(product['@id'], { status: 200 }))
    expect([none, now.body.vendor, now.headers.get('age')]).toEqual([1, 'Acme', null])
  })

  test('is not taken for max-age=0 unless it was seen this very moment, nor for no-cache at all', async () => {
    await shop.get(product['@id'], { status: 200 })
    const [sent, asked] = await counted(() =>
      shop.get(product['@id'], { headers: { 'Cache-Control': 'max-age=60, no-cache' }, status: 200 }),
    )
    expect([sent, asked.headers.get('age')]).toEqual([1, null])
  })
})

async function counted(ask: () => Promise<Reply>): Promise<[number, Reply]> {
  let reply: Reply | undefined
  const sent = await sentBy(async () => {
    reply = await ask()
  })
  return [sent.length, reply!]
}

test('every commit moves the clock, also one that stamps nothing, and one made when the machine’s clock is behind', async () => {
  const { tenant } = await openShop()
  await connected(databaseUrls().ownerUrl, async (client) => {
    await client.query(`select set_config('app.tenant', $1, false)`, [tenant.id])
    const clock = async () =>
      (await client.query('select last_at::text as at from tenant_clock where tenant_id = $1', [tenant.id]))
        .rows[0].at
    await client.query(`update tenant_clock set last_at = now() + interval '1 hour' where tenant_id = $1`, [
      tenant.id,
    ])
    const before = await clock()
    const write = { changes: [], envelope: { actor: {}, apiVersion: 'x', requestId: 'x' }, totals: {} }
    await client.query(`select apply_write($1, '0', $2)`, [tenant.id, write])
    expect(await clock()).not.toBe(before)
  })
})

/** Before the requested time of prices. */
const soon = '2026-11-30T00:00:00Z'

/** Runs while no stored parts of products and categories are read, as if they had another shape. */
async function fromRows<Result>({ tenant }: Shop, run: () => Promise<Result>): Promise<Result> {
  const reshape = () =>
    connected(databaseUrls().ownerUrl, async (client) => {
      for (const table of ['product_parts', 'category_parts'])
        await client.query(`update ${table} set format = -format where tenant_id = $1`, [tenant.id])
    })
  await reshape()
  const result = await run()
  await reshape()
  return result
}

/** `HISTORIES=1000` for a night. */
const histories = Number(process.env.HISTORIES ?? 2)
const steps = 12

describe.each(Array.from({ length: histories }, (_, index) => index + 1))('history %i', (seed) => {
  test('each answer is what would be made now', async () => {
    const shop = await openShop()
    const { below, one } = chanceOf(seed)
    const of = <Each>(all: readonly Each[]): Each | undefined => one(all)
    const made = {
      products: [] as Body[],
      categories: [] as Body[],
      offers: [] as Body[],
      collections: [] as Body[],
      recipes: [] as Body[],
    }
    const definition = await shop.create('/api/metaobject_definitions', {
      type: 'recipe',
      displayNameField: 'title',
      fieldDefinitions: [{ key: 'title', type: '/api/metafield_definition_types/single_line_text_field' }],
    })
    const name = () => `Thing ${below(1000)}`
    const variantOf = (product: Body | undefined) => of<Body>(product?.variants ?? [])
    const optionOf = (product: Body | undefined) => of<Body>(product?.options ?? [])
    const writes: readonly (() => Promise<unknown>)[] = [
      async () => {
        const options = [{ title: 'Size', values: [{ title: 'S' }, { title: 'M' }] }]
        const variants = [
          { optionValues: [{ option: 'Size', value: 'S' }] },
          { optionValues: [{ option: 'Size', value: 'M' }] },
        ]
        const body = { title: name(), status: 'ACTIVE', tags: ['sale'], options, variants }
        made.products.push((await shop.post('/api/products', { body })).body)
      },
      async () => change(of(made.products), { title: name() }),
      async () => change(of(made.products), { tags: below(2) === 0 ? [] : ['sale'] }),
      async () =>
        change(of(made.products), {
          categories: made.categories.slice(0, 2).map((each) => each['@id']),
        }),
      async () => change(of(made.products), { status: below(2) === 0 ? 'ARCHIVED' : 'ACTIVE' }),
      async () => change(of(made.products), { title: name() }, 'fr-FR'),
      async () => change(variantOf(of(made.products)), { barcode: null, sku: `S${below(100_000)}` }),
      async () => change(variantOf(of(made.products)), { status: 'ARCHIVED' }),
      async () => change(optionOf(of(made.products)), { title: name() }),
      async () => change(optionOf(of(made.products)), { title: name() }, 'fr-FR'),
      async () => change(of<Body>(optionOf(of(made.products))?.values ?? []), { title: name() }),
      async () => {
        const option = optionOf(of(made.products))
        if (option) await shop.post('/api/option_values', { body: { option: option['@id'], title: name() } })
      },
      async () => change(of(made.offers), { status: 'ARCHIVED' }),
      async () =>
        made.categories.push((await shop.post('/api/categories', { body: { title: name() } })).body),
      async () => change(of(made.categories), { title: name() }),
      async () => change(of(made.categories), { title: name() }, 'fr-FR'),
      async () => {
        const parent = of<Body | null>([...made.categories, null])
        await change(of(made.categories), { parent: parent?.['@id'] ?? null })
      },
      async () => {
        const gone = made.categories.pop()
        if (gone?.['@id']) await shop.delete(gone['@id'])
      },
      async () => {
        const variant = variantOf(of(made.products))
        if (!variant) return
        const channel = of(['web', 'store', null])
        const compared = { compareAtAmount: of([null, '120.00']), validFrom: of([null, soon]) }
        const body = {
          variant: variant['@id'],
          currency: 'EUR',
          amount: `${below(100)}.00`,
          channel,
          ...compared,
        }
        made.offers.push((await shop.post('/api/sale_offers', { body })).body)
      },
      async () => change(of(made.offers), { amount: `${below(100)}.50` }),
      async () => change(of(made.offers), { compareAtAmount: of([null, '110.00']), minQuantity: 1 }),
      async () => {
        const rules = { match: 'ALL', conditions: [{ field: 'tag', operator: 'EQUALS', value: 'sale' }] }
        const body = { title: name(), type: 'RULE_BASED', rules }
        made.collections.push((await shop.post('/api/collections', { body })).body)
      },
      async () => {
        const gone = made.collections.pop()
        if (gone?.['@id']) await shop.delete(gone['@id'])
      },
      async () => {
        const body = { definition: definition['@id'], status: 'ACTIVE', fields: { title: name() } }
        made.recipes.push((await shop.post('/api/metaobjects', { body })).body)
      },
      async () => change(of(made.recipes), { fields: { title: name() } }),
    ]
    async function change(of: Body | undefined, body: object, locale?: string) {
      if (of?.['@id']) await shop.patch(of['@id'], { body, ...(locale ? { locale } : {}) })
    }
    for (let step = 0; step < steps; step += 1) {
      await of(writes)!()
      // Rebuilds continue after the response, and move the clock: between two compared responses nothing may change.
      await shop.rest()
      const item = of(made.products)?.['@id'] ?? '/api/products'
      const reads: readonly (readonly [string, Record<string, string>])[] = [
        ['/api/products', {}],
        [`/api/products?${price}`, {}],
        [`/api/products?${price}&expand=priorPrice`, {}],
        [`${item}?${price}&expand=priorPrice`, {}],
        ['/api/products?properties[]=title', { 'Service-Locale': 'fr-FR' }],
        [item, {}],
        [`${item}?${price}`, { 'Service-Locale': 'fr-FR' }],
        [item, { 'Service-Api-Version': '2026-04' }],
        ['/api/categories', {}],
        ['/api/collections', {}],
        ['/api/metaobjects', {}],
      ]
      for (const [path, headers] of reads) {
        // From stored parts or from memory; then from stored parts for certain; then from rows.
        const answers = [
          await contentOf(await shop.get(path, { headers })),
          await contentOf(await shop.get(path, { headers })),
        ]
        await shop.rest()
        answers.push(await contentOf(await madeAnew(shop, path, headers)))
        const ofRows = await fromRows(shop, async () => contentOf(await madeAnew(shop, path, headers)))
        expect([path, ...answers]).toEqual([path, ofRows, ofRows, ofRows])
        await shop.rest()
      }
    }
  }, 60_000)
})

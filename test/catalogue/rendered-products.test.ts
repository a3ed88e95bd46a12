/** Texts that were rendered of products: told in place of their rows, and never once one of these has changed. */
import { beforeAll, describe, expect, test } from 'vitest'
import { connected, databaseUrls } from '../support/database.ts'
import { allSentBy } from '../support/sent.ts'
import { openShop, type Reply, type Shop } from '../support/shop.ts'

type Body = Reply['body']

let shop: Shop
let product: Body
beforeAll(async () => {
  shop = await openShop({ bindings: { ANSWER_MEMORY: '0' } })
  const options = [{ title: 'Size', values: [{ title: 'S' }, { title: 'M' }, { title: 'L' }] }]
  const variants = ['S', 'M'].map((value) => ({ optionValues: [{ option: 'Size', value }] }))
  product = (await shop.post('/api/products', { body: { title: 'Lamp', options, variants }, status: 201 }))
    .body
})

const asOwner = (query: string, values: unknown[]) =>
  connected(databaseUrls().ownerUrl, (client) => client.query(query, values))

/** Has the text kept, and writes into it what no row has. */
async function marked(): Promise<void> {
  await shop.get(product['@id'], { status: 200 })
  await shop.rest()
  const { rowCount } = await asOwner(
    `update rendered_products set text = replace(text, 'Lamp', 'Text') where tenant_id = $1`,
    [shop.tenant.id],
  )
  expect(rowCount).toBe(1)
}

const titleNow = async (path = product['@id']) => {
  const { body } = await shop.get(path, { status: 200 })
  return (body.member?.[0] ?? body).title
}

describe('a rendered text', () => {
  test('is what is told, of an item, in a list and in a version that says it otherwise', async () => {
    await marked()
    expect([
      await titleNow(),
      await titleNow('/api/products'),
      await titleNow('/api/products?q=lamp'),
    ]).toEqual(['Text', 'Text', 'Text'])
    const old = await shop.get(product['@id'], { version: '2026-04', status: 200 })
    expect(old.text).toContain('Text')
  })

  test('is another in another language', async () => {
    await marked()
    expect((await shop.get(product['@id'], { locale: 'fr-FR', status: 200 })).body.title).toBe('Lamp')
    await shop.rest()
    await asOwner(`delete from rendered_products where tenant_id = $1 and form like '%fr-FR,en-US'`, [
      shop.tenant.id,
    ])
  })

  test('is kept in no language that the tenant does not declare', async () => {
    const kept = async () =>
      (await asOwner('select form from rendered_products where tenant_id = $1 order by 1', [shop.tenant.id]))
        .rows
    await marked()
    const before = await kept()
    for (const locale of ['xx-YY', 'de-DE']) await shop.get(product['@id'], { locale, status: 200 })
    await shop.get('/api/products', { locale: 'de-DE', status: 200 })
    await shop.rest()
    expect(await kept()).toEqual(before)
  })

  test('is not told to who writes, nor where a part of the document or an explained price is asked for', async () => {
    await marked()
    const question =
      'resolveContext[channel]=web&resolveContext[country]=FR&resolveContext[at]=2026-12-01T00:00:00Z'
    for (const query of ['properties[]=title', `explain=price&${question}`])
      expect(await titleNow(`/api/products?${query}`)).toBe('Lamp')
    expect((await shop.patch(product['@id'], { body: {}, status: 200 })).body.title).toBe('Lamp')
  })

  const variant = () => product.variants[0]['@id']
  const option = () => product.options[0]['@id']
  const changes: readonly (readonly [string, () => Promise<unknown>])[] = [
    ['the product', () => shop.patch(product['@id'], { body: { vendor: 'Acme' }, status: 200 })],
    [
      'its translation',
      () => shop.patch(product['@id'], { body: { title: 'Lampe' }, locale: 'fr-FR', status: 200 }),
    ],
    ['an option', () => shop.patch(option(), { body: { title: 'Width' }, status: 200 })],
    [
      'a value',
      () => shop.patch(product.options[0].values[0]['@id'], { body: { title: 'Small' }, status: 200 }),
    ],
    ['a variant', () => shop.patch(variant(), { body: { sku: 'L-1' }, status: 200 })],
    [
      'a new value',
      () => shop.post('/api/option_values', { body: { option: option(), title: 'XL' }, status: 201 }),
    ],
    ['a value that goes', () => shop.delete(product.options[0].values[2]['@id'], { status: 204 })],
    [
      'a variant that is archived',
      () => shop.patch(variant(), { body: { status: 'ARCHIVED' }, status: 200 }),
    ],
  ]
  test.each(changes)('is told no more after a change to %s', async (_, change) => {
    await marked()
    expect(await titleNow()).toBe('Text')
    await change()
    expect(await titleNow()).toBe('Lamp')
  })

  test.each(['products', 'product_options', 'option_values', 'variants'])(
    'is told no more after a row of %s was written, whoever wrote it',
    async (table) => {
      await marked()
      await asOwner(`update ${table} set document = document where tenant_id = $1`, [shop.tenant.id])
      expect(await titleNow()).toBe('Lamp')
    },
  )

  test('holds while what belongs to others changes, which it has gaps for', async () => {
    await marked()
    const category = (await shop.post('/api/categories', { body: { title: 'Light' }, status: 201 })).body
    const body = { variant: product.variants[1]['@id'], currency: 'EUR', amount: '5.00' }
    await shop.post('/api/sale_offers', { body, status: 201 })
    await shop.patch(category['@id'], { body: { title: 'Lights' }, status: 200 })
    expect(await titleNow()).toBe('Text')
    const { body: priced } = await shop.get(
      `${product['@id']}?resolveContext[channel]=web&resolveContext[country]=FR&resolveContext[at]=2026-12-01T00:00:00Z`,
      { status: 200 },
    )
    expect([priced.title, priced.variants.at(-1).resolvedPrice.amount]).toEqual(['Text', '5.00'])
  })

  test('is of no use when it is kept while its product is being changed', async () => {
    await connected(databaseUrls().ownerUrl, async (writer) => {
      await writer.query('begin')
      await writer.query('update variants set updated_at = updated_at where tenant_id = $1', [shop.tenant.id])
      await marked()
      await writer.query('commit')
    })
    expect(await titleNow()).toBe('Lamp')
  })

  test.each(['variants', 'option_values', 'product_options'])(
    'is told no more after a row of %s has gone',
    async (table) => {
      await marked()
      await asOwner('delete from variant_option_values where tenant_id = $1', [shop.tenant.id])
      await asOwner(`delete from ${table} where tenant_id = $1`, [shop.tenant.id])
      expect(await titleNow()).toBe('Lamp')
    },
  )

  test.each(['product_categories', 'product_collections'])(
    'is told no more after a row of %s has come or gone, whoever wrote it',
    async (table) => {
      const category = (await shop.post('/api/categories', { body: { title: table }, status: 201 })).body
      const row = [shop.tenant.id, product.id, category.id]
      const insert =
        table === 'product_categories'
          ? `insert into ${table} (tenant_id, product_id, category_id, position) values ($1, $2, $3, 9)`
          : `insert into ${table} (tenant_id, product_id, collection_id) values ($1, $2, $3)`
      for (const change of [
        insert,
        `delete from ${table} where tenant_id = $1 and product_id = $2 and $3 <> ''`,
      ]) {
        await marked()
        expect(await titleNow()).toBe('Text')
        await asOwner(change, row)
        expect(await titleNow()).toBe('Lamp')
        await shop.rest()
      }
    },
  )

  test('is kept of a product of up to 24,000 bytes, and of none with one more', async () => {
    const created = await shop.post('/api/products', { body: { title: 'Rug' }, status: 201 })
    const { '@id': rug } = created.body
    const isKept = async (description: string) => {
      await shop.patch(rug, { body: { description }, status: 200 })
      const { text } = await shop.get(rug, { status: 200 })
      await shop.rest()
      const { rows } = await asOwner(
        `select from rendered_products r join product_editions using (tenant_id, product_id, edition) where product_id = $1`,
        [rug.split('/').at(-1)],
      )
      // In front of it is the context, and of lists that are empty the text has a mark of one byte each.
      const bytes = Buffer.byteLength(text) - (text.indexOf('"@id"') - 1) - 2
      return { isKept: rows.length === 1, bytes }
    }
    let [kept, not] = [0, 24_000]
    while (not - kept > 1) {
      const middle = (kept + not) >> 1
      if ((await isKept('é'.repeat(middle / 2) + 'a'.repeat(middle % 2))).isKept) kept = middle
      else not = middle
    }
    expect(await isKept('a'.repeat(kept))).toEqual({ isKept: true, bytes: 24_000 })
    expect(await isKept('a'.repeat(kept + 1))).toEqual({ isKept: false, bytes: 24_001 })
  })

  test('is not kept of a product whose fields refer to others', async () => {
    const { body: definition } = await shop.post('/api/metaobject_definitions', {
      body: {
        type: 'note',
        fieldDefinitions: [{ key: 'title', type: '/api/metafield_definition_types/single_line_text_field' }],
      },
      status: 201,
    })
    const { body: note } = await shop.post('/api/metaobjects', {
      body: { definition: definition['@id'], status: 'ACTIVE', fields: { title: 'Old' } },
      status: 201,
    })
    const { body: made } = await shop.post('/api/products', {
      body: {
        title: 'Chair',
        fields: [
          {
            namespace: 'own',
            key: 'note',
            type: '/api/metafield_definition_types/metaobject_reference',
            value: note['@id'],
          },
        ],
      },
      status: 201,
    })
    await shop.get(made['@id'], { status: 200 })
    await shop.rest()
    const { rowCount } = await asOwner(
      'select from rendered_products where tenant_id = $1 and product_id = $2',
      [shop.tenant.id, made.id],
    )
    expect(rowCount).toBe(0)
  })
})

describe('what is kept beside a text', () => {
  const question =
    'resolveContext[channel]=web&resolveContext[country]=FR&resolveContext[at]=2026-12-01T00:00:00Z'
  let lamp: Body
  let category: Body
  let above: Body
  beforeAll(async () => {
    above = (await shop.post('/api/categories', { body: { title: 'Above' }, status: 201 })).body
    category = (
      await shop.post('/api/categories', { body: { title: 'Light', parent: above['@id'] }, status: 201 })
    ).body
    const options = [{ title: 'Size', values: [{ title: 'S' }] }]
    const saleOffers = [{ currency: 'EUR', amount: '5.00' }]
    const variants = [{ optionValues: [{ option: 'Size', value: 'S' }], saleOffers }]
    const body = { title: 'Bulb', options, variants, categories: [category['@id']] }
    lamp = (await shop.post('/api/products', { body, status: 201 })).body
  })
  const now = async (path = `${lamp['@id']}?${question}`) => {
    const { body } = await shop.get(path, { status: 200 })
    const { variants, categories } = body.member?.find(({ id }: Body) => id === lamp.id) ?? body
    return [variants[0].resolvedPrice?.amount, categories[0]?.title]
  }
  /** Has both kept, and writes into them what no row has. */
  const told = async () => {
    for (const table of ['rendered_products', 'rendered_categories'])
      await asOwner(`delete from ${table} where tenant_id = $1`, [shop.tenant.id])
    await shop.get(`${lamp['@id']}?${question}`, { status: 200 })
    await shop.rest()
    await shop.get(`${lamp['@id']}?${question}`, { status: 200 })
    await shop.rest()
    for (const [table, column, from, to] of [
      ['rendered_products', 'offers', 'EUR,', 'EUR,1'],
      ['rendered_categories', 'line', '"title":"', '"title":"Kept '],
    ])
      await asOwner(
        `update ${table} set ${column} = replace(${column}, '${from}', '${to}') where tenant_id = $1`,
        [shop.tenant.id],
      )
  }
  const offer = async () =>
    (await shop.get(`/api/sale_offers?product=${lamp['@id']}`, { status: 200 })).body.member[0]['@id']

  test('is what is told, of an item and in a list, and of prices before a reduction', async () => {
    await told()
    const kept = ['15.00', 'Kept Light']
    expect(await now()).toEqual(kept)
    expect(await now(`/api/products?${question}`)).toEqual(kept)
    expect(await now(`${lamp['@id']}?${question}&expand=priorPrice`)).toEqual(kept)
  })

  const changes: readonly (readonly [string, () => Promise<unknown>, (string | undefined)[]])[] = [
    [
      'an offer',
      async () => shop.patch(await offer(), { body: { amount: '6.00' }, status: 200 }),
      ['6.00', 'Light'],
    ],
    [
      'a new offer',
      () =>
        shop.post('/api/sale_offers', {
          body: { variant: lamp.variants[0]['@id'], currency: 'EUR', amount: '7.00', priority: 9 },
          status: 201,
        }),
      ['7.00', 'Light'],
    ],
    [
      'an offer that is archived',
      async () => shop.patch(await offer(), { body: { status: 'ARCHIVED' }, status: 200 }),
      ['6.00', 'Light'],
    ],
    [
      'the category',
      () => shop.patch(category['@id'], { body: { title: 'Lights' }, status: 200 }),
      ['16.00', 'Lights'],
    ],
    [
      'one above it',
      () => shop.patch(above['@id'], { body: { title: 'High' }, status: 200 }),
      ['16.00', 'Lights'],
    ],
    [
      'one below it',
      () => shop.post('/api/categories', { body: { title: 'Below', parent: category['@id'] }, status: 201 }),
      ['16.00', 'Lights'],
    ],
  ]
  test.each(changes)('is told no more after a change to %s', async (_, change, expected) => {
    await told()
    await change()
    expect(await now()).toEqual(expected)
  })

  test('are no more than 4,000 bytes of offers: prices are told of more all the same', async () => {
    const kept = async () => {
      await told()
      const { rows } = await asOwner(
        'select octet_length(offers) as bytes, offers_at from rendered_products where tenant_id = $1 and product_id = $2',
        [shop.tenant.id, lamp.id],
      )
      return rows[0]
    }
    const few = (await kept()).bytes
    const variant = lamp.variants[0]['@id']
    const saleOffers = Array.from({ length: 60 }, (_, index) => ({
      ...{ variant, currency: 'EUR', amount: `${index + 20}.00`, channel: 'web', countries: ['FR', 'DE'] },
    }))
    await shop.post('/api/sale_offers', { body: saleOffers, status: 201 })
    const many = await kept()
    expect([few > 0, many.bytes, many.offers_at !== null]).toEqual([true, null, true])
    expect(await now()).toEqual(['20.00', 'Lights'])
    expect(await trips(`${lamp['@id']}?${question}`)).toBe(1)
  })

  /** How many trips a read takes, those after its answer with them. */
  const trips = async (path: string): Promise<number> => {
    const sent = await allSentBy(async () => {
      await shop.get(path, { status: 200 })
      await shop.rest()
    })
    return sent.length
  }

  test('is kept by the reads that miss it, and by none that follow', async () => {
    const body = { title: 'Candle', variants: [{}], categories: [category['@id']] }
    await shop.post('/api/products', { body, status: 201 })
    for (const table of ['rendered_products', 'rendered_categories'])
      await asOwner(`delete from ${table} where tenant_id = $1`, [shop.tenant.id])
    const path = `/api/products?${question}`
    const found = [await trips(path), await trips(path), await trips(path), await trips(path)]
    // The text first, then the categories' lines; of the chair, whose fields refer to another, there is nothing to keep.
    expect(found).toEqual([2, 2, 1, 1])
  })

  test.each([
    [100, true],
    [101, false],
  ])('of %i offers, archived ones with them, are told by what is kept: %s', async (amount, isKept) => {
    const variants = [
      { saleOffers: Array.from({ length: amount }, () => ({ currency: 'EUR', amount: '9.00' })) },
    ]
    const { body } = await shop.post('/api/products', { body: { title: 'Rope', variants }, status: 201 })
    await asOwner(
      `update sale_offers set status = 'ARCHIVED' where tenant_id = $1 and product_id = $2
          and id <> (select id from sale_offers where tenant_id = $1 and product_id = $2 order by id limit 1)`,
      [shop.tenant.id, body.id],
    )
    for (let reads = 0; reads < 2; reads += 1) await trips(`${body['@id']}?${question}`)
    const { rows } = await asOwner(
      'select offers is not null as "isKept" from rendered_products where tenant_id = $1 and product_id = $2',
      [shop.tenant.id, body.id],
    )
    expect(rows).toEqual([{ isKept }])
    const { body: told } = await shop.get(`${body['@id']}?${question}`, { status: 200 })
    expect(told.variants[0].resolvedPrice.amount).toBe('9.00')
  })
})

describe('the recorded terms that are kept beside offers', () => {
  const question =
    'resolveContext[channel]=web&resolveContext[country]=FR&resolveContext[at]=2099-12-01T00:00:00Z&expand=priorPrice'
  const reduced = { currency: 'EUR', amount: '20.00' }
  const reduction = {
    amount: '15.00',
    compareAtAmount: '25.00',
    validFrom: '2099-11-30T00:00:00Z',
    priority: 1,
  }
  let kettle: Body
  beforeAll(async () => {
    const saleOffers = [reduced, { ...reduced, ...reduction }]
    const options = [{ title: 'Size', values: [{ title: 'S' }, { title: 'M' }] }]
    const variants = ['S', 'M'].map((value, index) => ({
      optionValues: [{ option: 'Size', value }],
      saleOffers: index === 0 ? saleOffers : [reduced],
    }))
    kettle = (await shop.post('/api/products', { body: { title: 'Kettle', options, variants }, status: 201 }))
      .body
  })
  const pricesNow = async (path = `${kettle['@id']}?${question}`) => {
    const { body } = await shop.get(path, { status: 200 })
    const { variants } = body.member?.find(({ id }: Body) => id === kettle.id) ?? body
    return variants.map(({ resolvedPrice }: Body) => resolvedPrice.priorPrice?.amount ?? null)
  }
  const keptNow = async () => {
    for (let reads = 0; reads < 2; reads += 1) {
      await pricesNow()
      await shop.rest()
    }
    const { rows } = await asOwner(
      'select prior_terms as kept from rendered_products where tenant_id = $1 and product_id = $2',
      [shop.tenant.id, kettle.id],
    )
    return rows[0]?.kept
  }
  const write = (terms: string | null) =>
    asOwner('update rendered_products set prior_terms = $3 where tenant_id = $1 and product_id = $2', [
      shop.tenant.id,
      kettle.id,
      terms,
    ])
  /** The price that the first variant has when it is not reduced. */
  const standardNow = async (): Promise<string> => {
    const { body } = await shop.get(`/api/sale_offers?variant=${kettle.variants[0]['@id']}`, { status: 200 })
    return body.member.find(({ priority }: Body) => priority === 0)['@id']
  }

  test('are those of variants with an amount to compare with, and nothing of the others', async () => {
    const stamp = /\d{4}-\d\d-\d\dT[\d:.]{15}Z/.source
    expect(await keptNow()).toMatch(new RegExp(`^${stamp},${stamp}\\|$`))
    expect(await pricesNow()).toEqual(['20.00', null])
  })

  test('are what is told, of an item and in a list, until an offer changes', async () => {
    const cheaper = `x,,,EUR,1.00,,2099-11-29T00:00:00.000000Z,2099-11-30T00:00:00.000000Z,2,1,t,ACTIVE,2026-01-01T00:00:00.000000Z,2100-01-01T00:00:00.000000Z`
    await write((await keptNow()).replace('|', `;${cheaper}|`))
    expect(await pricesNow()).toEqual(['1.00', null])
    expect(await pricesNow(`/api/products?${question}`)).toEqual(['1.00', null])
    const standard = await standardNow()
    await shop.patch(standard, { body: { amount: '19.00' }, status: 200 })
    expect(await pricesNow()).toEqual(['19.00', null])
    expect(await keptNow()).toContain(',20.00,')
    expect(await pricesNow()).toEqual(['19.00', null])
  })

  test('are kept by the read that misses them, in one trip more, beside a text that was kept before there were any', async () => {
    const kept = await keptNow()
    await write(null)
    const trips = async () =>
      (
        await allSentBy(async () => {
          expect(await pricesNow()).toEqual(['19.00', null])
          await shop.rest()
        })
      ).length
    expect([await trips(), await trips()]).toEqual([2, 1])
    expect(await keptNow()).toBe(kept)
  })

  test('are twelve that are no longer at most: of more, prior prices are told by their rows, also beside products whose terms are kept', async () => {
    const standard = await standardNow()
    const body = { title: 'Pot', variants: [{ saleOffers: [reduced, { ...reduced, ...reduction }] }] }
    const pot = (await shop.post('/api/products', { body, status: 201 })).body
    const potNow = async () => {
      const { body: list } = await shop.get(`/api/products?${question}`, { status: 200 })
      await shop.rest()
      return list.member.find(({ id }: Body) => id === pot.id).variants[0].resolvedPrice.priorPrice.amount
    }
    const ended = async () => (await keptNow()).split(';').length - 1
    for (let amount = 30 - (await ended()); amount > 19; amount -= 1)
      await shop.patch(standard, { body: { amount: `${amount}.00` }, status: 200 })
    await shop.patch(standard, { body: { amount: '19.00' }, status: 200 })
    expect(await ended()).toBe(12)
    expect(await pricesNow()).toEqual(['19.00', null])
    await shop.patch(standard, { body: { amount: '18.00' }, status: 200 })
    expect(await keptNow()).toBe('-')
    expect([await pricesNow(), await potNow(), await potNow()]).toEqual([['18.00', null], '20.00', '20.00'])
    expect(await pricesNow(`/api/products?${question}`)).toEqual(['18.00', null])
  })
})

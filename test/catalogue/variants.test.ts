/** Variants: one per combination of values, named after it, archived when deleted. */
import { describe, expect, test } from 'vitest'
import { openShop, type Reply, type Shop } from '../support/shop.ts'

const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/

/** A product with colours and sizes, and a look-up of the IRIs of its values by title. */
async function shirt(shop: Shop, extra: object = {}) {
  const body = {
    title: 'Shirt',
    options: [
      { title: 'Color', values: [{ title: 'Red' }, { title: 'Blue' }] },
      { title: 'Size', values: [{ title: 'S' }, { title: 'L' }] },
    ],
    ...extra,
  }
  const product = (await shop.post('/api/products', { body, status: 201 })).body
  const values: { '@id': string; title: string }[] = product.options.flatMap(
    (each: { values: unknown[] }) => each.values,
  )
  const iri = (title: string) => values.find((each) => each.title === title)?.['@id'] ?? title
  const path = `${product['@id']}/variants`
  const post = (titles: string[], rest: object = {}, status = 201) =>
    shop.post(path, { body: { optionValues: titles.map(iri), ...rest }, status })
  return { product, path, iri, post }
}

describe('creating', () => {
  test('answers the whole variant', async () => {
    const shop = await openShop()
    const { product, iri, post } = await shirt(shop)
    const media = [{ url: 'https://cdn.example.com/a.jpg', alt: null, type: 'IMAGE' }]
    const reply = await post(['L', 'Red'], {
      sku: 'R-L',
      barcode: '4006381333931',
      weight: { value: 250, unit: 'g' },
      externalId: 'erp-7',
      media,
    })
    expect(reply.headers.get('location')).toBe(reply.body['@id'])
    expect(reply.body).toEqual({
      '@context': '/api/contexts/Variant',
      '@id': `${product['@id']}/variants/${reply.body.id}`,
      '@type': 'Variant',
      id: expect.any(String),
      product: product['@id'],
      externalId: 'erp-7',
      sku: 'R-L',
      barcode: '4006381333931',
      title: 'Red / L',
      weight: { value: 250, unit: 'g' },
      media,
      fields: [],
      status: 'ACTIVE',
      archivedAt: null,
      optionValues: ['Red', 'L'].map((title) => expect.objectContaining({ '@id': iri(title), title })),
      position: 0,
      categories: [],
      version: 1,
      createdAt: expect.stringMatching(instant),
      updatedAt: expect.stringMatching(instant),
    })
    expect((await shop.get(reply.body['@id'], { status: 200 })).body).toEqual(reply.body)
  })

  test('takes values as IRIs, objects with @id or names', async () => {
    const shop = await openShop()
    const { path, iri, post } = await shirt(shop)
    await post(['Red', 'S'])
    const objects = [{ '@id': iri('Red'), '@type': 'OptionValue', title: 'Red' }, { '@id': iri('L') }]
    expect((await shop.post(path, { body: { optionValues: objects }, status: 201 })).body.title).toBe(
      'Red / L',
    )
    const names = [
      { option: 'Color', value: 'Blue' },
      { option: 'Size', value: 'L' },
    ]
    expect((await shop.post(path, { body: { optionValues: names }, status: 201 })).body.title).toBe(
      'Blue / L',
    )
  })

  test.each([
    ['none', []],
    ['one missing', ['Red']],
    ['two of one option', ['Red', 'Blue']],
    ['one too many', ['Red', 'S', 'L']],
    ['the same twice', ['Red', 'Red']],
    ['an unknown one', ['Red', '/api/option_values/01900000-0000-7000-8000-000000000000']],
    ['no IRI', ['Red', 'XL']],
    ['an option', ['Red', '/api/product_options/01900000-0000-7000-8000-000000000000']],
  ])('%s of the values is 422', async (_, titles) => {
    const shop = await openShop()
    const { post, path } = await shirt(shop)
    const { body } = await post(titles, {}, 422)
    for (const each of body.violations) expect(each.propertyPath).toMatch(/^optionValues/)
    expect((await shop.get(path)).body.totalItems).toBe(0)
  })

  test('a value of another product is 422', async () => {
    const shop = await openShop()
    const [one, two] = [await shirt(shop), await shirt(shop)]
    await one.post(['Red', two.iri('S')], {}, 422)
  })

  test('no optionValues at all is 422 that names them', async () => {
    const shop = await openShop()
    const { path } = await shirt(shop)
    for (const body of [{}, { optionValues: null }, { optionValues: 'Red' }, { optionValues: {} }]) {
      const reply = await shop.post(path, { body, status: 422 })
      expect(reply.body.violations[0].propertyPath).toMatch(/^optionValues/)
    }
  })

  test('a combination that is there is 409 in any order of its values', async () => {
    const shop = await openShop()
    const { post } = await shirt(shop)
    await post(['Red', 'S'])
    expect((await post(['S', 'Red'], {}, 409)).body.slug).toBe('variant.combination_exists')
  })

  test('a combination whose variant was archived is free', async () => {
    const shop = await openShop()
    const { post } = await shirt(shop)
    const first = await post(['Red', 'S'])
    await shop.delete(first.body['@id'], { status: 204 })
    await post(['Red', 'S'])
    const back = await shop.patch(first.body['@id'], { body: { status: 'ACTIVE' }, status: 409 })
    expect(back.body.slug).toBe('variant.combination_exists')
  })

  test('a product without options has one variant and no second', async () => {
    const shop = await openShop()
    const product = (await shop.post('/api/products', { body: { title: 'Mug' }, status: 201 })).body
    const path = `${product['@id']}/variants`
    await shop.post(path, { body: {}, status: 201 })
    expect((await shop.post(path, { body: {}, status: 422 })).body.slug).toBe('product.options_required')
  })

  test('a SKU that is live anywhere in the shop is 409', async () => {
    const shop = await openShop()
    const [one, two] = [await shirt(shop), await shirt(shop)]
    const first = await one.post(['Red', 'S'], { sku: 'A' })
    expect((await two.post(['Red', 'S'], { sku: 'A' }, 409)).body.slug).toBe('variant.sku_taken')
    await shop.delete(first.body['@id'], { status: 204 })
    await two.post(['Red', 'S'], { sku: 'A' })
    const other = await openShop()
    await (await shirt(other)).post(['Red', 'S'], { sku: 'A' })
  })

  test.each([
    ['4006381333931', 201],
    ['96385074', 201],
    ['036000291452', 201],
    ['00012345600012', 201],
    ['4006381333932', 422],
    ['96385075', 422],
    ['036000291453', 422],
    ['00012345600013', 422],
    [4006381333931, 422],
    ['', 422],
  ])('barcode %j is %i', async (barcode, status) => {
    const shop = await openShop()
    const { post } = await shirt(shop)
    const reply = await post(['Red', 'S'], { barcode }, status)
    if (status === 422) expect(reply.body.violations[0].propertyPath).toBe('barcode')
  })

  test('positions are inserted without a gap', async () => {
    const shop = await openShop()
    const { post, path } = await shirt(shop)
    await post(['Red', 'S'])
    await post(['Red', 'L'], { position: 0 })
    await post(['Blue', 'S'], { position: 1 })
    await post(['Blue', 'L'], { position: -1 })
    const { body } = await shop.get(path)
    expect(body.totalItems).toBe(4)
    expect(
      body.member.map((each: { title: string; position: number }) => [each.position, each.title]).sort(),
    ).toEqual([
      [0, 'Red / L'],
      [1, 'Blue / S'],
      [2, 'Red / S'],
      [3, 'Blue / L'],
    ])
    const embedded = (await shop.get(path.replace('/variants', ''))).body.variants
    expect(embedded.map((each: { title: string }) => each.title)).toEqual([
      'Red / L',
      'Blue / S',
      'Red / S',
      'Blue / L',
    ])
  })
})

describe('patching', () => {
  test('an omitted property is left, null clears, weight is merged', async () => {
    const shop = await openShop()
    const { post } = await shirt(shop)
    const made = await post(['Red', 'S'], { sku: 'A', barcode: '96385074', weight: { value: 1, unit: 'kg' } })
    const { body } = await shop.patch(made.body['@id'], {
      body: { sku: null, weight: { value: 2.5 } },
      status: 200,
    })
    expect(body).toMatchObject({
      sku: null,
      barcode: '96385074',
      weight: { value: 2.5, unit: 'kg' },
      version: 2,
      title: 'Red / S',
    })
    expect((await shop.get(made.body['@id'])).body).toEqual(body)
    const none = await shop.patch(made.body['@id'], { body: { weight: null }, status: 200 })
    expect(none.body.weight).toBeNull()
  })

  test.each([{}, { sku: 'A' }, { weight: { value: 1, unit: 'kg' } }, { position: 0 }, { status: 'ACTIVE' }])(
    'what changes nothing bumps nothing: %j',
    async (body) => {
      const shop = await openShop()
      const { post, product } = await shirt(shop)
      const made = await post(['Red', 'S'], { sku: 'A', weight: { value: 1, unit: 'kg' } })
      expect((await shop.patch(made.body['@id'], { body, status: 200 })).body).toEqual(made.body)
      expect((await shop.get(product['@id'])).body.version).toBe(2)
    },
  )

  test('another combination renames it; one that is taken is 409; an incomplete one 422', async () => {
    const shop = await openShop()
    const { post, iri } = await shirt(shop)
    const made = (await post(['Red', 'S'])).body
    await post(['Blue', 'S'])
    const patch = (titles: string[], status: number) =>
      shop.patch(made['@id'], { body: { optionValues: titles.map(iri) }, status })
    expect((await patch(['Red', 'L'], 200)).body).toMatchObject({ title: 'Red / L', version: 2 })
    expect((await patch(['Blue', 'S'], 409)).body.slug).toBe('variant.combination_exists')
    await patch(['Blue'], 422)
    await patch([], 422)
    expect((await patch(['L', 'Red'], 200)).body.version).toBe(2)
    await shop.patch(made['@id'], { body: { optionValues: null }, status: 422 })
  })

  test('a taken SKU is 409, its own is no change', async () => {
    const shop = await openShop()
    const { post } = await shirt(shop)
    await post(['Red', 'S'], { sku: 'A' })
    const second = (await post(['Red', 'L'], { sku: 'B' })).body
    expect((await shop.patch(second['@id'], { body: { sku: 'A' }, status: 409 })).body.slug).toBe(
      'variant.sku_taken',
    )
    expect((await shop.patch(second['@id'], { body: { sku: 'B' }, status: 200 })).body.version).toBe(1)
  })

  test('a position moves it among its siblings, whose versions stay', async () => {
    const shop = await openShop()
    const { post, product } = await shirt(shop)
    const [a, b, c] = [
      (await post(['Red', 'S'])).body,
      (await post(['Red', 'L'])).body,
      (await post(['Blue', 'S'])).body,
    ]
    expect((await shop.patch(c['@id'], { body: { position: 0 }, status: 200 })).body.position).toBe(0)
    const { variants } = (await shop.get(product['@id'])).body
    expect(variants.map((each: { id: string; position: number }) => [each.id, each.position])).toEqual([
      [c.id, 0],
      [a.id, 1],
      [b.id, 2],
    ])
    expect(variants.map((each: { version: number }) => each.version)).toEqual([2, 1, 1])
  })

  test('product is read-only, and an id below another product is 404', async () => {
    const shop = await openShop()
    const [one, two] = [await shirt(shop), await shirt(shop)]
    const made = (await one.post(['Red', 'S'])).body
    for (const method of ['GET', 'PATCH', 'DELETE']) {
      const asked = method === 'PATCH' ? { body: { sku: 'X' } } : {}
      await shop.request(method, `${two.path}/${made.id}`, { ...asked, status: 404 })
    }
    expect((await shop.get(made['@id'])).body).toEqual(made)
  })

  test('a new option is no reason to refuse the values that it has, but any others', async () => {
    const shop = await openShop()
    const { post, product } = await shirt(shop)
    const made = (await post(['Red', 'S'])).body
    const length = { body: { title: 'Length' }, status: 201 }
    const { body: option } = await shop.post(`${product['@id']}/product_options`, length)
    await shop.post('/api/option_values', { body: { option: option['@id'], title: 'Long' }, status: 201 })
    const { body } = await shop.get(made['@id'], { status: 200 })
    const saved = await shop.patch(made['@id'], { body: { ...body, sku: 'B' }, status: 200 })
    expect(saved.body).toMatchObject({ sku: 'B', title: 'Red / S', optionValues: body.optionValues })
    const [red, small] = body.optionValues
    const large = { option: 'Size', value: 'L' }
    for (const optionValues of [[red], [red, large], [red, small, small], []]) {
      const refused = await shop.patch(made['@id'], { body: { optionValues }, status: 422 })
      expect(refused.body.violations[0].slug).toBe('variant.option_values_incomplete')
    }
    const whole = [red, small, { option: 'Length', value: 'Long' }]
    await shop.patch(made['@id'], { body: { optionValues: whole }, status: 200 })
  })
})

describe('archiving', () => {
  test('DELETE is 204, idempotent, and the variant is read as archived', async () => {
    const shop = await openShop()
    const { post, path, product } = await shirt(shop)
    const made = (await post(['Red', 'S'], { sku: 'A' })).body
    await post(['Red', 'L'])
    await shop.delete(made['@id'], { status: 204 })
    const once = (await shop.get(made['@id'], { status: 200 })).body
    expect(once).toMatchObject({
      status: 'ARCHIVED',
      title: 'Red / S',
      archivedAt: expect.stringMatching(instant),
    })
    await shop.delete(made['@id'], { status: 204 })
    expect((await shop.get(made['@id'])).body).toEqual(once)
    const listed = (await shop.get(path)).body
    expect(listed.totalItems).toBe(1)
    expect(
      listed.member.map((each: { title: string; position: number }) => [each.title, each.position]),
    ).toEqual([['Red / L', 0]])
    const all = (await shop.get(`${path}?status=ARCHIVED`, { status: 200 })).body
    expect(all.member.map((each: { id: string }) => each.id)).toEqual([made.id])
    expect((await shop.get(product['@id'])).body).toMatchObject({ variantsTotal: 1, version: 4 })
  })

  test('an archived one can be sent back unchanged, and only its status can change', async () => {
    const shop = await openShop()
    const { post } = await shirt(shop)
    const made = (await post(['Red', 'S'], { sku: 'A' })).body
    await post(['Red', 'L'])
    await shop.delete(made['@id'], { status: 204 })
    await post(['Red', 'S'], { sku: 'A' })
    const archived = (await shop.get(made['@id'])).body
    for (const body of [{}, { status: 'ARCHIVED' }, archived, { sku: 'A' }]) {
      expect((await shop.patch(made['@id'], { body, status: 200 })).body).toEqual(archived)
    }
    const [value] = archived.optionValues
    for (const change of [{ sku: 'B' }, { position: 0 }, { position: -1 }, { optionValues: [value] }]) {
      for (const body of [change, { ...archived, ...change }]) {
        const { body: refused } = await shop.patch(made['@id'], { body, status: 409 })
        expect(refused.slug).toBe('variant.archived')
      }
    }
  })

  test('status archives and restores', async () => {
    const shop = await openShop()
    const { post, path } = await shirt(shop)
    const made = (await post(['Red', 'S'])).body
    const gone = await shop.patch(made['@id'], { body: { status: 'ARCHIVED' }, status: 200 })
    expect(gone.body.status).toBe('ARCHIVED')
    const back = await shop.patch(made['@id'], { body: { status: 'ACTIVE' }, status: 200 })
    expect(back.body).toMatchObject({ status: 'ACTIVE', archivedAt: null, position: 0 })
    expect((await shop.get(path)).body.totalItems).toBe(1)
    await shop.patch(made['@id'], { body: { status: null } })
    await shop.patch(made['@id'], { body: { status: 'DRAFT' }, status: 422 })
  })

  test('restoring when the SKU was taken since is 409', async () => {
    const shop = await openShop()
    const { post } = await shirt(shop)
    const made = (await post(['Red', 'S'], { sku: 'A' })).body
    await shop.delete(made['@id'], { status: 204 })
    await post(['Red', 'L'], { sku: 'A' })
    const reply = await shop.patch(made['@id'], { body: { status: 'ACTIVE' }, status: 409 })
    expect(reply.body.slug).toBe('variant.sku_taken')
  })
})

describe('reading', () => {
  test('carries the categories of the product, which are not repeated inside products', async () => {
    const shop = await openShop()
    const category = (await shop.post('/api/categories', { body: { title: 'Tops' }, status: 201 })).body
    const { post, path, product } = await shirt(shop, { categories: [category['@id']] })
    const made = (await post(['Red', 'S'])).body
    for (const found of [made, (await shop.get(path)).body.member[0], (await shop.get(made['@id'])).body])
      expect(found.categories).toMatchObject([{ '@id': category['@id'], title: 'Tops', children: [] }])
    expect((await shop.get(product['@id'])).body.variants[0]).not.toHaveProperty('categories')
  })

  test('the link to the variants has the parameters of the request', async () => {
    const shop = await openShop()
    const root = (await shop.post('/api/categories', { body: { title: 'Root' }, status: 201 })).body
    const values = Array.from({ length: 250 }, (_, index) => ({ title: `v${index}` }))
    const other = Array.from({ length: 10 }, (_, index) => ({ option: 'A', value: `v${index}` }))
    const body = {
      title: 'P',
      categories: [root['@id']],
      options: [
        { title: 'A', values },
        { title: 'B', values: [{ title: 'x' }, { title: 'y' }] },
      ],
      variants: [
        ...values.map(({ title }) => [
          { option: 'A', value: title },
          { option: 'B', value: 'x' },
        ]),
        ...other.map((value) => [value, { option: 'B', value: 'y' }]),
      ].map((optionValues, index) => ({ sku: `S${index}`, optionValues })),
    }
    const made = (await shop.post('/api/products?expand=children', { body, status: 201 })).body
    const price = new URLSearchParams({
      'resolveContext[channel]': 'web',
      'resolveContext[country]': 'fr',
      'resolveContext[at]': '2026-05-01T00:00',
    })
    const of = (link: string) => [...new URL(link, 'http://x').searchParams].slice(2)
    expect(of(made.variantsView.next)).toEqual([['expand', 'children']])
    const shown =
      'properties[]=variantsView&properties[variants][]=sku&properties[variants][optionValues][]=title'
    for (const [path, links] of [
      [made['@id'], (body: Reply['body']) => body.variantsView.next],
      ['/api/products', (body: Reply['body']) => body.member[0].variantsView.next],
    ] as const) {
      const asked = `${path}?${price}&expand=childrens&status=DRAFT&${shown}`
      const product = (await shop.get(asked, { status: 200 })).body
      expect(of(links(product))).toEqual([
        ...price,
        ['expand', 'children'],
        ['properties[]', 'sku'],
        ['properties[optionValues][]', 'title'],
      ])
      const strict = { headers: { prefer: 'handling=strict' }, status: 200 }
      const { member } = (await shop.get(links(product), strict)).body
      const [embedded] = path === made['@id'] ? product.variants : product.member[0].variants
      expect(Object.keys(member[0])).toEqual(Object.keys(embedded))
      const priced = (await shop.get(`${path}?${price}&properties[]=variantsView`, { status: 200 })).body
      const [first] = (await shop.get(links(priced), strict)).body.member
      expect(first).toMatchObject({ resolvedPrice: null, position: expect.any(Number) })
      const whole = `${path}?properties[]=variants&properties[]=variantsView&properties[variants][]=sku`
      expect(of(links((await shop.get(whole, { status: 200 })).body))).toEqual([])
    }
  })
})

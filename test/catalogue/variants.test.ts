/** Variants: one per combination of values, named after it, archived when deleted. */
import { describe, expect, test } from 'vitest'
import { openShop, type Reply, type Shop } from '../support/shop.ts'

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
  const product = await shop.create('/api/products', body)
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
  test.each([
    ['Size', '99', 'Option “Size” of this product has no value “99”. It has: S, L.'],
    ['Sise', 'S', 'This product has no option “Sise”. It has: Color, Size.'],
  ])('option %s with the value %s is 422 that lists the existing names', async (option, value, detail) => {
    const shop = await openShop()
    const { path } = await shirt(shop)
    const { body } = await shop.post(path, { body: { optionValues: [{ option, value }] }, status: 422 })
    expect(body.detail).toContain(detail)
  })

  test('a value of another product is 422', async () => {
    const shop = await openShop()
    const [one, two] = [await shirt(shop), await shirt(shop)]
    await one.post(['Red', two.iri('S')], {}, 422)
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
    const product = await shop.create('/api/products', { title: 'Mug' })
    const path = `${product['@id']}/variants`
    await shop.create(path, {})
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
})

describe('patching', () => {
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

  test('a position moves it among its siblings, whose versions stay', async () => {
    const shop = await openShop()
    const { post, product } = await shirt(shop)
    const [a, b, c] = [
      (await post(['Red', 'S'])).body,
      (await post(['Red', 'L'])).body,
      (await post(['Blue', 'S'])).body,
    ]
    expect((await shop.update(c['@id'], { position: 0 })).position).toBe(0)
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
    await shop.create('/api/option_values', { option: option['@id'], title: 'Long' })
    const body = await shop.read(made['@id'])
    const saved = await shop.update(made['@id'], { ...body, sku: 'B' })
    expect(saved).toMatchObject({ sku: 'B', title: 'Red / S', optionValues: body.optionValues })
    const [red, small] = body.optionValues
    const large = { option: 'Size', value: 'L' }
    for (const optionValues of [[red], [red, large], [red, small, small], []]) {
      const refused = await shop.patch(made['@id'], { body: { optionValues }, status: 422 })
      expect(refused.body.violations[0].slug).toBe('variant.option_values_incomplete')
    }
    const whole = [red, small, { option: 'Length', value: 'Long' }]
    await shop.update(made['@id'], { optionValues: whole })
  })
})

describe('archiving', () => {
  test('an archived one can be sent back unchanged, and only its status can change', async () => {
    const shop = await openShop()
    const { post } = await shirt(shop)
    const made = (await post(['Red', 'S'], { sku: 'A' })).body
    await post(['Red', 'L'])
    await shop.delete(made['@id'], { status: 204 })
    await post(['Red', 'S'], { sku: 'A' })
    const archived = (await shop.get(made['@id'])).body
    for (const body of [{}, { status: 'ARCHIVED' }, archived, { sku: 'A' }]) {
      expect(await shop.update(made['@id'], body)).toEqual(archived)
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
    const gone = await shop.update(made['@id'], { status: 'ARCHIVED' })
    expect(gone.status).toBe('ARCHIVED')
    const back = await shop.update(made['@id'], { status: 'ACTIVE' })
    expect(back).toMatchObject({ status: 'ACTIVE', archivedAt: null, position: 0 })
    expect((await shop.get(path)).body.totalItems).toBe(1)
    await shop.patch(made['@id'], { body: { status: null } })
    await shop.patch(made['@id'], { body: { status: 'DRAFT' }, status: 422 })
  })
})

describe('reading', () => {
  test('the link to the variants has the parameters of the request', async () => {
    const shop = await openShop()
    const root = await shop.create('/api/categories', { title: 'Root' })
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
    const made = await shop.create('/api/products?expand=children', body)
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
      const product = await shop.read(asked)
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
      const priced = await shop.read(`${path}?${price}&properties[]=variantsView`)
      const [first] = (await shop.get(links(priced), strict)).body.member
      expect(first).toMatchObject({ resolvedPrice: null, position: expect.any(Number) })
      const whole = `${path}?properties[]=variants&properties[]=variantsView&properties[variants][]=sku`
      expect(of(links(await shop.read(whole)))).toEqual([])
    }
  })
})

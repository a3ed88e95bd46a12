import { expect, test } from 'vitest'
import { openShop, type Shop } from '../../../test/support/shop.ts'

/** The variant matrix: each combination once, with or without its variant, in pages. */

const titled = (count: number, prefix: string) =>
  Array.from({ length: count }, (_, index) => ({ title: `${prefix}${index + 1}` }))

async function make(shop: Shop, body: object) {
  const product = (await shop.post('/api/products', { body: { title: 'Shirt', ...body }, status: 201 })).body
  const matrix = async (query = '', options: object = {}) =>
    (await shop.get(`${product['@id']}/variant_matrix${query}`, { status: 200, ...options })).body
  return { product, matrix }
}

const shirt = {
  options: [
    { title: 'Color', values: [{ title: 'Red' }, { title: 'Blue' }] },
    { title: 'Size', values: [{ title: 'S' }, { title: 'L' }] },
  ],
  variants: [
    {
      optionValues: [
        { option: 'Size', value: 'S' },
        { option: 'Color', value: 'Blue' },
      ],
    },
  ],
}

const titles = (combinations: { title: string }[]) => combinations.map((combination) => combination.title)

test('names the combinations that have a variant and those that have none, in the order of the options', async () => {
  const shop = await openShop()
  const { product, matrix } = await make(shop, shirt)
  const [color, size] = product.options
  const value = (option: typeof color, index: number) => option.values[index]['@id']
  expect(await matrix()).toEqual({
    '@context': '/api/contexts/VariantMatrix',
    '@id': `${product['@id']}/variant_matrix`,
    '@type': 'VariantMatrix',
    product: product['@id'],
    options: [color, size].map((option) => ({
      '@id': option['@id'],
      '@type': 'ProductOption',
      title: option.title,
      values: option.values.map((value: Record<string, string>) => ({
        '@id': value['@id'],
        '@type': 'OptionValue',
        title: value.title,
      })),
    })),
    total: 4,
    existingTotal: 1,
    missingTotal: 3,
    incompleteTotal: 0,
    existing: [
      {
        optionValues: [value(color, 1), value(size, 0)],
        title: 'Blue / S',
        variant: product.variants[0]['@id'],
      },
    ],
    missing: [
      { optionValues: [value(color, 0), value(size, 0)], title: 'Red / S' },
      { optionValues: [value(color, 0), value(size, 1)], title: 'Red / L' },
      { optionValues: [value(color, 1), value(size, 1)], title: 'Blue / L' },
    ],
  })
})

test('what it calls missing can be created as it stands, until nothing is missing', async () => {
  const shop = await openShop()
  const { product, matrix } = await make(shop, shirt)
  const body = (await matrix()).missing.map(({ optionValues }: { optionValues: string[] }) => ({
    optionValues,
  }))
  await shop.post(`${product['@id']}/variants`, { body, status: 201 })
  expect(await matrix()).toMatchObject({ total: 4, existingTotal: 4, missingTotal: 0, missing: [] })
})

test('an archived variant leaves its combination missing', async () => {
  const shop = await openShop()
  const { product, matrix } = await make(shop, shirt)
  await shop.delete(product.variants[0]['@id'], { status: 204 })
  expect(await matrix()).toMatchObject({ existingTotal: 0, missingTotal: 4, existing: [] })
})

test('reordered options keep the existing combinations', async () => {
  const shop = await openShop()
  const { product, matrix } = await make(shop, shirt)
  await shop.patch(product.options[1]['@id'], { body: { position: 0 }, status: 200 })
  const { existing, missing } = await matrix()
  expect(titles(existing)).toEqual(['S / Blue'])
  expect(titles(missing)).toEqual(['S / Red', 'L / Red', 'L / Blue'])
})

test('a variant from before an option was added is counted as incomplete, not as a combination', async () => {
  const shop = await openShop()
  const { product, matrix } = await make(shop, shirt)
  const fabric = await shop.post(`${product['@id']}/product_options`, {
    body: { title: 'Fabric' },
    status: 201,
  })
  expect(await matrix()).toMatchObject({ total: 0, existingTotal: 0, missingTotal: 0, incompleteTotal: 1 })
  const body = { option: fabric.body['@id'], title: 'Wool' }
  await shop.post('/api/option_values', { body, status: 201 })
  const reply = await matrix()
  expect(reply).toMatchObject({ total: 4, existingTotal: 0, missingTotal: 4, incompleteTotal: 1 })
  expect(titles(reply.missing)).toEqual([
    'Red / S / Wool',
    'Red / L / Wool',
    'Blue / S / Wool',
    'Blue / L / Wool',
  ])
})

test('a product without options has the one empty combination', async () => {
  const shop = await openShop()
  const { product, matrix } = await make(shop, {})
  expect(await matrix()).toMatchObject({
    options: [],
    total: 1,
    existing: [],
    missing: [{ optionValues: [], title: null }],
  })
  const variant = await shop.post(`${product['@id']}/variants`, { body: { optionValues: [] }, status: 201 })
  expect(await matrix()).toMatchObject({
    existing: [{ optionValues: [], title: null, variant: variant.body['@id'] }],
    missing: [],
  })
})

test('pages hold every combination once, and the totals are those of all pages', async () => {
  const shop = await openShop()
  const { product, matrix } = await make(shop, {
    options: [
      { title: 'Color', values: titled(20, 'c') },
      { title: 'Size', values: titled(15, 's') },
    ],
    variants: [
      {
        optionValues: [
          { option: 'Color', value: 'c20' },
          { option: 'Size', value: 's15' },
        ],
      },
    ],
  })
  const allTitles: string[] = []
  let next: string | undefined = `${product['@id']}/variant_matrix`
  const sizes: number[] = []
  while (next) {
    const { body } = await shop.get(next, { status: 200 })
    expect(body).toMatchObject({ total: 300, existingTotal: 1, missingTotal: 299 })
    const pageTitles = titles([...body.missing, ...body.existing])
    sizes.push(pageTitles.length)
    allTitles.push(...pageTitles)
    next = body.view.next
  }
  expect(sizes).toEqual([100, 100, 100])
  expect(new Set(allTitles).size).toBe(300)
  expect([allTitles[0], allTitles[15], allTitles.at(-1)]).toEqual(['c1 / s1', 'c2 / s1', 'c20 / s15'])
  const clamped = await matrix('?itemsPerPage=1000&page=2')
  expect(clamped.missing.length + clamped.existing.length).toBe(50)
  expect(clamped.view).toEqual({
    '@id': `${product['@id']}/variant_matrix?itemsPerPage=1000&page=2`,
    '@type': 'PartialCollectionView',
    first: `${product['@id']}/variant_matrix?itemsPerPage=1000&page=1`,
    last: `${product['@id']}/variant_matrix?itemsPerPage=1000&page=2`,
    previous: `${product['@id']}/variant_matrix?itemsPerPage=1000&page=1`,
  })
  expect(await matrix('?page=99')).toMatchObject({ total: 300, existing: [], missing: [] })
  const none = await matrix('?itemsPerPage=0')
  expect(none).toMatchObject({ total: 300, existing: [], missing: [] })
  expect(none).not.toHaveProperty('view')
})

test.each(['page=0', 'page=-1', 'page=x', 'page=1.5', 'itemsPerPage=-1'])('%s is 422', async (query) => {
  const shop = await openShop()
  const { product } = await make(shop, shirt)
  const { body } = await shop.get(`${product['@id']}/variant_matrix?${query}`, { status: 422 })
  expect(body.violations[0].propertyPath).toBe(query.split('=')[0])
})

test('more combinations than a number can count are answered a page at a time', async () => {
  const shop = await openShop()
  const options = Array.from({ length: 9 }, (_, index) => ({ title: `o${index}`, values: titled(100, 'v') }))
  const { matrix } = await make(shop, { options })
  const far = await matrix('?page=999999999')
  expect(far).toMatchObject({ total: null, missingTotal: null, existingTotal: 0 })
  expect(far.missing).toHaveLength(100)
  expect(far.missing[0].title).toBe('v1 / v1 / v1 / v10 / v100 / v100 / v100 / v99 / v1')
  expect(Object.keys(far.view)).toEqual(['@id', '@type', 'first', 'previous'])
})

test('titles are in the locale asked for', async () => {
  const shop = await openShop()
  const { product, matrix } = await make(shop, shirt)
  const [color] = product.options
  await shop.patch(color['@id'], { body: { title: 'Couleur' }, locale: 'fr-FR', status: 200 })
  await shop.patch(color.values[1]['@id'], { body: { title: 'Bleu' }, locale: 'fr-FR', status: 200 })
  const french = await matrix('', { locale: 'fr-FR' })
  expect(french.options[0]).toMatchObject({ title: 'Couleur', values: [{ title: 'Red' }, { title: 'Bleu' }] })
  expect(titles(french.existing)).toEqual(['Bleu / S'])
})

test('an archived product still shows its matrix', async () => {
  const shop = await openShop()
  const { product, matrix } = await make(shop, shirt)
  await shop.delete(product['@id'], { status: 204 })
  expect(await matrix()).toMatchObject({ total: 4, existingTotal: 1 })
})

test('it is read in one round trip, and a caller that has it gets 304', async () => {
  const shop = await openShop()
  const { product } = await make(shop, shirt)
  const path = `${product['@id']}/variant_matrix`
  const first = await shop.get(path, { status: 200 })
  expect(first.headers.get('server-timing')).toMatch(/db;[^,]*desc="1"/)
  expect(first.headers.get('service-sequence')).toMatch(/^\d+$/)
  const conditional = { headers: { 'If-None-Match': first.headers.get('etag') } }
  await shop.get(path, { ...conditional, status: 304 })
  await shop.delete(product.variants[0]['@id'], { status: 204 })
  await shop.get(path, { ...conditional, status: 200 })
})

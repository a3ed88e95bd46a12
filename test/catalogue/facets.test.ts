import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { openShop, type Shop } from '../support/shop.ts'
import { openStorefront, send } from '../support/storefront.ts'

/** Facets of lists of products against a model that counts the products of the test itself. */

type FacetValue = {
  readonly value: string
  readonly title?: string | null
  readonly fallbacks?: Readonly<Record<string, string>>
  readonly count: number
  readonly selected: boolean
}
type Facet = { readonly name: FacetName; readonly values: readonly FacetValue[] }

let shop: Shop
type Product = {
  readonly title: string
  readonly vendor?: string
  readonly productType?: string
  readonly tags: readonly string[]
  readonly categories: readonly string[]
  readonly collections: readonly string[]
  readonly variants: readonly Variant[]
  readonly fields: { readonly material?: string; readonly features?: readonly string[] }
}
type Variant = Readonly<Record<'Color' | 'Size', string>>
let products: Product[] = []
const categories: string[] = []
const collections: string[] = []

const vendors = ['Acme', 'Łódź Mills', "O'Neill, Inc."]
const types = ['Tops', 'Shoes']
const colors = ['Red', 'Blue, dark', 'Été']
const sizes = ['S', 'M']
const materials = ['Cotton', 'Wool']
const features = ['soft', 'light']
const tags = ['new', 'été', 'sale "summer"', 'a,b']

beforeAll(async () => {
  shop = await openShop({ locales: ['en-US', 'de-DE'] })
  for (const [title, german] of [
    ['Shirts', 'Hemden'],
    ['Shoes', 'Schuhe'],
    ['Sale', 'Angebote'],
  ]) {
    const { '@id': id } = await shop.create('/api/categories', { title })
    const translations = { 'en-US': { title }, 'de-DE': { title: german } }
    await shop.put(`${id}/translations`, { body: { translations }, status: 200 })
    categories.push(id)
  }
  for (const title of ['Summer', 'Gifts'])
    collections.push((await shop.create('/api/collections', { title, type: 'MANUAL' }))['@id'])
  const some = <Value>(values: readonly Value[], index: number) =>
    values.filter((_, place) => (index >> place) % 2 === 1)
  products = Array.from({ length: 40 }, (_, index) => ({
    title: index % 3 === 0 ? `Red thing ${index}` : `Thing ${index}`,
    ...(index % 5 === 0 ? {} : { vendor: vendors[index % 3]! }),
    ...(index % 4 === 0 ? {} : { productType: types[index % 2]! }),
    tags: some(tags, index),
    categories: some(categories, index % 7),
    collections: some(collections, index % 4),
    variants: some(
      colors.flatMap((Color) => sizes.map((Size) => ({ Color, Size }))),
      (index * 5) % 61,
    ),
    fields: {
      ...(index % 3 === 0 ? {} : { material: materials[index % 2]! }),
      ...(index % 4 === 0 ? {} : { features: some(features, index % 4) }),
    },
  }))
  await shop.create('/api/products', products.map(bodyOf))
})

/** The value that no variant has is counted nowhere. */
function bodyOf({ variants, fields: { material, features }, ...product }: Product) {
  const titles = { Color: [...colors, 'Unused'], Size: sizes }
  return {
    ...product,
    options: Object.entries(titles).map(([title, values]) => ({
      title,
      values: values.map((value) => ({ title: value })),
    })),
    variants: variants.map((variant) => ({
      optionValues: Object.entries(variant).map(([option, value]) => ({ option, value })),
    })),
    fields: {
      ...(material && { material }),
      ...(features && {
        features: {
          value: JSON.stringify(features),
          type: '/api/metafield_definition_types/list.single_line_text_field',
        },
      }),
      // Not counted.
      notes: { value: 'Soft', type: '/api/metafield_definition_types/multi_line_text_field' },
    },
  }
}

const facetNames = [
  'vendor',
  'productType',
  'tags',
  'category',
  'collection',
  'option.Color',
  'option.Size',
  'fields.material',
  'fields.features',
] as const
type FacetName = (typeof facetNames)[number]
type Filters = Partial<Record<FacetName | 'q', readonly string[]>>

const valuesOf = (product: Product, name: FacetName, filters: Filters): readonly string[] => {
  /** The values of variants that match the filter by the other option. */
  const ofVariants = (option: keyof Variant, other: keyof Variant) =>
    product.variants
      .filter((variant) => filters[`option.${other}`]?.includes(variant[other]) ?? true)
      .map((variant) => variant[option])
  return {
    vendor: product.vendor ? [product.vendor] : [],
    productType: product.productType ? [product.productType] : [],
    tags: product.tags,
    category: product.categories,
    collection: product.collections,
    'option.Color': [...new Set(ofVariants('Color', 'Size'))],
    'option.Size': [...new Set(ofVariants('Size', 'Color'))],
    'fields.material': product.fields.material ? [product.fields.material] : [],
    'fields.features': product.fields.features ?? [],
  }[name]
}
const parameters = {
  vendor: 'vendor[]',
  productType: 'productType[]',
  tags: 'tag[]',
  category: 'category[]',
  collection: 'collection',
  'option.Color': 'option[Color][]',
  'option.Size': 'option[Size][]',
  'fields.material': 'fields[material][]',
  'fields.features': 'fields[features][]',
  q: 'q',
}

const matching = (filters: Filters, without: FacetName | null = null) =>
  products.filter(
    (product) =>
      (!filters.q || product.title.startsWith('Red')) &&
      facetNames.every(
        (name) =>
          name === without ||
          !filters[name] ||
          valuesOf(
            product,
            name,
            without?.startsWith('option') ? { ...filters, [without]: undefined } : filters,
          ).some((value) => filters[name]?.includes(value)),
      ),
  )

const read = async (names: readonly FacetName[], filters: Filters, locale?: string) => {
  const query = new URLSearchParams({ itemsPerPage: '0' })
  for (const name of names) query.append('facets[]', name)
  for (const [name, values] of Object.entries(filters))
    for (const value of values) query.append(parameters[name as FacetName], value)
  const { body } = await shop.get(`/api/products?${query}`, { status: 200, ...(locale ? { locale } : {}) })
  const facets: readonly Facet[] = body.facets
  return { facets, total: body.totalItems }
}

describe('facets', () => {
  test('equal the counts of a model, without the filters of their own property', async () => {
    const values: Record<FacetName, readonly string[]> = {
      vendor: vendors,
      productType: types,
      tags,
      category: categories,
      collection: collections,
      'option.Color': [...colors, 'Unused'],
      'option.Size': sizes,
      'fields.material': materials,
      'fields.features': features,
    }
    const filtersOf = fc.record(
      {
        vendor: fc.subarray([...vendors, 'Nobody'], { minLength: 1 }),
        productType: fc.subarray(types, { minLength: 1 }),
        tags: fc.subarray(tags, { minLength: 1 }),
        category: fc.nat(2).map((index) => [values.category[index]!]),
        collection: fc.nat(1).map((index) => [values.collection[index]!]),
        'option.Color': fc.subarray([...values['option.Color']], { minLength: 1 }),
        'option.Size': fc.subarray(sizes, { minLength: 1 }),
        'fields.material': fc.subarray(materials, { minLength: 1 }),
        'fields.features': fc.subarray(features, { minLength: 1 }),
        q: fc.constant(['red']),
      },
      { requiredKeys: [] },
    )
    await fc.assert(
      fc.asyncProperty(filtersOf, fc.subarray([...facetNames], { minLength: 1 }), async (filters, names) => {
        const { facets, total } = await read(names, filters)
        expect(total).toBe(matching(filters).length)
        const expected = names.map((name) => {
          const counts = new Map<string, number>()
          for (const product of matching(filters, name))
            for (const value of valuesOf(product, name, filters))
              counts.set(value, (counts.get(value) ?? 0) + 1)
          for (const value of filters[name] ?? []) if (!counts.has(value)) counts.set(value, 0)
          return [name, Object.fromEntries([...counts].sort())]
        })
        const counted = facets.map(({ name, values }) => [
          name,
          Object.fromEntries(values.map(({ value, count }) => [value, count]).sort()),
        ])
        expect(counted).toEqual(expected)
        for (const { name, values } of facets) {
          const selected = values.flatMap(({ value, selected }) => (selected ? value : []))
          expect(selected.sort()).toEqual([...(filters[name] ?? [])].sort())
        }
      }),
      { numRuns: 120 },
    )
  })

  test('name categories and collections in the language of the response', async () => {
    const { facets } = await read(['category', 'collection'], {}, 'de-DE')
    const titles = facets.map(({ values }) => values.map(({ title }) => title).sort())
    expect(titles).toEqual([
      ['Angebote', 'Hemden', 'Schuhe'],
      ['Gifts', 'Summer'],
    ])
    const fallbacks = facets.map(({ values }) => new Set(values.map((value) => value.fallbacks?.title)))
    expect(fallbacks).toEqual([new Set([undefined]), new Set(['en-US'])])
  })

  test('do not name resources that the caller may not read', async () => {
    const token = await shop.token({ scope: 'products:read' })
    const { body } = await shop.get('/api/products?facets[]=category&facets[]=vendor', { status: 200, token })
    const [category, vendor]: readonly Facet[] = body.facets
    expect(category?.values.map(({ title }) => title)).toEqual([null, null, null])
    expect(vendor?.values[0]).not.toHaveProperty('title')
  })

  test('of a collection count its products only', async () => {
    const { body } = await shop.get(`${collections[0]}/products?facets[]=vendor`, { status: 200 })
    const own = matching({ collection: [collections[0]!] })
    const [facet]: readonly Facet[] = body.facets
    const sum = facet?.values.reduce((total, { count }) => total + count, 0)
    expect(sum).toBe(own.filter(({ vendor }) => vendor).length)
  })

  test('count the products of sub-categories if the filter includes them', async () => {
    const parent = await shop.create('/api/categories', { title: 'Parent' })
    const child = await shop.create('/api/categories', { title: 'Child', parent: parent['@id'] })
    await shop.create('/api/products', { title: 'In child', vendor: 'Child Ltd', categories: [child['@id']] })
    const { body } = await shop.get(
      `/api/products?facets[]=vendor&category[descendants]=true&category[]=${parent['@id']}&category[]=${child['@id']}`,
      { status: 200 },
    )
    expect(body.facets[0].values).toEqual([
      { '@type': 'FacetValue', value: 'Child Ltd', count: 1, selected: false },
    ])
  })

  test('of categories count the products of sub-categories if the filter includes them', async () => {
    const other = await openShop()
    const create = async (title: string, parent: string | null) =>
      (await other.create('/api/categories', { title, parent }))['@id']
    const top = await create('Top', null)
    const [left, right] = [await create('Left', top), await create('Right', top)]
    await other.create('/api/products', [
      { title: 'A', categories: [left, right] },
      { title: 'B', categories: [right] },
      { title: 'C', categories: [top] },
    ])
    const countsOf = async (query: string) => {
      const { body } = await other.get(`/api/products?facets[]=category${query}`, { status: 200 })
      return Object.fromEntries(body.facets[0].values.map(({ title, count }: FacetValue) => [title, count]))
    }
    expect(await countsOf('')).toEqual({ Top: 1, Left: 1, Right: 2 })
    for (const filter of ['', `&category[]=${left}`])
      expect(await countsOf(`${filter}&category[descendants]=true`)).toEqual({ Top: 3, Left: 1, Right: 2 })
  })

  test('follow the changes of options, values, variants and custom fields', async () => {
    const other = await openShop({ locales: ['en-US', 'de-DE'] })
    const product = await other.create('/api/products', {
      title: 'Shirt',
      options: [{ title: 'Color', values: [{ title: 'Red' }, { title: 'Blue' }] }],
      variants: ['Red', 'Blue'].map((value) => ({ sku: value, optionValues: [{ option: 'Color', value }] })),
      fields: { material: 'Cotton' },
    })
    const [option] = product.options
    const [red, blue] = option.values
    const valuesOf = async (name: string, locale = 'en-US') => {
      const query = `facets[]=${encodeURIComponent(name)}`
      const { body } = await other.get(`/api/products?${query}`, { status: 200, locale })
      return body.facets[0].values.map(
        ({ '@type': _, selected: __, ...value }: Record<string, unknown>) => value,
      )
    }
    await other.patch(red['@id'], { body: { title: 'Rot' }, locale: 'de-DE', status: 200 })
    expect(await valuesOf('option.Color', 'de-DE')).toEqual([
      { value: 'Blue', title: 'Blue', fallbacks: { title: 'en-US' }, count: 1 },
      { value: 'Red', title: 'Rot', count: 1 },
    ])
    await other.patch(blue['@id'], { body: { title: 'Navy' }, status: 200 })
    await other.patch(option['@id'], { body: { title: 'Colour' }, status: 200 })
    await other.delete(product.variants[0]['@id'], { status: 204 })
    expect(await valuesOf('option.Colour')).toEqual([{ value: 'Navy', title: 'Navy', count: 1 }])
    await other.get('/api/products?facets[]=option.Color', { status: 422 })
    await other.patch(product['@id'], { body: { fields: { material: 'Wool', weight: 12 } }, status: 200 })
    expect(await valuesOf('fields.material')).toEqual([{ value: 'Wool', count: 1 }])
    expect(await valuesOf('fields.weight')).toEqual([{ value: '12', count: 1 }])
  })

  test('count a value of the filter that is not among the hundred most frequent', async () => {
    const other = await openShop()
    const numbers = Array.from({ length: 130 }, (_, index) => `T${String(index).padStart(3, '0')}`)
    for (let batch = 0; batch < 130; batch += 50)
      await other.create(
        '/api/products',
        numbers.slice(batch, batch + 50).map((tag) => ({ title: tag, tags: [tag] })),
      )
    const category = await other.create('/api/categories', { title: 'Empty' })
    const path = `/api/products?itemsPerPage=0&facets[]=tags&tag[]=T129&facets[]=category&category[]=${category['@id']}`
    const [tags, categories]: readonly Facet[] = (
      await other.get(path.replace(/&category.*/, ''), { status: 200 })
    ).body.facets
    expect(tags?.values).toHaveLength(101)
    expect(tags).toMatchObject({ valuesTotal: 130 })
    expect(tags?.values.at(-1)).toEqual({ '@type': 'FacetValue', value: 'T129', count: 1, selected: true })
    expect(categories?.values).toEqual([])
    const [, ofEmpty]: readonly Facet[] = (await other.get(path, { status: 200 })).body.facets
    expect(ofEmpty?.values).toEqual([
      { '@type': 'FacetValue', value: category['@id'], title: 'Empty', count: 0, selected: true },
    ])
  })

  test('leave archived products out', async () => {
    const { '@id': id } = await shop.create('/api/products', { title: 'Old', vendor: 'Gone' })
    await shop.request('DELETE', id, { status: 204 })
    const { facets } = await read(['vendor'], {})
    expect(facets[0]?.values.map(({ value }) => value)).not.toContain('Gone')
  })

  test.each([
    ['an unknown facet', 'facets[]=colour', 'facets[]'],
    ['fifty facets and one', Array.from({ length: 51 }, () => 'facets[]=vendor').join('&'), 'facets[]'],
    ['too many values', Array.from({ length: 51 }, (_, index) => `tag[]=${index}`).join('&'), 'tag[]'],
    ['an empty value', 'vendor[]=', 'vendor[]'],
    ['a category that is no address', 'category[]=shirts', 'category[]'],
    ['a name with a control character', 'option[a%00][]=Red', 'option[a\u0000][]'],
    ['an option that no product has', 'option[Colour][]=Red', 'option[Colour][]'],
    ['a custom field that no product has', 'facets[]=fields.notes', 'facets[]'],
    [
      'eleven options',
      Array.from({ length: 11 }, (_, index) => `option[${index}][]=a`).join('&'),
      'option[*][]',
    ],
    [
      'too many values of an option',
      Array.from({ length: 101 }, (_, index) => `option[Color][]=${index}`).join('&'),
      'option[Color][]',
    ],
  ])('%s is 422', async (_, query, path) => {
    const { body } = await shop.get(`/api/products?${query}`, { status: 422 })
    expect(body.violations[0].propertyPath).toContain(path.slice(0, -2))
  })

  test('the choices of an unknown facet are named', async () => {
    const { body } = await shop.get('/api/products?facets[]=colour', { status: 422 })
    expect(JSON.stringify(body.violations)).toContain('vendor, productType, tags, category, collection')
  })

  test.each([
    ['option[Colour][]=Red', 'option[Colour][]', 'Color, Size'],
    ['fields[colour]=Red', 'fields[colour][]', 'features, material'],
    ['facets[]=vendor&facets[]=option.Colour', 'facets[][1]', 'option.Color, option.Size'],
  ])('the choices of an unknown name are listed: %s', async (query, propertyPath, choices) => {
    const { body } = await shop.get(`/api/products?${query}`, { status: 422 })
    expect(body.violations).toEqual([
      expect.objectContaining({ propertyPath, message: expect.stringContaining(`: ${choices}.`) }),
    ])
  })

  test('are absent if none is requested', async () => {
    const { body } = await shop.get('/api/products', { status: 200 })
    expect(body).not.toHaveProperty('facets')
  })
})

describe('filters by options', () => {
  let other: Shop
  beforeAll(async () => {
    other = await openShop()
    const optionsOf = (title: string, sku: string, variants: readonly Variant[]) => ({
      title,
      options: ['Color', 'Size [EU]'].map((option) => ({
        title: option,
        values: [
          ...new Set(variants.map((variant) => Object.values(variant)[option === 'Color' ? 0 : 1])),
        ].map((value) => ({ title: value })),
      })),
      variants: variants.map(({ Color, Size }, index) => ({
        sku: `${sku}${index}`,
        barcode: '4006381333931',
        optionValues: [
          { option: 'Color', value: Color },
          { option: 'Size [EU]', value: Size },
        ],
      })),
    })
    await other.create('/api/products', [
      optionsOf('Both', 'B', [{ Color: 'Red', Size: 'M' }]),
      optionsOf('Neither', 'N', [
        { Color: 'Red', Size: 'S' },
        { Color: 'Blue', Size: 'M' },
      ]),
    ])
  })

  test.each([
    ['option[Color][]=Red', ['Both', 'Neither']],
    ['option[Color][]=Blue&option[Color][]=Green', ['Neither']],
    ['option[Color]=Blue', ['Neither']],
    ['option[Color][]=red', []],
    ['option[Color][]=Red&option[Size [EU]][]=M', ['Both']],
    ['option[Color][]=Blue&sku=N0', []],
    ['option[Color][]=Red&sku=N0', ['Neither']],
    ['sku=N0&barcode=4006381333931', ['Neither']],
    ['option[Size%20%5BEU%5D][]=M&barcode=4006381333931', ['Both', 'Neither']],
  ])('%s finds the products of which one variant matches', async (query, titles) => {
    const { body } = await other.get(`/api/products?order[title]=asc&${query}`, { status: 200 })
    expect(body.member.map(({ title }: { title: string }) => title)).toEqual(titles)
    expect(body.totalItems).toBe(titles.length)
  })

  test('count the values of the variant that the other filters find', async () => {
    const { body } = await other.get('/api/products?facets[]=option.Color&facets[]=option.Size [EU]&sku=N0', {
      status: 200,
    })
    const counts = body.facets.map(({ values }: Facet) => values.map(({ value, count }) => [value, count]))
    expect(counts).toEqual([[['Red', 1]], [['S', 1]]])
  })

  test('show the public no name, value or title of a draft', async () => {
    const hidden = await openShop({ locales: ['en-US', 'de-DE'] })
    await hidden.create('/api/markets', { key: 'de', channel: 'web', country: 'DE', currency: 'EUR' })
    const productOf = (status: string, option: string, value: string) => ({
      title: status,
      status,
      channels: ['web'],
      options: [{ title: option, values: [{ title: 'Red' }, { title: value }] }],
      variants: ['Red', value].map((title) => ({ optionValues: [{ option, value: title }] })),
    })
    const draft = await hidden.create('/api/products', productOf('DRAFT', 'Color', 'Secret'))
    await hidden.create('/api/products', productOf('DRAFT', 'Planned', 'Later'))
    await hidden.create('/api/products', productOf('ACTIVE', 'Color', 'Blue'))
    const [red] = draft.options[0].values
    await hidden.patch(red['@id'], { body: { title: 'Geheim' }, locale: 'de-DE', status: 200 })
    const storefront = await openStorefront(hidden)
    const facetsOf = async (query: string) => {
      const headers = { 'Service-Locale': 'de-DE' }
      const { status, body } = await send(hidden, storefront, `/api/products?${query}`, { headers })
      expect(status).toBe(200)
      return body.facets.map(({ values }: Facet) => values.map(({ title, count }) => [title, count]))
    }
    expect(await facetsOf('facets[]=option.Color')).toEqual([
      [
        ['Blue', 1],
        ['Red', 1],
      ],
    ])
    expect(await facetsOf('facets[]=option.Planned&facets[]=option.Nothing')).toEqual([[], []])
  })

  test('links to other pages keep the filter', async () => {
    const { body } = await other.get('/api/products?option[Color][]=Red&itemsPerPage=1', { status: 200 })
    const next = await other.get(body.view.next, { status: 200 })
    expect(next.body.member.map(({ title }: { title: string }) => title)).toEqual(['Both'])
  })
})

import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { openShop, type Shop } from '../support/shop.ts'

/** Facets of lists of products against a model that counts the products of the test itself. */

type FacetValue = {
  readonly value: string
  readonly title?: string | null
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
}
let products: Product[] = []
const categories: string[] = []
const collections: string[] = []

const vendors = ['Acme', 'Łódź Mills', "O'Neill, Inc."]
const types = ['Tops', 'Shoes']
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
  }))
  await shop.create('/api/products', products)
})

const facetNames = ['vendor', 'productType', 'tags', 'category', 'collection'] as const
type FacetName = (typeof facetNames)[number]
type Filters = Partial<Record<FacetName | 'q', readonly string[]>>

const valuesOf = (product: Product, name: FacetName): readonly string[] =>
  ({
    vendor: product.vendor ? [product.vendor] : [],
    productType: product.productType ? [product.productType] : [],
    tags: product.tags,
    category: product.categories,
    collection: product.collections,
  })[name]
const parameters = {
  vendor: 'vendor[]',
  productType: 'productType[]',
  tags: 'tag[]',
  category: 'category[]',
  collection: 'collection',
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
          valuesOf(product, name).some((value) => filters[name]?.includes(value)),
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
    }
    const filtersOf = fc.record(
      {
        vendor: fc.subarray([...vendors, 'Nobody'], { minLength: 1 }),
        productType: fc.subarray(types, { minLength: 1 }),
        tags: fc.subarray(tags, { minLength: 1 }),
        category: fc.nat(2).map((index) => [values.category[index]!]),
        collection: fc.nat(1).map((index) => [values.collection[index]!]),
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
            for (const value of valuesOf(product, name)) counts.set(value, (counts.get(value) ?? 0) + 1)
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
  ])('%s is 422', async (_, query, path) => {
    const { body } = await shop.get(`/api/products?${query}`, { status: 422 })
    expect(body.violations[0].propertyPath).toContain(path.slice(0, -2))
  })

  test('the choices of an unknown facet are named', async () => {
    const { body } = await shop.get('/api/products?facets[]=colour', { status: 422 })
    expect(JSON.stringify(body.violations)).toContain('vendor, productType, tags, category, collection')
  })

  test('are absent if none is requested', async () => {
    const { body } = await shop.get('/api/products', { status: 200 })
    expect(body).not.toHaveProperty('facets')
  })
})

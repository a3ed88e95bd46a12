/** expand: how it is written, on every operation that shows categories. */
import { beforeAll, expect, test } from 'vitest'
import { openShop, type Reply, type Shop } from '../support/shop.ts'

type Category = { '@id': string; title: string; children: (string | Category)[] }

/** How many levels of children are embedded in a category. */
function depth({ children }: Category): number {
  const [child] = children
  return typeof child === 'object' ? 1 + depth(child) : 0
}

let shop: Shop
/** For each operation that shows categories, its address and the place of the category of five levels in its response. */
const operations: [path: string, of: (body: Reply['body']) => Category][] = []

beforeAll(async () => {
  shop = await openShop()
  let category: Category | undefined
  for (const title of ['Fifth', 'Fourth', 'Third', 'Second', 'First']) {
    const body = { title, children: category ? [category['@id']] : [] }
    category = (await shop.create('/api/categories', body)) as Category
  }
  const root = category!['@id']
  const product = await shop.create('/api/products', {
    title: 'Shirt',
    categories: [root],
    variants: [{ sku: 'S' }],
  })
  const variant = product.variants[0]['@id']
  const offer = { variant, currency: 'EUR' }
  const sale = await shop.create('/api/sale_offers', { ...offer, amount: '1.00' })
  const purchase = { ...offer, supplier: 's', cost: '1.00' }
  const bought = await shop.create('/api/purchase_offers', purchase)
  const inFirst = (body: Reply['body']) => body.member[0].categories[0]
  const inItem = (body: Reply['body']) => body.categories[0]
  operations.push(
    ['/api/categories?parent=null&', (body) => body.member[0]],
    [`${root}?`, (body) => body],
    ['/api/products?', inFirst],
    [`${product['@id']}?`, inItem],
    [`${product['@id']}/variants?`, inFirst],
    [`${variant}?`, inItem],
    ['/api/sale_offers?', inFirst],
    [`${sale['@id']}?`, inItem],
    ['/api/purchase_offers?', inFirst],
    [`${bought['@id']}?`, inItem],
  )
})

test.each([
  ['expand=children', 1],
  ['expand=childrens', 1],
  ['expand=children.childrens.children', 3],
  ['expand[]=children', 1],
  ['expand%5B%5D=childrens.childrens', 2],
  ['expand[0]=children', 1],
  ['expand[]=children&expand[]=children.children', 2],
  ['expand=children.children&expand=children', 2],
  ['expand=children,children.children.children', 3],
  ['expand=children,%20children.children', 2],
])('%s embeds %i levels, wherever categories are shown', async (query, levels) => {
  const strict = { headers: { prefer: 'handling=strict' }, status: 200 }
  for (const version of ['2026-01', '2026-10'])
    for (const [path, of] of operations) {
      const { body } = await shop.get(path + query, { ...strict, version })
      const shown = JSON.parse(JSON.stringify(of(body)).replaceAll('"childrens":', '"children":'))
      expect(depth(shown), `${path} in ${version}`).toBe(levels)
    }
})

test.each([
  '',
  'child',
  'children,',
  'children.children.children.children',
  'parent',
  'categories.parent',
  'variants.children',
  'media.url',
  'tags',
  'title',
  '__proto__',
  'constructor.children',
  'children children',
  'options',
  'categories',
  'categories,children',
  'categories.children',
  'variants.categories.children',
])('expand=%s is 422, naming the choices', async (value) => {
  for (const name of ['expand', 'expand[]']) {
    const { body } = await shop.get(`/api/products?${name}=${encodeURIComponent(value)}`, { status: 422 })
    expect(body.violations).toMatchObject([{ propertyPath: 'expand', slug: 'validation.expand' }])
    expect(body.message).toContain('children, children.children, children.children.children')
  }
})

test('where nothing can be expanded it is a parameter like any unknown one', async () => {
  for (const [path, query] of [
    ['/api/collections', 'expand[]=children'],
    ['/api/collections', 'expand[]=rules&expand[]=products'],
    ['/api/product_options/019aa000-0000-7000-8000-000000000001', 'expand[]=product'],
  ]) {
    await shop.get(`${path}?${query}`, { headers: { prefer: 'handling=strict' }, status: 422 })
  }
  const reply = await shop.get('/api/collections?expand[]=children', { status: 200 })
  expect(reply.headers.get('service-ignored-parameters')).toBe('expand[]')
})

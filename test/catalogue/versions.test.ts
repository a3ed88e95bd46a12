/** Versions: `childrens` before 2026-07 and `children` since, on each of the twenty operations and in both directions. */
import { beforeAll, describe, expect, test } from 'vitest'
import { openShop, type Reply, type Shop } from '../support/shop.ts'

const versions = [
  ['2026-01', 'childrens', 'children'],
  ['2026-04', 'childrens', 'children'],
  ['2026-07', 'children', 'childrens'],
  ['2026-10', 'children', 'childrens'],
  ['unstable', 'children', 'childrens'],
] as const

type Call = {
  method: 'GET' | 'POST' | 'PATCH'
  path: string
  body?: Record<string, unknown>
  /** Finds the category objects of an answer. */
  categories: (body: Reply['body']) => Record<string, unknown>[]
}

type Stage = { shop: Shop; root: string; leaf: string; calls: Record<string, Call> }

/** A tree of three, a product in its root, a variant and an offer, and the calls that read and write them. */
async function stage(): Promise<Stage> {
  const shop = await openShop()
  const post = async (path: string, body: unknown) => (await shop.post(path, { body, status: 201 })).body
  const leaf = await post('/api/categories', { title: 'Leaf' })
  const middle = await post('/api/categories', { title: 'Middle', children: [leaf['@id']] })
  const root = await post('/api/categories', { title: 'Root', children: [middle['@id']] })
  const product = await post('/api/products', {
    title: 'Shirt',
    categories: [root['@id']],
    options: [{ title: 'Size', values: ['S', 'M', 'L'].map((title) => ({ title })) }],
    variants: [{ optionValues: [{ option: 'Size', value: 'S' }] }],
  })
  const [variant] = product.variants
  const offer = await post('/api/sale_offers', { variant: variant['@id'], currency: 'EUR', amount: '10.00' })
  const [, medium] = product.options[0].values
  const first = (body: Reply['body']) => body.member
  const of = (body: Reply['body']) => (body.member?.[0] ?? body).categories
  const rootOf = (body: Reply['body']) => first(body).filter((each: { id: string }) => each.id === root.id)
  const calls: Record<string, Call> = {
    'GET /api/categories': { method: 'GET', path: '/api/categories', categories: rootOf },
    'GET /api/categories/{id}': { method: 'GET', path: root['@id'], categories: (body) => [body] },
    'PATCH /api/categories/{id}': {
      method: 'PATCH',
      path: root['@id'],
      body: { description: 'D' },
      categories: (body) => [body],
    },
    'GET /api/products': { method: 'GET', path: '/api/products', categories: of },
    'GET /api/products/{id}': { method: 'GET', path: product['@id'], categories: of },
    'POST /api/products': {
      method: 'POST',
      path: '/api/products',
      body: { title: 'Mug', categories: [root['@id']] },
      categories: of,
    },
    'PATCH /api/products/{id}': {
      method: 'PATCH',
      path: product['@id'],
      body: { vendor: 'V' },
      categories: of,
    },
    'GET /api/products/{productId}/variants': {
      method: 'GET',
      path: `${product['@id']}/variants`,
      categories: of,
    },
    'GET /api/products/{productId}/variants/{variantId}': {
      method: 'GET',
      path: variant['@id'],
      categories: of,
    },
    'POST /api/products/{productId}/variants': {
      method: 'POST',
      path: `${product['@id']}/variants`,
      body: { optionValues: [medium['@id']] },
      categories: of,
    },
    'PATCH /api/products/{productId}/variants/{variantId}': {
      method: 'PATCH',
      path: variant['@id'],
      body: { sku: 'S' },
      categories: of,
    },
    'GET /api/sale_offers': { method: 'GET', path: '/api/sale_offers', categories: of },
    'GET /api/sale_offers/{id}': { method: 'GET', path: offer['@id'], categories: of },
    'POST /api/sale_offers': {
      method: 'POST',
      path: '/api/sale_offers',
      body: { variant: variant['@id'], currency: 'EUR', amount: '11.00' },
      categories: of,
    },
    'PATCH /api/sale_offers/{id}': {
      method: 'PATCH',
      path: offer['@id'],
      body: { priority: 3 },
      categories: of,
    },
  }
  return { shop, root: root['@id'], leaf: leaf['@id'], calls }
}

const names = [
  'GET /api/categories',
  'GET /api/categories/{id}',
  'PATCH /api/categories/{id}',
  'GET /api/products',
  'GET /api/products/{id}',
  'POST /api/products',
  'PATCH /api/products/{id}',
  'GET /api/products/{productId}/variants',
  'GET /api/products/{productId}/variants/{variantId}',
  'POST /api/products/{productId}/variants',
  'PATCH /api/products/{productId}/variants/{variantId}',
  'GET /api/sale_offers',
  'GET /api/sale_offers/{id}',
  'POST /api/sale_offers',
  'PATCH /api/sale_offers/{id}',
]

describe.each(versions)('in %s', (version, name, other) => {
  let staged: Stage
  beforeAll(async () => {
    staged = await stage()
  })
  const ask = ({ shop }: Stage, { method, path, body }: Call, query = '', headers = {}) =>
    shop.request(method, path + query, { ...(body && { body }), version, headers })

  test.each(names)(`%s answers ${name}, as objects when expanded`, async (called) => {
    const call = staged.calls[called] as Call
    const plain = await ask(staged, call)
    expect(plain.status, plain.text).toBe(call.method === 'POST' ? 201 : 200)
    expect(plain.headers.get('service-api-version')).toBe(version)
    const [category] = call.categories(plain.body)
    expect(category, plain.text).toHaveProperty(name)
    expect((category as Record<string, unknown[]>)[name]).toHaveLength(1)
    expect(plain.text).not.toContain(`"${other}"`)
    if (call.method !== 'GET') return
    expect((category as Record<string, unknown[]>)[name]?.[0]).toMatch(/^\/api\/categories\//)
    const expanded = await ask(staged, call, `?expand=${name}.${name}`)
    expect(expanded.status, expanded.text).toBe(200)
    const [root] = call.categories(expanded.body)
    expect(root).toMatchObject({ [name]: [{ title: 'Middle', [name]: [{ title: 'Leaf', [name]: [] }] }] })
    expect(expanded.text).not.toContain(`"${other}"`)
  })

  test('expand with the other name is 422', async () => {
    for (const path of ['/api/products', '/api/categories', '/api/sale_offers']) {
      const reply = await staged.shop.get(`${path}?expand=${other}`, { version, status: 422 })
      expect(reply.body.violations[0].propertyPath).toBe('expand')
    }
  })

  test('properties[] knows the name of the version and ignores the other', async () => {
    const { shop, root } = staged
    const own = await shop.get(`${root}?properties[]=${name}`, { version, status: 200 })
    expect(Object.keys(own.body).sort()).toEqual(['@context', '@id', '@type', name].sort())
    const wrong = await shop.get(`${root}?properties[]=${other}&properties[]=title`, { version, status: 200 })
    expect(Object.keys(wrong.body).sort()).toEqual(['@context', '@id', '@type', 'title'].sort())
    const nested = await shop.get(`/api/products?properties[categories][]=${name}`, { version, status: 200 })
    const product = nested.body.member.find((each: { categories: unknown[] }) => each.categories.length > 0)
    expect(Object.keys(product).sort()).toEqual(['@id', '@type', 'categories'])
    expect(Object.keys(product.categories[0]).sort()).toEqual(['@id', '@type', name].sort())
  })

  test('a category is written with the name of the version', async () => {
    const { shop, leaf } = await stage()
    const made = await shop.post('/api/categories', {
      body: { title: 'New', [name]: [leaf] },
      version,
      status: 201,
    })
    expect(made.body[name]).toEqual([leaf])
    const emptied = await shop.patch(made.body['@id'], { body: { [name]: [] }, version, status: 200 })
    expect(emptied.body[name]).toEqual([])
  })

  test('the other name on write is 422 that names the right one, and nothing is written', async () => {
    const { shop, root } = staged
    const before = (await shop.get(root)).body
    const [product] = (await shop.get('/api/products')).body.member
    for (const [method, path, body] of [
      ['PATCH', root, { [other]: [] }],
      ['POST', '/api/categories', { title: 'X', [other]: [] }],
      ['POST', '/api/products', { title: 'X', categories: [{ '@id': root, [other]: [] }] }],
      ['PATCH', product['@id'], { categories: [{ '@id': root, [other]: [] }] }],
    ] as const) {
      const reply = await shop.request(method, path, { body, version })
      expect(reply.status, `${method} ${path} ${reply.text}`).toBe(422)
      expect([reply.body.slug, reply.body.violations?.[0]?.slug]).toContain('version.renamed_property')
      expect(reply.text).toContain(name)
      expect(reply.body.violations[0].propertyPath).toMatch(new RegExp(`(^|\\.)${other}$`))
    }
    expect((await shop.get(root)).body).toEqual(before)
  })

  test('violations speak of the property as this caller wrote it', async () => {
    const { shop, root } = staged
    for (const [path, body, expected] of [
      [root, { [name]: 'x' }, name],
      [root, { [name]: ['/api/categories/01900000-0000-7000-8000-000000000000'] }, `${name}[0]`],
    ] as const) {
      const reply = await shop.patch(path, { body, version, status: 422 })
      expect(reply.body.violations[0].propertyPath).toBe(expected)
      expect(reply.text).not.toMatch(new RegExp(`\\b${other}\\b`))
    }
  })

  test('nested children of a product’s categories are checked, ignored and named', async () => {
    const { shop, root, leaf } = staged
    const reply = await shop.post('/api/products', {
      body: { title: 'N', categories: [{ '@id': root, [name]: [leaf] }] },
      version,
      status: 201,
    })
    expect(reply.headers.get('service-ignored-properties')).toBe(`categories[0].${name}`)
    expect(reply.body.categories[0][name]).not.toEqual([leaf])
    const wrong = await shop.post('/api/products', {
      body: { title: 'N', categories: [{ '@id': root, [name]: 7 }] },
      version,
      status: 422,
    })
    expect(wrong.body.violations[0].propertyPath).toBe(`categories[0].${name}`)
  })

  test('a document read in this version is accepted when sent back', async () => {
    const { shop, root } = staged
    for (const path of [root, (await shop.get('/api/products')).body.member[0]['@id']]) {
      const before = await shop.get(path, { version, status: 200 })
      const after = await shop.patch(path, { body: before.body, version, status: 200 })
      expect(after.body).toEqual(before.body)
    }
  })
})

test('without categories:read the children are left out in both names, but the rest stays', async () => {
  const { shop } = await stage()
  const token = await shop.token({ scope: 'products:read' })
  for (const [version, name] of versions) {
    const reply = await shop.get('/api/products?properties[categories]', { token, version, status: 200 })
    expect(reply.text).not.toContain(`"${name}"`)
    expect(reply.body.member[0].categories[0].title).toBe('Root')
  }
})

describe('the header', () => {
  test('absent, the tenant’s default answers and is echoed', async () => {
    const shop = await openShop({ defaultApiVersion: '2026-04' })
    const reply = await shop.get('/api/products', { status: 200 })
    expect(reply.headers.get('service-api-version')).toBe('2026-04')
    const { body } = await shop.post('/api/categories', { body: { title: 'A' }, status: 201 })
    expect(body).toHaveProperty('childrens')
  })

  test.each(['2025-01', '2026-02', '2026-7', 'v1', 'latest', 'UNSTABLE', '2026-10, 2026-07'])(
    '%j is 400 and lists what there is',
    async (version) => {
      const shop = await openShop()
      const reply = await shop.get('/api/products', { version, status: 400 })
      expect(reply.body.slug).toBe('version.unknown')
      expect(reply.body.supportedVersions).toEqual(expect.arrayContaining(['2026-10', 'unstable']))
    },
  )

  test('a version that is not the latest says when it ends', async () => {
    const shop = await openShop()
    for (const [version] of versions) {
      const { headers } = await shop.get('/api/products', { version, status: 200 })
      const current = version === '2026-10' || version === 'unstable'
      expect([version, headers.has('deprecation'), headers.has('sunset')]).toEqual([
        version,
        !current,
        !current,
      ])
      expect((headers.get('link') ?? '').includes('rel="deprecation"')).toBe(!current)
    }
  })
})

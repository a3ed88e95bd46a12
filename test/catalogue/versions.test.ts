/** Versions: `childrens` before 2026-07 and `children` since, in writes and in documents that are sent back; the version of a response. */
import { beforeAll, describe, expect, test } from 'vitest'
import { openShop, type Shop } from '../support/shop.ts'

const versions = [
  ['2026-01', 'childrens', 'children'],
  ['2026-04', 'childrens', 'children'],
  ['2026-07', 'children', 'childrens'],
  ['2026-10', 'children', 'childrens'],
  ['unstable', 'children', 'childrens'],
] as const

type Stage = { shop: Shop; root: string; leaf: string }

/** A tree of three and a product in its root. */
async function stage(): Promise<Stage> {
  const shop = await openShop()
  const post = async (path: string, body: unknown) => (await shop.post(path, { body, status: 201 })).body
  const leaf = await post('/api/categories', { title: 'Leaf' })
  const middle = await post('/api/categories', { title: 'Middle', children: [leaf['@id']] })
  const root = await post('/api/categories', { title: 'Root', children: [middle['@id']] })
  await post('/api/products', { title: 'Shirt', categories: [root['@id']] })
  return { shop, root: root['@id'], leaf: leaf['@id'] }
}

describe.each(versions)('in %s', (version, name, other) => {
  let staged: Stage
  beforeAll(async () => {
    staged = await stage()
  })
  test('expand with the other name is the same, and the error of an unknown one lists the choices of this version', async () => {
    for (const path of ['/api/products', '/api/categories', '/api/sale_offers']) {
      const own = await staged.shop.get(`${path}?expand=${name}.${name}`, { version, status: 200 })
      const reply = await staged.shop.get(`${path}?expand=${other}.${name}`, { version, status: 200 })
      expect(reply.body.member).toEqual(own.body.member)
      const refused = await staged.shop.get(`${path}?expand=child`, { version, status: 422 })
      expect(refused.body.violations).toMatchObject([{ propertyPath: 'expand', slug: 'validation.expand' }])
      expect(refused.body.violations[0].message).toContain(`${name}, ${name}.${name}`)
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

  test('violations name the property as this caller wrote it', async () => {
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

  test('nested children of a product’s categories are checked and ignored', async () => {
    const { shop, root, leaf } = staged
    const reply = await shop.post('/api/products', {
      body: { title: 'N', categories: [{ '@id': root, [name]: [leaf] }] },
      version,
      status: 201,
    })
    expect(reply.headers.get('service-ignored-properties')).toBeNull()
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
    '%j is 400 and lists the existing ones',
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

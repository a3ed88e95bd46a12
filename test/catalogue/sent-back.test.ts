import { expect, test } from 'vitest'
import { openShop } from '../support/shop.ts'

const strict = { Prefer: 'handling=strict' }

async function shirt() {
  const shop = await openShop()
  const body = await shop.create('/api/products', {
    title: 'Shirt',
    fields: { washing: 'cold' },
    options: [{ title: 'Size', values: [{ title: 'S' }, { title: 'M' }] }],
    variants: [{ optionValues: [{ option: 'Size', value: 'S' }], fields: { fit: 'slim' } }],
  })
  return { shop, product: body }
}

test('a variant that is sent back as it was read names nothing unknown, also under strict handling', async () => {
  const { shop, product } = await shirt()
  const body = await shop.read(product.variants[0]['@id'])
  const sent = await shop.patch(body['@id'], { body, headers: strict, status: 200 })
  expect(sent.headers.get('Service-Ignored-Properties')).toBeNull()
  expect(sent.body.version).toBe(1)
})

test('a document with fallbacks translates nothing when it is sent back, except for texts that were written in between', async () => {
  const { shop, product } = await shirt()
  const category = await shop.create('/api/categories', { title: 'Tops' })
  const asked = { locale: 'fr-FR', status: 200 }
  const [option] = product.options
  for (const { '@id': path } of [product.variants[0], option.values[0], option, product, category]) {
    const { body } = await shop.get(path, asked)
    expect(body).toHaveProperty('fallbacks')
    const sent = await shop.patch(path, { body, headers: strict, ...asked })
    expect(sent.body).toEqual(body)
    if (body['@type'] === 'Variant') continue
    const written = await shop.patch(path, { body: { ...body, title: 'Autre' }, ...asked })
    expect([written.body.title, written.body.fallbacks]).toEqual(['Autre', undefined])
    expect((await shop.get(path)).body.title).toBe(body.title)
  }
})

const ignored = (reply: { headers: Headers }) => reply.headers.get('Service-Ignored-Properties')

const types = '/api/metafield_definition_types'

/** A product with everything in it that it may embed. */
async function catalogue() {
  const shop = await openShop()
  const made = shop.create
  const top = await made('/api/categories', { title: 'Tops' })
  const category = await made('/api/categories', { title: 'Shirts', parent: top['@id'] })
  await made('/api/categories', { title: 'Polos', parent: category['@id'] })
  const definition = await made('/api/metaobject_definitions', {
    type: 'look',
    displayNameField: 'name',
    fieldDefinitions: [{ key: 'name', type: `${types}/single_line_text_field`, translatable: true }],
  })
  const metaobject = await made('/api/metaobjects', {
    definition: definition['@id'],
    status: 'ACTIVE',
    fields: { name: 'Linen' },
  })
  const product = await made('/api/products', {
    title: 'Shirt',
    categories: [category['@id']],
    seo: { title: 'Shirt' },
    fields: { look: { value: metaobject['@id'], type: `${types}/metaobject_reference` } },
    options: [{ title: 'Size', values: [{ title: 'S' }, { title: 'M' }] }],
    variants: [{ optionValues: [{ option: 'Size', value: 'S' }], weight: { value: 1, unit: 'kg' } }],
  })
  const collection = await made('/api/collections', { title: 'Summer' })
  await made(`${collection['@id']}/products`, { product: product['@id'] })
  const [variant] = product.variants
  const price = { variant: variant['@id'], currency: 'EUR', amount: '10' }
  const offer = await made('/api/sale_offers', { ...price, countries: ['FR'] })
  return { shop, product, variant, category, offer }
}

test('a document that is sent back with one change reports only the properties that the change affects', async () => {
  const { shop, product, variant } = await catalogue()
  for (const { '@id': path } of [product, variant]) {
    const body = await shop.read(path)
    const sent = await shop.patch(path, { body: { ...body, externalId: 'new' }, status: 200 })
    expect([sent.body.version, ignored(sent)]).toEqual([body.version + 1, null])
  }
})

test('read-only members that differ are named, in the names of the version, and never refused', async () => {
  const { shop, product, variant, category } = await catalogue()
  const body = await shop.read(product['@id'], { version: '2026-01' })
  const [shown] = body.categories
  const changed = {
    ...body,
    version: 99,
    createdAt: '2020-01-01T00:00:00.000000Z',
    updatedAt: 'yesterday',
    variantsTotal: 2,
    options: [],
    variants: [{ ...variant, sku: 'OTHER' }],
    categories: [{ ...shown, childrens: [category['@id']] }],
  }
  const sent = await shop.patch(product['@id'], {
    body: changed,
    version: '2026-01',
    headers: strict,
    status: 200,
  })
  expect(ignored(sent)?.split(', ').toSorted()).toEqual([
    'createdAt',
    'options',
    'updatedAt',
    'variants',
    'variantsTotal',
    'version',
  ])
  expect(sent.body).toEqual(body)
})

test('what the caller may not see is not named', async () => {
  const { shop, product, category } = await catalogue()
  const body = await shop.read(product['@id'])
  const token = await shop.token({ scope: 'products:write products:read' })
  const other = { ...body.categories[0], children: [category['@id']] }
  const sent = await shop.patch(product['@id'], {
    body: { ...body, categories: [other] },
    token,
    status: 200,
  })
  expect(ignored(sent)).toBeNull()
})

test('a new resource names every read-only member of the top level that was given', async () => {
  const { shop, category } = await catalogue()
  const sent = await shop.post('/api/products', {
    body: {
      title: 'Copy',
      version: 1,
      archivedAt: null,
      categories: [{ '@id': category['@id'], children: [] }],
      options: [{ title: 'Size', position: 0, values: [{ title: 'S', version: 1 }] }],
      variants: [{ optionValues: [{ option: 'Size', value: 'S' }], title: 'S', status: null }],
    },
    headers: strict,
    status: 201,
  })
  expect(ignored(sent)).toBe('version')
})

test('ignores known members next to the @id of an embedded resource without naming them', async () => {
  const { shop, product, variant, category } = await catalogue()
  const read = await shop.read(product['@id'])
  const categories = [{ ...read.categories[0], title: 'Hax', fallbacks: {}, '@type': 'Category' }]
  const patched = await shop.patch(product['@id'], { body: { categories }, headers: strict, status: 200 })
  expect(ignored(patched)).toBeNull()
  const bulk = await shop.post('/api/products', { body: [{ title: 'A', categories, hax: 1 }], status: 201 })
  expect(ignored(bulk)).toBe('[0].hax')
  expect((await shop.read(category['@id'])).title).toBe('Shirts')
  const [value] = variant.optionValues
  const body = { optionValues: [{ ...value, title: 'XXL' }] }
  expect(ignored(await shop.patch(variant['@id'], { body, headers: strict, status: 200 }))).toBeNull()
})

test('members next to an @id that are unknown, or that documents never embed, are named and rejected under strict handling', async () => {
  const { shop, product, variant, category, offer } = await catalogue()
  const collection = await shop.create('/api/collections', { title: 'Winter' })
  const related = (each: Record<string, unknown>) => ({
    '@id': each['@id'],
    '@type': each['@type'],
    sku: 'X',
  })
  const price = { currency: 'EUR', amount: '1' }
  const bulk = [
    { ...price, variant: variant['@id'] },
    { ...price, variant: related(variant) },
  ]
  for (const [method, path, body, name] of [
    ['POST', '/api/sale_offers', { ...price, variant: related(variant) }, 'variant.sku'],
    ['POST', '/api/sale_offers', bulk, '[1].variant.sku'],
    ['PATCH', offer['@id'], { variant: related(variant) }, 'variant.sku'],
    ['PATCH', product['@id'], { categories: [related(category)] }, 'categories[0].sku'],
    ['PATCH', product['@id'], { collections: [related(collection)] }, 'collections[0].sku'],
    ['PATCH', category['@id'], { parent: { '@id': category.parent, title: 'Hax' } }, 'parent.title'],
    ['POST', `${collection['@id']}/products`, { product: related(product) }, 'product.sku'],
    [
      'PATCH',
      product['@id'],
      {
        fields: { fit: { value: 'slim', type: { '@id': `${types}/single_line_text_field`, title: 'Hax' } } },
      },
      'fields.fit.type.title',
    ],
  ] as const) {
    const refused = await shop.request(method, path, { body, headers: strict })
    expect([name, refused.status, refused.body.slug]).toEqual([name, 422, 'validation.unknown_property'])
    expect(refused.body.violations[0].message).not.toContain('→')
    const taken = await shop.request(method, path, { body })
    expect(taken.status, taken.text).toBeLessThan(300)
    expect(ignored(taken)?.split(', ')).toContain(name)
  }
})

test('a read-only link equals the object that it names', async () => {
  const { shop, product, variant } = await catalogue()
  const body = { product: { '@id': product['@id'], '@type': 'Product', title: 'Hax' } }
  expect(ignored(await shop.patch(variant['@id'], { body, headers: strict, status: 200 }))).toBeNull()
  const other = { product: '/api/products/01900000-0000-7000-8000-000000000000' }
  expect(ignored(await shop.patch(variant['@id'], { body: other, headers: strict, status: 200 }))).toBe(
    'product',
  )
})

test('read-only members, however many, hide no unknown one', async () => {
  const { shop, category } = await catalogue()
  const { children: _, ...shown } = category
  const body = { title: 'A', categories: Array.from({ length: 100 }, () => shown), hax: 1 }
  const refused = await shop.post('/api/products', { body, headers: strict, status: 422 })
  expect(refused.body.violations).toMatchObject([{ propertyPath: 'hax' }])
})

test('the header of ignored members has at most two thousand bytes, and ends in dots', async () => {
  const { shop, product } = await shirt()
  const unknown = Array.from({ length: 5000 }, (_, index) => [`${'é'.repeat(40)}${index}`, 1])
  const sent = await shop.patch(product['@id'], { body: Object.fromEntries(unknown), status: 200 })
  expect(ignored(sent)!.length).toBeLessThanOrEqual(2000)
  expect(ignored(sent)).toMatch(/, \.\.\.$/)
  const query = Array.from({ length: 700 }, (_, index) => `x${index}=1`).join('&')
  const { headers } = await shop.get(`/api/products?${query}`, { status: 200 })
  expect(headers.get('Service-Ignored-Parameters')!.length).toBeLessThanOrEqual(2000)
  expect(headers.get('Service-Ignored-Parameters')).toMatch(/^x0, x1, .*, \.\.\.$/)
})

test('a product that is copied from a response reports no unknown members', async () => {
  const { shop, product } = await shirt()
  const { '@id': _, id: __, handle: ___, variants, ...copy } = product
  const inline = variants.map((each: Record<string, unknown>) => ({
    sku: each.sku,
    position: each.position,
    version: each.version,
    fields: each.fields,
    optionValues: [{ option: 'Size', value: 'S' }],
  }))
  await shop.create('/api/products', { ...copy, variants: inline }, { headers: strict })
})

test('unknown members of inline variants, options and values are named, and refused under strict handling', async () => {
  const shop = await openShop()
  const body = {
    title: 'Shirt',
    options: [{ title: 'Size', colour: 1, values: [{ title: 'S', hue: 1 }] }],
    variants: [{ skuu: 'X', optionValues: [{ option: 'Size', value: 'S' }] }],
  }
  const lenient = await shop.post('/api/products', { body, status: 201 })
  for (const path of ['options[0].colour', 'options[0].values[0].hue', 'variants[0].skuu']) {
    expect(lenient.headers.get('Service-Ignored-Properties')).toContain(path)
  }
  const refused = await shop.post('/api/products', { body, headers: strict, status: 422 })
  expect(refused.body.slug).toBe('validation.unknown_property')
  expect(refused.body.violations).toHaveLength(3)
})

test('a document whose id is its own IRI is saved; one of another resource, and any on create, is 422', async () => {
  const { shop, product } = await shirt()
  const category = await shop.create('/api/categories', { title: 'Tops' })
  const [option] = product.options
  for (const { '@id': path } of [product, product.variants[0], option, option.values[0], category]) {
    const body = await shop.read(path)
    for (const id of [path, `http://${shop.host}${path}`, body.id, '', null]) {
      const saved = await shop.update(path, { ...body, id, originId: body.id })
      expect(saved.id).toBe(body.id)
    }
    for (const id of [`${path}1`, category.id.replace(/.$/, 'x'), `https://${shop.host}${path}`, 5, [path]]) {
      const refused = await shop.patch(path, { body: { id }, status: 422 })
      expect(refused.body.slug, path).toBe('validation.identity_mismatch')
    }
  }
  for (const id of [product.id, product['@id']]) {
    await shop.post('/api/products', { body: { title: 'New', id }, status: 422 })
    await shop.post('/api/products', { body: { title: 'New', '@id': id }, status: 422 })
  }
  await shop.create('/api/products', { title: 'New', id: '', '@id': null })
})

test.each(['2026-01', '2026-10', 'unstable'])(
  'in version %s, documents with expanded children that are sent back without expand name nothing as ignored',
  async (version) => {
    const { shop, product, variant, category, offer } = await catalogue()
    const expand = version < '2026-07' ? 'childrens' : 'children'
    const purchase = await shop.create('/api/purchase_offers', {
      variant: variant['@id'],
      supplier: 's',
      currency: 'EUR',
      cost: '5',
    })
    const top = category.parent['@id'] ?? category.parent
    for (const path of [
      top,
      category['@id'],
      product['@id'],
      variant['@id'],
      offer['@id'],
      purchase['@id'],
    ]) {
      const body = await shop.read(`${path}?expand=${expand}`, { version })
      const sent = await shop.patch(path, { body, version, headers: strict, status: 200 })
      expect([path, ignored(sent), sent.body.version]).toEqual([path, null, body.version])
    }
  },
)

import { expect, test } from 'vitest'
import { openShop } from '../support/shop.ts'

const strict = { Prefer: 'handling=strict' }

async function shirt() {
  const shop = await openShop()
  const { body } = await shop.post('/api/products', {
    body: {
      title: 'Shirt',
      fields: { washing: 'cold' },
      options: [{ title: 'Size', values: [{ title: 'S' }, { title: 'M' }] }],
      variants: [{ optionValues: [{ option: 'Size', value: 'S' }], fields: { fit: 'slim' } }],
    },
    status: 201,
  })
  return { shop, product: body }
}

test('a variant that is sent back as it was read names nothing unknown, also under strict handling', async () => {
  const { shop, product } = await shirt()
  const { body } = await shop.get(product.variants[0]['@id'], { status: 200 })
  const sent = await shop.patch(body['@id'], { body, headers: strict, status: 200 })
  expect(sent.headers.get('Service-Ignored-Properties')).toBeNull()
  expect(sent.body.version).toBe(1)
})

test('a document with fallbacks translates nothing when it is sent back, but for what was written in between', async () => {
  const { shop, product } = await shirt()
  const { body: category } = await shop.post('/api/categories', { body: { title: 'Tops' }, status: 201 })
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

test('a product that is copied from what was read names nothing unknown', async () => {
  const { shop, product } = await shirt()
  const { '@id': _, id: __, handle: ___, variants, ...copy } = product
  const inline = variants.map((each: Record<string, unknown>) => ({
    sku: each.sku,
    position: each.position,
    version: each.version,
    fields: each.fields,
    optionValues: [{ option: 'Size', value: 'S' }],
  }))
  await shop.post('/api/products', { body: { ...copy, variants: inline }, headers: strict, status: 201 })
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
  const { body: category } = await shop.post('/api/categories', { body: { title: 'Tops' }, status: 201 })
  const [option] = product.options
  for (const { '@id': path } of [product, product.variants[0], option, option.values[0], category]) {
    const { body } = await shop.get(path, { status: 200 })
    for (const id of [path, `http://${shop.host}${path}`, body.id, '', null]) {
      const saved = await shop.patch(path, { body: { ...body, id, originId: body.id }, status: 200 })
      expect(saved.body.id).toBe(body.id)
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
  await shop.post('/api/products', { body: { title: 'New', id: '', '@id': null }, status: 201 })
})

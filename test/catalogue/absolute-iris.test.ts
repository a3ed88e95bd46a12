/** An IRI of the tenant's own host may be absolute wherever one is read; answers keep it relative. */
import { expect, test } from 'vitest'
import { openShop } from '../support/shop.ts'

const types = '/api/metafield_definition_types'

async function world() {
  const shop = await openShop()
  const made = shop.create
  const category = await made('/api/categories', { title: 'Tops' })
  const product = await made('/api/products', {
    title: 'Shirt',
    categories: [category['@id']],
    options: [{ title: 'Size', values: [{ title: 'S' }, { title: 'M' }] }],
    variants: [{ optionValues: [{ option: 'Size', value: 'S' }] }],
  })
  const [variant] = product.variants
  const [option] = product.options
  const collection = await made('/api/collections', { title: 'Summer' })
  await made(`${collection['@id']}/products`, { product: product['@id'] })
  const definition = await made('/api/metaobject_definitions', {
    type: 'look',
    fieldDefinitions: [{ key: 'shows', type: `${types}/list.product_reference` }],
  })
  const offer = await made('/api/sale_offers', {
    variant: variant['@id'],
    currency: 'EUR',
    amount: '10',
    status: 'DRAFT',
  })
  return { shop, category, product, variant, option, collection, definition, offer }
}

type World = Awaited<ReturnType<typeof world>>
type Own = (iri: string) => string

/** Each case writes absolute IRIs. */
const written: Readonly<Record<string, (w: World, own: Own) => [request: string, body: unknown]>> = {
  'categories of a product': ({ category }, own) => [
    'POST /api/products',
    { title: 'A', categories: [own(category['@id'])] },
  ],
  'collections of a product': ({ collection }, own) => [
    'POST /api/products',
    { title: 'A', collections: [own(collection['@id'])] },
  ],
  'an object carrying @id': ({ category }, own) => [
    'POST /api/products',
    { title: 'A', categories: [{ '@id': own(category['@id']) }] },
  ],
  parent: ({ category }, own) => ['POST /api/categories', { title: 'A', parent: own(category['@id']) }],
  children: ({ category }, own) => ['POST /api/categories', { title: 'A', children: [own(category['@id'])] }],
  'option of a value': ({ option }, own) => [
    'POST /api/option_values',
    { title: 'XL', option: own(option['@id']) },
  ],
  'option values of a variant': ({ product, option }, own) => [
    `POST ${product['@id']}/variants`,
    { optionValues: [own(option.values[1]['@id'])] },
  ],
  'option and value as a pair': ({ product, option }, own) => [
    `POST ${product['@id']}/variants`,
    { optionValues: [{ option: own(option['@id']), value: own(option.values[1]['@id']) }] },
  ],
  'variant of a sale offer': ({ variant }, own) => [
    'POST /api/sale_offers',
    { variant: own(variant['@id']), currency: 'EUR', amount: '1' },
  ],
  'variant of a purchase offer': ({ variant }, own) => [
    'POST /api/purchase_offers',
    { variant: own(variant['@id']), supplier: 's', currency: 'EUR', cost: '1' },
  ],
  'type of a custom field': (_, own) => [
    'POST /api/products',
    { title: 'A', fields: [{ key: 'a', value: '1', type: own(`${types}/number_integer`) }] },
  ],
  'a reference in a custom field': ({ variant }, own) => [
    'POST /api/products',
    { title: 'A', fields: { a: { value: own(variant['@id']), type: `${types}/variant_reference` } } },
  ],
  'references in a metaobject': ({ definition, product }, own) => [
    'POST /api/metaobjects',
    {
      definition: own(definition['@id']),
      fields: { shows: JSON.stringify([own(product['@id']), product['@id']]) },
    },
  ],
  'type and definition of a field definition': ({ definition }, own) => [
    'POST /api/metaobject_definitions',
    {
      type: 'other',
      fieldDefinitions: [
        {
          key: 'look',
          type: own(`${types}/metaobject_reference`),
          validations: [{ name: 'metaobject_definition', value: own(definition['@id']) }],
        },
      ],
    },
  ],
  'a rule by category': ({ category }, own) => [
    'POST /api/collections',
    {
      title: 'A',
      rules: { conditions: [{ field: 'category', operator: 'EQUALS', value: own(category['@id']) }] },
    },
  ],
  'a member of a collection': ({ collection, product }, own) => [
    `POST ${collection['@id']}/products`,
    { product: own(product['@id']) },
  ],
  'the resource itself, in @id and in id': ({ product }, own) => [
    `PATCH ${product['@id']}`,
    { '@id': own(product['@id']), id: own(product['@id']), vendor: 'Acme' },
  ],
  'the variant of an offer that is sent back': ({ offer, variant }, own) => [
    `PATCH ${offer['@id']}`,
    { variant: own(variant['@id']), priority: 1 },
  ],
}

test.for(Object.entries(written))('written: %s', async ([name, write]) => {
  const w = await world()
  const sent: string[] = []
  const send = (own: Own) => {
    const [request, body] = write(w, own)
    const [method = '', path = ''] = request.split(' ')
    return w.shop.request(method, path, { body })
  }
  const reply = await send((iri) => {
    sent.push(iri)
    return `http://${w.shop.host}${iri}`
  })
  expect([200, 201], reply.text).toContain(reply.status)
  const { '@context': _, ...document } = reply.body
  const text = JSON.stringify(document)
  expect(text).not.toContain(`http://${w.shop.host}/api/`)
  // A collection does not list its products.
  if (name !== 'a member of a collection') for (const iri of sent) expect(text).toContain(iri)
  for (const [what, foreign] of Object.entries(foreignTo(w.shop.host))) {
    const refused = await send(foreign)
    expect(refused.status, `${what}: ${refused.text}`).toBe(422)
  }
})

function foreignTo(host: string): Record<string, Own> {
  return {
    'another host': (iri) => `http://shop.example${iri}`,
    'another scheme': (iri) => `https://${host}${iri}`,
    'another port': (iri) => `http://${host}:8080${iri}`,
    'user info': (iri) => `http://me@${host}${iri}`,
    query: (iri) => `http://${host}${iri}?a=1`,
    fragment: (iri) => `http://${host}${iri}#a`,
    'no scheme': (iri) => `//${host}${iri}`,
    'dot segments': (iri) => `http://${host}/api/..${iri}`,
  }
}

/** Each finds something by an absolute IRI. */
const filters: readonly [string, (w: World) => string, (w: World) => string][] = [
  [
    'category of products',
    ({ category }) => `/api/products?category=${category.id}`,
    ({ category }) => category['@id'],
  ],
  [
    'collection of products',
    ({ collection }) => `/api/products?collection=${collection.id}`,
    ({ collection }) => collection['@id'],
  ],
  [
    'product of collections',
    ({ product }) => `/api/collections?product=${product.id}`,
    ({ product }) => product['@id'],
  ],
  [
    'option of values',
    ({ option }) => `/api/option_values?option=${option.id}`,
    ({ option }) => option['@id'],
  ],
  [
    'variant of offers',
    ({ variant }) => `/api/sale_offers?variant=${variant.id}`,
    ({ variant }) => variant['@id'],
  ],
  [
    'product of offers',
    ({ product }) => `/api/sale_offers?product=${product.id}`,
    ({ product }) => product['@id'],
  ],
  [
    'definition of metaobjects',
    ({ definition }) => `/api/metaobjects?definition=${definition.id}`,
    ({ definition }) => definition['@id'],
  ],
  [
    'parent of categories',
    ({ category }) => `/api/categories?parent=${category.id}`,
    ({ category }) => category['@id'],
  ],
]

test('filters take an absolute IRI as they take the id', async () => {
  const w = await world()
  const { shop, variant, category, definition } = w
  await shop.create('/api/categories', { title: 'Below', parent: category['@id'] })
  await shop.create('/api/metaobjects', { definition: definition['@id'] })
  for (const [what, byId, iri] of filters) {
    const plain = await shop.read(byId(w))
    const [path] = byId(w).split(/(?<==)/)
    const absolute = await shop.read(`${path}${encodeURIComponent(`http://${shop.host}${iri(w)}`)}`)
    expect(absolute.member, what).toEqual(plain.member)
    expect(absolute.member.length, what).toBeGreaterThan(0)
    for (const [fault, foreign] of Object.entries(foreignTo(shop.host))) {
      const refused = await shop.get(`${path}${encodeURIComponent(foreign(iri(w)))}`)
      expect([what, fault, refused.status, refused.body.slug]).toEqual([
        what,
        fault,
        422,
        'validation.invalid_iri',
      ])
    }
  }
  const own = encodeURIComponent(`http://${shop.host}${variant['@id']}`)
  const body = await shop.read(`/api/events?resource=${own}`)
  expect(body.member.map((each: { topic: string }) => each.topic)).toEqual(['variant/created'])
})

test('the tool takes an absolute parent', async () => {
  const { shop, category } = await world()
  await shop.create('/api/categories', { title: 'Below', parent: category['@id'] })
  const call = (parent: string) =>
    shop.post('/mcp', {
      body: {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'list_categories', arguments: { parent } },
      },
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      status: 200,
    })
  const { body } = await call(`http://${shop.host}${category['@id']}`)
  expect(body.result.structuredContent.items.map((each: { title: string }) => each.title)).toEqual(['Below'])
  expect((await call(`http://shop.example${category['@id']}`)).body.result.isError).toBe(true)
})

test('a preview takes an absolute resource', async () => {
  const { shop, product } = await world()
  const subscription = await shop.create('/api/webhook_subscriptions', {
    topic: 'product/*',
    callbackUrl: 'http://localhost:9999/hook',
  })
  const reply = await shop.post(`/api/webhook_subscriptions/${subscription.id}/preview`, {
    body: { resource: `http://${shop.host}${product['@id']}` },
    status: 200,
  })
  expect(reply.body.resource).toBe(product['@id'])
})

test('a text that is no reference stays as it was written, whatever it looks like', async () => {
  const { shop, product, definition } = await world()
  const text = `http://${shop.host}${product['@id']}`
  const body = await shop.create('/api/products', {
    title: text,
    options: [{ title: text, values: [{ title: text }] }],
    variants: [{ optionValues: [{ option: text, value: text }] }],
    fields: { plain: text, link: { value: text, type: `${types}/url` } },
  })
  expect([body.title, body.options[0].title, body.variants[0].title]).toEqual([text, text, text])
  expect(body.fields.map((each: { value: string }) => each.value)).toEqual([text, text])
  const change = { fieldDefinitions: [{ key: 'shows', type: `${types}/list.url` }] }
  await shop.update(definition['@id'], change)
  const metaobject = await shop.create('/api/metaobjects', {
    definition: definition['@id'],
    fields: { shows: JSON.stringify([text]) },
  })
  expect(metaobject.fields[0].value).toBe(JSON.stringify([text]))
})

test('the error of a reference of another type names the expected type', async () => {
  const { shop, product } = await world()
  const expected = {
    'en-US': 'This is not a valid reference to another record. Expected: /api/categories/{id}.',
    'fr-FR': 'Cette référence à un autre enregistrement n’est pas valide. Attendu : /api/categories/{id}.',
  }
  for (const [locale, message] of Object.entries(expected)) {
    const { body } = await shop.post('/api/products', {
      body: { title: 'A', categories: [product['@id']] },
      locale,
      status: 422,
    })
    expect([body.slug, body.violations[0].propertyPath, body.message]).toEqual([
      'validation.invalid_iri',
      'categories[0]',
      message,
    ])
  }
  const filter = await shop.get(`/api/sale_offers?variant=${product['@id']}`, { status: 422 })
  expect(filter.body.message).toContain('/api/products/{productId}/variants/{id}')
})

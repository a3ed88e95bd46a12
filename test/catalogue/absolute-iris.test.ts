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

/** Each case writes one absolute IRI, and returns the place of the response that shows it. */
const written: readonly {
  what: string
  method?: 'patch'
  path: (w: World) => string
  body: (w: World, own: Own) => unknown
  shown?: (body: ReturnType<typeof JSON.parse>) => unknown
  relative?: (w: World) => unknown
}[] = [
  {
    what: 'categories of a product',
    path: () => '/api/products',
    body: ({ category }, own) => ({ title: 'A', categories: [own(category['@id'])] }),
    shown: (body) => body.categories[0]['@id'],
    relative: ({ category }) => category['@id'],
  },
  {
    what: 'collections of a product',
    path: () => '/api/products',
    body: ({ collection }, own) => ({ title: 'A', collections: [own(collection['@id'])] }),
    shown: (body) => body.collections[0],
    relative: ({ collection }) => collection['@id'],
  },
  {
    what: 'an object carrying @id',
    path: () => '/api/products',
    body: ({ category }, own) => ({ title: 'A', categories: [{ '@id': own(category['@id']) }] }),
    shown: (body) => body.categories[0]['@id'],
    relative: ({ category }) => category['@id'],
  },
  {
    what: 'parent',
    path: () => '/api/categories',
    body: ({ category }, own) => ({ title: 'A', parent: own(category['@id']) }),
    shown: (body) => body.parent,
    relative: ({ category }) => category['@id'],
  },
  {
    what: 'children',
    path: () => '/api/categories',
    body: ({ category }, own) => ({ title: 'A', children: [own(category['@id'])] }),
    shown: (body) => body.children[0],
    relative: ({ category }) => category['@id'],
  },
  {
    what: 'option of a value',
    path: () => '/api/option_values',
    body: ({ option }, own) => ({ title: 'XL', option: own(option['@id']) }),
    shown: (body) => body.option,
    relative: ({ option }) => option['@id'],
  },
  {
    what: 'option values of a variant',
    path: ({ product }) => `${product['@id']}/variants`,
    body: ({ option }, own) => ({ optionValues: [own(option.values[1]['@id'])] }),
    shown: (body) => body.optionValues[0]['@id'],
    relative: ({ option }) => option.values[1]['@id'],
  },
  {
    what: 'option and value as a pair',
    path: ({ product }) => `${product['@id']}/variants`,
    body: ({ option }, own) => ({
      optionValues: [{ option: own(option['@id']), value: own(option.values[1]['@id']) }],
    }),
    shown: (body) => body.optionValues[0]['@id'],
    relative: ({ option }) => option.values[1]['@id'],
  },
  {
    what: 'variant of a sale offer',
    path: () => '/api/sale_offers',
    body: ({ variant }, own) => ({ variant: own(variant['@id']), currency: 'EUR', amount: '1' }),
    shown: (body) => body.variant,
    relative: ({ variant }) => variant['@id'],
  },
  {
    what: 'variant of a purchase offer',
    path: () => '/api/purchase_offers',
    body: ({ variant }, own) => ({ variant: own(variant['@id']), supplier: 's', currency: 'EUR', cost: '1' }),
    shown: (body) => body.variant,
    relative: ({ variant }) => variant['@id'],
  },
  {
    what: 'type of a custom field',
    path: () => '/api/products',
    body: (_, own) => ({
      title: 'A',
      fields: [{ key: 'a', value: '1', type: own(`${types}/number_integer`) }],
    }),
    shown: (body) => body.fields[0].type,
    relative: () => `${types}/number_integer`,
  },
  {
    what: 'a reference in a custom field',
    path: () => '/api/products',
    body: ({ variant }, own) => ({
      title: 'A',
      fields: { a: { value: own(variant['@id']), type: `${types}/variant_reference` } },
    }),
    shown: (body) => body.fields[0].value,
    relative: ({ variant }) => variant['@id'],
  },
  {
    what: 'references in a metaobject',
    path: () => '/api/metaobjects',
    body: ({ definition, product }, own) => ({
      definition: own(definition['@id']),
      fields: { shows: JSON.stringify([own(product['@id']), product['@id']]) },
    }),
    shown: (body) => [body.definition, body.fields[0].value],
    relative: ({ definition, product }) => [
      definition['@id'],
      JSON.stringify([product['@id'], product['@id']]),
    ],
  },
  {
    what: 'type and definition of a field definition',
    path: () => '/api/metaobject_definitions',
    body: ({ definition }, own) => ({
      type: 'other',
      fieldDefinitions: [
        {
          key: 'look',
          type: own(`${types}/metaobject_reference`),
          validations: [{ name: 'metaobject_definition', value: own(definition['@id']) }],
        },
      ],
    }),
    shown: ({ fieldDefinitions: [field] }) => [field.type, field.validations[0].value],
    relative: ({ definition }) => [`${types}/metaobject_reference`, definition['@id']],
  },
  {
    what: 'a rule by category',
    path: () => '/api/collections',
    body: ({ category }, own) => ({
      title: 'A',
      rules: { conditions: [{ field: 'category', operator: 'EQUALS', value: own(category['@id']) }] },
    }),
    shown: (body) => body.rules.conditions[0].value,
    relative: ({ category }) => category['@id'],
  },
  {
    what: 'a member of a collection',
    path: ({ collection }) => `${collection['@id']}/products`,
    body: ({ product }, own) => ({ product: own(product['@id']) }),
  },
  {
    what: 'the resource itself, in @id and in id',
    method: 'patch',
    path: ({ product }) => product['@id'],
    body: ({ product }, own) => ({ '@id': own(product['@id']), id: own(product['@id']), vendor: 'Acme' }),
    shown: (body) => body['@id'],
    relative: ({ product }) => product['@id'],
  },
  {
    what: 'the variant of an offer that is sent back',
    method: 'patch',
    path: ({ offer }) => offer['@id'],
    body: ({ variant }, own) => ({ variant: own(variant['@id']), priority: 1 }),
    shown: (body) => body.variant,
    relative: ({ variant }) => variant['@id'],
  },
]

test.for(written)('written: $what', async ({ method, path, body, shown, relative }) => {
  const w = await world()
  const own: Own = (iri) => `http://${w.shop.host}${iri}`
  const send = method === 'patch' ? w.shop.patch : w.shop.post
  const reply = await send(path(w), { body: body(w, own), status: method === 'patch' ? 200 : 201 })
  if (shown) expect(shown(reply.body)).toEqual(relative!(w))
  for (const [what, foreign] of Object.entries(foreignTo(w.shop.host))) {
    const refused = await send(path(w), { body: body(w, foreign) })
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
    const plain = await shop.get(byId(w), { status: 200 })
    const [path] = byId(w).split(/(?<==)/)
    const absolute = await shop.get(`${path}${encodeURIComponent(`http://${shop.host}${iri(w)}`)}`, {
      status: 200,
    })
    expect(absolute.body.member, what).toEqual(plain.body.member)
    expect(absolute.body.member.length, what).toBeGreaterThan(0)
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
  const { body: subscription } = await shop.post('/api/webhook_subscriptions', {
    body: { topic: 'product/*', callbackUrl: 'http://localhost:9999/hook' },
    status: 201,
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
  await shop.patch(definition['@id'], { body: change, status: 200 })
  const metaobject = await shop.post('/api/metaobjects', {
    body: { definition: definition['@id'], fields: { shows: JSON.stringify([text]) } },
    status: 201,
  })
  expect(metaobject.body.fields[0].value).toBe(JSON.stringify([text]))
})

test('the error of a reference of another type names the expected type', async () => {
  const { shop, product } = await world()
  const expected = {
    'en-US': 'This is not a valid reference to another record. Expected: /api/categories/{id}.',
    'fr-FR': 'Cette référence à un autre enregistrement n’est pas valide. Attendu : /api/categories/{id}.',
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

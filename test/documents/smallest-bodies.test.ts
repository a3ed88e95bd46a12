/** The bodies with which /docs creates resources: each succeeds as it is. */
import { beforeAll, describe, expect, test } from 'vitest'
import { openShop, type Shop } from '../support/shop.ts'

const exampleId = '019aa000-0000-7000-8000-000000000001'

type Document = ReturnType<typeof JSON.parse>

describe('the first example of a body that makes something', () => {
  let shop: Shop
  let description: Document
  /** By the path of a collection. */
  const made: Record<string, Document> = {}

  beforeAll(async () => {
    shop = await openShop()
    description = (await shop.get('/api/openapi.json', { token: null, status: 200 })).body
    const make = async (path: string, body: object) => (await shop.post(path, { body, status: 201 })).body
    made.products = await make('/api/products', {
      title: 'Mug',
      options: [{ title: 'Colour', values: [{ title: 'Blue' }] }],
      variants: [{ optionValues: [{ option: 'Colour', value: 'Blue' }] }],
    })
    made.collections = await make('/api/collections', { title: 'Mugs' })
    made.metaobject_definitions = await make('/api/metaobject_definitions', {
      type: 'maker',
      name: 'Maker',
      fieldDefinitions: [
        { key: 'name', name: 'Name', type: '/api/metafield_definition_types/single_line_text_field' },
      ],
    })
  })

  const creates: readonly (readonly [path: string, owners: readonly string[]])[] = [
    ['/api/products', []],
    ['/api/option_values', []],
    ['/api/products/{productId}/variants', ['products']],
    ['/api/products/{productId}/product_options', ['products']],
    ['/api/categories', []],
    ['/api/collections', []],
    ['/api/collections/{id}/products', ['collections']],
    ['/api/sale_offers', []],
    ['/api/purchase_offers', []],
    ['/api/metaobject_definitions', []],
    ['/api/metaobjects', []],
    ['/api/webhook_subscriptions', []],
  ]

  test('is tried of every operation that makes something of JSON', () => {
    const making = Object.entries<Document>(description.paths).filter(
      ([, { post }]) => post?.responses['201'] && post.requestBody?.content['application/ld+json'],
    )
    expect(creates.map(([path]) => path)).toEqual(expect.arrayContaining(making.map(([path]) => path)))
    expect(making.length).toBeGreaterThan(9)
  })

  test.each(creates)('POST %s', async (path, [owner]) => {
    const [{ examples }] = Object.values<Document>(description.paths[path].post.requestBody.content)
    const [name = ''] = Object.keys(examples)
    const { value } = description.components.examples[name]
    const body = withKnown(value)
    const address = owner ? path.replace(/\{\w+\}/, made[owner].id) : path
    if (path.endsWith('/product_options')) body.title = 'Size'
    const answer = await shop.post(address, { body })
    expect(answer.status, `${JSON.stringify(body)} ${answer.text}`).toBeLessThan(300)
    const full = description.components.examples[name.replace(/Smallest$/, '')].value
    expect(Object.keys(value).length).toBeLessThanOrEqual(Object.keys(full).length)
  })

  /** The IRIs that /docs puts instead of those of the examples. */
  function withKnown(value: unknown): Document {
    const { products, collections, metaobject_definitions } = made
    const known: readonly (readonly [string, string])[] = [
      [`/api/products/${exampleId}/variants/${exampleId}`, products.variants[0]['@id']],
      [`/api/product_options/${exampleId}`, products.options[0]['@id']],
      [`/api/products/${exampleId}`, products['@id']],
      [`/api/collections/${exampleId}`, collections['@id']],
      [`/api/metaobject_definitions/${exampleId}`, metaobject_definitions['@id']],
    ]
    const text = known.reduce(
      (found, [example, address]) => found.replaceAll(`"${example}"`, JSON.stringify(address)),
      JSON.stringify(value),
    )
    return JSON.parse(text)
  }
})

/** All violations that a request shows are returned at once. */
import { beforeAll, expect, test } from 'vitest'
import { openShop, type Reply, type Shop } from '../support/shop.ts'

let shop: Shop
let variant: string
beforeAll(async () => {
  shop = await openShop()
  const body = await shop.create('/api/products', { title: 'A', variants: [{}] })
  variant = body.variants[0]['@id']
})

const pathsOf = ({ body }: Reply): string[] =>
  body.violations
    .map((each: { propertyPath: string; slug: string }) => `${each.propertyPath} ${each.slug}`)
    .toSorted()

const reversed = { validFrom: '2026-10-02', validUntil: '2026-10-01' }
const types = '/api/metafield_definition_types'

test.for<[string, string, unknown, string[]]>([
  [
    'a wrong country, amounts and a window',
    '/api/sale_offers',
    { countries: ['ZZ'], currency: 'EUR', amount: '1.999', compareAtAmount: '-1', ...reversed },
    [
      'amount validation.amount',
      'compareAtAmount validation.amount',
      'countries[0] validation.country',
      'validUntil sale_offer.window_reversed',
      'variant validation.required',
    ],
  ],
  [
    'a wrong currency, a window and a supplier',
    '/api/purchase_offers',
    [{ currency: 'XXXX', cost: '1.999', supplier: '', ...reversed }],
    [
      '[0].currency validation.currency',
      '[0].supplier validation.pattern',
      '[0].validUntil purchase_offer.window_reversed',
      '[0].variant validation.required',
    ],
  ],
  [
    'fields and the members next to them',
    '/api/products',
    {
      title: 7,
      fields: [
        { key: 'a', value: 'x', type: `${types}/number_integer` },
        { key: 'a', value: 'x' },
        { key: 'b', value: 'x', type: '/api/categories/1' },
      ],
      variants: [{ sku: 1, fields: { c: { value: 'x', type: `${types}/date` } } }],
    },
    [
      'fields[0].value validation.field_value',
      'fields[1].key validation.duplicate_item',
      'fields[2].type validation.invalid_iri',
      'title validation.type',
      'variants[0].fields.c.value validation.field_value',
      'variants[0].sku validation.type',
    ],
  ],
  [
    'fields of a definition and its key',
    '/api/metaobject_definitions',
    {
      type: 'Not A Key',
      displayNameField: 'none',
      fieldDefinitions: [
        { key: 'a', type: `${types}/json`, validations: [{ name: 'max', value: '1' }] },
        { key: 'a', type: `${types}/json` },
      ],
    },
    [
      'displayNameField metaobject_definition.display_name_field',
      'fieldDefinitions[0].validations[0].name validation.choice',
      'fieldDefinitions[1].key metaobject_definition.field_key_taken',
      'type validation.pattern',
    ],
  ],
  [
    'rules of a collection by hand, without a title',
    '/api/collections',
    { type: 'MANUAL', rules: { conditions: [{ field: 'tag', operator: 'EQUALS', value: 'a' }] } },
    ['rules collection.manual_rules', 'title validation.required'],
  ],
])('%s', async ([, path, body, expected]) => {
  expect(pathsOf(await shop.post(path, { body, status: 422 }))).toEqual(expected)
})

test('a patch as well, as far as the patch itself shows them', async () => {
  const offer = await shop.create('/api/sale_offers', { variant, currency: 'EUR', amount: '1' })
  const body = { countries: ['ZZ'], currency: 'JPY', amount: '1.5', ...reversed }
  expect(pathsOf(await shop.patch(offer['@id'], { body, status: 422 }))).toEqual([
    'amount validation.amount',
    'countries[0] validation.country',
    'validUntil sale_offer.window_reversed',
  ])
  const stored = await shop.patch(offer['@id'], { body: { amount: '1.999' }, status: 422 })
  expect(pathsOf(stored)).toEqual(['amount validation.amount'])
})

test('a wrong country in a question for prices hides neither what is missing nor what else is wrong', async () => {
  const asked = 'resolveContext[country]=ZZ&itemsPerPage=x'
  for (const path of ['/api/products', variant.replace(/\/[^/]*$/, '')]) {
    expect(pathsOf(await shop.get(`${path}?${asked}`, { status: 422 }))).toEqual([
      'itemsPerPage validation.not_integer',
      'resolveContext[at] pricing.resolve_context_incomplete',
      'resolveContext[channel] pricing.resolve_context_incomplete',
      'resolveContext[country] validation.country',
    ])
  }
})

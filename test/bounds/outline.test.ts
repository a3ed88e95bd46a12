/** Lists whose documents are too large for one page are read in outline: by `properties[]`, page by page by number. */
import { beforeAll, describe, expect, test } from 'vitest'
import { asOwner } from '../support/database.ts'
import { openShop, type Shop } from '../support/shop.ts'
import { options, pictures } from './large.ts'

/** Of 400 kB each, so many take more than a page may read. */
const count = 24
const media = pictures(200, 1900)
/** 195 kB: what a category and a collection have of text. */
const description = '中'.repeat(65_000)
const type = '/api/metafield_definition_types/multi_line_text_field'
const keys = ['a', 'b', 'c', 'd']

let shop: Shop
let wide: Shop
const iris: Record<string, string> = {}

async function make(
  name: string,
  path: string,
  body: object,
  { times = count, at = shop } = {},
): Promise<void> {
  for (let made = 0; made < times; made += 1) {
    const answer = await at.create(path, body)
    iris[name] = answer['@id']
  }
}

beforeAll(async () => {
  shop = await openShop()
  await make('product', '/api/products', { title: 'Shirt', media })
  const sizes = options(1, count)
  await make('sized', '/api/products', { title: 'Sock', options: sizes }, { times: 1 })
  for (const { title } of sizes[0]!.values) {
    const optionValues = [{ option: sizes[0]!.title, value: title }]
    await make('variant', `${iris.sized}/variants`, { sku: title, optionValues, media }, { times: 1 })
  }
  await make('category', '/api/categories', { title: 'Shoes', description }, { times: 2 * count })
  await make('collection', '/api/collections', { title: 'Best', description }, { times: 2 * count })
  const fieldDefinitions = keys.map((key) => ({ key, type }))
  await make('definition', '/api/metaobject_definitions', { type: 'page', fieldDefinitions }, { times: 1 })
  const status = 'ACTIVE'
  const fields = keys.map((key) => ({ key, value: 'é'.repeat(50_000) }))
  await make('metaobject', '/api/metaobjects', { definition: iris.definition, status, fields })
  const callbackUrl = 'http://127.0.0.1:9/'
  await make(
    'subscription',
    '/api/webhook_subscriptions',
    { topic: 'product/updated', callbackUrl },
    { times: 20 },
  )
  // As a hundred long paths would leave it on subscriptions of five hosts.
  await asOwner(
    `update webhook_subscriptions set document = (document::jsonb || jsonb_build_object('includeFields', array[repeat('a', 450000)]))::text
      where tenant_id = $1`,
    [shop.tenant.id],
  )
  wide = await openShop()
  await make('wide', '/api/products', { title: 'Wide', options: options(10, 100, 250) }, { at: wide })
  // As autovacuum does within a minute: it replaces the plans that were made while the tables were empty.
  await asOwner('analyze', [])
}, 120_000)

const lists = [
  ['products of large texts', () => '/api/products', 'title'],
  ['products of many option values', () => '/api/products', 'title'],
  ['what products are in', () => '/api/products', 'categories'],
  ['variants', () => `${iris.sized}/variants`, 'sku'],
  ['categories', () => '/api/categories', 'title'],
  ['collections', () => '/api/collections', 'title'],
  ['metaobjects', () => '/api/metaobjects', 'handle'],
  ['subscriptions', () => '/api/webhook_subscriptions', 'topic'],
] as const

describe.each(lists)('%s', (kind, list, name) => {
  const at = () => (kind === 'products of many option values' ? wide : shop)
  const large = () => `${list()}?itemsPerPage=100&page=1`

  // Of many option values those alone are read that are shown.
  if (kind === 'products of many option values') {
    test('are all on one page in whole, too', async () => {
      const { body } = await at().get(large(), { status: 200 })
      expect(body.member).toHaveLength(body.totalItems)
    })
  } else {
    test('are 413 in whole, by number', async () => {
      const { body } = await at().get(large(), { status: 413 })
      expect(body.slug).toBe('http.answer_too_large')
    })

    test('end a page early by cursor that ends none in outline', async () => {
      const whole = await at().get(`${list()}?itemsPerPage=100`, { status: 200 })
      expect(whole.body.view).toHaveProperty('next')
      const { body } = await at().get(`${list()}?itemsPerPage=100&properties[]=${name}`, { status: 200 })
      expect(body.view).not.toHaveProperty('next')
    })
  }

  test.each(['en-US', 'fr-FR'])('are all on one page in outline, in %s', async (locale) => {
    const { body, text } = await at().get(`${large()}&properties[]=${name}`, { locale, status: 200 })
    expect(body.member.length).toBeGreaterThanOrEqual(20)
    expect(body.member).toHaveLength(body.totalItems)
    for (const member of body.member) expect(Object.keys(member)).toEqual(['@id', '@type', name])
    expect(text.length).toBeLessThan(10_000)
  })
})

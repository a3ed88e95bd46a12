/** Hostile input: whatever is sent, no answer is a 5xx and what is refused changes nothing. */
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { openShop, type Shop } from '../support/shop.ts'

let shop: Shop
let product: { '@id': string; id: string; variants: { '@id': string; id: string }[] }
let sequence: string | null

const sequenceNow = async () => (await shop.get('/api/products')).headers.get('service-sequence')

beforeAll(async () => {
  shop = await openShop()
  const body = {
    title: 'Shirt',
    options: [{ title: 'Color', values: [{ title: 'Red' }, { title: 'Blue' }] }],
    variants: [{ optionValues: [{ option: 'Color', value: 'Red' }] }],
  }
  product = await shop.create('/api/products', body)
  sequence = await sequenceNow()
})

/** Cases that some operations accept are marked. */
let wrote = false
afterEach(async () => {
  const now = await sequenceNow()
  const before = wrote ? now : sequence
  sequence = now
  wrote = false
  expect(now, 'something was written').toBe(before)
})

test('text that looks like code is stored unchanged', async () => {
  wrote = true
  const titles = [
    "'; drop table products; --",
    '{{7*7}}',
    '<script>',
    '\u202eabc',
    '%00',
    '\\u0000',
    'a\tb\nc',
  ]
  for (const title of titles) {
    const body = await shop.create('/api/products', { title, vendor: title })
    expect((await shop.get(body['@id'])).body).toMatchObject({ title, vendor: title })
    const found = await shop.read(`/api/products?vendor=${encodeURIComponent(title)}`)
    expect(found.member.map((each: { id: string }) => each.id)).toEqual([body.id])
  }
})

describe('ids and paths', () => {
  const spellings = (id: string) => [
    id.toUpperCase(),
    id.replaceAll('-', ''),
    `{${id}}`,
    `%7B${id}%7D`,
    `urn:uuid:${id}`,
    ` ${id}`,
    `${id}%20`,
    `${id}%00`,
    `${id}%0A`,
    `${id}'`,
    '..%2F..%2Fhealth',
    '%2e%2e%2fproducts',
    '%2F',
    '%zz',
    '%ff',
    '0',
    'null',
    'undefined',
    '__proto__',
    'constructor',
    'x'.repeat(500),
  ]

  test('only the one spelling of an id finds something; the rest is 404', async () => {
    for (const spelling of spellings(product.id))
      for (const method of ['GET', 'PATCH', 'DELETE'] as const) {
        const asked = method === 'PATCH' ? { body: { title: 'X' } } : {}
        const reply = await shop.request(method, `/api/products/${spelling}`, asked)
        expect([400, 404], `${method} ${spelling} ${reply.status} ${reply.text}`).toContain(reply.status)
      }
    for (const spelling of spellings(product.variants[0]?.id as string)) {
      const reply = await shop.get(`${product['@id']}/variants/${spelling}`)
      expect([400, 404], spelling).toContain(reply.status)
    }
    for (const path of ['product_options', 'option_values'])
      for (const spelling of spellings(product.id)) {
        const reply = await shop.get(`/api/${path}/${spelling}`)
        expect([400, 404], spelling).toContain(reply.status)
      }
  })

  test('only the one spelling of an IRI links; the rest is 422', async () => {
    const category = await shop.create('/api/categories', { title: 'C' })
    wrote = true
    const before = (await shop.get(product['@id'])).body
    for (const iri of [
      ...spellings(category.id).map((each) => `/api/categories/${each}`),
      `${category['@id']}/`,
      `${category['@id']}?a=b`,
      `${category['@id']}#a`,
      `/api//categories/${category.id}`,
      `/api/categories/../categories/${category.id}`,
      `https://${shop.host}${category['@id']}`,
      `http://${shop.host}:81${category['@id']}`,
      `http://${shop.host}/api/../api/categories/${category.id}`,
      `//${shop.host}${category['@id']}`,
      `/API/categories/${category.id}`,
      category.id,
    ]) {
      const reply = await shop.patch(product['@id'], { body: { categories: [iri] } })
      expect(reply.status, `${iri} ${reply.text}`).toBe(422)
    }
    expect((await shop.get(product['@id'])).body).toEqual(before)
  })
})

describe('headers', () => {
  test('names of ignored members and parameters cannot break a header', async () => {
    const names = ['a\r\nX-Evil: 1', 'é', '💥', 'a,b', ' ', 'x'.repeat(10_000), '\u2028']
    const body = Object.fromEntries(names.map((name) => [name, 1]))
    const reply = await shop.patch(product['@id'], { body, status: 200 })
    expect(reply.headers.has('x-evil')).toBe(false)
    expect((reply.headers.get('service-ignored-properties') ?? '').length).toBeLessThan(8000)
    const many = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`m${index}`, 1]))
    const long = await shop.patch(product['@id'], { body: many, status: 200 })
    expect((long.headers.get('service-ignored-properties') ?? '').length).toBeLessThan(8000)
    const query = await shop.get(
      `/api/products?${names.map(encodeURIComponent).join('=1&').slice(0, 3000)}=1`,
      { status: 200 },
    )
    expect(query.headers.has('x-evil')).toBe(false)
  })
})

/** Hostile input: whatever is sent, no answer is a 5xx and what is refused changes nothing. */
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { openShop, type Shop } from '../support/shop.ts'

const unknownId = '01900000-0000-7000-8000-000000000000'

type Target = { method: 'POST' | 'PATCH'; path: string; body: Record<string, unknown> }

let shop: Shop
let targets: Target[]
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
  const made = (await shop.post('/api/products', { body, status: 201 })).body
  product = made
  const [option] = made.options
  const [red, blue] = option.values
  targets = [
    { method: 'POST', path: '/api/products', body: { title: 'New' } },
    { method: 'PATCH', path: made['@id'], body: {} },
    { method: 'POST', path: `${made['@id']}/product_options`, body: {} },
    { method: 'PATCH', path: option['@id'], body: {} },
    { method: 'POST', path: '/api/option_values', body: { option: option['@id'], title: 'New' } },
    { method: 'PATCH', path: red['@id'], body: {} },
    { method: 'POST', path: `${made['@id']}/variants`, body: { optionValues: [blue['@id']] } },
    { method: 'PATCH', path: made.variants[0]['@id'], body: {} },
  ]
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

describe('bodies that are no JSON', () => {
  const bytes = (...parts: (string | number[])[]) =>
    Uint8Array.from(
      parts.flatMap((each) => (typeof each === 'string' ? [...new TextEncoder().encode(each)] : each)),
    )

  test.each<[string, string | Uint8Array, number]>([
    ['nothing', '', 400],
    ['blanks', ' \n', 400],
    ['half an object', '{"title":', 400],
    ['two objects', '{}{}', 400],
    ['a trailing comma', '{"title":"A",}', 400],
    ['a comment', '{"title":"A"/**/}', 400],
    ['single quotes', "{'title':'A'}", 400],
    ['NaN', '{"position":NaN}', 400],
    ['Infinity', '{"position":Infinity}', 400],
    ['a number with a plus', '{"position":+1}', 400],
    ['a raw control character', '{"title":"A\u0001"}', 400],
    ['invalid UTF-8', bytes('{"title":"', [0xff, 0xfe], '"}'), 400],
    ['overlong UTF-8', bytes('{"title":"', [0xc0, 0xaf], '"}'), 400],
    ['a surrogate in UTF-8', bytes('{"title":"', [0xed, 0xa0, 0x80], '"}'), 400],
    ['UTF-16', bytes([0xff, 0xfe, 0x7b, 0, 0x7d, 0]), 400],
    ['XML', '<product/>', 400],
    ['33 levels', `{"x":${'['.repeat(32)}${']'.repeat(32)}}`, 400],
    ['a hundred thousand levels', '['.repeat(100_000), 400],
    ['a hundred thousand levels of objects', '{"a":'.repeat(100_000), 400],
    ['more than a mebibyte', `{"title":"${'x'.repeat(1024 * 1024)}"}`, 413],
  ])('%s is refused everywhere', async (_, body, status) => {
    for (const { method, path } of targets) {
      const reply = await shop.request(method, path, { body })
      expect([method, path, reply.status, reply.body?.status]).toEqual([method, path, status, status])
    }
  })

  test.each(['1', '"text"', 'true', 'null', '1e999', '-1e999', '[1]', '[[]]', '[null]', '[{"title":[]}]'])(
    'the scalar or array %s is 4xx everywhere',
    async (body) => {
      for (const { method, path } of targets) {
        const reply = await shop.request(method, path, { body })
        expect([400, 422], `${method} ${path} ${reply.text}`).toContain(reply.status)
      }
    },
  )

  test.each([
    ['U+0000', '{"title":"A\\u0000"}'],
    ['a lone surrogate', '{"title":"\\ud800"}'],
    ['a lone low surrogate in a name', '{"\\udc00":"x","title":"A"}'],
    ['U+0000 in a name', '{"\\u0000":"x","title":"A"}'],
    ['1e999', '{"title":"A","position":1e999,"weight":{"value":1e999,"unit":"g"},"media":1e999}'],
  ])('%s is 4xx everywhere', async (_, body) => {
    for (const { method, path } of targets) {
      const reply = await shop.request(method, path, { body })
      expect([400, 422], `${method} ${path} ${reply.text}`).toContain(reply.status)
    }
  })

  test('a million nulls are refused in time', async () => {
    const started = performance.now()
    for (const { method, path } of targets.slice(0, 2)) {
      const reply = await shop.request(method, path, { body: `[${'0,'.repeat(500_000)}0]` })
      expect([400, 413, 422], reply.text.slice(0, 300)).toContain(reply.status)
      const nested = await shop.request(method, path, { body: `{"tags":[${'null,'.repeat(200_000)}null]}` })
      expect([400, 413, 422], nested.text.slice(0, 300)).toContain(nested.status)
    }
    expect(performance.now() - started).toBeLessThan(15_000)
  })
})

describe('names of the prototype', () => {
  test.each([
    '__proto__',
    'constructor',
    'prototype',
    'toString',
    'hasOwnProperty',
    '__defineGetter__',
    'valueOf',
  ])('%s is an unknown member like any other', async (name) => {
    for (const { method, path, body } of targets.filter((each) => each.method === 'PATCH')) {
      for (const value of ['{"title":"polluted"}', '1', 'null', '[]']) {
        const text = `{"${name}":${value}${Object.keys(body).length > 0 ? ',' : ''}${JSON.stringify(body).slice(1)}`
        const reply = await shop.request(method, path, { body: text, status: 200 })
        expect(reply.headers.get('service-ignored-properties')).toBe(name)
        expect(reply.text).not.toContain('polluted')
      }
    }
    expect(({} as Record<string, unknown>).title).toBeUndefined()
  })

  test('deeper down they are refused or passed over', async () => {
    for (const body of [
      '{"seo":{"__proto__":{"title":"x"}}}',
      '{"seo":{"constructor":{"prototype":{"title":"x"}}}}',
      '{"media":[{"__proto__":{"url":"x"}}]}',
      '{"categories":[{"__proto__":{"@id":"/api/categories/x"}}]}',
    ]) {
      const reply = await shop.patch(product['@id'], { body })
      expect([200, 422], reply.text).toContain(reply.status)
      expect(reply.body.seo ?? null).toBeNull()
    }
  })
})

describe('values of the wrong kind', () => {
  const odd: unknown[] = [
    true,
    0,
    -1,
    1.5,
    1e300,
    '',
    'x',
    'x'.repeat(2_000),
    [],
    [[]],
    [null],
    [{}],
    {},
    { a: 1 },
    { '@id': '' },
    { '@id': {} },
    { '@id': `/api/products/${unknownId}` },
    '\u202e',
    "'; drop table products; --",
    '{{7*7}}',
    '../../etc/passwd',
  ]
  const wrongTypes: Record<string, unknown[]> = {
    title: [true, 0, [], {}, [[]], ''],
    description: [true, 0, [], {}],
    handle: [true, 0, [], {}, '', 'A b', '-a', 'a--b', 'ä', '../x'],
    status: [true, 0, [], {}, '', 'x', 'active'],
    channels: [true, 0, {}, '', 'x', [[]], [null], [{}], [''], ['a b'], ['x'.repeat(256)]],
    tags: [true, 0, {}, '', 'x', [[]], [null], [{}], [''], [1], ['x'.repeat(256)]],
    vendor: [true, 0, [], {}, '', 'x'.repeat(256)],
    productType: [true, 0, [], {}, ''],
    media: [true, 0, {}, 'x', [[]], [null], [{}], [{ url: 'x' }], [{ url: 'javascript:alert(1)' }]],
    seo: [true, 0, [], 'x', { title: 1 }],
    categories: [true, 0, {}, 'x', [[]], [null], [{}], ['x'], [`/api/categories/${unknownId}`]],
    externalId: [true, 0, [], {}, '', 'x'.repeat(256)],
    sku: [true, 0, [], {}, '', 'x'.repeat(256)],
    barcode: [true, 0, [], {}, ''],
    weight: [true, 0, [], 'x', { value: 'x' }, { value: -1, unit: 'g' }, { unit: 'x' }],
    optionValues: [true, 0, {}, '', 'x', [[]], [null], [{}], ['x'], [1]],
    option: [true, 0, [], {}, '', 'x', `/api/product_options/${unknownId}`],
    position: [true, -2, 1.5, [], {}, '', 'x'],
  }
  const owners: Record<string, string[]> = {
    products: [
      'title',
      'description',
      'handle',
      'status',
      'channels',
      'tags',
      'vendor',
      'productType',
      'media',
      'seo',
      'categories',
      'externalId',
    ],
    product_options: ['title', 'position', 'externalId'],
    option_values: ['title', 'position', 'externalId'],
    variants: ['sku', 'barcode', 'weight', 'media', 'optionValues', 'position', 'externalId'],
  }

  test('each property of each resource refuses them with 422 at its path', async () => {
    for (const { method, path, body } of targets) {
      const collection = Object.keys(owners)
        .filter((each) => path.includes(`/${each}`))
        .sort((a, b) => path.lastIndexOf(b) - path.lastIndexOf(a))[0] as string
      const properties = [
        ...(owners[collection] ?? []),
        ...(method === 'POST' && collection === 'option_values' ? ['option'] : []),
      ]
      for (const name of properties)
        for (const value of wrongTypes[name] ?? []) {
          const reply = await shop.request(method, path, { body: { ...body, [name]: value } })
          const at = `${method} ${path} ${name} ${JSON.stringify(value).slice(0, 60)} ${reply.text.slice(0, 300)}`
          expect(reply.status, at).toBe(422)
          expect(reply.body.violations[0].propertyPath.startsWith(name), at).toBe(true)
        }
    }
  }, 30_000)

  test('any value of any property is answered without a 5xx', async () => {
    for (const { method, path, body } of targets)
      for (const value of odd) {
        const names = Object.keys(wrongTypes)
        const all = Object.fromEntries(names.map((name) => [name, value]))
        const reply = await shop.request(method, path, { body: { ...body, ...all } })
        expect(reply.status, `${method} ${path} ${JSON.stringify(value).slice(0, 60)}`).toBe(422)
      }
  })

  test.each(['options', 'variants'])('%s of a new product reject other values', async (name) => {
    for (const value of [
      true,
      0,
      'x',
      {},
      [1],
      [null],
      [[]],
      ['x'],
      [{ values: 1 }, { optionValues: 1 }],
      Array(2501).fill({}),
    ]) {
      const reply = await shop.post('/api/products', { body: { title: 'A', [name]: value } })
      expect([409, 422], `${JSON.stringify(value).slice(0, 60)} ${reply.text.slice(0, 300)}`).toContain(
        reply.status,
      )
    }
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
      const { body } = await shop.post('/api/products', { body: { title, vendor: title }, status: 201 })
      expect((await shop.get(body['@id'])).body).toMatchObject({ title, vendor: title })
      const found = await shop.get(`/api/products?vendor=${encodeURIComponent(title)}`, { status: 200 })
      expect(found.body.member.map((each: { id: string }) => each.id)).toEqual([body.id])
    }
  })
})

describe('queries', () => {
  const values = [
    '',
    '0',
    '-1',
    '1e9',
    '99999999999999999999',
    '%D9%A1',
    'NaN',
    '%zz',
    '%00',
    '%ff',
    '%ED%A0%80',
    "'",
    'null',
    'a'.repeat(3000),
  ]
  const names = [
    'page',
    'itemsPerPage',
    'cursor',
    'status',
    'handle',
    'externalId',
    'sku',
    'barcode',
    'vendor',
    'productType',
    'tag',
    'channel',
    'category',
    'category[descendants]',
    'expand',
    'order[title]',
    'order[id',
    'createdAt[after]',
    'updatedAt[before]',
    'updatedAt',
    'updatedAt[]',
    'updatedAt[after][x]',
    'resolveContext[at]',
    'resolveContext',
    'option',
    'position[from]',
    'properties',
    'properties[]',
    'properties[a',
    'properties]a[',
    'properties[__proto__][]',
    'properties[constructor][prototype][]',
    '__proto__',
    'constructor',
    '[',
    ']',
    '[]',
    '%zz',
    '%00',
    '',
    'a[b][c][d][e][f][g][h][i][j]',
  ]

  test('any parameter with any value is answered with 200 or 4xx', async () => {
    for (const path of ['/api/products', '/api/option_values', `${product['@id']}/variants`])
      for (const name of names)
        for (const value of path === '/api/products' ? values : ['-1', '%zz', '%00', "'"]) {
          const reply = await shop.get(`${path}?${name}=${value}`)
          expect(
            [200, 400, 414, 422],
            `${path}?${name}=${value.slice(0, 50)} ${reply.text.slice(0, 300)}`,
          ).toContain(reply.status)
        }
  }, 60_000)

  test('on one resource too', async () => {
    for (const path of [product['@id'], product.variants[0]?.['@id'] as string])
      for (const name of names)
        for (const value of ['', '%zz', '%00', 'x']) {
          const reply = await shop.get(`${path}?${name}=${value}`)
          expect([200, 400, 422], `${path}?${name}=${value} ${reply.text.slice(0, 300)}`).toContain(
            reply.status,
          )
        }
  })

  test.each([
    'page=1&page=2',
    'status=DRAFT&status=ACTIVE',
    'updatedAt[after]=2020-01-01&updatedAt[after]=2021-01-01',
    'itemsPerPage=1&itemsPerPage=',
  ])('%s, a parameter twice, is 422', async (query) => {
    await shop.get(`/api/products?${query}`, { status: 422 })
  })

  test('properties[] of the prototype or too deep selects nothing of it', async () => {
    for (const query of ['properties[__proto__][]=x', 'properties[]=__proto__', 'properties[]=constructor']) {
      const { body } = await shop.get(`${product['@id']}?${query}`, { status: 200 })
      expect(Object.keys(body).sort()).toEqual(['@context', '@id', '@type'])
    }
    const deep = await shop.get(`${product['@id']}?properties${'[a]'.repeat(50)}[]=x`)
    expect([200, 422]).toContain(deep.status)
    const many = Array.from({ length: 2000 }, (_, index) => `properties[]=p${index}`).join('&')
    expect([200, 414, 422]).toContain((await shop.get(`/api/products?${many}`)).status)
  })

  test('an address that is too long is 414', async () => {
    await shop.get(`/api/products?vendor=${'x'.repeat(100_000)}`, { status: 414 })
  })
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
    const { body: category } = await shop.post('/api/categories', { body: { title: 'C' }, status: 201 })
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

  test('odd paths are 404 or 405', async () => {
    for (const path of [
      '/api/products/',
      '/api//products',
      '/api/Products',
      '/api/products/../products/x',
      '/api/products%2F',
      '/%zz',
      '/api/%00',
      '/api/products/a/b/c/d',
    ]) {
      const reply = await shop.get(path)
      expect([301, 308, 400, 404], `${path} ${reply.status}`).toContain(reply.status)
    }
    for (const method of ['PUT', 'PROPFIND', 'FOO']) {
      const reply = await shop.request(method, '/api/products')
      expect([405, 501], method).toContain(reply.status)
    }
  })
})

describe('headers', () => {
  test.each<[string, string, number[]]>([
    ['Service-Locale', '../../x', [400]],
    ['Service-Locale', 'en-US, fr-FR', [400]],
    ['Service-Locale', 'x'.repeat(5000), [400]],
    ['Service-Api-Version', '../2026-10', [400]],
    ['Service-Api-Version', 'constructor', [400]],
    ['Service-Api-Version', '__proto__', [400]],
    ['Service-Api-Version', 'x'.repeat(5000), [400]],
    ['Accept', 'text/html', [406]],
    ['Accept', 'garbage', [200, 400, 406]],
    ['Accept', 'application/ld+json;q=0', [406]],
    ['Accept', 'application/json', [200]],
    ['Accept', 'application/*;q=0.1, text/html', [200]],
    ['If-None-Match', 'garbage', [200, 400]],
    ['If-None-Match', '"'.repeat(3000), [200, 400]],
    ['X-HTTP-Method-Override', 'DELETE', [200]],
    ['X-Forwarded-Host', 'evil.example', [200]],
    ['Content-Type', 'text/plain', [200]],
    ['Prefer', 'handling=strict; x="', [200, 400]],
    ['Range', 'bytes=0-1', [200]],
    ['Origin', 'null', [200]],
  ])('%s: %s is answered with one of %j', async (name, value, statuses) => {
    const reply = await shop.get(product['@id'], { headers: { [name]: value } })
    expect(statuses, reply.text.slice(0, 500)).toContain(reply.status)
    expect(reply.headers.get('link')).not.toContain('evil')
  })

  test.each<[string, string, number]>([
    ['Content-Encoding', 'gzip', 415],
    ['Content-Encoding', 'x', 415],
    ['Content-Type', 'application/ld+json; charset=utf-16', 415],
    ['Content-Type', 'text/plain', 415],
    ['Content-Type', '', 415],
    ['Content-Type', 'application/merge-patch+json', 415],
    ['Content-Type', 'multipart/form-data; boundary=x', 415],
    ['Idempotency-Key', 'x'.repeat(5000), 400],
  ])('a create with %s: %s is %i', async (name, value, status) => {
    await shop.post('/api/products', { body: { title: 'A' }, headers: { [name]: value }, status })
  })

  test('X-HTTP-Method-Override and _method change no method', async () => {
    await shop.get(`${product['@id']}?_method=DELETE`, {
      headers: { 'X-Method-Override': 'DELETE' },
      status: 200,
    })
    expect((await shop.get(product['@id'])).body.status).toBe('DRAFT')
  })

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

  test('problems show nothing of the inside', async () => {
    for (const path of ['/api/products?cursor=W10', '/api/products/x', '/api/products?status=%27'])
      expect((await shop.get(path)).text).not.toMatch(/select |postgres|drizzle|node_modules|at \w+ \(/i)
  })
})

test('an IRI of another tenant is answered in every relation as an unknown one', async () => {
  const other = await openShop()
  const { body: category } = await other.post('/api/categories', { body: { title: 'X' }, status: 201 })
  const body = { title: 'P', options: [{ title: 'O', values: [{ title: 'V' }] }] }
  const theirs = (await other.post('/api/products', { body, status: 201 })).body
  const [option] = theirs.options
  const [create, , , , createValue, , createVariant] = targets as [
    Target,
    Target,
    Target,
    Target,
    Target,
    Target,
    Target,
  ]
  for (const [target, name, iri] of [
    [create, 'categories', [category['@id']]],
    [createValue, 'option', option['@id']],
    [createVariant, 'optionValues', [option.values[0]['@id']]],
  ] as const) {
    const ask = async (value: unknown) => {
      const reply = await shop.request(target.method, target.path, {
        body: { ...target.body, [name]: value },
        status: 422,
      })
      return reply.body.violations.map((each: { propertyPath: string; code: string }) => [
        each.propertyPath,
        each.code,
      ])
    }
    const unknown = JSON.parse(JSON.stringify(iri).replace(/[0-9a-f-]{36}/, unknownId))
    expect(await ask(iri)).toEqual(await ask(unknown))
  }
  for (const path of [theirs['@id'], option['@id'], option.values[0]['@id'], `${theirs['@id']}/variants`]) {
    await shop.get(path, { status: 404 })
    if (!path.endsWith('variants')) await shop.patch(path, { body: { title: 'X' }, status: 404 })
  }
})

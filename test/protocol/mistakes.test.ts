/** Mistakes that would be ignored silently: misspelt parameters, and names that callers frequently send. */
import { expect, test } from 'vitest'
import { metaOf } from '../../src/core/zod.ts'
import mistakes from '../../src/http/frequent-mistakes.json' with { type: 'json' }
import { resources } from '../../src/resources/index.ts'
import { openShop, type Reply } from '../support/shop.ts'
import frozenParameters from './frozen-parameters.json' with { type: 'json' }

const shop = await openShop()
const operations = resources.flatMap((resource) => resource.operations)

const violationsOf = ({ body }: Reply) =>
  body.violations.map(({ propertyPath, message, detail }: Record<string, string>) => [
    propertyPath,
    `${message} ${detail}`,
  ])

test.each([
  ['stauts=ACTIVE', 'stauts', 'status'],
  ['vendr=Acme', 'vendr', 'vendor'],
  ['itemPerPage=5', 'itemPerPage', 'itemsPerPage'],
  ['itemsperpage=5', 'itemsperpage', 'itemsPerPage'],
  ['updatedAt[afetr]=2026-01-01T00:00:00Z', 'updatedAt[afetr]', 'updatedAt[after]'],
  ['properties[=title', 'properties[', 'properties[]'],
])('the misspelt parameter of %s is a violation that names the right one', async (query, path, name) => {
  const [[propertyPath, text]] = violationsOf(await shop.get(`/api/products?${query}`, { status: 422 }))
  expect(propertyPath).toBe(path)
  expect(text).toContain(name)
})

test.each([
  ['/api/products?limit=5', 'limit', 'itemsPerPage'],
  ['/api/products?sort=title', 'sort', 'order['],
  ['/api/products?fields=title', 'fields', 'properties[]'],
  ['/api/products?country=FR', 'country', 'resolveContext[country]'],
  ['/api/events?since=3', 'since', 'Send after'],
])('the frequent mistake in %s is a violation with the way to do it', async (path, name, help) => {
  const [[propertyPath, text]] = violationsOf(await shop.get(path, { status: 422 }))
  expect(propertyPath).toBe(name)
  expect(text).toContain(help)
})

test('other unknown parameters stay ignored, and are named', async () => {
  const { headers } = await shop.get('/api/products?utm_source=mail&_=1&pagination=false&sku=A', {
    status: 200,
  })
  expect(headers.get('service-ignored-parameters')).toBe('utm_source, _, pagination')
  // A filter of this list, but a mistake elsewhere.
  await shop.get('/api/sale_offers?country=FR', { status: 200 })
})

test('frequent mistakes in bodies are violations, also in nested objects, and nothing is written', async () => {
  const body = { title: 'Lamp', price: '9.00', variants: [{ sku: 'A', price: '9.00' }], unheard: 1 }
  const reply = await shop.post('/api/products', { body, status: 422 })
  expect(violationsOf(reply)).toEqual([
    ['price', expect.stringContaining('saleOffers')],
    ['variants[0].price', expect.stringContaining('saleOffers')],
  ])
  expect((await shop.read('/api/products?q=Lamp')).totalItems).toBe(0)
  const lenient = await shop.post('/api/products', {
    body,
    headers: { prefer: 'handling=lenient' },
    status: 201,
  })
  expect(lenient.headers.get('preference-applied')).toBe('handling=lenient')
  expect(lenient.headers.get('service-ignored-properties')).toContain('price')
  const { headers } = await shop.get('/api/products?stauts=ACTIVE', {
    headers: { prefer: 'handling=lenient' },
    status: 200,
  })
  expect(headers.get('service-ignored-parameters')).toBe('stauts')
})

test('a mistake is reported together with the member that is missing because of it', async () => {
  const reply = await shop.post('/api/categories', { body: { name: 'Lamps' }, status: 422 })
  expect(violationsOf(reply)).toEqual([
    ['title', expect.stringContaining('required')],
    ['name', expect.stringContaining('Send title')],
  ])
  expect(reply.headers.get('service-ignored-properties')).toBeNull()
  const { headers } = await shop.get('/api/products?limit=5&utm_source=mail', { status: 422 })
  expect(headers.get('service-ignored-parameters')).toBe('utm_source')
})

test('each frequent mistake is no name of its type, and the right name is one', () => {
  const shapes = new Map(resources.map(({ shape }) => [shape.type, shape]))
  for (const { type, names, instead } of mistakes.members) {
    const known = Object.keys(shapes.get(type)?.properties ?? {})
    expect(names.filter((name) => known.includes(name))).toEqual([])
    if (instead !== undefined) expect(known).toContain(instead)
  }
  const parameters = new Set(operations.flatMap(({ query }) => Object.keys(query)))
  for (const { instead } of mistakes.parameters)
    if (instead !== undefined) expect([...parameters]).toContain(instead)
})

test('a parameter that was added later is no right name in earlier versions', () => {
  const frozen: Readonly<Record<string, readonly string[]>> = frozenParameters
  // A new operation has no callers of earlier versions.
  const earlier = operations.filter(({ name }) => frozen[name] !== undefined)
  const undeclared = earlier.flatMap(({ name, query }) =>
    Object.entries(query).flatMap(([parameter, schema]) =>
      // A new operation is not in the file. Its parameters are as old as itself.
      (frozen[name] ?? Object.keys(query)).includes(parameter) || metaOf(schema).addedIn !== undefined
        ? []
        : `${name} ${parameter}`,
    ),
  )
  // Declare `addedIn` in the metadata of a new parameter. The file never changes.
  expect(undeclared).toEqual([])
})

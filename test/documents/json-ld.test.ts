/** jsonld.js reads every answer in safe mode, which fails wherever a member would be lost. */
import jsonld, { type ContextDefinition, type NodeObject } from 'jsonld'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Operation } from '../../src/core/operation.ts'
import { type Sample, sampleCalls } from '../support/samples.ts'
import { openShop, type Shop } from '../support/shop.ts'
import { documentedVersions, operationsOf } from './published.ts'

/** Dereferences what the shop itself serves, without a token, and nothing else. */
function loaderOf(shop: Shop) {
  return async (url: string) => {
    const { host, pathname } = new URL(url)
    if (host !== shop.host || !pathname.startsWith('/api/contexts/')) throw new Error(`asked for ${url}`)
    const { body } = await shop.get(pathname, { token: null, status: 200 })
    return { documentUrl: url, document: body }
  }
}

/** Expands a document as it came from an address; compacts it with its own context. */
async function thereAndBack(shop: Shop, path: string, body: NodeObject) {
  const options = { base: `http://${shop.host}${path}`, documentLoader: loaderOf(shop), safe: true }
  const expanded = await jsonld.expand(body, options)
  const own = body['@context']
  const context = (typeof own === 'string' ? `http://${shop.host}${own}` : own) as ContextDefinition
  const compacted = await jsonld.compact(expanded as NodeObject[], context, {
    ...options,
    compactToRelative: false,
  })
  const relative = JSON.stringify(compacted).replaceAll(`http://${shop.host}/`, '/')
  return { expanded: expanded[0] as NodeObject, compacted: JSON.parse(relative) }
}

/** Without what RDF does not say: members that are null. */
function withoutNulls(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(withoutNulls)
  if (node === null || typeof node !== 'object') return node
  const members = Object.entries(node).filter(([name, value]) => value !== null && name !== '@context')
  return Object.fromEntries(
    members.map(([name, value]) => [name, free.has(name) ? unwrapped(value) : withoutNulls(value)]),
  )
}

/** Members whose value is kept as JSON, whatever is in it. */
const free = new Set(['before', 'after', 'translations', 'fallbacks', 'renames'])

/** jsonld.js compacts an array of one to its element, in JSON literals too. */
function unwrapped(value: unknown): unknown {
  return Array.isArray(value) && value.length === 1 ? value[0] : value
}

describe.each(documentedVersions)('in version %s', (version) => {
  let shop: Shop
  let sampleOf: (operation: Operation) => Sample
  beforeAll(async () => {
    shop = await openShop()
    sampleOf = await sampleCalls(shop)
  })

  const reading = operationsOf(version).filter(({ method }) => method === 'GET')
  test.each(reading.map((each) => [each.path, each] as const))('%s', async (_, operation) => {
    const { params } = sampleOf(operation)
    const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => params[name]!)
    const { body } = await shop.get(path, { version, status: 200 })
    const { expanded, compacted } = await thereAndBack(shop, path, body)
    const iri = expanded['@id']
    expect(iri).toBe(`http://${shop.host}${body['@id']}`)
    expect(Object.keys(expanded).filter((each) => !/^@|^https?:/.test(each))).toEqual([])
    expect(withoutNulls(compacted)).toEqual(withoutNulls(body))
  })

  test.each([
    ['nothing', '/api/nothing', 404],
    ['a bad query', '/api/products?page=x&resolveContext[channel]=web', 422],
  ])('an error: %s', async (_, path, status) => {
    const { body } = await shop.get(path, { version, status })
    const { expanded, compacted } = await thereAndBack(shop, path, body)
    expect(expanded['@id']).toBe(`http://${shop.host}${body.instance}`)
    expect(withoutNulls(compacted)).toEqual(withoutNulls(body))
  })

  test('the documentation and the entrypoint', async () => {
    for (const path of ['/api', '/api/docs.jsonld']) {
      const { body } = await shop.get(`${path}?version=${version}`, { token: null, status: 200 })
      const { expanded, compacted } = await thereAndBack(shop, path, body)
      expect(expanded['@id']).toBe(`http://${shop.host}${path}`)
      expect(Object.keys(compacted).sort()).toEqual(Object.keys(body).sort())
    }
  })
})

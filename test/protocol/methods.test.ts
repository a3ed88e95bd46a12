/** The description of every address: HEAD, OPTIONS, entity tags of documents, and the headers that browsers may read. */

import { beforeAll, describe, expect, test } from 'vitest'
import { bodyTypesOf } from '../../src/core/operation.ts'
import { resources } from '../../src/resources/index.ts'
import { openShop, type Shop } from '../support/shop.ts'

let shop: Shop
beforeAll(async () => {
  shop = await openShop()
})

const documents = [
  '/api',
  '/api/docs.jsonld',
  '/api/openapi.json',
  '/api/contexts/Product',
  '/api/contexts/Error',
]
const unknownId = '01900000-0000-7000-8000-000000000000'
const operations = resources.flatMap((resource) => resource.operations)
const paths = new Set(operations.map(({ path }) => path))

test.each(
  ['2026-04', '2026-10', 'unstable'].flatMap((version) => [...paths].map((path) => [path, version] as const)),
)('OPTIONS %s lists in version %s its methods and media types', async (path, version) => {
  const address = path.replace(/\{\w+\}/g, unknownId)
  const { headers, text } = await shop.request('OPTIONS', address, { version, status: 204 })
  // The address of an upsert of a metaobject could also have a type and a handle.
  const patternOf = ({ path: template, params }: (typeof operations)[number]) =>
    template.replace(/\{(\w+)\}/g, (_, name) => (params?.[name] ? '[^/]+' : unknownId))
  const matching = operations
    .filter((each) => new RegExp(`^${patternOf(each)}$`).test(address))
    .filter(({ onlyIn }) => onlyIn === undefined || onlyIn === version)
  const methods = matching.map(({ method }) => method as string)
  const expected = [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS']
  expect(headers.get('allow')?.split(', ').sort()).toEqual(expected.sort())
  const patched = matching.find(({ method }) => method === 'PATCH')?.body
  expect(headers.get('accept-patch')).toBe(patched ? bodyTypesOf(patched).join(', ') : null)
  const uploaded = matching.find(({ upload }) => upload)?.upload?.types.join(', ')
  expect(headers.get('accept-post')).toBe(
    methods.includes('POST') ? (uploaded ?? 'application/ld+json, application/json') : null,
  )
  expect(text).toBe('')
})

test('a method that a path has in another version alone is listed in that version', async () => {
  const path = `/api/webhook_subscriptions/${unknownId}`
  const allowed = async (version: string) =>
    (await shop.request('PUT', path, { version, status: 405 })).headers.get('allow')
  expect(await allowed('2026-10')).toBe('PATCH, DELETE, OPTIONS')
  expect(await allowed('unstable')).toBe('GET, PATCH, DELETE, HEAD, OPTIONS')
  const { body } = await shop.get(path, { version: '2026-10', status: 404 })
  expect(body).toMatchObject({
    slug: 'version.operation_unavailable',
    availableIn: ['unstable'],
    message: 'This function is not available in version 2026-10, only in unstable.',
    detail: expect.stringContaining('Service-Api-Version: unstable'),
  })
})

describe.each(documents)('the public document %s', (path) => {
  const asked = { token: null }

  test('has HEAD and OPTIONS, and may be cached', async () => {
    const { headers, text } = await shop.get(path, { ...asked, status: 200 })
    const head = await shop.request('HEAD', path, { ...asked, status: 200 })
    expect(head.text).toBe('')
    for (const name of ['content-type', 'etag', 'link', 'vary', 'cache-control', 'service-api-version']) {
      expect(head.headers.get(name)).toBe(headers.get(name))
    }
    expect(headers.get('cache-control')).toBe('public, max-age=300')
    expect(headers.get('content-type')).toBe(
      path.endsWith('.json') ? 'application/json' : 'application/ld+json',
    )
    // Nothing of another host has to be fetched to read it.
    expect(text).not.toMatch(/"@context":\s*"https?:/)
    const options = await shop.request('OPTIONS', path, { ...asked, status: 204 })
    expect(options.headers.get('allow')).toBe('GET, HEAD, OPTIONS')
  })

  test('is 304 for a caller that has it, and another document in another version', async () => {
    const { headers } = await shop.get(path, { ...asked, version: '2026-10' })
    const etag = headers.get('etag')!
    const again = { ...asked, version: '2026-10', headers: { 'if-none-match': etag }, status: 304 }
    expect((await shop.get(path, again)).text).toBe('')
    const by = await Promise.all([
      shop.get(`${path}?version=2026-04`, asked),
      shop.get(path, { ...asked, version: '2026-04' }),
    ])
    expect(by[0].text).toBe(by[1].text)
    expect(by.map((each) => each.headers.get('service-api-version'))).toEqual(['2026-04', '2026-04'])
    expect(by[0].headers.get('deprecation')).toMatch(/^@\d+$/)
  })

  test('in an unknown version is 400', async () => {
    for (const reply of [
      await shop.get(`${path}?version=2025-01`, asked),
      await shop.get(path, { ...asked, version: '2025-01' }),
    ]) {
      expect(reply.status).toBe(400)
      expect(reply.body).toMatchObject({ slug: 'version.unknown', supportedVersions: expect.any(Array) })
    }
  })

  test('is open to pages of any origin', async () => {
    const origin = { origin: 'https://app.example' }
    const { headers } = await shop.get(path, { ...asked, headers: origin })
    expect(headers.get('access-control-allow-origin')).toBe('*')
    expect(headers.get('access-control-allow-credentials')).toBeNull()
    const exposed = headers.get('access-control-expose-headers')?.split(', ')
    expect(exposed).toEqual(
      expect.arrayContaining([
        'Link',
        'Location',
        'ETag',
        'Service-Api-Version',
        'Service-Sequence',
        'Service-Priced-At',
        'Service-Prices-Until',
        'Service-Ignored-Properties',
        'Service-Ignored-Parameters',
      ]),
    )
  })
})

test('the entrypoint leads to every description of the service', async () => {
  const { headers } = await shop.get('/api', { token: null })
  const links = headers.get('link')!.split(', ')
  expect(links[0]).toContain('/api/docs.jsonld>; rel="http://www.w3.org/ns/hydra/core#apiDocumentation"')
  expect(links.slice(1)).toEqual([
    '</api/openapi.json>; rel="service-desc"; type="application/json"',
    '</docs>; rel="service-doc"; type="text/html"',
  ])
})

test('the context that a metaobject carries is the one that its address serves', async () => {
  const definition = await shop.create('/api/metaobject_definitions', { type: 'note' })
  const body = await shop.create('/api/metaobjects', { definition: definition['@id'] })
  const served = await shop.get('/api/contexts/Metaobject', { token: null })
  expect(body['@context']).toEqual(served.body['@context'])
})

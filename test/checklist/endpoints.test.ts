/** Every endpoint of the interface is called with success, in every version. */
import { beforeAll, describe, expect, test } from 'vitest'
import { endpoints, publicDocuments } from './endpoints.ts'
import { faultsOf } from './kinds.ts'
import { versions } from './versions.ts'
import { openWorld, type World } from './world.ts'

/** The description of a list, and of its parameters. */
const listKinds = {
  '@context': 'string or object',
  '@id': 'string',
  '@type': 'Collection',
  member: 'array of object',
}
const searchKinds = {
  '@type': 'IriTemplate',
  mapping: 'array of object',
  template: 'string',
  variableRepresentation: 'string',
}
const mappingKinds = {
  '@type': 'IriTemplateMapping',
  property: 'string',
  required: 'boolean',
  variable: 'string',
}
const viewKinds = {
  '@id': 'string',
  '@type': 'PartialCollectionView',
  'first?': 'string',
  'last?': 'string',
  'previous?': 'string',
  'next?': 'string',
}

/** How many a list shows at once; those of what the service itself is are never paged. */
const constant = /^\/api\/(error-codes|versions|webhook_topics|metafield_definition_types)$/
const pageOf = (path: string) => (constant.test(path) ? Number.POSITIVE_INFINITY : 30)

describe.each(versions)('in $version', ({ version }) => {
  let world: World
  beforeAll(async () => {
    world = await openWorld()
  })
  const rows = endpoints.map((each) => [`${each.method} ${each.path}`, each] as const)

  test.each(rows)('%s answers', async (_, endpoint) => {
    const { method, path, query, body, status, type, onlyIn } = endpoint
    const asked = { version, ...(body !== undefined && { body: world.fill(body) }) }
    if (onlyIn && onlyIn !== version) {
      const { body: refused } = await world.shop.request(method, world.fill(path), { ...asked, status: 404 })
      expect(refused.slug).toBe('version.operation_unavailable')
      return
    }
    const address = query === undefined ? world.fill(path) : `${world.fill(path)}?${query}`
    const reply = await world.shop.request(method, address, { ...asked, status })
    expect(reply.headers.get('service-api-version')).toBe(version)
    expect(reply.headers.get('link')).toContain('rel="http://www.w3.org/ns/hydra/core#apiDocumentation"')
    if (status === 204) return expect(reply.text).toBe('')
    expect(reply.headers.get('content-type')).toBe('application/ld+json')
    if (!endpoint.list) {
      expect(faultsOf({ '@context': 'string or object', '@id': 'string' }, reply.body)).toEqual([])
      expect(reply.body['@type']).toBe(type)
      const isReadable = version === 'unstable' || type !== 'WebhookSubscription'
      const location = reply.headers.get('location')
      if (status === 201) expect(location?.startsWith(reply.body['@id']) ?? false).toBe(isReadable)
      return
    }
    expect(faultsOf(listKinds, reply.body)).toEqual([])
    expect(reply.body['@id']).toBe(world.fill(path))
    expect(reply.body.totalItems).toBeGreaterThan(0)
    expect(reply.body.member.length).toBe(Math.min(reply.body.totalItems, pageOf(path)))
    for (const each of reply.body.member) expect(each['@type']).toBe(type)
    expect(faultsOf(searchKinds, reply.body.search)).toEqual([])
    for (const each of reply.body.search.mapping) expect(faultsOf(mappingKinds, each)).toEqual([])
    if (reply.body.view) expect(faultsOf(viewKinds, reply.body.view)).toEqual([])
  })

  test.each(publicDocuments)('%s answers without a token', async (path, type) => {
    const reply = await world.shop.get(path, {
      token: null,
      version,
      status: 200,
    })
    expect(reply.headers.get('content-type')).toContain(type)
  })
})

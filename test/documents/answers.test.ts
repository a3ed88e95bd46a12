/** Every live answer fits what is published of it, and holds no member and no header that is not described. */
import { beforeAll, describe, expect, test } from 'vitest'
import type { Operation } from '../../src/core/operation.ts'
import { allScopes } from '../../src/resources/index.ts'
import { addressOf, type Sample, sampleCalls } from '../support/samples.ts'
import { type Asked, openShop, type Shop } from '../support/shop.ts'
import { documentedVersions, operationsOf, type Published, published } from './published.ts'

const unknownId = '01900000-0000-7000-8000-000000000000'

function call(shop: Shop, operation: Operation, sample: Sample, asked: Asked & { query?: string }) {
  const sent = sample.body === undefined ? {} : { body: sample.body }
  const path = addressOf(operation, sample, { missing: unknownId, more: asked.query ?? '' })
  return shop.request(operation.method, path, { ...sent, ...asked })
}

const named = (version: string) =>
  operationsOf(version).map((each) => [`${each.method} ${each.path}`, each] as const)

describe.each(documentedVersions)('in version %s', (version) => {
  let shop: Shop
  let sampleOf: (operation: Operation) => Sample
  let documents: Published
  beforeAll(async () => {
    shop = await openShop()
    sampleOf = await sampleCalls(shop)
    documents = await published(shop, version)
  })

  test.each(named(version))('%s', async (_, operation) => {
    const reply = await call(shop, operation, sampleOf(operation), { version })
    expect(reply.status, reply.text).toBeLessThan(300)
    expect(documents.faults(operation, reply).join('\n')).toBe('')
    if (operation.method !== 'GET') return
    const headers = { 'if-none-match': reply.headers.get('etag') }
    const again = await call(shop, operation, sampleOf(operation), { version, headers })
    expect(again.status).toBe(304)
    expect(documents.faults(operation, again).join('\n')).toBe('')
  })
})

describe('refused', () => {
  const version = 'unstable'
  let shop: Shop
  let sampleOf: (operation: Operation) => Sample
  let documents: Published
  beforeAll(async () => {
    shop = await openShop()
    sampleOf = await sampleCalls(shop)
    documents = await published(shop, version)
  })

  type Refused = Asked & { readonly query?: string; readonly params?: Sample['params'] }

  /** How each status is asked for, where an operation can answer it. */
  async function refusals(operation: Operation): Promise<[number, Refused][]> {
    const { scope, answers, body, path, params, method } = operation
    const narrow = await shop.token({ scope: allScopes.filter((each) => each !== scope).join(' ') })
    const when = (can: boolean, status: number, asked: Refused): [number, Refused][] =>
      can ? [[status, asked]] : []
    return [
      ...when(true, 400, { headers: { 'service-locale': 'English' } }),
      ...when(true, 400, { version: '2025-01' }),
      ...when(true, 401, { token: null }),
      ...when(scope !== null, 403, { token: narrow }),
      ...when(path.includes('{') && !params && !body, 404, { params: {} }),
      ...when(answers !== 'empty', 406, { headers: { accept: 'text/html' } }),
      ...when(body !== undefined, 415, { headers: { 'content-type': 'text/plain' } }),
      ...when(body !== undefined, 400, { body: '{' }),
      ...when(method === 'GET', 422, { query: `properties${'[a]'.repeat(9)}[]=b` }),
    ]
  }

  test.each(named(version))('%s', async (_, operation) => {
    const sample = sampleOf(operation)
    for (const [status, { params = sample.params, ...rest }] of await refusals(operation)) {
      const reply = await call(shop, operation, { ...sample, params }, { version, ...rest })
      expect(reply.status, `${JSON.stringify(rest)} ${reply.text}`).toBe(status)
      expect(documents.faults(operation, reply).join('\n')).toBe('')
    }
  })
})

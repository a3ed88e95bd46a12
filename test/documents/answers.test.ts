/** Every live answer fits the schema that is published for it, and holds nothing that is not described. */
import { beforeAll, describe, expect, test } from 'vitest'
import type { Operation } from '../../src/core/operation.ts'
import { type Sample, sampleCalls } from '../support/samples.ts'
import { type Asked, openShop, type Shop } from '../support/shop.ts'
import { documentedVersions, operationsOf, type Published, published } from './published.ts'

const unknownId = '01900000-0000-7000-8000-000000000000'

describe.each(documentedVersions)('in version %s', (version) => {
  let shop: Shop
  let sampleOf: (operation: Operation) => Sample
  let documents: Published
  beforeAll(async () => {
    shop = await openShop()
    sampleOf = await sampleCalls(shop)
    documents = await published(shop, version)
  })

  async function faultsOf(operation: Operation, { params, body }: Sample, asked: Asked = {}) {
    const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => params[name] ?? unknownId)
    const reply = await shop.request(operation.method, path, {
      version,
      ...(body === undefined ? {} : { body }),
      ...asked,
    })
    const type = reply.headers.get('content-type') ?? ''
    return {
      status: reply.status,
      faults: documents.faults(operation, reply.status, type, reply.body),
      text: reply.text,
    }
  }

  const named = operationsOf(version).map((each) => [`${each.method} ${each.path}`, each] as const)
  test.each(named)('%s', async (_, operation) => {
    const answer = await faultsOf(operation, sampleOf(operation))
    expect(answer.status, answer.text).toBeLessThan(300)
    expect(answer.faults.join('\n')).toBe('')
  })
})

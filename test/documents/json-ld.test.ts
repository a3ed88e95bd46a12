/** jsonld.js reads every answer in safe mode, which fails wherever a member would be lost. */
import { beforeAll, describe, expect, test } from 'vitest'
import type { Operation } from '../../src/core/operation.ts'
import { differingVersions } from '../support/differing-versions.ts'
import { addressOf, type Sample, sampleCalls } from '../support/samples.ts'
import { openShop, type Shop } from '../support/shop.ts'
import { statements, thereAndBack, withoutNulls } from './linked-data.ts'
import { operationsOf } from './published.ts'

describe.each(differingVersions)('in version %s', (version) => {
  let shop: Shop
  let sampleOf: (operation: Operation) => Sample
  beforeAll(async () => {
    shop = await openShop()
    sampleOf = await sampleCalls(shop)
  })

  const reading = operationsOf(version).filter(({ method }) => method === 'GET')
  test.each(reading.map((each) => [each.path, each] as const))('%s', async (_, operation) => {
    const path = addressOf(operation, sampleOf(operation))
    const reply = await shop.get(path, { version, status: 200 })
    const { body } = reply
    const { expanded, compacted } = await thereAndBack(shop, path, body)
    const iri = expanded['@id']
    expect(iri).toBe(`http://${shop.host}${body['@id']}`)
    expect(Object.keys(expanded).filter((each) => !/^@|^https?:/.test(each))).toEqual([])
    expect(withoutNulls(compacted)).toEqual(withoutNulls(body))
    const { whole, arriving } = await statements(shop, path, reply)
    expect(arriving).toEqual(whole)
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
      const body = await shop.read(`${path}?version=${version}`, { token: null })
      const { expanded, compacted } = await thereAndBack(shop, path, body)
      expect(expanded['@id']).toBe(`http://${shop.host}${path}`)
      expect(Object.keys(compacted).sort()).toEqual(Object.keys(body).sort())
    }
  })
})

import { beforeAll, describe, expect, test } from 'vitest'
import { coreProblems } from '../../src/core/problems/index.ts'
import { resources } from '../../src/resources/index.ts'
import { openShop, type Shop } from '../support/shop.ts'

let shop: Shop
beforeAll(async () => {
  shop = await openShop()
})

type Entry = { code: string; slug: string; domain: string; httpStatus: number; message: string }

test('the catalogue is whole, unpaged and ordered by code', async () => {
  const body = await shop.read('/api/error-codes')
  const codes = body.member.map((each: Entry) => each.code)
  expect(body.totalItems).toBe(codes.length)
  expect(codes).toEqual([...new Set(codes)].sort())
  const declared = [...coreProblems, ...resources.flatMap(({ problems }) => problems)]
  expect(declared.map(({ code }) => code).filter((code) => !codes.includes(code))).toEqual([])
  expect(body.search.template).toBe('/api/error-codes{?domain,httpStatus,slug,properties[]}')
  expect(body).not.toHaveProperty('view')
})

test('every entry resolves at its @id', async () => {
  const body = await shop.read('/api/error-codes?domain=http')
  for (const each of body.member) {
    const { '@context': context, ...read } = await shop.read(each['@id'])
    expect(context).toBe('/api/contexts/ErrorCode')
    expect(read).toEqual(each)
  }
})

describe('filters', () => {
  test.each(['abc', '4.5', '-404', '', '٤٠٤', '404abc'])('httpStatus=%s is 422', async (value) => {
    const { body } = await shop.get(`/api/error-codes?httpStatus=${encodeURIComponent(value)}`, {
      status: 422,
    })
    expect(body.violations[0].propertyPath).toBe('httpStatus')
  })
})

test('an unknown code is 404', async () => {
  await shop.get('/api/error-codes/ZZZ-9999', { status: 404 })
  await shop.get('/api/error-codes/%00', { status: 404 })
})

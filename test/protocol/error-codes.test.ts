import { beforeAll, describe, expect, test } from 'vitest'
import { openShop, type Shop } from '../support/shop.ts'

let shop: Shop
beforeAll(async () => {
  shop = await openShop()
})

describe('the error catalogue', () => {
  test('is listed whole, with a search template', async () => {
    const { body, headers } = await shop.get('/api/error-codes', { status: 200 })
    expect(body['@type']).toBe('Collection')
    expect(body.totalItems).toBe(body.member.length)
    expect(headers.get('content-type')).toBe('application/ld+json')
  })
})

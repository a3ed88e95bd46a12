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
  const { body } = await shop.get('/api/error-codes', { status: 200 })
  const codes = body.member.map((each: Entry) => each.code)
  expect(body.totalItems).toBe(codes.length)
  expect(codes).toEqual([...new Set(codes)].sort())
  const declared = [...coreProblems, ...resources.flatMap(({ problems }) => problems)]
  expect(declared.map(({ code }) => code).filter((code) => !codes.includes(code))).toEqual([])
  expect(body.search.template).toBe('/api/error-codes{?domain,httpStatus,slug,properties[]}')
  expect(body).not.toHaveProperty('view')
})

test('every entry resolves at its @id', async () => {
  const { body } = await shop.get('/api/error-codes?domain=http', { status: 200 })
  for (const each of body.member) {
    const { '@context': context, ...read } = (await shop.get(each['@id'], { status: 200 })).body
    expect(context).toBe('/api/contexts/ErrorCode')
    expect(read).toEqual(each)
  }
})

describe('filters', () => {
  test('that nothing matches give an empty list', async () => {
    expect((await shop.get('/api/error-codes?domain=__proto__')).body).toMatchObject({
      totalItems: 0,
      member: [],
    })
  })

  test.each(['abc', '4.5', '-404', '', '٤٠٤', '404abc'])('httpStatus=%s is 422', async (value) => {
    const { body } = await shop.get(`/api/error-codes?httpStatus=${encodeURIComponent(value)}`, {
      status: 422,
    })
    expect(body.violations[0].propertyPath).toBe('httpStatus')
  })
})

test.each([
  ['en-US', 'This information is required.'],
  ['fr-FR', 'Cette information est obligatoire.'],
  ['fr-CA', 'Cette information est obligatoire.'],
  ['ja-JP', 'この情報は必須です。'],
  ['ko-KR', 'This information is required.'],
])('messages in %s', async (locale, message) => {
  const { body, headers } = await shop.get('/api/error-codes?slug=validation.required', {
    locale,
    status: 200,
  })
  expect(body.member[0].message).toBe(message)
  expect(headers.get('content-language')).toBe(locale)
})

test('messages differ between the four languages', async () => {
  const locales = ['en-US', 'fr-FR', 'de-DE', 'es-ES']
  const replies = await Promise.all(locales.map((locale) => shop.get('/api/error-codes', { locale })))
  for (const [index] of replies[0]!.body.member.entries()) {
    expect(new Set(replies.map(({ body }) => body.member[index].message)).size).toBe(4)
  }
})

test('an unknown code is 404', async () => {
  await shop.get('/api/error-codes/ZZZ-9999', { status: 404 })
  await shop.get('/api/error-codes/%00', { status: 404 })
})

/** The error bodies of the interface: exactly the listed fields, each of its kind, in every version. */
import { beforeAll, describe, expect, test } from 'vitest'
import type { Asked } from '../support/shop.ts'
import { faultsOf } from './kinds.ts'
import { versions } from './versions.ts'
import { openWorld, type World } from './world.ts'

const document = { '@context': 'string', '@id': 'string', '@type': 'string' }
const catalogued = {
  ...document,
  code: 'string',
  slug: 'string',
  message: 'string',
  title: 'null or string',
  type: 'string',
  detail: 'null or string',
  instance: 'null or string',
  status: 'null or integer',
  description: 'null or string',
}
const denied = { ...catalogued, missingPermissions: 'array of string' }
const violated = { ...catalogued, violations: 'array of object', violationsTotal: 'integer' }

const unknown = '01900000-0000-7000-8000-000000000000'

const subscription = `/api/webhook_subscriptions/${unknown}`
const rolling = { version: 'unstable' }

/** The tokens of the rows. */
type Caller = 'everything' | 'no scope' | 'a person'
type Call = readonly [method: string, path: string, asked?: Asked]

const care = '/api/metaobjects/care/wool'
const rows: readonly (readonly [Caller, Call, status: number, slug: string])[] = [
  ['no scope', ['GET', care], 403, 'auth.insufficient_scope'],
  ['a person', ['GET', care], 403, 'auth.permission_denied'],
  ['everything', ['GET', '/api/metaobjects/care/silk'], 404, 'metaobject.not_found'],
  ['everything', ['GET', '/api/metaobjects/none/wool'], 404, 'metaobject.not_found'],
  ['no scope', ['GET', '/api/error-codes'], 403, 'auth.insufficient_scope'],
  ['a person', ['GET', '/api/error-codes'], 403, 'auth.permission_denied'],
  ['no scope', ['GET', subscription, rolling], 403, 'auth.insufficient_scope'],
  ['a person', ['GET', subscription, rolling], 403, 'auth.permission_denied'],
  ['everything', ['GET', subscription, rolling], 404, 'webhook.subscription_not_found'],
  ['everything', ['GET', `/api/products/${unknown}`], 404, 'product.not_found'],
  ['everything', ['GET', '/api/nothing'], 404, 'http.not_found'],
  ['everything', ['DELETE', '/api/products'], 405, 'http.method_not_allowed'],
  ['everything', ['POST', '/api/products', { body: '{' }], 400, 'http.malformed_json'],
  ['everything', ['POST', '/api/products', { body: { title: 7 } }], 422, 'validation.type'],
  [
    'everything',
    ['POST', '/api/products', { body: { title: 'A', handle: 'shirt' } }],
    409,
    'product.handle_taken',
  ],
]

const conflicting = { ...violated, conflictingResource: 'string' }

/** The fields of an error by its slug. */
function kindsOf(slug: string): Readonly<Record<string, string>> {
  if (slug === 'auth.permission_denied') return denied
  if (slug.endsWith('_taken')) return conflicting
  return slug.startsWith('validation.') ? violated : catalogued
}

describe.each(versions)('in $version', ({ version }) => {
  let world: World
  let tokens: Record<Caller, string>
  beforeAll(async () => {
    world = await openWorld()
    const { token } = world.shop
    tokens = {
      everything: await token(),
      'no scope': await token({ scope: 'products:write' }),
      'a person': await token({ sub: 'person' }),
    }
  })

  test.each(rows)('%s: %j is %i %s', async (caller, [method, path, asked], status, slug) => {
    const kinds = kindsOf(slug)
    const reply = await world.shop.request(method, path, { version, token: tokens[caller], ...asked, status })
    const { body, headers } = reply
    expect(faultsOf(kinds, body)).toEqual([])
    expect(Object.keys(body).toSorted()).toEqual(Object.keys(kinds).toSorted())
    expect(body).toMatchObject({
      '@context': '/api/contexts/Error',
      '@id': body.instance,
      slug,
      title: slug,
      status,
      type: `/api/error-codes/${body.code}`,
      instance: `/api/requests/${headers.get('x-request-id')}`,
    })
    expect(headers.get('content-type')).toBe('application/problem+json')
    const code = await world.shop.read(body.type, { version })
    expect(code).toMatchObject({ '@type': 'ErrorCode', code: body.code, slug, httpStatus: status })
  })

  test('the error for a user names each missing permission', async () => {
    const asked = { version, token: tokens['a person'], status: 403 }
    const { body } = await world.shop.get('/api/metaobjects/care/wool', asked)
    expect(body.missingPermissions).toEqual(['identity:metaobjects:read'])
  })

  test('the message is in the caller’s language, the rest in English', async () => {
    const path = `/api/products/${unknown}`
    const [english, french] = await Promise.all(
      ['en-US', 'fr-FR'].map(
        async (locale) => (await world.shop.get(path, { version, locale, status: 404 })).body,
      ),
    )
    expect(french.message).not.toBe(english.message)
    expect(french.message).toContain(unknown)
    for (const name of ['code', 'slug', 'title', 'type', 'detail', 'description'])
      expect(french[name]).toBe(english[name])
  })
})

import { expect, test } from 'vitest'
import type { Actor } from './context.ts'
import { may, missingPermissions, readAndWriteScopes } from './scopes.ts'

const allScopes = readAndWriteScopes([
  'products:read',
  'sale_offers:read',
  'metaobjects:read',
  'metaobject_definitions:read',
])

const actor = (differently: Partial<Actor>): Actor => ({
  subject: 'ada',
  client: 'back-office',
  scopes: new Set(allScopes),
  permissions: new Set(),
  person: true,
  ...differently,
})

test('an application may do what its scopes name and nothing else', () => {
  const application = actor({ person: false, scopes: new Set(['products:read']) })
  expect(allScopes.filter((scope) => may(application, scope))).toEqual(['products:read'])
})

test('a person without permissions may do nothing, whatever the scopes', () => {
  expect(allScopes.filter((scope) => may(actor({}), scope))).toEqual([])
})

test('a permission without its scope grants nothing', () => {
  const person = actor({ scopes: new Set(['products:write']), permissions: new Set(['identity:*']) })
  expect(allScopes.filter((scope) => may(person, scope))).toEqual(['products:write'])
})

test.each([
  ['identity:products:read', ['products:read']],
  ['identity:products:*', ['products:read', 'products:write']],
  ['identity:*', allScopes],
  ['identity:metaobjects:write', ['metaobjects:write']],
  ['identity:metaobject_definitions:*', ['metaobject_definitions:read', 'metaobject_definitions:write']],
  ['identity:*:read', []],
  ['identity:*:*', []],
  ['identity:', []],
  ['identity:products', []],
  ['identity:product*', []],
  ['identity:products:', []],
  ['IDENTITY:*', []],
  ['products:read', []],
  ['*', []],
])('%s grants a person exactly %j', (permission, granted) => {
  const person = actor({ permissions: new Set([permission]) })
  expect(allScopes.filter((scope) => may(person, scope))).toEqual(granted)
})

test('missing permissions are named each, in the order asked', () => {
  const person = actor({ permissions: new Set(['identity:categories:*']) })
  expect(missingPermissions(person, ['products:write', 'categories:read', 'products:read'])).toEqual([
    'identity:products:write',
    'identity:products:read',
  ])
  expect(missingPermissions(actor({ person: false }), ['products:write'])).toEqual([])
})

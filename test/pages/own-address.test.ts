/** Where /admin may go with the token. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ownAddress } from '../../src/admin/core/own-address.ts'

const origin = 'https://acme.example:8443'

describe('an address of another host is refused', () => {
  test.each([
    'http://host/steal',
    'https://evil.example/api',
    '//evil.example/api',
    '\\\\evil.example\\api',
    '/\\evil.example/api',
    '\t//evil.example',
    'https://acme.example/api',
    'http://acme.example:8443/api',
    'https://acme.example:8443.evil.example/api',
    'https://acme.example:8443@evil.example/api',
    'data:application/json,{}',
    'javascript:alert(1)',
    'blob:https://acme.example:8443/0',
    'file:///etc/passwd',
    'https://',
  ])('%j', (address) => {
    expect(() => ownAddress(address, origin)).toThrow('not an address of this catalogue')
  })

  test('whatever is written', () => {
    fc.assert(
      fc.property(fc.oneof(fc.webUrl({ withFragments: true }), fc.string({ unit: 'binary' })), (address) => {
        let url: URL
        try {
          url = ownAddress(address, origin)
        } catch {
          return
        }
        expect(url.href.startsWith(`${origin}/`)).toBe(true)
      }),
    )
  })
})

test.each(['/api/products/1', 'api', '?page=2', `${origin}/api`, new URL('/api', origin)])(
  '%s is our own',
  (address) => {
    expect(ownAddress(address, origin).origin).toBe(origin)
  },
)

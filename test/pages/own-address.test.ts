/** Where /admin may go with the token. */
import fc from 'fast-check'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { ownAddress } from '../../src/admin/core/own-address.ts'

vi.mock('react-admin', () => ({ HttpError: Error }))

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

describe('whatever the page asks', () => {
  afterEach(() => vi.unstubAllGlobals())

  /** Code for browsers, which is read with their types elsewhere. */
  const loaded = (file: string) => import(/* @vite-ignore */ `../../src/admin/core/${file}`)

  test('goes to its own host with the token, and to no other', async () => {
    const asked: { url: string; authorization: string | null }[] = []
    vi.stubGlobal('location', new URL(`${origin}/admin`))
    vi.stubGlobal('document', {})
    vi.stubGlobal('localStorage', { getItem: () => null })
    vi.stubGlobal('sessionStorage', { getItem: () => 'a.b.c' })
    vi.stubGlobal('fetch', async (url: URL | string, options?: RequestInit) => {
      asked.push({ url: String(url), authorization: new Headers(options?.headers).get('authorization') })
      return Response.json({ locales: ['en-US'], currentVersion: '2026-10' })
    })
    await (await loaded('settings.ts')).loadCatalogue()
    const { call } = await loaded('http.ts')
    asked.splice(0)
    await call('/api/products')
    expect(asked).toEqual([{ url: `${origin}/api/products`, authorization: 'Bearer a.b.c' }])
    await expect(call('http://host/steal')).rejects.toThrow('not an address of this catalogue')
    await expect(call(new URL('https://evil.example/api'), { method: 'DELETE' })).rejects.toThrow()
    expect(asked).toHaveLength(1)
  })
})

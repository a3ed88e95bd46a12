import { beforeAll, expect, test } from 'vitest'
import { versions } from '../../src/versions/index.ts'
import { openShop, type Shop } from '../support/shop.ts'
import { noteApp, notePath } from './notes.ts'

let shop: Shop
beforeAll(async () => {
  shop = await openShop({ app: noteApp() })
})

test('the tenant’s default version responds by default', async () => {
  const old = await openShop({ app: noteApp(), defaultApiVersion: '2026-04' })
  const { headers, body } = await old.get(notePath)
  expect(headers.get('service-api-version')).toBe('2026-04')
  expect(body.shelf).toHaveProperty('childrens')
})

test('a default that is no version any more is served by the oldest that lives', async () => {
  const old = await openShop({ app: noteApp(), defaultApiVersion: '2019-01' })
  expect((await old.get(notePath, { status: 200 })).headers.get('service-api-version')).toBe('2026-01')
})

test('every version can be a default, and what does not have the form of one is refused with the tenant', async () => {
  for (const { name } of versions) {
    const own = await openShop({ app: noteApp(), defaultApiVersion: name })
    expect((await own.get(notePath)).headers.get('service-api-version')).toBe(name)
  }
  for (const defaultApiVersion of [
    '',
    'latest',
    '2026',
    '2026-13',
    '2026-1',
    ' 2026-10',
    '2026-10-01',
    'Unstable',
  ]) {
    await expect(openShop({ defaultApiVersion }), defaultApiVersion).rejects.toMatchObject({
      constraint: 'tenants_default_api_version',
    })
  }
})

test.each([
  ['2026-01', 'childrens', '@1775001600', 'Thu, 01 Jul 2027 00:00:00 GMT'],
  ['2026-04', 'childrens', '@1782864000', 'Fri, 01 Oct 2027 00:00:00 GMT'],
  ['2026-07', 'children', '@1790812800', 'Sat, 01 Jan 2028 00:00:00 GMT'],
  ['2026-10', 'children', null, null],
  ['unstable', 'children', null, null],
])(
  'version %s shows %s at every depth, and says when it ends',
  async (version, name, deprecation, sunset) => {
    const { headers, body } = await shop.get(notePath, { version, status: 200 })
    expect(headers.get('service-api-version')).toBe(version)
    expect(headers.get('deprecation')).toBe(deprecation)
    expect(headers.get('sunset')).toBe(sunset)
    expect(headers.get('link')?.includes('rel="deprecation"')).toBe(deprecation !== null)
    expect(body.shelf[name][0]).toHaveProperty(name)
    expect(Object.keys(body.shelf)).not.toContain(name === 'children' ? 'childrens' : 'children')
  },
)

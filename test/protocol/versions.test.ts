import { beforeAll, describe, expect, test } from 'vitest'
import { versions } from '../../src/versions/index.ts'
import { openShop, type Shop } from '../support/shop.ts'
import { noteApp, notePath } from './notes.ts'

let shop: Shop
beforeAll(async () => {
  shop = await openShop({ app: noteApp() })
})

const shelf = { title: 'Top' }

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

test('an unknown version is 400 and lists the supported ones', async () => {
  const { body, headers } = await shop.get(notePath, { version: '2026-02', status: 400 })
  expect(body).toMatchObject({
    slug: 'version.unknown',
    supportedVersions: ['2026-01', '2026-04', '2026-07', '2026-10', 'unstable'],
  })
  expect(headers.get('service-api-version')).toBe('2026-10')
})

describe('the name of another version', () => {
  test.each([
    ['2026-04', 'children', 'childrens'],
    ['2026-10', 'childrens', 'children'],
  ])('is refused on write in %s, naming the right one', async (version, wrong, right) => {
    const body = { shelf: { ...shelf, [wrong]: [{ title: 'Low' }] } }
    const reply = await shop.patch(notePath, { body, version, status: 422 })
    expect(reply.body).toMatchObject({
      '@type': 'ConstraintViolation',
      slug: 'version.renamed_property',
      violations: [{ propertyPath: `shelf.${wrong}`, message: expect.stringContaining(right) }],
    })
  })

  test('is taken in expand', async () => {
    await shop.get('/api/notes?expand=children.children', { status: 200 })
    await shop.get('/api/notes?expand=childrens.childrens', { version: '2026-01', status: 200 })
    await shop.get('/api/notes?expand=children', { version: '2026-01', status: 200 })
    await shop.get('/api/notes?expand=childrens', { status: 200 })
  })
})

test('violations found later have the names of the version too', async () => {
  const asked = { body: { title: 'refused' }, status: 422 }
  const path = async (version: string) =>
    (await shop.patch(notePath, { ...asked, version })).body.violations[0].propertyPath
  expect(await path('2026-04')).toBe('shelf.childrens[0].title')
  expect(await path('2026-10')).toBe('shelf.children[0].title')
})

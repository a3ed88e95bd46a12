/** Requests of the pages before API Platform's provider knows the resources. */
import { beforeEach, expect, test, vi } from 'vitest'

const methods = [
  'getList',
  'getOne',
  'getMany',
  'getManyReference',
  'create',
  'update',
  'updateMany',
  'delete',
  'deleteMany',
  'subscribe',
  'unsubscribe',
]
const calls: string[] = []
const introspections: { resolve: (value: unknown) => void; reject: (error: Error) => void }[] = []

vi.mock('react-admin', () => ({ HttpError: Error }))
vi.mock('@api-platform/admin', () => ({
  hydraDataProvider: () => ({
    introspect: () =>
      new Promise((resolve, reject) => {
        calls.push('introspect')
        introspections.push({ resolve, reject })
      }),
    ...Object.fromEntries(
      methods.map((name) => [
        name,
        async () => {
          calls.push(name)
          return { data: [] }
        },
      ]),
    ),
  }),
}))

/** Code for browsers, which is read with their types elsewhere. */
async function openProvider() {
  vi.stubGlobal('location', new URL('https://acme.example/admin'))
  vi.stubGlobal('document', {})
  vi.stubGlobal('localStorage', { getItem: () => null })
  vi.stubGlobal('sessionStorage', { getItem: () => 'a.b.c', removeItem: () => {}, setItem: () => {} })
  vi.stubGlobal('fetch', async (url: URL | string) => {
    calls.push(`fetch ${new URL(url, 'https://acme.example').pathname}`)
    return Response.json({ '@id': '/api/brands/1', locales: ['en-US'], currentVersion: '2026-10' })
  })
  const file = (name: string) => import(/* @vite-ignore */ `../../src/admin/core/${name}`)
  await (await file('settings.ts')).loadCatalogue()
  calls.splice(0)
  return (await file('data-provider.ts')).dataProvider('https://acme.example/api')
}

beforeEach(() => {
  calls.splice(0)
  introspections.splice(0)
})

const asked = {
  id: '/api/brands/1',
  ids: ['/api/brands/1'],
  data: { title: 'A' },
  previousData: {},
  filter: {},
}

test.each(methods)('%s waits for the introspection', async (name) => {
  const provider = await openProvider()
  const answer = provider[name]('brands', asked)
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(calls).toEqual(['introspect'])
  introspections[0]?.resolve({ data: {} })
  await answer
  expect(calls.length).toBeGreaterThan(1)
})

test('calls at once share one introspection, and a failed one is repeated', async () => {
  const provider = await openProvider()
  const both = [provider.getManyReference('brands', asked), provider.getList('brands', asked)]
  introspections[0]?.reject(new Error('offline'))
  expect(await Promise.allSettled(both)).toMatchObject([{ status: 'rejected' }, { status: 'rejected' }])
  expect(calls).toEqual(['introspect'])
  const again = provider.getManyReference('brands', asked)
  introspections[1]?.resolve({ data: {} })
  await again
  expect(calls).toEqual(['introspect', 'introspect', 'getManyReference'])
})

test('a page from before a restore to an earlier time asks to be reloaded, and then names the new epoch', async () => {
  const provider = await openProvider()
  const sent: (string | null)[] = []
  vi.stubGlobal('fetch', async (url: URL | string, options: { headers?: Headers } = {}) => {
    if (String(url).endsWith('/catalogue.json')) return Response.json({ locales: ['en-US'], epoch: 7 })
    sent.push(options.headers?.get('If-Match') ?? null)
    return Response.json({ message: 'It was changed meanwhile.' }, { status: 412 })
  })
  const deleted = provider.delete('brands', { ...asked, previousData: { version: 3 } })
  introspections[0]?.resolve({ data: {} })
  await expect(deleted).rejects.toThrow('The catalogue was restored to an earlier time. Reload the page')
  const settings = await import(/* @vite-ignore */ '../../src/admin/core/settings.ts' as string)
  await settings.loadCatalogue()
  await provider.delete('brands', { ...asked, previousData: { version: 3 } }).catch(() => {})
  expect(sent).toEqual(['"3."', '"3-e7."'])
})

/** The parameters and headers that the interface has in common: each has an effect wherever it is taken, in every version. */
import { beforeAll, describe, expect, test } from 'vitest'
import { resources } from '../../src/resources/index.ts'
import { addressOf, sampleCalls } from '../support/samples.ts'
import { type Asked, openShop, type Reply, type Shop } from '../support/shop.ts'
import { faultsOf } from './kinds.ts'
import { versions } from './versions.ts'
import { openWorld, type World } from './world.ts'

/** The lists of what the service itself is, which are never paged, and those without a total. */
const constant =
  /^\/api\/(error-codes|versions|issues|price_policies|price_announcements|price_changes|webhook_topics|metafield_definition_types)/

const reads = resources
  .flatMap(({ operations }) => operations)
  .filter(({ method, onlyIn }) => method === 'GET' && !onlyIn)
const lists = reads.filter(({ answers, path }) => answers === 'collection' && !constant.test(path))
const named = (list: typeof reads) => list.map((each) => [each.path, each] as const)

const resolving = {
  'resolveContext[channel]': 'web',
  'resolveContext[country]': 'FR',
  'resolveContext[at]': '2026-05-01T00:00:00Z',
}
const query = (parameters: Readonly<Record<string, string>>) => `?${new URLSearchParams(parameters)}`

/** Where variants are shown, and how they are found there. */
const priced: readonly [path: string, variants: (body: Reply['body']) => Record<string, unknown>[]][] = [
  ['/api/products', (body) => body.member.flatMap((each: { variants: unknown[] }) => each.variants)],
  ['{product}', (body) => body.variants],
  ['{product}/variants', (body) => body.member],
  ['{variant}', (body) => [body]],
]

/** Lists explain no price. */
const explaining = priced.filter(([path]) => /\}$/.test(path))

const priceKinds = {
  '@type': 'ResolvedPrice',
  amount: 'money',
  currency: 'string',
  compareAtAmount: 'null or money',
  taxIncluded: 'boolean',
  saleOffer: 'iri',
  channel: 'string',
  country: 'string',
  at: 'string',
  validFrom: 'null or time',
  validUntil: 'null or time',
  nextChangeAt: 'null or time',
  quantityBreaks: 'array of object',
}

/** The feed continues by sequence, and the sample of results has none; all other lists have page numbers. */
const jumping = lists.filter(({ shape }) => !/^(?:Event|BulkOperationResult)$/.test(shape.type))

const ordered = [
  '/api/products',
  '/api/categories',
  '/api/sale_offers',
  '/api/purchase_offers',
  '/api/metaobjects',
]

/** The lists with the filter `id[]`: of resources that a tenant writes. */
const selectedById = lists.filter(
  ({ shape }) =>
    !/^(?:Event|WebhookDelivery|BulkOperationResult|Translations|Untranslated|.*Timeline.*)$/.test(
      shape.type,
    ),
)

const irisOf = ({ body }: Reply): string[] => body.member.map((each: { '@id': string }) => each['@id'])

let world: World
/** A shop with the sample of each operation, whose address has the required parameters. */
let shop: Shop
const addresses = new Map<string, string>()
beforeAll(async () => {
  ;[world, shop] = await Promise.all([openWorld(), openShop()])
  const sampleOf = await sampleCalls(shop)
  for (const each of reads) addresses.set(each.path, addressOf(each, sampleOf(each)))
})
/** Reads the path of an operation on its sample, or a link. */
function ask(path: string, asked: Asked = {}): Promise<Reply> {
  if (path.includes('cursor=')) return shop.get(path, asked)
  const [own = '', more] = path.split('?')
  const address = addresses.get(own) ?? own
  const query = more === undefined ? '' : `${address.includes('?') ? '&' : '?'}${more}`
  return shop.get(address + query, asked)
}
const inWorld = (path: string, asked: Asked = {}) => world.shop.get(world.fill(path), asked)

describe.each(versions)('in $version', ({ version }) => {
  const get = (path: string, asked: Asked = {}) => ask(path, { version, status: 200, ...asked })
  const getInWorld = (path: string, asked: Asked = {}) => inWorld(path, { version, status: 200, ...asked })

  test.each(named(reads))('%s answers what Accept takes, in the language of Service-Locale', async (path) => {
    const reply = await get(path, { headers: { accept: 'application/json' }, locale: 'fr-FR' })
    expect(reply.headers.get('content-type')).toBe('application/ld+json')
    expect(reply.headers.get('content-language')).toBe('fr-FR')
    expect(reply.headers.get('service-api-version')).toBe(version)
  })

  test.each(named(reads))('%s is reduced to what properties[] names', async (path, { answers }) => {
    const list = answers === 'collection'
    const whole = (await get(path)).body
    const documents = (body: Reply['body']): object[] => (list ? body.member : [body])
    const [name] = Object.keys(documents(whole)[0] ?? {}).filter((each) => !each.startsWith('@'))
    const { body } = await get(`${path}?properties[]=${name}&properties[]=nothing`)
    expect(documents(body)).toHaveLength(documents(whole).length)
    for (const each of documents(body))
      expect(Object.keys(each).filter((key) => key !== '@context')).toEqual(['@id', '@type', name])
    if (list) expect(Object.keys(body)).toEqual(Object.keys(whole))
  })

  test.each(named(lists))('%s has pages that link to its end', async (path) => {
    const all = await get(`${path}?itemsPerPage=100`)
    const size = Math.ceil(all.body.member.length / 3)
    const walked: string[] = []
    for (let next: string | undefined = `${path}?itemsPerPage=${size}`; next; ) {
      const reply: Reply = await get(next)
      expect(reply.body.member.length).toBeLessThanOrEqual(size)
      walked.push(...irisOf(reply))
      next = walked.length > 1000 ? undefined : reply.body.view?.next
    }
    expect(walked).toEqual(irisOf(all))
    const none = (await get(`${path}?itemsPerPage=0`)).body
    expect(none).toMatchObject({ totalItems: walked.length, member: [] })
    expect(none).not.toHaveProperty('view')
  })

  test.each(named(selectedById))('%s shows the resources that id[] names', async (path) => {
    const members: { id: string }[] = (await get(path)).body.member
    const [first, ...others] = members.map(({ id }) => id)
    const unknown = '019aa000-0000-7000-8000-000000000001'
    const idsAt = async (ids: readonly (string | undefined)[]) => {
      const { body } = await get(`${path}?${ids.map((id) => `id[]=${id}`).join('&')}`)
      return [body.totalItems, ...body.member.map(({ id }: { id: string }) => id)]
    }
    expect(await idsAt([first])).toEqual([1, first])
    expect(await idsAt([unknown])).toEqual([0])
    expect(await idsAt([...others.toReversed(), unknown])).toEqual([others.length, ...others.toReversed()])
    const { body } = await get(`${path}?id[]=${unknown}&id[]=${first}&id[]=shirt&itemsPerPage=1`)
    expect(body).toMatchObject({ totalItems: 1, missing: [unknown, 'shirt'] })
    const tooMany = await get(`${path}?${Array(101).fill(`id[]=${unknown}`).join('&')}`, { status: 422 })
    expect(tooMany.body.violations).toMatchObject([{ propertyPath: 'id[]', code: 'VAL-1013' }])
  })

  test.each(named(jumping))('%s jumps by page', async (path) => {
    const all = irisOf(await get(path))
    const first = irisOf(await get(`${path}?itemsPerPage=1&page=1`))
    const last = irisOf(await get(`${path}?itemsPerPage=1&page=${all.length}`))
    expect([...first, ...last]).toEqual([all.at(0), all.at(-1)])
    const beyond = (await get(`${path}?itemsPerPage=1&page=${all.length + 1}`)).body
    expect(beyond).toMatchObject({ totalItems: all.length, member: [] })
  })

  test.each(priced)('%s shows the price of each variant under resolveContext', async (path, variants) => {
    for (const variant of variants((await getInWorld(path)).body))
      expect(variant).not.toHaveProperty('resolvedPrice')
    const { body } = await getInWorld(path + query(resolving))
    const prices = variants(body).map((each) => each.resolvedPrice)
    const found = prices.filter((each) => each !== null) as Record<string, unknown>[]
    expect(found).toHaveLength(1)
    expect(faultsOf(priceKinds, found[0] ?? {})).toEqual([])
    expect(found[0]).toMatchObject({ amount: '10.00', currency: 'EUR', channel: 'web', country: 'FR' })
    const elsewhere = await getInWorld(path + query({ ...resolving, 'resolveContext[country]': 'DE' }))
    for (const variant of variants(elsewhere.body)) expect(variant).toHaveProperty('resolvedPrice', null)
  })

  test.each(explaining)('%s explains the price under explain=price', async (path, variants) => {
    const { body } = await getInWorld(`${path + query(resolving)}&explain=price`)
    const [price] = variants(body).flatMap((each) => each.resolvedPrice ?? []) as Record<string, unknown>[]
    expect(faultsOf({ ...priceKinds, candidates: 'array of object' }, price ?? {})).toEqual([])
    const [candidate] = (price?.candidates ?? []) as Record<string, unknown>[]
    expect(
      faultsOf({ saleOffer: 'iri', outcome: 'won', decidedBy: 'null or string' }, candidate ?? {}),
    ).toEqual([])
    const elsewhere = `${path + query({ ...resolving, 'resolveContext[country]': 'DE' })}&explain=price`
    const filtered = JSON.stringify((await getInWorld(elsewhere)).body)
    expect(filtered).toMatch(/"outcome":"filtered","decidedBy":"[a-z]+"/i)
    await getInWorld(`${path + query(resolving)}&explain=everything`, { status: 422 })
  })

  test.each(ordered)('%s is ordered both ways', async (path) => {
    for (const name of ['createdAt', 'updatedAt', 'id']) {
      const values = async (direction: string): Promise<string[]> =>
        (await getInWorld(`${path}?order[${name}]=${direction}`)).body.member.map(
          (each: Record<string, string>) => each[name],
        )
      const ascending = await values('asc')
      expect(ascending).toEqual(ascending.toSorted())
      expect(await values('DESC')).toEqual(ascending.toReversed())
    }
  })

  test('nested properties[] reach every depth', async () => {
    const { body } = await getInWorld('{product}?properties[]=title&properties[options][values][]=title')
    expect(Object.keys(body)).toEqual(['@context', '@id', '@type', 'title', 'options'])
    expect(Object.keys(body.options[0])).toEqual(['@id', '@type', 'values'])
    expect(Object.keys(body.options[0].values[0])).toEqual(['@id', '@type', 'title'])
  })
})

test.each(named(reads))('%s refuses a foreign Accept and a malformed Service-Locale', async (path) => {
  await ask(path, { headers: { accept: 'text/csv' }, status: 406 })
  await ask(path, { locale: 'french', status: 400 })
})

test.each(named(lists))('%s rejects an invalid page size, and limits a large one', async (path) => {
  for (const size of ['-1', '1.5', 'x', '']) {
    const { body } = await ask(`${path}?itemsPerPage=${size}`, { status: 422 })
    expect(body.violations[0].propertyPath).toBe('itemsPerPage')
  }
  await ask(`${path}?itemsPerPage=5000`, { status: 200 })
})

test.each(named(jumping))('%s rejects an invalid page', async (path) => {
  for (const page of ['0', '-1', '1.5', 'x', '']) {
    const { body } = await ask(`${path}?page=${page}`, { status: 422 })
    expect(body.violations[0].propertyPath).toBe('page')
  }
})

test.each(priced)(
  '%s refuses a part of resolveContext, one violation for each that is missing',
  async (path) => {
    for (const [name, value] of Object.entries(resolving)) {
      const { body } = await inWorld(path + query({ [name]: value }), { status: 422 })
      expect(body.slug).toBe('pricing.resolve_context_incomplete')
      const missing = Object.keys(resolving).filter((each) => each !== name)
      const paths = body.violations.map((each: { propertyPath: string }) => each.propertyPath)
      expect(paths.toSorted()).toEqual(missing.toSorted())
    }
  },
)

test.each(priced)(
  '%s rejects invalid values of resolveContext, and accepts codes in any case',
  async (path) => {
    for (const [name, value] of [
      ['channel', 'a b'],
      ['channel', ''],
      ['country', 'FRA'],
      ['country', 'ZZ'],
      ['at', '2026-05-01T00:00:00+02:00'],
      ['at', 'NOW'],
      ['currency', 'EURO'],
      ['currency', 'XXX'],
      ['at', '2026-05-01'],
    ] as const) {
      const key = `resolveContext[${name}]`
      const { body } = await inWorld(path + query({ ...resolving, [key]: value }), { status: 422 })
      expect(body.violations[0].propertyPath, value).toBe(key)
    }
    const lowerCase = { 'resolveContext[country]': 'fr', 'resolveContext[currency]': 'eur' }
    await inWorld(path + query({ ...resolving, ...lowerCase }), { status: 200 })
    for (const at of ['2026-05-01T00:00', '2026-05-01T00:00:00', '2026-05-01T00:00:00+00:00', 'now'])
      await inWorld(path + query({ ...resolving, 'resolveContext[at]': at }), { status: 200 })
  },
)

test.each(explaining)('%s explains no price to callers without the scope of offers', async (path) => {
  const token = await world.shop.token({ scope: 'products:read' })
  const asked = `${path + query(resolving)}&explain=price`
  const { body } = await inWorld(asked, { token, status: 403 })
  expect(body.slug).toBe('auth.insufficient_scope')
})

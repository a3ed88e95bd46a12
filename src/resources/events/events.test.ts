import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { openShop, type Shop } from '../../../test/support/shop.ts'
import { openDatabase } from '../../db/client.ts'
import { agesAt, clearOldDocuments } from '../housekeeping.ts'
import { eventKinds, topics } from './topics.ts'

const owner = new pg.Client(inject('ownerUrl'))
beforeAll(() => owner.connect())
afterAll(() => owner.end())

type Event = {
  '@id': string
  id: string
  sequence: number
  topic: string
  resource: string
  resourceVersion: number
  changes: { path: string; before: unknown; after: unknown }[]
  document: ReturnType<typeof JSON.parse>
}

/** Follows the feed by its links to the end. */
async function follow(
  shop: Shop,
  from = '/api/events?itemsPerPage=100',
  headers: object = {},
): Promise<Event[]> {
  const events: Event[] = []
  for (let link: string | undefined = from; link; ) {
    const { body } = await shop.get(link, { status: 200, ...headers })
    events.push(...body.member)
    link = body.view.next
  }
  return events
}

const shirt = {
  title: 'Shirt',
  options: [
    { title: 'Size', values: [{ title: 'S' }, { title: 'M' }, { title: 'L' }] },
    { title: 'Colour', values: [{ title: 'Red' }, { title: 'Blue' }] },
  ],
  variants: [
    {
      sku: 'S-RED',
      optionValues: [
        { option: 'Size', value: 'S' },
        { option: 'Colour', value: 'Red' },
      ],
    },
    {
      sku: 'M-RED',
      optionValues: [
        { option: 'Size', value: 'M' },
        { option: 'Colour', value: 'Red' },
      ],
    },
  ],
}

async function age(shop: Shop, days: number, upTo = Number.MAX_SAFE_INTEGER): Promise<void> {
  await owner.query(
    `update events set occurred_at = occurred_at - make_interval(days => $2) where tenant_id = $1 and sequence <= $3`,
    [shop.tenant.id, days, upTo],
  )
}

describe('the feed', () => {
  test('returns the actor, time, changes and document of an event', async () => {
    const shop = await openShop()
    const created = await shop.post('/api/categories', {
      body: { title: 'Shoes' },
      status: 201,
      version: '2026-04',
    })
    const { body, headers } = await shop.get('/api/events', { status: 200 })
    expect(body).toMatchObject({ '@type': 'Collection', totalItems: 1 })
    expect(headers.get('Service-Sequence')).toBe('1')
    const { '@context': _, childrens, ...category } = created.body
    expect(body.member).toEqual([
      {
        '@id': expect.stringMatching(/^\/api\/events\/[0-9a-f-]{36}$/),
        '@type': 'Event',
        id: expect.any(String),
        sequence: 1,
        topic: 'category/created',
        resource: created.body['@id'],
        resourceVersion: 1,
        occurredAt: created.body.createdAt,
        effectiveAt: null,
        actor: { subject: 'shop-client', client: 'shop-client' },
        apiVersion: '2026-04',
        requestId: created.headers.get('X-Request-Id'),
        locale: 'en-US',
        changes: expect.arrayContaining([{ path: 'title', before: null, after: 'Shoes' }]),
        document: { ...category, children: childrens },
      },
    ])
  })

  test('numbers the changes of eight concurrent writers without a gap, and paging returns all of them', async () => {
    const shop = await openShop()
    const writers = Array.from({ length: 8 }, (_, writer) =>
      (async () => {
        for (let n = 0; n < 5; n += 1) {
          const created = await shop.create('/api/products', { title: `P ${writer} ${n}` })
          await shop.update(created['@id'], { vendor: 'v' })
        }
      })(),
    )
    const followed: Event[] = []
    let writing = true
    const reader = (async () => {
      let after = 0
      for (let last = false; !last; ) {
        last = !writing
        const page = await follow(shop, `/api/events?itemsPerPage=7&after=${after}`)
        followed.push(...page)
        after = followed.at(-1)?.sequence ?? 0
      }
    })()
    await Promise.all(writers)
    writing = false
    await reader
    expect(followed.map((event) => event.sequence)).toEqual(
      Array.from({ length: 80 }, (_, index) => index + 1),
    )
    const secondRun = await follow(shop, '/api/events?itemsPerPage=9')
    expect(secondRun.map((event) => event.id)).toEqual(followed.map((event) => event.id))
  })

  test('begins after a sequence, is empty after the last one, 409 beyond it, and accepts only whole numbers', async () => {
    const shop = await openShop()
    for (const title of ['A', 'B', 'C']) await shop.create('/api/categories', { title })
    const body = await shop.read('/api/events?after=1')
    expect(body.member.map((event: Event) => event.sequence)).toEqual([2, 3])
    expect(body.totalItems).toBe(2)
    expect(body.view).not.toHaveProperty('next')
    expect(await shop.read('/api/events?after=3')).toMatchObject({ member: [], totalItems: 0 })
    const beyond = await shop.get('/api/events?after=4&topic=category/*', { status: 409, locale: 'fr-FR' })
    expect(beyond.body).toMatchObject({ slug: 'event.beyond_head', sequence: 3 })
    expect(beyond.body.message).toMatch(
      /^La modification 4 n’existe pas dans ce catalogue : la dernière est 3\./,
    )
    const empty = await shop.read('/api/events?itemsPerPage=0')
    expect(empty).toMatchObject({ member: [], totalItems: 3 })
    expect(empty).not.toHaveProperty('view')
    const refuses = async (after: string, slug: string) => {
      const { body } = await shop.get(`/api/events?after=${after}`, { status: 422 })
      expect(body.violations).toMatchObject([{ propertyPath: 'after', slug }])
    }
    for (const after of ['1.5', 'x', '', '1e3', '%201']) await refuses(after, 'validation.not_integer')
    await refuses('-1', 'validation.too_small')
    await refuses('9999999999999999', 'validation.too_big')
  })

  test('filters by topic, by all topics of a subject and by resource', async () => {
    const shop = await openShop()
    const category = await shop.create('/api/categories', { title: 'A' })
    const product = await shop.create('/api/products', shirt)
    await shop.update(product['@id'], { vendor: 'v' })
    const topicsOf = async (query: string) =>
      (await follow(shop, `/api/events?itemsPerPage=2&${query}`)).map((event) => event.topic)
    expect(await topicsOf('topic=product/updated')).toEqual(['product/updated'])
    expect(await topicsOf('topic=product/*')).toEqual(['product/created', 'product/updated'])
    expect(await topicsOf('topic=variant%2Fcreated')).toEqual(['variant/created', 'variant/created'])
    expect(await topicsOf(`resource=${product['@id']}`)).toEqual(['product/created', 'product/updated'])
    expect(await topicsOf(`resource=${product.variants[0]['@id']}`)).toEqual(['variant/created'])
    expect(await topicsOf(`resource=${category['@id']}&topic=product/*`)).toEqual([])
    expect((await shop.read('/api/events?topic=product/*')).totalItems).toBe(2)
    expect(await topicsOf('topic=*')).toHaveLength(12)
    await shop.get('/api/events?topic=nonsense', { status: 422 })
    await shop.get('/api/events?topic=product', { status: 422 })
    await shop.get('/api/events?resource=nonsense', { status: 422 })
  })

  test('contains no events of another tenant', async () => {
    const [shop, other] = await Promise.all([openShop(), openShop()])
    await shop.create('/api/categories', { title: 'A' })
    const [event] = await follow(shop)
    expect(await follow(other)).toEqual([])
    await other.get(event!['@id'], { status: 404 })
  })

  test('requires events:read', async () => {
    const shop = await openShop()
    const token = await shop.token({ scope: 'products:read audit_trail:read' })
    const { body } = await shop.get('/api/events', { token, status: 403 })
    expect(body.slug).toBe('auth.insufficient_scope')
    await shop.get('/api/events/01900000-0000-7000-8000-000000000000', { status: 404 })
  })
})

describe('documents', () => {
  test('of a product equal the document after each write', async () => {
    const shop = await openShop()
    const product = await shop.create('/api/products', shirt)
    const at = product['@id'] as string
    const documents = new Map<number, unknown>()
    const keep = async () => {
      const { '@context': _, ...document } = await shop.read(at)
      documents.set(document.version, document)
      return document
    }
    await keep()
    const [size, colour] = product.options
    const value = async (option: { '@id': string }, title: string, position: number) => {
      const body = await shop.create('/api/option_values', { option: option['@id'], title, position })
      await keep()
      return body['@id'] as string
    }
    const variant = async (sku: string, values: string[], position?: number) => {
      const body = { sku, optionValues: values, ...(position === undefined ? {} : { position }) }
      const created = await shop.create(`${at}/variants`, body)
      await keep()
      return created['@id'] as string
    }
    const change = async (path: string, body: object) => {
      await shop.update(path, body)
      await keep()
    }
    const remove = async (path: string) => {
      await shop.delete(path, { status: 204 })
      await keep()
    }
    const category = await shop.create('/api/categories', { title: 'Tops' })
    const [s, m, l] = size.values.map((event: { '@id': string }) => event['@id'])
    const [red, blue] = colour.values.map((optionValue: { '@id': string }) => optionValue['@id'])
    const xl = await value(size, 'XL', 0)
    const xs = await value(size, 'XS', 1)
    await change(xl, { position: -1 })
    const green = await value(colour, 'Green', 1)
    await change(green, { title: 'Lime' })
    const first = await variant('XL-RED', [xl, red], 0)
    await variant('L-RED', [l, red], 1)
    const sBlue = await variant('S-BLUE', [s, blue])
    await change(first, { position: 3 })
    await change(sBlue, { weight: { value: 2, unit: 'kg' }, position: 0 })
    await remove(product.variants[0]['@id'])
    await shop.create(`${at}/variants`, [
      { sku: 'b1', optionValues: [m, blue], position: 0 },
      { sku: 'b2', optionValues: [m, green], position: 0 },
      { sku: 'b3', optionValues: [l, green] },
    ])
    await keep()
    await change(product.variants[0]['@id'], { status: 'ACTIVE', position: 1 })
    await remove(xs)
    await change(colour['@id'], { position: 0 })
    await change(at, { title: 'Better shirt', categories: [category['@id']] })
    const extra = await shop.create(`${at}/product_options`, { title: 'Fit', position: 0 })
    await keep()
    await value(extra, 'Slim', 0)
    await remove(extra['@id'])
    await shop.update(at, { title: 'Chemise' }, { locale: 'fr-FR' })
    await keep()
    await remove(at)

    const events = await follow(shop, '/api/events?topic=product/*&itemsPerPage=4')
    expect(events.map((optionValue) => optionValue.resourceVersion)).toEqual([...documents.keys()])
    for (const event of events)
      expect(event.document, `version ${event.resourceVersion}`).toEqual(documents.get(event.resourceVersion))
    for (const event of [events[0]!, events[9]!, events.at(-1)!]) {
      const alone = await shop.read(event['@id'])
      expect(alone.document).toEqual(event.document)
    }
    expect(events.at(-1)).toMatchObject({ topic: 'product/deleted', document: { status: 'ARCHIVED' } })
  })

  test('of an option, value, variant, category or offer equal the response of the write', async () => {
    const shop = await openShop()
    const answers: { sequence: number; body: Record<string, unknown> }[] = []
    const wrote = async (reply: Promise<{ body: Record<string, unknown> }>) => {
      const { '@context': _, ...body } = (await reply).body
      answers.push({ body, sequence: 0 })
      return body as Record<string, unknown> & { '@id': string }
    }
    const category = await wrote(shop.post('/api/categories', { body: { title: 'Tops' }, status: 201 }))
    await wrote(
      shop.post('/api/categories', { body: { title: 'Shirts', parent: category['@id'] }, status: 201 }),
    )
    const product = await shop.create('/api/products', { ...shirt, categories: [category['@id']] })
    const option = await wrote(
      shop.post(`${product['@id']}/product_options`, { body: { title: 'Fit' }, status: 201 }),
    )
    const value = await wrote(
      shop.post('/api/option_values', { body: { option: option['@id'], title: 'Slim' }, status: 201 }),
    )
    await wrote(shop.patch(option['@id'], { body: { title: 'Cut' }, status: 200 }))
    const variant = await wrote(
      shop.post(`${product['@id']}/variants`, {
        body: {
          sku: 'x',
          optionValues: [{ option: 'Size', value: 'S' }, { option: 'Colour', value: 'Blue' }, value['@id']],
        },
        status: 201,
      }),
    )
    await wrote(shop.patch(variant['@id'], { body: { sku: 'y' }, status: 200 }))
    const offer = await wrote(
      shop.post('/api/sale_offers', {
        body: { variant: variant['@id'], amount: '9.90', currency: 'EUR' },
        status: 201,
      }),
    )
    await wrote(shop.patch(offer['@id'], { body: { priority: 3 }, status: 200 }))
    await wrote(shop.patch(category['@id'], { body: { title: 'Uppers' }, status: 200 }))
    // Later changes do not appear in earlier documents.
    await shop.delete(offer['@id'], { status: 204 })
    await shop.delete(variant['@id'], { status: 204 })
    await shop.delete(option['@id'], { status: 204 })
    await shop.delete(product['@id'], { status: 204 })

    const events = await follow(shop)
    for (const { body } of answers) {
      const event = events.find(
        (event) => event.resource === body['@id'] && event.resourceVersion === body.version,
      )
      expect(event?.document, JSON.stringify(body)).toEqual(body)
    }
    const deleted = events.find((event) => event.topic === 'product_option/deleted')!
    expect(deleted.document).toMatchObject({ title: 'Cut', values: [{ title: 'Slim' }] })
    expect(events.find((event) => event.topic === 'variant/deleted')!.document).toMatchObject({
      title: 'S / Blue / Slim',
      status: 'ARCHIVED',
    })
  })

  test('use the locale and the property names of the requested version', async () => {
    const shop = await openShop()
    const child = await shop.create('/api/categories', { title: 'Child' })
    const category = await shop.create('/api/categories', { title: 'Shoes', children: [child['@id']] })
    await shop.update(category['@id'], { title: 'Chaussures' }, { locale: 'fr-FR' })
    await shop.create('/api/products', { ...shirt, categories: [category['@id']] })
    const french = await follow(shop, '/api/events', { locale: 'fr-FR' })
    expect(french.find((event) => event.topic === 'product/created')!.document).toMatchObject({
      title: 'Shirt',
      fallbacks: { title: 'en-US' },
      categories: [{ title: 'Chaussures', children: [child['@id']] }],
    })
    const old = await follow(shop, '/api/events', { version: '2026-04' })
    expect(JSON.stringify(old)).not.toContain('"children"')
    expect(old.find((event) => event.topic === 'product/created')!.document.categories[0].childrens).toEqual([
      child['@id'],
    ])
    const created = old.find((event) => event.resource === category['@id'])!
    expect(created.document.childrens).toEqual([child['@id']])
    const selected = await shop.get('/api/events?properties[document][]=childrens&topic=category/*', {
      version: '2026-04',
    })
    expect(Object.keys(selected.body.member[1].document)).toEqual(['@id', '@type', 'childrens'])
  })

  test('omit children and their changes without categories:read', async () => {
    const shop = await openShop()
    const child = await shop.create('/api/categories', { title: 'Child' })
    const category = await shop.create('/api/categories', { title: 'Shoes' })
    await shop.update(category['@id'], { children: [child['@id']] })
    const token = await shop.token({ scope: 'events:read' })
    const blind = await follow(shop, '/api/events?topic=category/updated', { token })
    const seeing = await follow(shop, '/api/events?topic=category/updated')
    expect(seeing.flatMap((event) => event.changes.map(({ path }) => path))).toContain('children')
    expect(blind).toHaveLength(seeing.length)
    expect(JSON.stringify(blind)).not.toContain('"children"')
    const old = await follow(shop, '/api/events?topic=category/updated', { version: '2026-01' })
    expect(old.flatMap((event) => event.changes.map(({ path }) => path))).toContain('childrens')
    expect(JSON.stringify(old)).not.toContain('"children"')
  })

  test('embed fifty variants in the feed, and the variants of an item in one event', async () => {
    const shop = await openShop()
    const values = Array.from({ length: 120 }, (_, n) => ({ title: `v${n}` }))
    const variants = values.map(({ title }) => ({
      sku: title,
      optionValues: [{ option: 'N', value: title }],
    }))
    const body = await shop.create('/api/products', {
      title: 'Many',
      options: [{ title: 'N', values }],
      variants,
    })
    // Moves the variant at position 80 to the front, so that it is among the first.
    await shop.update(body.variants[80]['@id'], { position: 2 })
    for (const index of [0, 1, 3]) await shop.delete(body.variants[index]['@id'], { status: 204 })
    const skus = (document: { variants: { sku: string }[] }) => document.variants.map(({ sku }) => sku)
    const events = await follow(shop, '/api/events?topic=product/*')
    const last = events.at(-1)!
    const now = await shop.read(body['@id'])
    expect(skus(last.document)).toEqual(skus(now).slice(0, 50))
    expect(last.document.variantsTotal).toBe(117)
    expect(skus(events[0]!.document)).toEqual(values.slice(0, 50).map(({ title }) => title))
    const alone = await shop.read(last['@id'])
    expect(skus(alone.document)).toEqual(skus(now))
    const before = await shop.read(events[1]!['@id'])
    expect(skus(before.document).slice(0, 4)).toEqual(['v0', 'v1', 'v80', 'v2'])
    expect(skus(before.document)).toHaveLength(120)
  })

  test('expire after ninety days: the feed returns 410, and an event still has its changes', async () => {
    const shop = await openShop()
    for (const title of ['A', 'B', 'C']) await shop.create('/api/categories', { title })
    const events = await follow(shop)
    await age(shop, 91, 2)
    for (const after of [
      '',
      '?after=0',
      '?after=1',
      '?topic=category/*',
      `?resource=${events[1]!.resource}`,
    ]) {
      const { body } = await shop.get(`/api/events${after}`, { status: 410 })
      expect(body.slug).toBe('event.expired')
    }
    expect((await follow(shop, '/api/events?after=2')).map((event) => event.sequence)).toEqual([3])
    expect(await follow(shop, `/api/events?resource=${events[2]!.resource}`)).toHaveLength(1)
    const body = await shop.read(events[0]!['@id'])
    expect(body.document).toBeNull()
    expect(body.changes).toEqual(events[0]!.changes)
  })

  test('of children remain while a recent event of their product embeds them', async () => {
    const shop = await openShop()
    const product = await shop.create('/api/products', shirt)
    const [first, second] = product.variants
    await shop.update(first['@id'], { sku: 'NEWER' })
    const upTo = (await follow(shop)).length
    await age(shop, 91, upTo)
    await shop.update(second['@id'], { sku: 'NEWEST' })
    const young = await follow(shop, `/api/events?after=${upTo}`)
    const session = openDatabase({ url: inject('appUrl'), fetchEndpoint: inject('bridgeEndpoint') }).open(
      shop.tenant.id,
    )
    const clear = () => session.write({ documents: clearOldDocuments(agesAt(new Date()).documents, 1000) })
    const cleared = async () => {
      const { rows } = await owner.query<{ topic: string }>(
        'select topic from events where tenant_id = $1 and document is null order by sequence',
        [shop.tenant.id],
      )
      return rows.map(({ topic }) => topic)
    }
    expect(await clear()).toEqual({ documents: [{ rowCount: upTo }] })
    expect(await cleared()).toEqual(['product/created', 'variant/created', 'product/updated'])
    expect(await clear()).toEqual({ documents: [{ rowCount: 0 }] })
    expect(await follow(shop, `/api/events?after=${upTo}`)).toEqual(young)
    expect(young.at(-1)!.document.variants.map(({ sku }: { sku: string }) => sku)).toEqual([
      'NEWER',
      'NEWEST',
    ])
  })

  test('take one round trip per read', async () => {
    const shop = await openShop()
    const product = await shop.create('/api/products', shirt)
    const [event] = await follow(shop)
    for (const path of ['/api/events', event!['@id'], `${product['@id']}/audit_trail`]) {
      const { headers } = await shop.get(path, { status: 200 })
      expect(headers.get('Server-Timing')).toMatch(/db;dur=[\d.]+;desc="1"/)
    }
  })

  test('exist for every kind that the database records', async () => {
    const { rows } = await owner.query('select kind from resource_kinds')
    // Changes of subscriptions have no topic, so they create no event. A rebuild is guarded but is not a resource.
    const untold = ['webhook_subscriptions', 'collection_rebuilds']
    expect(
      rows.map(({ kind }) => kind).filter((kind) => !(kind in eventKinds || untold.includes(kind))),
    ).toEqual([])
  })
})

describe('the audit trail', () => {
  test('lists every write on a product and its parts, newest first, before and after its deletion', async () => {
    const shop = await openShop()
    const person = await shop.token({
      sub: 'ada',
      permissions: ['identity:*'],
      scope: 'products:write products:read',
    })
    const product = await shop.create('/api/products', shirt)
    const other = await shop.create('/api/products', { title: 'Other' })
    const at = product['@id'] as string
    await shop.update(at, { title: 'Better', seo: { title: 'Seo' } }, { token: person, version: '2026-01' })
    await shop.update(product.variants[0]['@id'], { sku: 'NEW', position: 1 })
    await shop.update(product.options[0].values[0]['@id'], { title: 'Small' })
    await shop.delete(at, { status: 204 })
    const { body, headers } = await shop.get(`${at}/audit_trail?itemsPerPage=100`, { status: 200 })
    const trail = body.member as (Event & { actor: object; apiVersion: string })[]
    expect(headers.get('Service-Sequence')).toBe('17')
    expect(body.totalItems).toBe(trail.length)
    expect(trail.map((event) => event.sequence)).toEqual(
      [...trail.map((event) => event.sequence)].sort((a, b) => b - a),
    )
    expect(trail[0]).toMatchObject({
      '@type': 'Event',
      topic: 'product/deleted',
      changes: expect.arrayContaining([{ path: 'status', before: 'DRAFT', after: 'ARCHIVED' }]),
    })
    expect(trail[0]).not.toHaveProperty('document')
    const change = (resource: string, topic: string) =>
      trail.find((event) => event.resource === resource && event.topic === topic)!
    expect(change(product.variants[0]['@id'], 'variant/updated').changes).toEqual([
      { path: 'sku', before: 'S-RED', after: 'NEW' },
      { path: 'position', before: 0, after: 1 },
    ])
    expect(change(product.options[0].values[0]['@id'], 'option_value/updated').changes).toEqual([
      { path: 'title', before: 'S', after: 'Small' },
    ])
    const byPerson = trail.filter((event) => (event.actor as { subject: string }).subject === 'ada')
    expect(byPerson).toHaveLength(1)
    expect(byPerson[0]).toMatchObject({
      actor: { subject: 'ada', client: 'shop-client' },
      apiVersion: '2026-01',
    })
    expect(byPerson[0]!.changes).toEqual([
      { path: 'title', before: 'Shirt', after: 'Better' },
      { path: 'seo', before: null, after: { title: 'Seo' } },
    ])
    expect(change(product.variants[0]['@id'], 'variant/created').changes).toEqual(
      expect.arrayContaining([
        { path: 'sku', before: null, after: 'S-RED' },
        { path: 'position', before: null, after: 0 },
      ]),
    )
    expect(trail.filter((event) => event.resource === other['@id'])).toEqual([])
    expect(trail.filter((event) => event.topic.endsWith('/created'))).toHaveLength(10)
  })

  test('returns each write exactly once over its pages', async () => {
    const shop = await openShop()
    const at = (await shop.create('/api/products', shirt))['@id'] as string
    for (let n = 0; n < 5; n += 1) await shop.update(at, { vendor: `v${n}` })
    const pages = await follow(shop, `${at}/audit_trail?itemsPerPage=4`)
    expect(pages.map((event) => event.sequence)).toEqual(Array.from({ length: 15 }, (_, index) => 15 - index))
    await shop.get(`${at}/audit_trail?before=x`, { status: 422 })
  })

  test('contains changes whose documents are deleted', async () => {
    const shop = await openShop()
    const at = (await shop.create('/api/products', { title: 'A' }))['@id'] as string
    await age(shop, 400)
    await owner.query('update events set document = null where tenant_id = $1', [shop.tenant.id])
    const body = await shop.read(`${at}/audit_trail`)
    expect(body.member[0].changes).toContainEqual({ path: 'title', before: null, after: 'A' })
  })

  test('returns 404 for an unknown product, and 403 without the scope', async () => {
    const shop = await openShop()
    const at = (await shop.create('/api/products', { title: 'A' }))['@id'] as string
    await (await openShop()).get(`${at}/audit_trail`, { status: 404 })
    const unknown = await shop.get('/api/products/01900000-0000-7000-8000-000000000000/audit_trail', {
      status: 404,
    })
    expect(unknown.body.slug).toBe('product.not_found')
    await shop.get('/api/products/nonsense/audit_trail', { status: 404 })
    const token = await shop.token({ scope: 'events:read products:read' })
    await shop.get(`${at}/audit_trail`, { token, status: 403 })
  })
})

describe('webhook topics', () => {
  test('return a list and each item to any valid token', async () => {
    const shop = await openShop()
    const token = await shop.token({ scope: '' })
    const body = await shop.read('/api/webhook_topics', { token })
    expect(body.totalItems).toBe(topics.length)
    expect(body.member.map((event: { topic: string }) => event.topic)).toEqual(topics.map(({ name }) => name))
    expect(body.member[0]).toMatchObject({
      '@id': '/api/webhook_topics/product.created',
      '@type': 'WebhookTopic',
    })
    const one = await shop.read(body.member[4]['@id'], { token })
    expect(one).toMatchObject(body.member[4])
    await shop.get('/api/webhook_topics/nonsense', { token, status: 404 })
    await shop.get('/api/webhook_topics', { token: null, status: 401 })
  })
})

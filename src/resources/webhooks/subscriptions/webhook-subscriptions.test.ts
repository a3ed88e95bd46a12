import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { line } from '../../../../test/faults/database-line.ts'
import { owner } from '../../../../test/support/ledger.ts'
import { startResolver } from '../../../../test/support/resolver.ts'
import { openShop, type Reply, type Shop } from '../../../../test/support/shop.ts'
import { webhookProblems } from '../problems.ts'

const path = '/api/webhook_subscriptions'
const url = 'http://127.0.0.1:9/webhooks'
const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/
const secretForm = /^whsec_[A-Za-z0-9+/]{43}=$/

let shop: Shop
beforeEach(async () => {
  shop = await openShop()
})

const subscribe = (body: object = {}, of = shop) =>
  of.post(path, { body: { topic: 'product/*', callbackUrl: url, ...body }, status: 201 })
const getSubscription = (iri: string) => shop.get(iri, { version: 'unstable', status: 200 })
const violationsOf = ({ body }: Reply) =>
  (body.violations as { propertyPath: string; slug: string }[]).map(
    ({ propertyPath, slug }) => `${propertyPath} ${slug}`,
  )

/** Every row of the tenant in every table, as text. */
function everyRow(): Promise<string> {
  return owner(async (client) => {
    const { rows: tables } = await client.query<{ name: string }>(
      `select c.oid::regclass::text as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id'
        where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'`,
    )
    const texts: string[] = []
    for (const { name } of tables) {
      const { rows } = await client.query(`select t::text from ${name} t where tenant_id = $1`, [
        shop.tenant.id,
      ])
      texts.push(...rows.map(({ t }) => String(t)))
    }
    return texts.join('\n')
  })
}

describe('a subscription', () => {
  test('clears its record of failures when it is enabled again or moved', async () => {
    const { body } = await subscribe()
    const fail = (status: string, reason: string | null) =>
      owner((client) =>
        client.query(
          `update webhook_subscriptions set status = $2, disabled_reason = $3, failing_since = now() where id = $1`,
          [body.id, status, reason],
        ),
      )
    await fail('DISABLED', 'gone')
    const disabled = (await getSubscription(body['@id'])).body
    expect(disabled).toMatchObject({
      status: 'DISABLED',
      disabledReason: 'gone',
      failingSince: expect.stringMatching(instant),
    })
    const patched = await shop.update(body['@id'], { topic: '*' })
    expect(patched).toMatchObject({ status: 'DISABLED', failingSince: disabled.failingSince })
    const clean = { status: 'ACTIVE', disabledReason: null, failingSince: null }
    const enabled = await shop.update(body['@id'], { status: 'ACTIVE' })
    expect(enabled).toMatchObject(clean)
    await fail('ACTIVE', null)
    const moved = await shop.update(body['@id'], { callbackUrl: `${url}/2` })
    expect(moved).toMatchObject(clean)
  })

  test('may have no topic and address, and rejects previews, tests and replays until it has both', async () => {
    const body = await shop.create(path, {})
    expect(body).toMatchObject({
      topic: null,
      callbackUrl: null,
      status: 'ACTIVE',
      secret: expect.any(String),
    })
    const iri = body['@id']
    const product = await shop.create('/api/products', { title: 'Shirt' })
    const preview = { body: { resource: product['@id'] } }
    const replay = { body: { afterSequence: 0 } }
    const attempts = async () => [
      await shop.post(`${iri}/preview`, preview),
      await shop.post(`${iri}/test`),
      await shop.post(`${iri}/replay`, replay),
    ]
    const refused = async () => {
      for (const attempt of await attempts())
        expect([attempt.status, attempt.body.slug]).toEqual([409, 'webhook.incomplete'])
    }
    await refused()
    await shop.update(iri, { topic: 'product/*', status: 'PAUSED' })
    await refused()
    const early = await shop.patch(iri, { body: { status: 'ACTIVE' }, status: 409 })
    expect(early.body.slug).toBe('webhook.incomplete')
    await shop.update(iri, { callbackUrl: url, status: 'ACTIVE' })
    expect((await attempts()).map(({ status }) => status)).toEqual([200, 200, 202])
    const cleared = await shop.update(iri, { topic: null, callbackUrl: null })
    expect(cleared).toMatchObject({ topic: null, callbackUrl: null, status: 'ACTIVE' })
    await refused()
    expect((await shop.read(path)).member).toMatchObject([{ topic: null }])
  })
})

test('a created subscription has a Location only in the version that reads it', async () => {
  const { headers } = await shop.post(path, { body: {}, status: 201 })
  expect(headers.get('Location')).toBeNull()
  const unstable = await shop.post(path, { body: {}, version: 'unstable', status: 201 })
  expect(unstable.headers.get('Location')).toBe(unstable.body['@id'])
  await getSubscription(unstable.body['@id'])
})

describe('the secret', () => {
  test('changes by rotate_secret, which shows the new one, and appears in no other response', async () => {
    const { body: subscription } = await subscribe()
    const rotated = await shop.post(`${subscription['@id']}/rotate_secret`, { status: 200 })
    expect(rotated.body.secret).toMatch(secretForm)
    expect(rotated.body.secret).not.toBe(subscription.secret)
    const overlap = Date.parse(rotated.body.previousSigningUntil) - Date.parse(rotated.body.updatedAt)
    expect(Math.abs(overlap - 24 * 3600 * 1000)).toBeLessThan(10_000)
    const patched = await shop.patch(subscription['@id'], { body: { topic: '*' }, status: 200 })
    expect(patched.body.previousSigningUntil).toBe(rotated.body.previousSigningUntil)
    const texts = [
      patched,
      await getSubscription(subscription['@id']),
      await shop.get(path),
      await shop.get('/api/events'),
    ]
    for (const { text } of texts) expect(text).not.toContain('whsec_')
  })

  test('appears again in the response of a retry with the same key, and in no row of the database', async () => {
    const request = { body: { topic: '*', callbackUrl: url }, headers: { 'Idempotency-Key': 'once' } }
    const subscription = await shop.post(path, { ...request, status: 201 })
    const again = await shop.post(path, { ...request, status: 201 })
    expect(again.headers.get('Idempotency-Replayed')).toBe('true')
    expect(again.body).toEqual(subscription.body)
    const key = { headers: { 'Idempotency-Key': 'rotation' }, status: 200 }
    const rotated = await shop.post(`${subscription.body['@id']}/rotate_secret`, key)
    expect((await shop.post(`${subscription.body['@id']}/rotate_secret`, key)).body).toEqual(rotated.body)
    expect((await shop.get(path)).body.totalItems).toBe(1)
    const rows = await everyRow()
    expect(rows).toContain(subscription.body.id)
    expect(rows).not.toContain('whsec_')
    for (const { secret } of [subscription.body, rotated.body])
      expect(rows).not.toContain(secret.slice(6, 30))
  })
})

describe('the scopes of a subscription', () => {
  const aim = { topic: 'product/*', callbackUrl: url, version: null, includeFields: null }
  const all = 'webhook_subscriptions:write products:read categories:read metaobjects:write'
  const [wide, narrow] = [all, 'webhook_subscriptions:write products:read metaobjects:write']
  const grantsOf = (id: string) =>
    owner(
      async (client) =>
        (await client.query('select scopes from webhook_subscriptions where id = $1', [id])).rows[0].scopes,
    )
  const createWith = async (scope: string, body: object = {}) => {
    const token = await shop.token({ scope })
    return await shop.create(path, { ...aim, ...body }, { token })
  }
  const patch = async (iri: string, scope: string, body: object) =>
    shop.patch(iri, { body, token: await shop.token({ scope }), status: 200 })
  const sorted = (scope: string) => scope.split(' ').sort()

  test('are those of the creator: for a user, the scopes that the permissions allow', async () => {
    expect((await grantsOf((await createWith(narrow)).id)).sort()).toEqual(sorted(narrow))
    const permissions = ['identity:webhook_subscriptions:*', 'identity:products:*']
    const token = await shop.token({ sub: 'ada', permissions })
    const body = await shop.create(path, aim, { token })
    expect((await grantsOf(body.id)).sort()).toEqual(
      ['products:read', 'products:write', 'webhook_subscriptions:read', 'webhook_subscriptions:write'].sort(),
    )
  })

  test.each([
    ['an address', { callbackUrl: `${url}/2` }],
    ['a topic', { topic: 'product/created' }],
    ['a version', { version: '2026-10' }],
    ['paths', { includeFields: ['title'] }],
    ['an address that is cleared', { callbackUrl: null }],
    ['three of the four', { topic: 'product/*', callbackUrl: `${url}/2`, version: '2026-10' }],
  ])('are those of both callers when the second sets %s', async (_, body) => {
    const narrowed = await createWith(wide)
    await patch(narrowed['@id'], narrow, body)
    expect((await grantsOf(narrowed.id)).sort()).toEqual(sorted(narrow))
    const unchanged = await createWith(narrow)
    await patch(unchanged['@id'], wide, body)
    expect((await grantsOf(unchanged.id)).sort()).toEqual(sorted(narrow))
  })

  test("are the caller's when it sets all four together", async () => {
    const widened = await createWith(narrow)
    await patch(widened['@id'], wide, { ...aim, callbackUrl: `${url}/2` })
    expect((await grantsOf(widened.id)).sort()).toEqual(sorted(wide))
    await patch(widened['@id'], narrow, { ...aim, callbackUrl: `${url}/3` })
    expect((await grantsOf(widened.id)).sort()).toEqual(sorted(narrow))
  })

  test('stay the same when a caller sets none of the four, or sends back the complete subscription', async () => {
    const { secret: _, ...subscription } = await createWith(narrow)
    for (const [scope, body] of [
      [wide, { status: 'PAUSED' }],
      [wide, { status: 'ACTIVE' }],
      [wide, { locale: 'fr-FR' }],
      [wide, { ...subscription, status: 'PAUSED' }],
      ['webhook_subscriptions:write', { locale: null }],
    ] as const) {
      await patch(subscription['@id'], scope, body)
      expect((await grantsOf(subscription.id)).sort(), JSON.stringify(body)).toEqual(sorted(narrow))
    }
    const { body } = await shop.patch(subscription['@id'], {
      body: { status: 'ACTIVE' },
      token: await shop.token({ scope: 'webhook_subscriptions:write' }),
      status: 403,
    })
    expect(body.slug).toBe('auth.insufficient_scope')
  })
})

describe('an invalid subscription', () => {
  test('with hostile includeFields returns 422 with one violation each', async () => {
    const refused = async (includeFields: unknown) =>
      violationsOf(
        await shop.post(path, { body: { topic: 'product/*', callbackUrl: url, includeFields }, status: 422 }),
      )
    expect(await refused(Array.from({ length: 10_000 }, () => 'title'))).toEqual([
      'includeFields validation.too_many_items',
    ])
    const wrong = ['', '.', 'a..b', '.title', 'title.', 'tit le', 'a*', '**']
    expect(await refused(wrong)).toEqual(
      wrong.map((_, index) => `includeFields[${index}] webhook.include_fields`),
    )
    expect(await refused([Array.from({ length: 1000 }, () => 'children').join('.')])).toEqual([
      'includeFields[0] webhook.include_fields',
    ])
    expect(await refused(['*.*.*.*.*.*.*.*.*'])).toEqual(['includeFields[0] webhook.include_fields'])
    const right = [
      '*',
      '*.*',
      'id',
      '@id',
      'variants.sku',
      'variants.*.sku',
      'seo.title',
      'media.*.url',
      'fallbacks.title',
      '*.*.*.*.*.*.*.*',
      'categories.children.children.title',
    ]
    expect((await subscribe({ includeFields: right })).body.includeFields).toEqual(right)
  })

  test('beyond a hundred of a tenant or twenty of a host returns 422, also for concurrent requests', async () => {
    const at = (host: number, n: number) =>
      shop.post(path, { body: { topic: '*', callbackUrl: `http://127.0.0.1:${9000 + host}/${n}` } })
    const all = await Promise.all(Array.from({ length: 24 }, (_, n) => at(0, n)))
    const refused = all.filter(({ status }) => status !== 201)
    expect(all.length - refused.length).toBe(20)
    expect(new Set(refused.map(({ body }) => body.slug))).toEqual(new Set(['webhook.host_limit']))
    expect(refused[0]!.status).toBe(422)
    expect(violationsOf(refused[0]!)).toEqual(['callbackUrl webhook.host_limit'])
    for (const host of [1, 2, 3]) await Promise.all(Array.from({ length: 20 }, (_, n) => at(host, n)))
    await Promise.all(Array.from({ length: 19 }, (_, n) => at(4, n)))
    const { body: last } = await at(4, 19)
    const tooMany = await Promise.all([at(5, 0), at(5, 1)])
    expect(tooMany.map(({ body }) => body.slug)).toEqual(['webhook.limit', 'webhook.limit'])
    const moved = await shop.patch(last['@id'], {
      body: { callbackUrl: 'http://127.0.0.1:9000/x' },
      status: 422,
    })
    expect(moved.body.slug).toBe('webhook.host_limit')
    await shop.delete(last['@id'], { status: 204 })
    expect((await at(5, 2)).status).toBe(201)
    expect((await shop.get(`${path}?itemsPerPage=0`)).body.totalItems).toBe(100)
  })
})

describe('the version of payloads', () => {
  const storedPaths = (id: string) =>
    owner(
      async (client) =>
        (await client.query('select include_fields from webhook_subscriptions where id = $1', [id])).rows[0]
          .include_fields,
    )

  test('renames the paths of includeFields, which are stored in current names', async () => {
    const old = ['categories.childrens.title', '*.childrens', 'categories.*.id']
    const now = ['categories.children.title', '*.children', 'categories.*.id']
    const { body } = await subscribe({ version: '2026-04', includeFields: old })
    expect(body).toMatchObject({ version: '2026-04', includeFields: old })
    expect(await storedPaths(body.id)).toEqual(now)
    const moved = await shop.update(body['@id'], { version: '2026-10' })
    expect(moved).toMatchObject({ version: '2026-10', includeFields: now })
    const dynamic = await shop.update(body['@id'], { version: null }, { version: '2026-01' })
    expect(dynamic.includeFields).toEqual(now)
    expect(await storedPaths(body.id)).toEqual(now)
  })

  test.each([
    ['2026-04', 'categories.children', 'children', 'childrens'],
    ['2026-10', 'categories.childrens', 'childrens', 'children'],
    ['2026-10', '*.childrens', 'childrens', 'children'],
  ])('%s with the path %s returns an error with the right name', async (version, field, wrong, right) => {
    const refused = await shop.post(path, {
      body: { topic: 'product/*', callbackUrl: url, version, includeFields: ['id', field] },
      status: 422,
    })
    expect(refused.body.slug).toBe('version.renamed_property')
    expect(refused.body.violations).toMatchObject([{ propertyPath: 'includeFields[1]' }])
    expect(refused.body.violations[0].message).toContain(`“${wrong}” is called “${right}”`)
  })

  test("is the tenant's default if it is not pinned", async () => {
    shop = await openShop({ defaultApiVersion: '2026-01' })
    const { body } = await subscribe({ topic: 'category/*', includeFields: ['childrens'] })
    expect(body).toMatchObject({ version: null, includeFields: ['childrens'] })
    expect(await storedPaths(body.id)).toEqual(['children'])
  })

  test.each([
    ['titel', '(→ title)'],
    ['seo.titel', '(→ title)'],
    ['media.*.urls', '(→ url)'],
    ['variants.weight.unitt', '(→ unit)'],
    ['handles', '(→ handle)'],
    ['variants.skus', '(→ sku)'],
    ['categories.tilte.x', '(→ title)'],
  ])(
    'rejects the path %s, one edit away from another, with the suggestion %s',
    async (mistyped, suggestion) => {
      const body = { topic: 'product/*', callbackUrl: url, includeFields: ['title', mistyped, 'colour'] }
      const refused = await shop.post(path, { body, status: 422 })
      expect(violationsOf(refused)).toEqual(['includeFields[1] validation.unknown_property'])
      expect(refused.body.violations[0].message).toContain(suggestion)
    },
  )

  test('stores and reports paths that match nothing, and rejects them under strict handling', async () => {
    const wrong = ['titelle', '__proto__', 'constructor.name', 'categories.childs.title']
    // Prices are in responses only.
    const includeFields = ['title', ...wrong, 'variants.resolvedPrice', 'variants.saleOffers']
    const ignoredPaths = [1, 2, 3, 4, 5, 6].map((n) => `includeFields[${n}]`).join(', ')
    const subscription = await subscribe({ includeFields, unknown: 1 })
    expect(subscription.body.includeFields).toEqual(includeFields)
    expect(subscription.headers.get('Service-Ignored-Properties')).toBe(`unknown, ${ignoredPaths}`)
    const strict = { Prefer: 'handling=strict' }
    const body = { topic: 'product/*', callbackUrl: url, includeFields }
    const refused = await shop.post(path, { body, headers: strict, status: 422 })
    expect(violationsOf(refused)).toEqual(
      [1, 2, 3, 4, 5, 6].map((n) => `includeFields[${n}] validation.unknown_property`),
    )
    expect(refused.body.violations[0].message).toContain('(→ title)')
    const moved = await shop.patch(subscription.body['@id'], { body: { topic: 'category/*' }, status: 200 })
    expect(moved.headers.get('Service-Ignored-Properties')).toContain('includeFields[4]')
    const paused = { body: { status: 'PAUSED' }, headers: strict, status: 200 }
    const pausedReply = await shop.patch(subscription.body['@id'], paused)
    expect(pausedReply.headers.get('Service-Ignored-Properties')).toBeNull()
    expect(pausedReply.body.includeFields).toEqual(includeFields)
  })
})

describe('callback addresses', () => {
  let resolver: Awaited<ReturnType<typeof startResolver>>
  beforeAll(async () => {
    resolver = await startResolver({
      'hooks.shop.com': ['93.184.216.34', '2606:2800:220:1::1'],
      'inside.shop.com': ['93.184.216.34', '10.0.0.7'],
      'down.shop.com': null,
    })
  })
  afterAll(() => resolver.close())

  const open = async () => {
    shop = await openShop({ bindings: { CALLBACKS: 'public', DNS_OVER_HTTPS_URL: resolver.url } })
    return (callbackUrl: string) => shop.post(path, { body: { topic: '*', callbackUrl } })
  }

  test('are accepted if DNS returns only public addresses or no response, and rejected otherwise', async () => {
    const at = await open()
    expect((await at('https://hooks.shop.com/x')).status).toBe(201)
    const reasons = async (callbackUrl: string) => (await at(callbackUrl)).body.message
    expect(await reasons('https://inside.shop.com/')).toContain('address that is not public')
    expect(await reasons('https://unknown.shop.com/')).toContain('host name without address')
    expect(await reasons('http://127.0.0.1:9/')).toContain('not https')
    // Every attempt checks the host again.
    expect((await at('https://down.shop.com/')).status).toBe(201)
    expect((await shop.get(path)).body.totalItems).toBe(2)
  })

  test('are checked only as text if loopback is allowed, without a DNS query', async () => {
    const requestCount = resolver.asked()
    shop = await openShop({ bindings: { CALLBACKS: 'loopback', DNS_OVER_HTTPS_URL: resolver.url } })
    await subscribe({ callbackUrl: 'https://unknown.shop.com/' })
    const refused = await shop.post(path, { body: { callbackUrl: 'https://10.0.0.1/' }, status: 422 })
    expect(violationsOf(refused)).toEqual(['callbackUrl webhook.callback_url'])
    expect(refused.body.detail).toContain('http://localhost')
    expect(resolver.asked()).toBe(requestCount)
  })

  test('are checked again only when they change', async () => {
    const at = await open()
    const { body } = await at('https://hooks.shop.com/x')
    const patch = (callbackUrl: string) => shop.patch(body['@id'], { body: { callbackUrl } })
    expect((await patch('https://inside.shop.com/')).body.slug).toBe('webhook.callback_url')
    expect((await patch('https://hooks.shop.com/y')).status).toBe(200)
  })

  test('are rejected if they name a host of any tenant of the service', async () => {
    const [mine, theirs] = [await openShop({ host: `own-${Date.now()}.shop.com` }), shop]
    const at = await open()
    const refused = await at(`https://${mine.host}/api/products`)
    expect(refused.body.message).toContain('host of this service')
    expect((await at(`https://${theirs.host}/`)).body.slug).toBe(webhookProblems.callback_url.slug)
  })
})

describe('a write with a lost database response', () => {
  afterEach(() => {
    Object.assign(line, { away: false, fault: 'none', times: 0 })
  })
  const lose = () => Object.assign(line, { fault: 'response lost', times: 1 })
  const row = async () => (await shop.get(path)).body

  const body = { callbackUrl: 'https://shop.example.com/hook', topic: 'product/*' }

  test('returns 503', async () => {
    lose()
    const lost = await shop.post(path, { body, status: 503 })
    expect(lost.body.slug).toBe('server.storage_unavailable')
    const { member, totalItems } = await row()
    expect(totalItems).toBe(1)
    lose()
    await shop.delete(member[0]['@id'], { status: 503 })
    expect((await row()).totalItems).toBe(0)
  })

  test('with an idempotency key creates one subscription and returns it', async () => {
    lose()
    const created = await shop.create(path, body, { headers: { 'Idempotency-Key': 'once' } })
    expect(await row()).toMatchObject({ totalItems: 1, member: [{ id: created.id }] })
  })
})

import { expect, test } from 'vitest'
import { persistent } from '../../../test/races/racing.ts'
import { openShop, type Shop } from '../../../test/support/shop.ts'
import { openWorld, type World } from '../../../test/support/webhooks.ts'

const list = '/api/campaigns'
const unknown = `${list}/01890000-0000-7000-8000-000000000000`
const day = 86_400_000
const inDays = (days: number) => new Date(Date.now() + days * day).toISOString().replace('Z', '000Z')

async function variantOf(shop: Shop, sku = 'LAMP') {
  const product = await shop.create('/api/products', { title: 'Lamp', status: 'ACTIVE', variants: [{ sku }] })
  return { product: product['@id'], variant: product.variants[0]['@id'] }
}

test('a campaign is created, found, changed and deleted, with an event of each change', async () => {
  const shop = await openShop()
  const body = { name: 'Winter', validFrom: inDays(1), validUntil: inDays(9), externalId: 'w' }
  const reply = await shop.post(list, { body, status: 201 })
  const { '@id': iri } = reply.body
  expect(reply.headers.get('location')).toBe(iri)
  expect(reply.body).toMatchObject({ ...body, '@type': 'Campaign', description: null, offers: 0, version: 1 })
  expect((await shop.read(`${list}?externalId=w`)).member).toEqual([expect.objectContaining({ '@id': iri })])
  expect((await shop.read(`${list}?externalId=x`)).totalItems).toBe(0)
  const changed = await shop.update(iri, { description: 'All lamps.', validFrom: null })
  expect(changed).toMatchObject({ name: 'Winter', description: 'All lamps.', validFrom: null, version: 2 })
  expect(await shop.update(iri, changed)).toEqual(changed)
  await shop.patch(iri, { body: { name: 'A' }, headers: { 'if-match': '"1"' }, status: 412 })
  const reverted = await shop.post(`${iri}/revert`, { body: { to: 1 }, status: 200 })
  expect(reverted.body.restored.toSorted()).toEqual(['description', 'validFrom'])
  await shop.delete(iri, { status: 204 })
  await shop.get(iri, { status: 404 })
  const { member: events } = await shop.read(`/api/events?resource=${iri}`)
  expect(events.map(({ topic }: { topic: string }) => topic)).toEqual(
    ['created', 'updated', 'updated', 'deleted'].map((action) => `campaign/${action}`),
  )
})

test('invalid values and taken external ids are refused', async () => {
  const [shop, other] = [await openShop(), await openShop()]
  const held = await shop.create(list, { name: 'Winter', externalId: 'w' })
  await other.create(list, { name: 'Winter', externalId: 'w' })
  const slugs = async (body: object, status = 422) =>
    (await shop.post(list, { body, status })).body.violations.map(
      ({ propertyPath, slug }: Record<string, string>) => `${propertyPath} ${slug}`,
    )
  expect(await slugs({})).toEqual(['name validation.required'])
  const reversed = { validFrom: inDays(2), validUntil: inDays(1) }
  expect(await slugs({ name: 'A', ...reversed })).toEqual(['validUntil campaign.window_reversed'])
  await shop.update(held['@id'], { validFrom: inDays(2) })
  const late = await shop.patch(held['@id'], { body: { validUntil: inDays(1) }, status: 422 })
  expect(late.body.violations[0].slug).toBe('campaign.window_reversed')
  const taken = await shop.post(list, { body: { name: 'B', externalId: 'w' }, status: 409 })
  expect(taken.body).toMatchObject({ slug: 'campaign.external_id_taken', conflictingResource: held['@id'] })
  await other.get(held['@id'], { status: 404 })
  await other.patch(held['@id'], { body: { name: 'A' }, status: 404 })
  await other.delete(held['@id'], { status: 404 })
  await other.post(`${held['@id']}/end`, { body: {}, status: 404 })
})

test('an offer joins a campaign and leaves it; a campaign with offers is not deleted', async () => {
  const [shop, other] = [await openShop(), await openShop()]
  const { variant } = await variantOf(shop)
  const { '@id': campaign } = await shop.create(list, { name: 'Winter' })
  const { '@id': foreign } = await other.create(list, { name: 'Winter' })
  const body = { variant, currency: 'EUR', amount: '8.00' }
  const offer = await shop.create('/api/sale_offers', { ...body, campaign })
  expect(offer.campaign).toBe(campaign)
  expect((await shop.create('/api/sale_offers', [{ ...body, channel: 'a' }])).member[0].campaign).toBe(null)
  expect((await shop.read(`/api/sale_offers?campaign=${campaign}`)).member).toMatchObject([{ id: offer.id }])
  expect((await shop.read(campaign)).offers).toBe(1)
  expect((await shop.read(list)).member).toMatchObject([{ offers: 1 }])
  for (const missing of [unknown, foreign]) {
    const single = await shop.post('/api/sale_offers', { body: { ...body, campaign: missing }, status: 422 })
    expect(single.body.violations).toMatchObject([
      { propertyPath: 'campaign', slug: 'validation.unknown_reference' },
    ])
    const several = await shop.post('/api/sale_offers', {
      body: [
        { ...body, campaign },
        { ...body, campaign: missing },
      ],
      status: 422,
    })
    expect(several.body.violations).toMatchObject([{ propertyPath: '[1].campaign' }])
    await shop.patch(offer['@id'], { body: { campaign: missing }, status: 422 })
    const previewed = {
      saleOffers: [{ ...body, campaign: missing }],
      contexts: [{ channel: 'a', country: 'FR' }],
    }
    const preview = await shop.post('/api/price_previews', { body: previewed, status: 422 })
    expect(preview.body.violations).toMatchObject([{ propertyPath: 'saleOffers[0].campaign' }])
  }
  const { body: refused } = await shop.delete(campaign, { status: 409 })
  expect(refused.slug).toBe('campaign.in_use')
  const left = await shop.update(offer['@id'], { campaign: null })
  expect(left).toMatchObject({ campaign: null, version: 2 })
  const { member: events } = await shop.read(`/api/events?resource=${offer['@id']}`)
  expect(events.at(-1).changes).toEqual([{ path: 'campaign', before: campaign, after: null }])
  await shop.delete(campaign, { status: 204 })
})

test('an offer that joins a campaign while it is deleted is refused, or keeps it', async () => {
  const shop = await openShop()
  const { variant } = await variantOf(shop)
  for (let round = 0; round < 5; round += 1) {
    const { '@id': campaign } = await shop.create(list, { name: 'Winter' })
    const body = { variant, currency: 'EUR', amount: '8.00', campaign }
    const [removed, ...joined] = await Promise.all([
      persistent(() => shop.delete(campaign)),
      ...Array.from({ length: 4 }, () => persistent(() => shop.post('/api/sale_offers', { body }))),
    ])
    const statuses = joined.map(({ status }) => status)
    const hasOffers = statuses.includes(201)
    expect(removed.status).toBe(hasOffers ? 409 : 204)
    for (const status of statuses) expect(hasOffers ? [201] : [422]).toContain(status)
  }
})

const byScope = async (shop: Shop, scope: string) => ({ token: await shop.token({ scope }) })

test('reading needs sale_offers:read, writing and ending sale_offers:write', async () => {
  const shop = await openShop()
  const { '@id': iri } = await shop.create(list, { name: 'Winter' })
  const [reader, writer] = [await byScope(shop, 'sale_offers:read'), await byScope(shop, 'sale_offers:write')]
  await shop.get(iri, { ...reader, status: 200 })
  await shop.get(list, { ...writer, status: 403 })
  await shop.post(list, { body: { name: 'A' }, ...reader, status: 403 })
  await shop.post(`${iri}/end`, { body: {}, ...reader, status: 403 })
  await shop.patch(iri, { body: { name: 'B' }, ...writer, status: 200 })
  await shop.post(`${iri}/end`, { body: {}, ...writer, status: 202 })
})

async function end({ shop, drain }: World, campaign: string, body: object, query = '') {
  const reply = await shop.post(`${campaign}/end${query}`, { body, status: 202 })
  expect(reply.headers.get('location')).toBe(reply.body['@id'])
  await drain()
  return shop.read(reply.body['@id'])
}

/** Ten offers of a campaign that ends in 9 days, and one each that has ended, is planned, is a draft and is of an archived variant. */
async function fill(world: World) {
  const { shop } = world
  const [{ variant }, shelved] = [await variantOf(shop), await variantOf(shop, 'OLD')]
  const body = { name: 'Winter', validFrom: inDays(-2), validUntil: inDays(9) }
  const { '@id': campaign } = await shop.create(list, body)
  const offer = { variant, currency: 'EUR', amount: '8.00', campaign, validUntil: body.validUntil }
  const { member } = await shop.create('/api/sale_offers', [
    ...Array.from({ length: 10 }, (_, n) => ({ ...offer, minQuantity: n + 1 })),
    { ...offer, minQuantity: 20, validUntil: inDays(-1) },
    { ...offer, minQuantity: 30, validFrom: inDays(5) },
    { ...offer, minQuantity: 40, status: 'DRAFT', validUntil: null },
    { ...offer, variant: shelved.variant },
  ])
  await shop.update(shelved.product, { status: 'ARCHIVED' })
  return { campaign, iris: member.map((one: { '@id': string }) => one['@id']) as string[], body }
}

const outcomes = async ({ shop }: World, iris: readonly string[]) =>
  Promise.all(iris.map(async (iri) => shop.read(iri)))

test('the end of a campaign ends its running offers, archives planned ones, and is undone', async () => {
  const world = await openWorld()
  const { shop } = world
  const { campaign, iris, body } = await fill(world)
  const before = await outcomes(world, iris)
  const preview = await end(world, campaign, {}, '?dryRun=true')
  expect(preview).toMatchObject({ status: 'FINISHED', dryRun: true, lines: 14, succeeded: 14 })
  expect(await outcomes(world, iris)).toEqual(before)

  const moment = Date.now()
  const operation = await end(world, campaign, {})
  expect(operation).toMatchObject({ status: 'FINISHED', lines: 14, succeeded: 14, failed: 0 })
  const after = await outcomes(world, iris)
  const ends = new Set(after.slice(0, 10).map(({ validUntil }) => validUntil))
  expect(ends.size).toBe(1)
  const [ended] = [...ends]
  expect(Math.abs(Date.parse(ended) - moment)).toBeLessThan(5000)
  expect(after.slice(0, 10).map(({ state }) => state)).toEqual(Array(10).fill('EXPIRED'))
  expect(after[10]).toEqual(before[10])
  expect(after[11].status).toBe('ARCHIVED')
  expect(after[12]).toMatchObject({ status: 'DRAFT', validUntil: ended })
  expect(after[13].status).toBe('ARCHIVED')
  expect(await shop.read(campaign)).toMatchObject({
    validUntil: ended,
    validFrom: body.validFrom,
    offers: 12,
  })

  await shop.post(`${operation['@id']}/revert`, { body: {}, status: 202 })
  await world.drain()
  const restored = await outcomes(world, iris)
  // An offer of an archived variant is not restored.
  expect(restored.slice(0, 13).map(({ validUntil, status }) => [validUntil, status])).toEqual(
    before.slice(0, 13).map(({ validUntil, status }) => [validUntil, status]),
  )
  expect(await shop.read(campaign)).toMatchObject({ validUntil: body.validUntil, offers: 13 })
})

test('a later end extends the offers that have not ended; an earlier one shortens them', async () => {
  const world = await openWorld()
  const { shop } = world
  const { campaign, iris } = await fill(world)
  const before = await outcomes(world, iris)
  const later = inDays(20)
  expect(await end(world, campaign, { at: later })).toMatchObject({ lines: 13, succeeded: 13 })
  const extended = await outcomes(world, iris)
  expect(extended.map(({ validUntil }) => validUntil)).toEqual([
    ...Array(10).fill(later),
    before[10].validUntil,
    later,
    later,
    before[13].validUntil,
  ])
  expect((await shop.read(campaign)).validUntil).toBe(later)
  // The same moment again changes the campaign alone, which is equal.
  expect(await end(world, campaign, { at: later })).toMatchObject({ lines: 1, succeeded: 1, unchanged: 1 })
  expect(await end(world, campaign, { at: inDays(3) })).toMatchObject({ succeeded: 14, failed: 0 })
  const shortened = await outcomes(world, iris)
  expect(shortened[0].state).toBe('LIVE')
  expect(shortened[11].status).toBe('ARCHIVED')
})

test('a campaign that has not begun ends without offers; a moment that has passed is now', async () => {
  const world = await openWorld()
  const { shop } = world
  const { variant } = await variantOf(shop)
  const { '@id': campaign } = await shop.create(list, { name: 'Later', validFrom: inDays(3) })
  const body = { variant, currency: 'EUR', amount: '8.00', campaign, validFrom: inDays(3) }
  const { '@id': offer } = await shop.create('/api/sale_offers', body)
  const from = Date.now()
  expect(await end(world, campaign, { at: inDays(-5) })).toMatchObject({ succeeded: 2, failed: 0 })
  expect((await shop.read(offer)).status).toBe('ARCHIVED')
  const after = await shop.read(campaign)
  expect(after).toMatchObject({ validFrom: null, offers: 0 })
  expect(Date.parse(after.validUntil)).toBeGreaterThanOrEqual(from)
  await shop.post(`${unknown}/end`, { body: {}, status: 404 })
})

/** Webhooks of changed prices: one for each market, moment and up to 1,000 variants, from whose cursor the feed lists the changes. */
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { persistent } from '../../../test/races/racing.ts'
import { faultsIn } from '../../../test/support/ledger.ts'
import type { Reply } from '../../../test/support/shop.ts'
import { openWorld, type World } from '../../../test/support/webhooks.ts'
import { continuePrices } from './price-rebuild.ts'

type Body = Reply['body']

const terms = { currency: 'EUR', amount: '18.00' }

/** A world with markets whose prices are complete, and a product with variants. */
async function openPrices({ topic }: { topic: string | null }) {
  const world = await openWorld()
  const { shop } = world
  for (const [key, country] of [
    ['de', 'DE'],
    ['fr', 'FR'],
  ])
    await shop.create('/api/markets', { key, channel: 'web', country, currency: 'EUR' })
  await shop.rest()
  const { variants } = await shop.create('/api/products', { title: 'Mug', variants: [{ sku: 'MUG' }] })
  if (topic !== null) await world.subscribe({ topic })
  return { world, shop, variant: variants[0]['@id'] as string }
}

/** Sends what waits for the queue. */
async function deliver(world: World): Promise<void> {
  await world.settled()
  await world.drain()
}

const announcedIn = async ({ shop }: World, query = ''): Promise<Body[]> =>
  (await shop.read(`/api/events?topic=price/changed&itemsPerPage=100${query}`)).member

/** The changes of the feed from an announcement on, in pages of at most 100. */
async function changesFrom({ shop }: World, key: string, { cursor, count }: Body): Promise<Body[]> {
  const changes: Body[] = []
  let next: string | undefined = `/api/price_changes?market=${key}&itemsPerPage=100&after=${cursor}`
  while (next && changes.length < count) {
    const { member, view }: Body = await shop.read(next)
    changes.push(...member)
    next = view?.next
  }
  return changes.slice(0, count)
}

const keyOf = async ({ shop }: World, iri: string): Promise<string> => (await shop.read(iri)).key

describe('an edit', () => {
  test('sends a webhook for each market, with the position of its changes', async () => {
    const { world, shop, variant } = await openPrices({ topic: 'price/changed' })
    const created = await shop.create('/api/sale_offers', { ...terms, variant })
    await deliver(world)
    expect(world.receipts).toHaveLength(2)
    const [first, second] = world.receipts
    const { member: markets } = await shop.read('/api/markets')
    expect([first, second].map((each) => each!.body.market).toSorted()).toEqual(
      markets.map((market: Body) => market['@id']).toSorted(),
    )
    const { body, headers } = first!
    expect(body).toEqual({
      '@context': '/api/contexts/PriceChanges',
      '@id': `${body.market}#prices-${body.cursor}`,
      '@type': 'PriceChanges',
      market: body.market,
      effectiveAt: expect.any(String),
      count: 1,
      cursor: expect.any(String),
    })
    expect(headers).toMatchObject({
      'service-topic': 'price/changed',
      'service-effective-at': body.effectiveAt,
      'service-resource-version': '1',
    })
    const [change] = await changesFrom(world, await keyOf(world, body.market), body)
    expect(change).toMatchObject({ variant, before: null, after: '18.00', effectiveAt: body.effectiveAt })
    const events = await announcedIn(world)
    const { '@context': _, ...document } = body
    expect(events[0]).toEqual({
      '@id': expect.any(String),
      '@type': 'Event',
      id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab]/),
      sequence: Number(headers['service-sequence']),
      topic: 'price/changed',
      resource: body.market,
      resourceVersion: 1,
      occurredAt: expect.any(String),
      effectiveAt: body.effectiveAt,
      changes: [],
      document,
    })
    const ofMarket = await shop.read(`/api/events?resource=${body.market}`)
    expect(ofMarket.member.map(({ topic }: Body) => topic)).toEqual(['market/created', 'price/changed'])
    expect((await announcedIn(world, `&resource=${body.market}`)).length).toBe(1)
    expect(await announcedIn(world, `&resource=${created['@id']}`)).toEqual([])
    // Only the offer changes, then nothing that concerns a price, then a price in one market.
    await shop.update(created['@id'], { priority: 5 })
    await shop.update(created['@id'], { externalId: 'a' })
    const before = Number((await shop.get('/api/events')).headers.get('service-sequence'))
    await shop.create('/api/sale_offers', { ...terms, variant, priority: 9 })
    const german = { ...terms, variant, priority: 10, countries: ['DE'], amount: '17.00' }
    await shop.create('/api/sale_offers', german)
    const { member: following } = await shop.read(`/api/events?after=${before}`)
    expect(following.map(({ topic }: Body) => topic)).toEqual([
      'sale_offer/created',
      'sale_offer/created',
      'price/changed',
    ])
    await deliver(world)
    expect(world.receipts).toHaveLength(3)
    expect(await keyOf(world, world.receipts[2]!.body.market)).toBe('de')
    await shop.delete(variant.replace(/\/variants.*/, ''), { status: 204 })
    await deliver(world)
    expect(world.receipts).toHaveLength(5)
    expect(await faultsIn(shop)).toEqual([])
  })

  test('sends nothing to other subscriptions, and records nothing for them', async () => {
    for (const topic of [null, '*', 'sale_offer/*', 'market/*']) {
      const { world, shop, variant } = await openPrices({ topic })
      await shop.create('/api/sale_offers', { ...terms, variant })
      await deliver(world)
      expect(await announcedIn(world), String(topic)).toEqual([])
      expect(world.receipts.filter(({ body }) => body['@type'] === 'PriceChanges')).toEqual([])
    }
    const { world, shop, variant } = await openPrices({ topic: '*' })
    await world.subscribe({ topic: 'price/*', callbackUrl: 'https://prices.shop.dev/' })
    await world.subscribe({ topic: 'price/changed', status: 'DISABLED' })
    await shop.create('/api/sale_offers', { ...terms, variant })
    await deliver(world)
    const receivers = world.receipts.filter(({ body }) => body['@type'] === 'PriceChanges')
    expect(receivers.map(({ url }) => url)).toEqual(Array(2).fill('https://prices.shop.dev/'))
    // The feed lists them with each event.
    const { totalItems } = await shop.read('/api/events?topic=*')
    expect(totalItems).toBe((await shop.read('/api/events')).totalItems)
  })

  test('sent again announces nothing again', async () => {
    const { world, shop, variant } = await openPrices({ topic: 'price/changed' })
    const sent = { body: { ...terms, variant }, headers: { 'idempotency-key': 'a' }, status: 201 }
    const once = await shop.post('/api/sale_offers', sent)
    const again = await shop.post('/api/sale_offers', sent)
    expect(again.body).toEqual(once.body)
    await deliver(world)
    expect(world.receipts).toHaveLength(2)
  })

  test('before the prices of a market are complete announces none of them', async () => {
    const { world, shop, variant } = await openPrices({ topic: 'price/changed' })
    await world.owner(`update markets set prices_complete_at = null where tenant_id = $1 and key = 'de'`)
    await shop.create('/api/sale_offers', { ...terms, variant })
    await deliver(world)
    expect(await Promise.all(world.receipts.map(({ body }) => keyOf(world, body.market)))).toEqual(['fr'])
  })
})

/** Waits for a moment, and records what begins or ends then, as the job does. */
async function passMoment(world: World, moment: string): Promise<void> {
  await sleep(Math.max(0, Date.parse(moment) - Date.now()) + 5)
  await world.cron()
  await deliver(world)
}

const soon = (milliseconds: number) => new Date(Date.now() + milliseconds).toISOString().replace('Z', '000Z')

describe('a moment that passes', () => {
  test('sends three webhooks for each market if offers of 2,500 variants begin at it', async () => {
    const { world, shop } = await openPrices({ topic: 'price/changed' })
    const later = soon(3_600_000)
    const values = Array.from({ length: 60 }, (_, n) => `S${n}`)
    await shop.create('/api/products', {
      title: 'Mug',
      options: [{ title: 'Size', values: values.map((title) => ({ title })) }],
      variants: values.map((value) => ({
        optionValues: [{ option: 'Size', value }],
        saleOffers: [{ ...terms, validFrom: later }],
      })),
    })
    // The prices of as many more variants.
    await world.owner(`
      insert into variant_prices (tenant_id, variant_id, market_id, from_at, until_at, product_id, offer_id, amount, is_reduced, is_live)
      select tenant_id, gen_random_uuid(), market_id, from_at, until_at, product_id, offer_id, amount, is_reduced, is_live
        from (select distinct on (market_id) * from variant_prices where tenant_id = $1) p, generate_series(1, 2440)`)
    await deliver(world)
    expect(world.receipts).toEqual([])
    // The offers begin now.
    const validFrom = soon(0)
    for (const [table, column] of [
      ['sale_offers', 'valid_from'],
      ['sale_offer_terms', 'valid_from'],
      ['variant_prices', 'from_at'],
    ])
      await world.owner(`update ${table} set ${column} = $2 where tenant_id = $1`, validFrom)
    await passMoment(world, validFrom)
    expect(world.receipts).toHaveLength(6)
    const byMarket = Map.groupBy(world.receipts, ({ body }) => body.market as string)
    for (const [market, receipts] of byMarket) {
      expect(receipts.map(({ body }) => body.count)).toEqual([1000, 1000, 500])
      const key = await keyOf(world, market)
      const listed: Body[] = []
      for (const { body } of receipts) {
        expect(body.effectiveAt).toBe(validFrom)
        listed.push(...(await changesFrom(world, key, body)))
      }
      expect(new Set(listed.map(({ variant }) => variant)).size).toBe(2500)
      expect(
        listed.every(({ reason, effectiveAt }) => reason === 'WINDOW' && effectiveAt === validFrom),
      ).toBe(true)
      expect(await changesFrom(world, key, { count: 1, cursor: listed.at(-1)!.cursor })).toEqual([])
    }
    // The events of the other offers announce nothing again.
    await world.cron()
    await world.cron()
    await deliver(world)
    expect(world.receipts).toHaveLength(6)
    expect(await faultsIn(shop)).toEqual([])
  }, 30_000)

  test('is announced by the first write after it, or by the job, and only once', async () => {
    const { world, shop, variant } = await openPrices({ topic: 'price/changed' })
    const [begin, end] = [soon(1500), soon(3000)]
    await shop.create('/api/sale_offers', { ...terms, variant, validFrom: begin, validUntil: end })
    await sleep(Date.parse(begin) - Date.now() + 5)
    await shop.create('/api/categories', { title: 'Mugs' })
    expect((await announcedIn(world)).map(({ effectiveAt }) => effectiveAt)).toEqual([begin, begin])
    await passMoment(world, end)
    await world.cron()
    await deliver(world)
    const moments = world.receipts.map(({ body }) => body.effectiveAt)
    expect(moments.toSorted()).toEqual([begin, begin, end, end])
    expect(await faultsIn(shop)).toEqual([])
  })
})

test('a moment that passes before the prices of another market are complete is announced', async () => {
  const { world, shop, variant } = await openPrices({ topic: 'price/changed' })
  const end = soon(1500)
  await shop.create('/api/sale_offers', { ...terms, variant, validUntil: end })
  await world.owner(`update markets set prices_complete_at = null where tenant_id = $1 and key = 'de'`)
  // Only the last step of the rebuild remains.
  await world.owner(`insert into price_rebuilds (tenant_id, token, next_id, leased_until, is_full)
    values ($1, gen_random_uuid(), 'ffffffff-ffff-ffff-ffff-ffffffffffff', now(), false)`)
  await sleep(Date.parse(end) - Date.now() + 5)
  expect(await continuePrices(world.runtime.database.open(shop.tenant.id), () => true)).toBe(false)
  const announced = (await announcedIn(world)).filter(({ effectiveAt }) => effectiveAt === end)
  expect(await Promise.all(announced.map(({ resource }) => keyOf(world, resource)))).toEqual(['fr'])
  await world.cron()
  expect((await announcedIn(world)).length).toBe(3)
})

test('racing writers, and jobs, announce each change once', async () => {
  const { world, shop } = await openPrices({ topic: 'price/changed' })
  const product = await shop.create('/api/products', {
    title: 'Mug',
    options: [{ title: 'Size', values: ['S', 'M', 'L', 'XL'].map((title) => ({ title })) }],
    variants: ['S', 'M', 'L', 'XL'].map((value) => ({ optionValues: [{ option: 'Size', value }] })),
  })
  const variants: string[] = product.variants.map((each: Body) => each['@id'])
  const offers = await Promise.all(
    variants.map((variant) => shop.create('/api/sale_offers', { ...terms, variant, validUntil: soon(2000) })),
  )
  for (let turn = 0; turn < 12; turn += 1)
    await Promise.all([
      ...offers.map(({ '@id': iri }, n) =>
        persistent(() =>
          shop.patch(iri, {
            body: { amount: `${5 + ((turn * 7 + n * 3) % 11)}.00`, validUntil: soon(150 + n * 90) },
          }),
        ),
      ),
      world.cron(),
      sleep(60),
    ])
  await sleep(700)
  await world.cron()
  for (const key of ['de', 'fr']) {
    const [{ '@id': market, pricesCompleteAt: since }] = (await shop.read(`/api/markets?key=${key}`)).member
    const announced = (await announcedIn(world, `&resource=${market}`)).map(({ document }) => document)
    const feed = await changesFrom(world, key, { cursor: since, count: 10_000 })
    const counts = Map.groupBy(feed, ({ effectiveAt }) => effectiveAt as string)
    expect(announced.map(({ effectiveAt, count }) => `${effectiveAt} ${count}`).toSorted()).toEqual(
      [...counts].map(([moment, changes]) => `${moment} ${changes.length}`),
    )
    expect(announced.length).toBeGreaterThan(30)
  }
  expect(await faultsIn(shop)).toEqual([])
}, 60_000)

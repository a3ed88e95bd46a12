/** The price index equals the resolver: after random edits, around each boundary, and with writers that race. */
import fc from 'fast-check'
import { expect, inject, test } from 'vitest'
import { persistent } from '../../../test/races/racing.ts'
import { owner, subscribeToPrices } from '../../../test/support/ledger.ts'
import { shifted } from '../../../test/support/prior-prices.ts'
import { openShop, type Reply, type Shop } from '../../../test/support/shop.ts'
import { instantOf } from '../../core/instant.ts'
import { openDatabase } from '../../db/client.ts'
import { resolvePrice } from './price.ts'
import { continuePrices } from './price-rebuild.ts'
import { offerOf } from './read.ts'

const runs = Math.ceil(Number(process.env.HISTORIES ?? 800) / 40)

type Body = Reply['body']
type Row = {
  readonly variant: string
  readonly market: string
  readonly from: string
  readonly until: string
  readonly amount: string
  readonly offer: string
  readonly reduced: boolean
  readonly live: boolean
}

const sessionOf = ({ tenant }: Shop) =>
  openDatabase({ url: inject('appUrl'), fetchEndpoint: inject('bridgeEndpoint') }).open(tenant.id)
/** The job of the next minute. */
const continued = (shop: Shop) => continuePrices(sessionOf(shop), () => true)

const momentText = (column: string) =>
  `case when isfinite(${column}) then instant_text(${column}) else ${column}::text end`

const rowsOf = ({ tenant }: Shop): Promise<Row[]> =>
  owner(async (client) => {
    const { rows } = await client.query<Row>(
      `select variant_id as variant, market_id as market, ${momentText('from_at')} as "from", ${momentText('until_at')} as until,
              amount::text, offer_id as offer, is_reduced as reduced, is_live as live
         from variant_prices where tenant_id = $1`,
      [tenant.id],
    )
    return rows
  })

/** The cheapest price of each product at each moment since one at which a price begins or ends, in the rows of a table. */
function cheapestPrices({ tenant }: Shop, since: string, table: 'variant_prices' | 'product_prices') {
  return owner(async (client) => {
    const { rows } = await client.query<{ price: string }>(
      `with moment as (
         select $2::timestamptz as at
         union select from_at from variant_prices where tenant_id = $1 and from_at > $2
         union select until_at from variant_prices where tenant_id = $1 and until_at > $2 and until_at < 'infinity')
       select concat_ws(' ', at, market_id, product_id, min(amount), bool_or(is_reduced)) as price
         from moment join ${table} on tenant_id = $1 and from_at <= at and until_at > at${table === 'variant_prices' ? ' and is_live' : ''}
        group by at, market_id, product_id order by 1`,
      [tenant.id, since],
    )
    return rows
  })
}

/** Everything that the index is computed from. */
async function catalogueOf(shop: Shop) {
  const { member: markets } = await shop.read('/api/markets?itemsPerPage=100')
  return owner(async (client) => {
    await client.query(`select set_config('app.tenant', $1, false)`, [shop.tenant.id])
    const { rows: offers } = await client.query<{ variant: string; offer: string }>(
      'select variant_id as variant, offer_json(id, o) as offer from sale_offers o where tenant_id = $1',
      [shop.tenant.id],
    )
    const { rows: variants } = await client.query<{ id: string; live: boolean }>(
      `select id, status = 'ACTIVE' and not product_archived as live from variants where tenant_id = $1`,
      [shop.tenant.id],
    )
    await client.query(`select set_config('app.tenant', '', false)`)
    return {
      markets,
      offers: offers.map(({ variant, offer }) => ({ variant, ...offerOf(JSON.parse(offer)) })),
      variants,
    }
  })
}

/** Compares the index with the resolver at each moment at which a price can change, and just before. */
async function expectIndexed(shop: Shop): Promise<void> {
  const [rows, { markets, offers, variants }] = [await rowsOf(shop), await catalogueOf(shop)]
  const now = Date.now()
  const present = instantOf(new Date(now + 1000))
  const boundaries = offers.flatMap(({ validFrom, validUntil }) => [validFrom ?? [], validUntil ?? []].flat())
  const moments = [
    present,
    '2999-01-01T00:00:00.000000Z',
    ...boundaries,
    ...boundaries.map((moment) => shifted(moment, -1)),
  ]
  const indexed: string[] = []
  const expected: string[] = []
  for (const at of new Set(moments.filter((moment) => moment >= present)))
    for (const { id: market, key, channel, country, currency } of markets) {
      for (const row of rows)
        if (
          row.market === market &&
          (row.from === '-infinity' || row.from <= at) &&
          (row.until === 'infinity' || row.until > at)
        )
          indexed.push(`${at} ${key} ${row.variant} ${row.amount} ${row.offer} ${row.reduced} ${row.live}`)
      for (const { id, live } of variants) {
        const price = resolvePrice(
          offers.filter(({ variant }) => variant === id),
          { channel, country, currency, at },
        )
        if (price)
          expected.push(
            `${at} ${key} ${id} ${price.amount.replace('.', '')} ${price.saleOffer.split('/').at(-1)} ${price.compareAtAmount !== null} ${live}`,
          )
      }
    }
  expect(indexed.toSorted()).toEqual(expected.toSorted())
  expect(rows.filter((row) => !markets.some(({ id }: Body) => id === row.market))).toEqual([])
  expect(await cheapestPrices(shop, present, 'product_prices')).toEqual(
    await cheapestPrices(shop, present, 'variant_prices'),
  )
  expect(markets.filter(({ pricesCompleteAt }: Body) => pricesCompleteAt === null)).toEqual([])
}

const offset = fc.oneof(
  fc.integer({ min: -5, max: 5 }).map((days) => days * 86_400_000),
  fc.constantFrom(-60, -31, 40).map((days) => days * 86_400_000),
)
const terms = fc.record(
  {
    channel: fc.constantFrom(null, 'web', 'shop'),
    countries: fc.constantFrom<string[]>([], ['FR'], ['DE', 'FR'], ['DE']),
    currency: fc.constantFrom('EUR', 'EUR', 'JPY'),
    amount: fc.constantFrom('10', '9', '8'),
    compareAtAmount: fc.constantFrom(null, '12', '13'),
    validFrom: fc.option(offset),
    validUntil: fc.option(offset),
    priority: fc.constantFrom(0, 1),
    minQuantity: fc.constantFrom(1, 1, 1, 5),
    status: fc.constantFrom('ACTIVE', 'ACTIVE', 'ACTIVE', 'DRAFT', 'ARCHIVED'),
  },
  { requiredKeys: [] },
)
const market = fc.record({
  channel: fc.constantFrom('web', 'shop'),
  country: fc.constantFrom('FR', 'DE'),
  currency: fc.constantFrom('EUR', 'JPY'),
})
const edit = fc.record({
  does: fc.constantFrom(
    'create',
    'create',
    'edit',
    'edit',
    'archive',
    'restore',
    'variant',
    'variants',
    'product',
    'products',
    'market',
    'moveMarket',
    'deleteMarket',
    'foreign',
  ),
  nth: fc.nat(7),
  terms,
  market,
})
type Edit = typeof edit extends fc.Arbitrary<infer Each> ? Each : never

/** The ids of what the edits made so far. */
type Made = { readonly [kind in 'products' | 'variants' | 'offers' | 'markets']: string[] }

function bodyOf({ terms: { validFrom, validUntil, ...rest } }: Edit, start: number) {
  const moments = Object.entries({ validFrom, validUntil }).flatMap(([name, of]) =>
    of === undefined ? [] : [[name, of === null ? null : new Date(start + of).toISOString()]],
  )
  return { ...rest, ...Object.fromEntries(moments) }
}

/** Sends an edit. A refused one changes nothing, which is a valid edit. */
async function take(shop: Shop, made: Made, step: Edit, start: number): Promise<void> {
  const body = { amount: '11', currency: 'EUR', ...bodyOf(step, start) }
  const nthOf = (list: readonly string[]) => list[step.nth % list.length] ?? ''
  const keep = async (kind: keyof Made, reply: Promise<Reply>) => {
    const { status, body } = await reply
    if (status === 201) made[kind].push(...[body.member ?? body].flat().map((each: Body) => each['@id']))
  }
  const toggle = async (iri: string) => {
    const { status } = await shop.read(iri)
    await shop.patch(iri, { body: { status: status === 'ARCHIVED' ? 'ACTIVE' : 'ARCHIVED' } })
  }
  switch (step.does) {
    case 'create':
      return keep(
        'offers',
        shop.post('/api/sale_offers', {
          body: [0, 1]
            .map((n) => ({ ...body, variant: made.variants[(step.nth + n) % made.variants.length] }))
            .slice(0, 1 + (step.nth % 2)),
        }),
      )
    case 'edit':
      await shop.patch(nthOf(made.offers), { body: bodyOf(step, start) })
      return
    case 'archive':
      await shop.delete(nthOf(made.offers))
      return
    case 'restore':
      await shop.patch(nthOf(made.offers), { body: { status: 'ACTIVE' } })
      return
    case 'variant':
      return toggle(nthOf(made.variants))
    case 'product':
      return toggle(nthOf(made.products))
    case 'variants': {
      const { status, body: created } = await shop.post(`${nthOf(made.products)}/variants`, {
        body: { optionValues: [{ option: 'Size', value: `S${made.variants.length}` }], saleOffers: [body] },
      })
      if (status === 201) made.variants.push(created['@id'])
      return
    }
    case 'products':
      return keep(
        'products',
        shop.post('/api/products', {
          body: {
            title: 'P',
            status: step.nth % 3 ? 'ACTIVE' : 'ARCHIVED',
            variants: [{ saleOffers: step.nth % 3 ? [body] : [] }],
          },
        }),
      )
    case 'market':
      return keep(
        'markets',
        shop.post('/api/markets', { body: { ...step.market, key: `m${crypto.randomUUID().slice(0, 8)}` } }),
      )
    case 'moveMarket':
      await shop.patch(nthOf(made.markets), { body: step.market })
      return
    case 'deleteMarket':
      if (made.markets.length > 1) await shop.delete(made.markets.pop() ?? '')
      return
    case 'foreign': {
      // As a Worker of before the index writes: the next minute computes the prices again.
      await owner(async (client) => {
        await client.query(`select set_config('app.tenant', $1, false)`, [shop.tenant.id])
        await client.query(
          `update sale_offers set amount = amount + 1, compare_at_amount = null, version = version + 1,
                  document = regexp_replace(regexp_replace(document, '"amount":"(\\d+)', '"amount":"' || trunc(amount + 1)), '"compareAtAmount":"[^"]*"', '"compareAtAmount":null')
            where tenant_id = $1 and id = (select id from sale_offers where tenant_id = $1 order by id limit 1)`,
          [shop.tenant.id],
        )
        await client.query(`select set_config('app.tenant', '', false)`)
      })
      await continued(shop)
    }
  }
}

async function openCatalogue(): Promise<{ shop: Shop; made: Made }> {
  const shop = await openShop()
  const market = await shop.create('/api/markets', {
    key: 'fr',
    channel: 'web',
    country: 'FR',
    currency: 'EUR',
  })
  const product = await shop.create('/api/products', {
    title: 'Mug',
    status: 'ACTIVE',
    options: [{ title: 'Size', values: Array.from({ length: 30 }, (_, n) => ({ title: `S${n}` })) }],
    variants: ['S0', 'S1'].map((value) => ({ optionValues: [{ option: 'Size', value }] })),
  })
  const variants: string[] = product.variants.map((each: Body) => each['@id'])
  return { shop, made: { products: [product['@id']], variants, offers: [], markets: [market['@id']] } }
}

test(
  `after each edit the index equals the resolver (${runs} histories)`,
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(edit, { minLength: 4, maxLength: 14 }), async (edits) => {
        const { shop, made } = await openCatalogue()
        const start = Date.now()
        for (const each of edits) {
          await take(shop, made, each, start)
          await shop.rest()
          await expectIndexed(shop)
        }
      }),
      { numRuns: runs, endOnFailure: true },
    )
  },
  60_000 + runs * 10_000,
)

/** Another edit, or days that pass. */
const step = fc.oneof(
  {
    weight: 3,
    arbitrary: edit
      .filter(({ does }) => !/[mM]arket|foreign/.test(does))
      .map(({ terms, ...each }) => ({
        ...each,
        terms: { ...terms, channel: null, countries: [], currency: 'EUR' as const, minQuantity: 1 as const },
      })),
  },
  { weight: 1, arbitrary: fc.record({ days: fc.constantFrom(0.5, 1, 3) }) },
)

/** Lets days pass for a tenant: its clock, whose moments its writes follow. A move of the clock announces changed prices. */
const passDays = ({ tenant }: Shop, days: number) =>
  owner(async (client) => {
    await client.query("select set_config('app.tenant', $1, false)", [tenant.id])
    const { rows } = await client.query(
      'select last_at::text as at from tenant_clock where tenant_id = current_tenant()',
    )
    await client.query(
      "update tenant_clock set last_at = last_at + $1 * interval '1 day' where tenant_id = current_tenant()",
      [days],
    )
    await client.query('select announce_price_changes($1)', [rows[0].at])
  })

const clockOf = ({ tenant }: Shop): Promise<string> =>
  owner(async (client) => {
    const { rows } = await client.query<{ at: string }>(
      'select instant_text(last_at) as at from tenant_clock where tenant_id = $1',
      [tenant.id],
    )
    return rows[0]?.at ?? ''
  })

test(
  `the changes of prices are those of the resolver, each once and in order, and all are announced (${runs} histories)`,
  async () => {
    let changes = 0
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 6, maxLength: 16 }), async (steps) => {
        const { shop, made } = await openCatalogue()
        for (const [index, variant] of made.variants.entries())
          made.offers.push(
            (await shop.create('/api/sale_offers', { variant, amount: `${20 + index}`, currency: 'EUR' }))[
              '@id'
            ],
          )
        await shop.rest()
        await subscribeToPrices(shop.tenant.id)
        const { markets } = await catalogueOf(shop)
        const priceOf = (
          { variants, offers }: Awaited<ReturnType<typeof catalogueOf>>,
          id: string,
          at: string,
        ) =>
          variants.find((variant) => variant.id === id)?.live
            ? (resolvePrice(
                offers.filter(({ variant }) => variant === id),
                { ...markets[0], at },
              )?.amount ?? null)
            : null
        let clock = await clockOf(shop)
        let after = clock
        let catalogue = await catalogueOf(shop)
        const copy = new Map(catalogue.variants.map(({ id }) => [id, priceOf(catalogue, id, clock)]))
        for (const each of steps) {
          const before = catalogue
          const { headers } = await shop.get('/api/events?itemsPerPage=0')
          const sequence = headers.get('service-sequence')
          if ('days' in each) await passDays(shop, each.days)
          else await take(shop, made, each, Date.parse(clock))
          await shop.rest()
          catalogue = await catalogueOf(shop)
          const end = await clockOf(shop)
          const { member: events } = await shop.read(`/api/events?after=${sequence}&itemsPerPage=100`)
          const isAnnouncement = ({ topic }: { topic: string }) => topic === 'price/changed'
          // The moments of a write are a few microseconds.
          const writeMoment: string = isAnnouncement(events[0] ?? { topic: 'price/changed' })
            ? '~'
            : events[0].occurredAt
          const moments = before.offers
            .flatMap(({ validFrom, validUntil }) => [validFrom ?? [], validUntil ?? []].flat())
            .filter((moment) => moment > clock && moment <= end && moment < writeMoment)
          const expected: string[] = []
          const expectAt = (at: string, source: typeof catalogue) => {
            for (const { id } of catalogue.variants) {
              const price = priceOf(source, id, at)
              if (price !== (copy.get(id) ?? null))
                expected.push(`${at === end ? writeMoment : at} ${id} ${copy.get(id) ?? null} ${price}`)
              copy.set(id, price)
            }
          }
          for (const moment of [...new Set(moments)].toSorted()) expectAt(moment, before)
          expectAt(end, catalogue)
          const listed: string[] = []
          const counts = new Map<string, number>()
          for (
            let next: string | undefined =
              `/api/price_changes?market=fr&itemsPerPage=3&after=${encodeURIComponent(after)}`;
            next;
          ) {
            const { member, view } = await shop.read(next)
            for (const change of member) {
              const at = change.effectiveAt >= writeMoment ? writeMoment : change.effectiveAt
              listed.push(`${at} ${change.variant.split('/').at(-1)} ${change.before} ${change.after}`)
              after = change.cursor
              counts.set(change.effectiveAt, (counts.get(change.effectiveAt) ?? 0) + 1)
            }
            next = view?.next
          }
          expect(listed.toSorted()).toEqual(expected.toSorted())
          const announced = events
            .filter(isAnnouncement)
            .flatMap(({ document }: { document: { market: string; effectiveAt: string; count: number } }) =>
              document.market.endsWith(made.markets[0] ?? '-')
                ? [[document.effectiveAt, document.count]]
                : [],
            )
          expect(announced).toEqual([...counts])
          changes += listed.length
          clock = end
        }
      }),
      { numRuns: runs, endOnFailure: true },
    )
    expect(changes).toBeGreaterThan(runs)
  },
  60_000 + runs * 20_000,
)

test('writers of two offers of one variant, and of markets, leave the index that the last of them implies', async () => {
  const { shop, made } = await openCatalogue()
  const [variant] = made.variants
  const offers = await Promise.all(
    [1, 2].map((n) => shop.create('/api/sale_offers', { variant, amount: `${10 + n}.00`, currency: 'EUR' })),
  )
  for (let turn = 0; turn < 15; turn += 1) {
    await Promise.all([
      ...offers.map(({ '@id': iri }, n) =>
        persistent(() => shop.patch(iri, { body: { amount: `${5 + ((turn * 7 + n * 3) % 11)}.00` } })),
      ),
      persistent(() =>
        shop.post(`${made.products[0]}/variants`, {
          body: {
            optionValues: [{ option: 'Size', value: `S${turn + 2}` }],
            saleOffers: [{ amount: '4.00', currency: 'EUR' }],
          },
        }),
      ),
      persistent(() =>
        turn % 3 === 0
          ? shop.post('/api/markets', {
              body: { key: `m${turn}`, channel: 'web', country: 'DE', currency: 'EUR' },
            })
          : shop.post('/api/products', {
              body: { title: 'N', variants: [{ saleOffers: [{ amount: '3.00', currency: 'EUR' }] }] },
            }),
      ),
    ])
    await shop.rest()
    await expectIndexed(shop)
  }
})

test('a rebuild removes the prices in a deleted market, also of an offer that is written meanwhile', async () => {
  const shop = await openShop()
  const market = { key: 'fr', channel: 'web', country: 'FR', currency: 'EUR' }
  await shop.create('/api/markets', market)
  const { '@id': deleted, id } = await shop.create('/api/markets', { ...market, key: 'de', country: 'DE' })
  await shop.create('/api/products', {
    title: 'Shirt',
    options: [{ title: 'Size', values: [{ title: 'S' }] }],
    variants: [
      {
        optionValues: [{ option: 'Size', value: 'S' }],
        saleOffers: [{ amount: '9.00', currency: 'EUR' }],
      },
    ],
  })
  const { member: offers } = await shop.read('/api/sale_offers')
  await shop.delete(deleted, { status: 204 })
  await shop.rest()
  // The rebuild after the deletion has not begun.
  await owner(async (client) => {
    await client.query(`select set_config('app.tenant', $1, false), expect_prices(false)`, [shop.tenant.id])
    await client.query(
      `insert into variant_prices select (jsonb_populate_record(p, jsonb_build_object('market_id', $2::uuid))).*
         from variant_prices p where tenant_id = $1`,
      [shop.tenant.id, id],
    )
  })
  const session = sessionOf(shop)
  let applies = 0
  const interrupted: typeof session = {
    ...session,
    async apply(request) {
      if (applies++ === 0) await shop.update(offers[0]['@id'], { amount: '8.00' })
      return session.apply(request)
    },
  }
  expect(await continuePrices(interrupted, () => true)).toBe(false)
  expect((await rowsOf(shop)).filter((row) => row.market === id)).toEqual([])
  const since = instantOf(new Date())
  const [ofProducts, ofVariants] = [
    await cheapestPrices(shop, since, 'product_prices'),
    await cheapestPrices(shop, since, 'variant_prices'),
  ]
  expect(ofProducts).toEqual(ofVariants)
})

test('a write that changes no price in a market leaves its rows untouched', async () => {
  const { shop, made } = await openCatalogue()
  const [variant] = made.variants
  const offer = await shop.create('/api/sale_offers', { variant, amount: '9.00', currency: 'EUR' })
  const places = () =>
    owner((client) =>
      client.query('select ctid, xmin from variant_prices where tenant_id = $1', [shop.tenant.id]),
    ).then(({ rows }) => rows)
  const before = await places()
  expect(before).toHaveLength(1)
  await shop.create('/api/sale_offers', { variant, amount: '9.00', currency: 'USD' })
  await shop.update(offer['@id'], { externalId: 'a' })
  expect(await places()).toEqual(before)
  await shop.update(offer['@id'], { amount: '8.00' })
  expect(await places()).not.toEqual(before)
})

/**
 * Random histories of sale offers through the whole service, against an oracle that replays the feed of events and calls the resolver at
 * every microsecond where something changes: timelines, `knownAt`, prior prices and the events of boundaries agree with it exactly.
 * A hundredth of `HISTORIES`, since each takes a quarter of a second: `HISTORIES=1000000` for ten thousand.
 */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runtimeOf } from '../../src/background/queue.ts'
import { instantOf } from '../../src/core/instant.ts'
import { policyAt } from '../../src/resources/prices/policies.ts'
import { type PriceOffer, resolvePrice } from '../../src/resources/prices/price.ts'
import { recordDueBoundaries } from '../../src/resources/webhooks/dispatch/offer-boundaries.ts'
import { faultsIn, owner } from '../support/ledger.ts'
import { factsOf, priorByReplay, shifted } from '../support/prior-prices.ts'
import { openShop, type Reply, type Shop } from '../support/shop.ts'

const runs = Math.ceil(Number(process.env.HISTORIES ?? 800) / 100)

type Body = Reply['body']
/** The recorded terms of offers since a time, in order. */
type Replay = { readonly at: string; readonly event: string; readonly offers: ReadonlyMap<string, Recorded> }
type Recorded = PriceOffer & { readonly variant: string }

/** A tenant for each history, whose clock continues at its end. */
let shop: Shop
/** The moment of the tenant's first event. */
let historyFrom: string

const shopper = { channel: 'web', country: 'FR' }
const policy = policyAt('FR', '2026-11-01', { pricePolicies: {}, priorPriceDays: 30 }) ?? expect.unreachable()
const asked = 'resolveContext[channel]=web&resolveContext[country]=FR'

/** Moments around the one at which a history is made: many of its changes fall between them, and some on them. */
const offset = fc.oneof(
  fc.integer({ min: -40, max: 120 }),
  fc.integer({ min: -3, max: 3 }).map((days) => days * 86_400_000),
  // To either side of the thirty days before a reduction.
  fc.constantFrom(20, 28, 29, 30, 31, 59, 60).map((days) => days * 86_400_000),
)
const terms = fc.record(
  {
    channel: fc.constantFrom(null, 'web', 'shop'),
    countries: fc.constantFrom<string[]>([], ['FR'], ['DE', 'FR'], ['DE']),
    currency: fc.constantFrom('EUR', 'USD'),
    amount: fc.constantFrom('10.00', '9.00', '8.00'),
    compareAtAmount: fc.constantFrom(null, '12.00', '13.00'),
    validFrom: fc.option(offset),
    validUntil: fc.option(offset),
    priority: fc.constantFrom(0, 1),
    minQuantity: fc.constantFrom(1, 1, 1, 5),
    taxIncluded: fc.boolean(),
    status: fc.constantFrom('ACTIVE', 'ACTIVE', 'ACTIVE', 'DRAFT', 'ARCHIVED'),
  },
  { requiredKeys: [] },
)
const step = fc.record({
  does: fc.constantFrom('create', 'edit', 'edit', 'archive', 'restore', 'boundaries'),
  nth: fc.nat(5),
  variant: fc.nat(2),
  terms,
})
const history = fc.array(step, { minLength: 3, maxLength: 14 })
type Step = typeof step extends fc.Arbitrary<infer Each> ? Each : never

const momentOf = (start: number, of: number | null | undefined) =>
  of === undefined ? {} : of === null ? null : new Date(start + of).toISOString()

/** Sends a step; a rejected one changes nothing, which is a valid step. */
async function take(
  { does, nth, variant, terms }: Step,
  variants: readonly string[],
  offers: string[],
  start: number,
) {
  const { validFrom, validUntil, ...rest } = terms
  const window = Object.fromEntries(
    Object.entries({ validFrom, validUntil }).flatMap(([name, of]) =>
      of === undefined ? [] : [[name, momentOf(start, of)]],
    ),
  )
  const body = { ...rest, ...window }
  if (does === 'boundaries') {
    await recordBoundaries()
    return
  }
  const offer = offers[nth % Math.max(1, offers.length)]
  if (does === 'create' || offer === undefined) {
    const made = await shop.post('/api/sale_offers', {
      body: { amount: '11.00', currency: 'EUR', ...body, variant: variants[variant] },
    })
    if (made.status === 201) offers.push(made.body['@id'])
  } else if (does === 'archive') await shop.delete(offer)
  else await shop.patch(offer, { body: does === 'restore' ? { status: 'ACTIVE' } : body })
}

/** Records what is due, as the minute's sweep does. */
const recordBoundaries = () =>
  recordDueBoundaries(runtimeOf(shop.bindings), shop.tenant.id, () => true, false)

/** The events of boundaries, as the feed has them: moment, topic and offer. */
async function boundariesTold(): Promise<string[]> {
  const feedTexts: string[] = []
  let link: string | undefined = '/api/events?after=0&topic=sale_offer/*&itemsPerPage=100'
  while (link) {
    const { body }: Reply = await shop.get(link, { status: 200 })
    for (const { effectiveAt, topic, resource } of body.member)
      if (effectiveAt !== null) feedTexts.push(`${effectiveAt} ${topic} ${resource}`)
    link = body.view?.next
  }
  return feedTexts
}

/** The boundaries by a replay of the changes: where the recorded terms of each offer begin and cease to apply. */
function boundariesOf(history: readonly Replay[]): string[] {
  const ids = new Set(history.flatMap(({ offers }) => [...offers.keys()]))
  const all = [...ids].flatMap((id) =>
    history.flatMap(({ at, offers }, nth) => {
      const offer = offers.get(id)
      if (offer?.status !== 'ACTIVE') return []
      // A change of another offer does not end the recorded terms of this one; each period of it has its own part.
      const until = history[nth + 1]?.at ?? '9999'
      const within = (moment: string | null) => moment !== null && moment > at && moment <= until
      return [
        ...(within(offer.validFrom) ? [`${offer.validFrom} sale_offer/started /api/sale_offers/${id}`] : []),
        ...(within(offer.validUntil) ? [`${offer.validUntil} sale_offer/ended /api/sale_offers/${id}`] : []),
      ]
    }),
  )
  return all.sort()
}

/** The changes of the offers of variants in the feed. */
async function replayed(after: number, variants: readonly string[]): Promise<Replay[]> {
  const feedTexts: Replay[] = []
  const offers = new Map<string, Recorded>()
  for (
    let link: string | undefined = `/api/events?after=${after}&topic=sale_offer/*&itemsPerPage=100`;
    link;
  ) {
    const { body }: Reply = await shop.get(link, { status: 200 })
    for (const { '@id': event, resource, changes, occurredAt, effectiveAt } of body.member) {
      if (effectiveAt !== null) continue
      const id = resource.split('/').at(-1)
      const changed = Object.fromEntries(changes.map(({ path, after }: Body) => [path, after]))
      const standard = { channel: null, compareAtAmount: null, validFrom: null, validUntil: null }
      const offer: Body = { id, ...standard, ...offers.get(id), ...changed }
      offers.set(id, offer)
      feedTexts.push({
        at: occurredAt,
        event,
        offers: new Map([...offers].filter(([, each]) => variants.includes(each.variant))),
      })
    }
    link = body.view?.next
  }
  return feedTexts
}

/** The price of a variant at a time by the terms that were recorded at another time. */
function priceAt(history: readonly Replay[], variant: string, at: string, knownAt: string) {
  const known = history.findLast((each) => each.at <= knownAt)
  const offers = [...(known?.offers.values() ?? [])].filter((each) => each.variant === variant)
  return resolvePrice(offers, { ...shopper, at })
}

/** The price with the prior price, by replay: past prices as they applied, future ones as they were planned. */
function withPrior(history: readonly Replay[], variant: string, at: string, knownAt: string) {
  const price = priceAt(history, variant, at, knownAt)
  if (price === null) return null
  const applied = (moment: string) =>
    priceAt(history, variant, moment, moment < at && moment < knownAt ? moment : knownAt)
  return { ...price, prior: priorByReplay(applied, momentsIn(history), { at, policy, historyFrom }) }
}

/** All moments at which a price may change. */
const momentsIn = (history: readonly Replay[]): string[] =>
  history.flatMap(({ at, offers }) => [
    at,
    ...[...offers.values()].flatMap((each) => [each.validFrom ?? [], each.validUntil ?? []].flat()),
  ])

/** A price without the time of its next change, and without the requested time. */
const bare = (price: Body) => {
  if (!price) return null
  const { nextChangeAt, at, ...rest } = price
  return rest
}

/** The prices of a product's variants, by one of the endpoints that return them. */
async function pricesIn(product: Body, nth: number, query: string): Promise<Body[]> {
  const path = [product['@id'], `${product['@id']}/variants`, '/api/products'][nth % 3]
  const only = path === '/api/products' ? `&handle=${product.handle}` : ''
  const body = await shop.read(`${path}?${asked}&${query}&expand=priorPrice${only}`)
  const shown = path === '/api/products' ? body.member[0].variants : (body.member ?? body.variants)
  return shown.map(({ resolvedPrice }: Body) => {
    if (!resolvedPrice) return resolvedPrice
    const { priorPrice, noPriorPrice, unitPrice, ...price } = resolvedPrice
    expect(unitPrice).toBeNull()
    return { ...price, prior: factsOf({ priorPrice, noPriorPrice }) }
  })
}

/**
 * The instant that counted as now, at which a segment begins: one without a cause, unless something changed at that very instant. This
 * happens if a timeline is requested in the millisecond of the last change, or of a boundary.
 */
function presentIn({ from, segments }: Body, asked: string, lastChange: string): string {
  const uncaused = segments.findLast((each: Body) => each.cause === null)?.from
  if (uncaused !== from) return uncaused
  const earliest = asked > lastChange ? asked : lastChange
  return segments.find((each: Body) => each.from >= earliest)?.from ?? from
}

async function heldAgainstTheFeed(steps: readonly Step[]): Promise<void> {
  shop = await openShop()
  await shop.create('/api/products', { title: 'First' })
  historyFrom = (await shop.read('/api/events?itemsPerPage=1')).member[0].occurredAt
  const titles = ['S', 'M', 'L']
  const { body: product, headers } = await shop.post('/api/products', {
    body: {
      title: 'Mug',
      options: [{ title: 'Size', values: titles.map((title) => ({ title })) }],
      variants: titles.map((value) => ({ optionValues: [{ option: 'Size', value }] })),
    },
    status: 201,
  })
  const variants: string[] = product.variants.map((each: Body) => each['@id'])
  const sequence = Number(headers.get('service-sequence') ?? 0)
  const start = Date.now()
  const offers: string[] = []
  for (const each of steps) await take(each, variants, offers, start)
  const history = await replayed(sequence, variants)
  const listed = await shop.read(`${product['@id']}/price_timeline?${asked}`)
  expect(listed.member.map((each: Body) => each.variant)).toEqual(variants)
  for (const [nth, variant] of variants.entries()) {
    const before = instantOf(new Date())
    const body = await shop.read(
      `${variant}/price_timeline?${asked}&from=${listed.member[nth].from}&until=${listed.member[nth].until}`,
    )
    const { segments } = body
    const present = presentIn(body, before, history.at(-1)?.at ?? '')
    expect([segments[0].from, segments.at(-1).until]).toEqual([body.from, body.until])
    const moments = [body.from, present, ...momentsIn(history)].flatMap((each) => [
      shifted(each, -1),
      each,
      shifted(each, 1),
    ])
    for (const at of new Set(moments.filter((each) => each >= body.from && each < body.until))) {
      const own = segments.filter((each: Body) => each.from <= at && at < each.until)
      expect(own).toHaveLength(1)
      const expected = priceAt(history, variant, at, at < present ? at : present)
      expect(bare(own[0].resolvedPrice), `${variant} at ${at}`).toEqual(bare(expected))
    }
    for (const [place, { from, until, cause, event, resolvedPrice }] of segments.entries()) {
      if (place > 0) expect(segments[place - 1].until).toBe(from)
      const edit = history.find((each) => each.at === from)
      expect([null, 'WINDOW', 'EDIT']).toContain(cause)
      expect(event).toBe(cause === 'EDIT' ? edit?.event : null)
      if (place > 0 && from !== present)
        expect(resolvedPrice && { ...resolvedPrice, at: '' }).not.toEqual({
          ...segments[place - 1].resolvedPrice,
          at: '',
        })
      expect(from < until).toBe(true)
    }
  }
  // Prices of a time as they were planned at another: the item, the list of variants and the explanation.
  const known = [
    ...history.map((each) => each.at),
    ...history.slice(0, 3).map((each) => shifted(each.at, -1)),
  ]
  for (const [nth, knownAt] of known.entries()) {
    const at = nth % 2 === 0 ? knownAt : (history[nth % history.length]?.at ?? knownAt)
    const query = `resolveContext[at]=${at}&resolveContext[knownAt]=${knownAt}`
    expect(await pricesIn(product, nth, query)).toEqual(
      variants.map((each) => withPrior(history, each, at, knownAt)),
    )
  }
  // And by the offers of now, at moments to come and some that have passed.
  const last = history.at(-1)?.at ?? ''
  const moments = [...new Set(momentsIn(history))].sort()
  for (const [nth, moment] of moments.filter((each, nth) => each > last || nth % 3 === 0).entries()) {
    const at = shifted(moment, [0, 1, -1][nth % 3] ?? 0)
    if (at < historyFrom) continue
    expect(await pricesIn(product, nth, `resolveContext[at]=${at}`), `at ${at}`).toEqual(
      variants.map((each) => withPrior(history, each, at, '9999')),
    )
  }
  // The future has passed: each of its boundaries has an event, by the terms of then, in order and once.
  await owner((client) =>
    client.query(`update tenant_clock set last_at = last_at + interval '100 days' where tenant_id = $1`, [
      shop.tenant.id,
    ]),
  )
  await recordBoundaries()
  const feedTexts = await boundariesTold()
  expect(feedTexts).toEqual(boundariesOf(history))
  const toldAt = new Set(feedTexts.map((each) => each.slice(0, 27)))
  for (const variant of variants) {
    const body = await shop.read(`${variant}/price_timeline?${asked}`)
    for (const { cause, from } of body.segments)
      if (cause === 'WINDOW') expect(toldAt, `${variant} at ${from}`).toContain(from)
  }
}

test(
  `timelines and prices as planned earlier equal a replay of the feed (${runs} histories of three variants)`,
  async () => {
    await fc.assert(fc.asyncProperty(history, heldAgainstTheFeed), { numRuns: runs, endOnFailure: true })
    // Of the last one.
    expect(await faultsIn(shop)).toEqual([])
  },
  60_000 + runs * 5_000,
)

/** Prices in markets at the end of a history: the index, its changes and lists in its order, against prices by the feed of events. */
import { isDeepStrictEqual } from 'node:util'
import { owner } from '../support/ledger.ts'
import type { Reply, Shop } from '../support/shop.ts'
import { movedBy, type Place, type Terms, unitsOf, winnerAt } from './price-oracle.ts'
import { tally } from './tally.ts'
import { clockOf, keepTime, type World } from './world.ts'

type Body = Reply['body']

type Market = Place & { readonly id: string; readonly key: string; readonly pricesCompleteAt: string | null }

/** A document as it was since a moment. */
type State = { readonly at: string; readonly document: Body }

/** A change of the price of a variant, as the feed of price changes lists it. */
type Change = {
  readonly effectiveAt: string
  readonly variant: string
  readonly before: string | null
  readonly after: string | null
  readonly saleOffer: string | null
  readonly reason: string
}

/** The catalogue at each moment of a history, by its events, and the moment that is now. */
type Replay = {
  readonly now: string
  readonly markets: readonly Market[]
  /** The IRIs of all variants that were created, each with that of its product. */
  readonly variants: ReadonlyMap<string, string>
  /** All moments at which a price may change. */
  readonly moments: readonly string[]
  /** The offer that gives the price of a live variant at a moment: by the recorded terms of then, or of now for later ones. */
  readonly winner: (market: Market, variant: string, at: string) => Terms | null
}

const replays = new WeakMap<World, Promise<Replay>>()

function replayOf(world: World): Promise<Replay> {
  const replay = replays.get(world) ?? replayed(world.shop)
  replays.set(world, replay)
  return replay
}

async function replayed(shop: Shop): Promise<Replay> {
  // The clock of requests is behind that of the tenant from here on, so all lists have prices of the same moment.
  await keepTime(shop, Date.now() + 600_000)
  const now = await clockOf(shop)
  const { member: markets } = await shop.read('/api/markets?itemsPerPage=100', { version: 'unstable' })
  const states = new Map<string, State[]>()
  const commits = new Map<string, { readonly at: string; readonly offset: number }>()
  for (let path: string | undefined = '/api/events?after=0&itemsPerPage=100'; path; ) {
    const { member, view }: Body = await shop.read(path)
    for (const { topic, resource, requestId, sequence, occurredAt, effectiveAt, document } of member) {
      if (effectiveAt !== null) continue
      // The changes of a commit are a microsecond apart, and all prices change at the first. Lines of a bulk operation have several commits.
      const offset = microsecondsOf(occurredAt) - sequence
      const known = commits.get(requestId)
      const at = known?.offset === offset ? known.at : occurredAt
      commits.set(requestId, { at, offset })
      if (!/^(product|variant|sale_offer)\//.test(topic)) continue
      const own = states.get(resource) ?? []
      states.set(resource, own)
      own.push({ at, document })
    }
    path = view?.next
  }
  const all = [...states.values()]
  const documents = all.flatMap((own) => own.map(({ document }) => document))
  const variants = new Map<string, string>(
    all.flatMap(([first]) =>
      first?.document['@type'] === 'Variant' ? [[first.document['@id'], first.document.product]] : [],
    ),
  )
  const offersOf = Map.groupBy(
    all.filter(([first]) => first?.document['@type'] === 'SaleOffer'),
    ([first]) => first!.document.variant,
  )
  const known = (own: readonly State[] | undefined, at: string) =>
    own?.findLast((state) => state.at <= at)?.document
  const isLive = (iri: string, at: string) =>
    (known(states.get(iri), at)?.status ?? 'ARCHIVED') !== 'ARCHIVED'
  return {
    now,
    markets,
    variants,
    moments: [
      ...new Set([
        ...all.flatMap((own) => own.map(({ at }) => at)),
        ...documents.flatMap(({ validFrom, validUntil }) => [validFrom ?? [], validUntil ?? []].flat()),
      ]),
    ].toSorted(),
    winner(market, variant, at) {
      if (!isLive(variant, at) || !isLive(variants.get(variant)!, at)) return null
      const offers = (offersOf.get(variant) ?? []).flatMap((own) => known(own, at) ?? [])
      return winnerAt(offers, market, at)
    },
  }
}

const microsecondsOf = (moment: string) =>
  Date.parse(`${moment.slice(0, 23)}Z`) * 1000 + Number(moment.slice(23, 26))

type Row = {
  readonly market: string
  readonly variant: string
  readonly from: string
  readonly until: string
  readonly price: string
}

const rowsOf = ({ tenant }: Shop): Promise<Row[]> =>
  owner(async (client) => {
    const moment = (column: string, infinite: string) =>
      `case when isfinite(${column}) then instant_text(${column}) else '${infinite}' end`
    const { rows } = await client.query<Row>(
      `select market_id as market, '/api/products/' || product_id || '/variants/' || variant_id as variant,
              ${moment('from_at', '')} as "from", ${moment('until_at', '~')} as until,
              concat_ws(' ', offer_id, amount, is_reduced) as price
         from variant_prices where tenant_id = $1 and is_live`,
      [tenant.id],
    )
    return rows
  })

/** The markets whose prices are not complete at the end. */
export async function incompleteMarkets({ world }: { world: World }): Promise<string[]> {
  const { markets } = await replayOf(world)
  return markets.flatMap(({ key, pricesCompleteAt }) => (pricesCompleteAt === null ? [key] : []))
}

/** The differences between the index and the prices by events, at each moment of the index and one microsecond around it. */
export async function indexFaults({ world }: { world: World }): Promise<string[]> {
  const { markets, variants, moments, now, winner } = await replayOf(world)
  const rows = await rowsOf(world.shop)
  const faults = rows
    .filter((row) => !markets.some(({ id }) => id === row.market))
    .map(({ market }) => `a price in the deleted market ${market}`)
  const around = [...moments, now].flatMap((at) => [movedBy(at, -1), at, movedBy(at, 1)])
  for (const market of markets) {
    const since = market.pricesCompleteAt ?? '~'
    const times = [...new Set([...around, since, '2999-01-01T00:00:00.000000Z'])].filter((at) => at >= since)
    for (const variant of variants.keys()) {
      const own = rows.filter((row) => row.market === market.id && row.variant === variant)
      for (const at of times) {
        tally.prices += 1
        const offer = winner(market, variant, at)
        const expected = offer
          ? [`${offer.id} ${unitsOf(offer)} ${offer.compareAtAmount === null ? 'f' : 't'}`]
          : []
        const found = own.filter(({ from, until }) => from <= at && at < until).map(({ price }) => price)
        if (!isDeepStrictEqual(found, expected))
          faults.push(`${market.key} ${variant} at ${at} is ${found}, expected ${expected}`)
      }
    }
  }
  return faults.slice(0, 5)
}

/** The differences between the feed of price changes, read from its beginning, and the prices by events; and those of a follower. */
export async function changeFaults({
  world,
  priceFollower,
}: {
  world: World
  priceFollower: PriceFollower
}): Promise<string[]> {
  const { markets, variants, moments, now, winner } = await replayOf(world)
  const faults: string[] = []
  for (const market of markets) {
    const since = market.pricesCompleteAt ?? '~'
    const expected: Change[] = []
    const times = moments.filter((at) => at > since && at <= now)
    for (const variant of variants.keys()) {
      let last = winner(market, variant, since)
      for (const at of times) {
        const offer = winner(market, variant, at)
        const [before, after] = [last?.amount ?? null, offer?.amount ?? null]
        const saleOffer = offer ? `/api/sale_offers/${offer.id}` : null
        const reason = offer?.validFrom === at || last?.validUntil === at ? 'WINDOW' : 'EDIT'
        if (after !== before) expected.push({ effectiveAt: at, variant, before, after, saleOffer, reason })
        last = offer
      }
    }
    expected.sort((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1))
    const { changes: listed } = await changesFrom(world.shop, market.key, undefined)
    tally.changes += listed.length
    faults.push(...differences(listed, expected).map((text) => `${market.key} since ${since} ${text}`))
    const followed = priceFollower.changesIn(market)
    if (followed)
      faults.push(...differences(followed, listed).map((text) => `${market.key}, followed: ${text}`))
  }
  return faults.slice(0, 5)
}

const placeOf = ({ effectiveAt, variant }: Change) => effectiveAt + variant

function differences(found: readonly Change[], expected: readonly Change[]): string[] {
  const nth = [...found, ...expected].findIndex(
    (_, index) => !isDeepStrictEqual(found[index], expected[index]),
  )
  if (nth < 0 || nth >= Math.max(found.length, expected.length)) return []
  return [
    `change ${nth} of ${found.length} is ${JSON.stringify(found[nth])}, expected ${JSON.stringify(expected[nth])} of ${expected.length}`,
  ]
}

/** The changes of a market after a position, and the position behind them. */
async function changesFrom(shop: Shop, market: string, after: string | undefined) {
  const changes: Change[] = []
  const position = after === undefined ? '' : `&after=${encodeURIComponent(after)}`
  let last = after
  for (
    let path: string | undefined = `/api/price_changes?market=${market}&itemsPerPage=3${position}`;
    path;
  ) {
    const { status, body }: Reply = await shop.get(path, { version: 'unstable' })
    if (status !== 200) throw new Error(`${path} answered ${status}`)
    for (const { effectiveAt, variant, before, after, saleOffer, reason, cursor } of body.member) {
      changes.push({ effectiveAt, variant, before, after, saleOffer, reason })
      last = cursor
    }
    path = body.view?.next
  }
  return { changes, last }
}

/** A client that follows the changes of prices in all markets from time to time. */
export class PriceFollower {
  readonly #shop: Shop
  #markets = new Map<string, { readonly since: string; changes: Change[]; last: string | undefined }>()

  constructor({ shop }: World) {
    this.#shop = shop
  }

  /** Reads the new changes. After a rebuild, it begins again; a failed request is left to the next call. */
  async follow(): Promise<void> {
    const reply = await this.#shop
      .get('/api/markets?itemsPerPage=100', { version: 'unstable' })
      .catch(() => null)
    for (const { id, key, pricesCompleteAt: since } of (reply?.body?.member ?? []) as Market[]) {
      if (since === null) continue
      const own = this.#markets.get(id)
      const { changes, last } = own?.since === since ? own : { changes: [], last: undefined }
      const read = await changesFrom(this.#shop, key, last).catch(() => null)
      if (read) this.#markets.set(id, { since, changes: [...changes, ...read.changes], last: read.last })
    }
  }

  /** All changes that it has read since the prices of a market were complete; null if it never did. */
  changesIn({ id, pricesCompleteAt }: Market): readonly Change[] | null {
    const own = this.#markets.get(id)
    return own?.since === pricesCompleteAt ? own.changes : null
  }
}

/** The differences between lists in the order of prices and the prices by events: now and at the next two moments. */
export async function orderFaults({ world }: { world: World }): Promise<string[]> {
  const { markets, variants, moments, now, winner } = await replayOf(world)
  const { shop } = world
  const products = new Set(variants.values())
  const { member: live } = await shop.read('/api/products?itemsPerPage=100')
  const ids: string[] = live.map(({ '@id': iri }: Body) => iri)
  if (ids.some((iri) => !products.has(iri))) throw new Error('a product has no variant')
  const faults: string[] = []
  for (const { key, ...market } of markets)
    for (const at of [now, ...moments.filter((moment) => moment > now).slice(0, 2)]) {
      const inMarket = { key, ...market }
      const ranges = new Map(
        ids.map((iri) => {
          const own = [...variants].filter(([, product]) => product === iri)
          const units = own.flatMap(([variant]) => winner(inMarket, variant, at) ?? []).map(unitsOf)
          return [iri, units.toSorted((a, b) => a - b)] as const
        }),
      )
      const lowest = (iri: string) => ranges.get(iri)?.[0] ?? Number.MAX_SAFE_INTEGER
      const expected = ids
        .toSorted((a, b) => lowest(a) - lowest(b) || (a < b ? -1 : 1))
        .map((iri) => `${iri} ${ranges.get(iri)?.[0]} ${ranges.get(iri)?.at(-1)}`)
      const listed: string[] = []
      const moment = at === now ? '' : `&priceAt=${at}`
      for (
        let path: string | undefined = `/api/products?market=${key}&order[price]=asc&itemsPerPage=4${moment}`;
        path;
      ) {
        const { member, view }: Body = await shop.read(path, { version: 'unstable' })
        for (const { '@id': iri, priceRange } of member)
          listed.push(
            `${iri} ${priceRange ? `${unitsOf({ amount: priceRange.from })} ${unitsOf({ amount: priceRange.until })}` : 'undefined undefined'}`,
          )
        path = view?.next
      }
      tally.lists += 1
      if (!isDeepStrictEqual(listed, expected))
        faults.push(`${key} at ${at} is ${listed}, expected ${expected}`)
    }
  return faults.slice(0, 5)
}

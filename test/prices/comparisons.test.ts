/**
 * Random catalogues, edits and requests for lists by price, against brute force with the rules of the guide: `npm run test:prices`. A
 * comparison is the result of one request, or the price of one variant in one market at one moment.
 */
import { isDeepStrictEqual } from 'node:util'
import { expect, test } from 'vitest'
import { type Chance, chanceOf } from '../faults/chance.ts'
import { movedBy, type Place, type Terms, unitsOf, winnerAt } from '../faults/price-oracle.ts'
import { owner } from '../support/ledger.ts'
import { openShop, type Reply, type Shop } from '../support/shop.ts'

const wanted = Number(process.env.COMPARISONS ?? 4000)
const firstSeed = Number(process.env.SEED ?? 1)
const showsProgress = process.env.PROGRESS === 'on'
/** Catalogues at once: each waits for the database half of the time. */
const atOnce = 2

type Body = Reply['body']
type Market = Place & {
  readonly '@id': string
  readonly key: string
  readonly pricesCompleteAt: string | null
}
type Variant = { readonly '@id': string; readonly sku: string; readonly values: readonly string[] }
type Product = {
  readonly '@id': string
  readonly id: string
  readonly status: string
  readonly vendor: string
  readonly categories: readonly string[]
  /** Those that are not archived. */
  readonly variants: readonly Variant[]
}
/** The catalogue as its documents show it, and the moment that is now. */
type Model = {
  readonly now: string
  readonly markets: readonly Market[]
  /** In the order of a list without an order. */
  readonly products: readonly Product[]
  readonly offers: ReadonlyMap<string, readonly Terms[]>
  readonly moments: readonly string[]
}
/** The ids of everything that was created, also of archived resources. */
type Made = {
  readonly chance: Chance
  readonly shop: Shop
  readonly categories: readonly string[]
  readonly products: string[]
  readonly variants: string[]
  readonly offers: string[]
  readonly markets: string[]
}

const counts = { requests: 0, prices: 0, edits: 0, catalogues: 0 }
const compared = () => counts.requests + counts.prices
const day = 86_400_000
const sizes = ['S', 'M', 'L']
const colors = ['Red', 'Blue']
const vendors = ['Acme', 'Other', 'Third']

/** The terms of an offer, with periods around the present. */
function termsOf({ chance }: Made) {
  const currency = chance.one(['EUR', 'EUR', 'JPY', 'KWD'])
  const units = 1 + chance.below(chance.one([9, 40, 3000]))
  const amount =
    currency === 'JPY' ? `${units}` : currency === 'KWD' ? `${units}.125` : `${units}.${10 + chance.below(3)}`
  const moment = () => Date.now() + Math.round((chance.next() * 8 - 3) * day)
  const [from, until] = [moment(), moment()].toSorted((a, b) => a - b)
  return {
    currency,
    amount,
    compareAtAmount: chance.is(0.3) ? String(units + 5) : null,
    channel: chance.one([null, null, 'web', 'shop']),
    countries: chance.one([[], [], ['FR'], ['DE', 'SE'], ['FR', 'DE']]),
    priority: chance.is(0.1) ? 1 : 0,
    minQuantity: chance.is(0.1) ? 5 : 1,
    validFrom: chance.is(0.4) ? new Date(from!).toISOString() : null,
    validUntil: chance.is(0.4) ? new Date(until! + 1).toISOString() : null,
  }
}

const placeOf = ({ chance }: Made) => ({
  channel: chance.one(['web', 'shop', 'other']),
  country: chance.one(['FR', 'DE', 'SE']),
  currency: chance.one(['EUR', 'EUR', 'JPY', 'KWD']),
})

function productOf(made: Made) {
  const { chance, categories, products } = made
  const all = sizes.flatMap((size) => colors.map((color) => ({ size, color })))
  return {
    title: `Mug ${products.length}`,
    status: chance.one(['ACTIVE', 'ACTIVE', 'DRAFT']),
    vendor: chance.one(vendors),
    categories: categories.filter(() => chance.is(0.4)),
    options: [
      { title: 'Size', values: sizes.map((title) => ({ title })) },
      { title: 'Color', values: colors.map((title) => ({ title })) },
    ],
    variants: all
      .filter(() => chance.is(0.5))
      .map(({ size, color }) => ({
        sku: crypto.randomUUID(),
        optionValues: [
          { option: 'Size', value: size },
          { option: 'Color', value: color },
        ],
        saleOffers: Array.from({ length: chance.below(4) }, () => termsOf(made)),
      })),
  }
}

async function openCatalogue(chance: Chance): Promise<Made> {
  const shop = await openShop()
  const categories = await Promise.all(
    ['Mugs', 'Cups', 'Bowls'].map(async (title) => (await shop.create('/api/categories', { title }))['@id']),
  )
  const made: Made = { chance, shop, categories, products: [], variants: [], offers: [], markets: [] }
  for (let left = 3; left > 0; left -= 1) await edits.market(made)
  for (let left = 1 + chance.below(3); left > 0; left -= 1) {
    const { member } = await shop.create(
      '/api/products',
      Array.from({ length: 20 + chance.below(31) }, () => productOf(made)),
    )
    for (const product of member) keep(made, product)
  }
  // As autovacuum does soon. Until then, Postgres expects one row of each table.
  await owner((client) =>
    client.query('analyze products, variants, product_values, product_categories, variant_prices'),
  )
  // From here on, the tenant's clock is ahead of that of requests, so now is a moment that a test knows.
  await passTime(made, 3_600_000)
  return made
}

function keep({ products, variants }: Made, product: Body): void {
  products.push(product['@id'])
  variants.push(...product.variants.map(({ '@id': iri }: Body) => iri))
}

const passTime = ({ shop }: Made, milliseconds: number) =>
  owner((client) =>
    client.query(
      "update tenant_clock set last_at = greatest(last_at, now()) + $2 * interval '1 millisecond' where tenant_id = $1",
      [shop.tenant.id, milliseconds],
    ),
  )

/** Edits by name. The service may refuse one, and then nothing has changed. */
const edits = {
  async offer(made: Made) {
    const { chance, shop, variants, offers } = made
    const body = { ...termsOf(made), variant: chance.one(variants) }
    const reply = await shop.post('/api/sale_offers', { body })
    if (reply.status === 201) offers.push(reply.body['@id'])
  },
  async change(made: Made) {
    const { chance, shop, offers } = made
    const terms = Object.entries(termsOf(made)).filter(
      ([name]) => /amount|currency/.test(name) || chance.is(0.4),
    )
    if (offers.length > 0) await shop.patch(chance.one(offers), { body: Object.fromEntries(terms) })
  },
  async state({ chance, shop, offers, variants, products }: Made) {
    const iri = chance.one([
      ...(offers.length > 0 ? [chance.one(offers)] : []),
      chance.one(variants),
      chance.one(products),
    ])
    await shop.patch(iri, { body: { status: chance.one(['ACTIVE', 'ACTIVE', 'ARCHIVED']) } })
  },
  async product(made: Made) {
    const { chance, shop, products, categories } = made
    if (chance.is(0.5)) keep(made, await shop.create('/api/products', productOf(made)))
    else
      await shop.patch(chance.one(products), {
        body: { vendor: chance.one(vendors), categories: categories.filter(() => chance.is(0.4)) },
      })
  },
  async market(made: Made) {
    const { chance, shop, markets } = made
    const kind = markets.length < 3 ? 'create' : chance.one(['create', 'change', 'delete'])
    if (kind === 'create') {
      const body = { key: `m-${crypto.randomUUID()}`, ...placeOf(made) }
      markets.push((await shop.create('/api/markets', body))['@id'])
    } else if (kind === 'change') await shop.patch(chance.one(markets), { body: placeOf(made) })
    else await shop.delete(markets.splice(chance.below(markets.length), 1)[0]!, { status: 204 })
  },
  time: (made: Made) => passTime(made, made.chance.below(made.chance.one([60_000, day]))),
}

/** Reads all members of a list by its links. */
async function all(shop: Shop, path: string): Promise<Body[]> {
  const members: Body[] = []
  for (let next: string | undefined = path; next; ) {
    const { member, view }: Body = await shop.read(next, { version: 'unstable' })
    members.push(...member)
    next = view?.next
  }
  return members
}

async function modelOf({ shop, offers: known }: Made): Promise<Model> {
  await expect
    .poll(async () =>
      (await all(shop, '/api/markets')).every(({ pricesCompleteAt }) => pricesCompleteAt !== null),
    )
    .toBe(true)
  const products = [
    ...(await all(shop, '/api/products?itemsPerPage=100')),
    ...(await all(shop, '/api/products?itemsPerPage=100&status=ARCHIVED')),
  ].map(({ variants, categories, ...product }) => ({
    ...product,
    categories: categories.map((category: Body) => category['@id'] ?? category),
    variants: variants.map(({ '@id': iri, sku, optionValues }: Body) => ({
      '@id': iri,
      sku,
      values: optionValues.map(({ title }: Body) => title),
    })),
  }))
  const offers: (Terms & { '@id': string })[] = await all(shop, '/api/sale_offers?itemsPerPage=100')
  known.push(...offers.map((offer) => offer['@id']).filter((iri) => !known.includes(iri)))
  const { rows } = await owner((client) =>
    client.query('select instant_text(last_at) as now from tenant_clock where tenant_id = $1', [
      shop.tenant.id,
    ]),
  )
  const now: string = rows[0].now
  const moments = offers.flatMap(({ validFrom, validUntil }) => [validFrom ?? [], validUntil ?? []].flat())
  return {
    now,
    markets: (await all(shop, '/api/markets')) as Market[],
    products,
    offers: Map.groupBy(offers, ({ variant }) => variant),
    moments: moments.filter((moment) => moment > now).toSorted(),
  }
}

/** The winning offers of variants of a product in a market at a moment, the cheapest first. */
const pricesOf = (
  model: Model,
  market: Market,
  at: string,
  product: Product,
  variants = product.variants,
): Terms[] =>
  (product.status === 'ARCHIVED' ? [] : variants)
    .flatMap((variant) => winnerAt(model.offers.get(variant['@id']) ?? [], market, at) ?? [])
    .toSorted((a, b) => unitsOf(a) - unitsOf(b))

/** The start of the range of an amount in the facet: 1, 2, 5, 10, 20, 50 and so on. */
function rangeStart(units: number): number {
  let start = 1
  for (let step = 0; start * [2, 2.5, 2][step % 3]! <= units; step += 1) start *= [2, 2.5, 2][step % 3]!
  return start
}

const countsOf = (values: readonly (string | number)[]) =>
  Object.fromEntries([...Map.groupBy(values, String)].map(([value, { length }]) => [value, length]))

type Query = readonly (readonly [name: string, value: string])[]
const textOf = (query: Query) => query.map((each) => each.map(encodeURIComponent).join('=')).join('&')

/** An amount in smallest units, in the currency of a market. */
function amountOf(units: number, { currency }: Place): string {
  const decimals = { JPY: 0, KWD: 3 }[currency] ?? 2
  return (units / 10 ** decimals).toFixed(decimals)
}

/** Compares the results of one random query: its pages, total, ranges and facets. */
async function compareQuery({ chance, shop, categories }: Made, model: Model): Promise<void> {
  const market = chance.one(model.markets)
  const moment =
    model.moments.length > 0 && chance.is(0.75)
      ? movedBy(chance.one(model.moments), chance.below(3) - 1)
      : null
  const at = moment !== null && moment > model.now ? moment : model.now
  const some = <Value>(probability: number, value: () => Value) =>
    chance.is(probability) ? value() : undefined
  const size = some(0.25, () => sizes.filter(() => chance.is(0.5)))
  const color = some(0.15, () => chance.one(colors))
  const sku = some(0.05, () => chance.one(model.products.flatMap(({ variants }) => variants))?.sku)
  const vendor = some(0.25, () => chance.one(vendors))
  const category = some(0.2, () => chance.one(categories))
  const status = some(0.15, () => chance.one(['ACTIVE', 'DRAFT', 'ARCHIVED']))
  const known = model.products
    .flatMap((product) => pricesOf(model, market, at, product).slice(0, 1))
    .map(unitsOf)
  const bound = () => (known.length > 0 ? chance.one(known) + chance.below(3) - 1 : chance.below(1000))
  const bounds = [bound(), bound()].toSorted((a, b) => a - b)
  const from = some(0.35, () => Math.max(0, bounds[0]!))
  const until = some(0.35, () => Math.max(0, bounds[1]!))
  const reduced = some(0.2, () => chance.is(0.5))
  const hasPrice = some(0.25, () => chance.is(0.6))
  const order = chance.one([undefined, 'asc', 'asc', 'desc', 'desc'])
  const base: Query = [
    ['market', market.key],
    ...(moment !== null && at === moment ? [['priceAt', at] as const] : []),
    ...(size ?? []).map((value) => ['option[Size][]', value] as const),
    ...Object.entries({ 'option[Color][]': color, sku, vendor, category, status }).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value] as const],
    ),
    ...Object.entries({ 'price[from]': from, 'price[until]': until }).flatMap(([name, units]) =>
      units === undefined ? [] : [[name, amountOf(units, market)] as const],
    ),
    ...Object.entries({ reduced, hasPrice }).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, String(value)] as const],
    ),
  ]
  const isMatching = (variant: Variant) =>
    (!size?.length || size.some((value) => variant.values.includes(value))) &&
    (color === undefined || variant.values.includes(color)) &&
    (sku === undefined || variant.sku === sku)
  const filtersVariants = Boolean(size?.length) || color !== undefined || sku !== undefined
  const rows = model.products.flatMap((product) => {
    const variants = product.variants.filter(isMatching)
    const isListed =
      (status === undefined ? product.status !== 'ARCHIVED' : product.status === status) &&
      (vendor === undefined || product.vendor === vendor) &&
      (category === undefined || product.categories.includes(category)) &&
      (!filtersVariants || variants.length > 0)
    if (!isListed) return []
    const prices = pricesOf(model, market, at, product, variants)
    return {
      product,
      lowest: prices[0] && unitsOf(prices[0]),
      isReduced: prices.some(({ compareAtAmount }) => compareAtAmount !== null),
    }
  })
  type Row = (typeof rows)[number]
  const isInRange = ({ lowest }: Row) =>
    (from === undefined || (lowest !== undefined && lowest >= from)) &&
    (until === undefined || (lowest !== undefined && lowest <= until))
  const isAsReduced = ({ isReduced }: Row) => reduced === undefined || isReduced === reduced
  const isAsPriced = ({ lowest }: Row) => hasPrice === undefined || (lowest !== undefined) === hasPrice
  const found = rows.filter((row) => isInRange(row) && isAsReduced(row) && isAsPriced(row))
  const place = ({ lowest }: Row) => (lowest === undefined ? Infinity : order === 'desc' ? -lowest : lowest)
  const expected =
    order === undefined
      ? found
      : found.toSorted((a, b) =>
          place(a) === place(b) ? (a.product.id < b.product.id ? -1 : 1) : place(a) - place(b),
        )
  const texts = expected.map(({ product }) => {
    const range = pricesOf(model, market, at, product).map(unitsOf)
    return `${product.id} ${range[0]} ${range.at(-1)}`
  })

  const itemsPerPage = chance.one([4, 20, 100, 100])
  const query = textOf([
    ...base,
    ...(order === undefined ? [] : [['order[price]', order] as const]),
    ['itemsPerPage', `${itemsPerPage}`],
  ])
  const units = (amount: string | undefined) => (amount === undefined ? undefined : unitsOf({ amount }))
  let nth = 0
  let last: string | undefined
  for (let path: string | undefined = `/api/products?${query}`; path; nth += 1) {
    const { member, view, totalItems }: Body = await shop.read(path, { version: 'unstable' })
    const page = member.map(
      ({ id, priceRange }: Body) => `${id} ${units(priceRange?.from)} ${units(priceRange?.until)}`,
    )
    compare(query, page, texts.slice(nth * itemsPerPage, (nth + 1) * itemsPerPage))
    compare(query, totalItems ?? texts.length, texts.length)
    counts.requests += 1
    if (at === moment) comparePrices(query, model, market, at, member)
    last ??= view?.last
    path = view?.next
  }
  if (nth !== Math.max(1, Math.ceil(texts.length / itemsPerPage)))
    compare(query, nth, texts.length / itemsPerPage)
  if (last !== undefined && chance.is(0.3)) {
    const backwards: string[] = []
    for (let path: string | undefined = last; path; ) {
      const { member, view }: Body = await shop.read(path, { version: 'unstable' })
      backwards.unshift(...member.map(({ id }: Body) => id))
      path = view?.previous
      counts.requests += 1
    }
    compare(
      query,
      backwards,
      expected.map(({ product }) => product.id),
    )
  }
  const { facets } = await shop.read(`/api/products?${query}&facets[]=price&facets[]=reduced`, {
    version: 'unstable',
  })
  const [price, reduction] = facets.map(({ values }: Body) =>
    Object.fromEntries(
      values
        .filter(({ count }: Body) => count > 0)
        .map(({ from, value, count }: Body) => [
          from === undefined ? value : unitsOf({ amount: from }),
          count,
        ]),
    ),
  )
  const priced = rows
    .filter((row) => isAsReduced(row) && isAsPriced(row))
    .flatMap(({ lowest }) => lowest ?? [])
  compare(query, price, countsOf(priced.map(rangeStart)))
  const reductions = rows.filter((row) => isInRange(row) && isAsPriced(row)).map((row) => `${row.isReduced}`)
  compare(query, reduction, countsOf(reductions))
  counts.requests += 1
}

/** Compares the prices of all variants of listed products. */
function comparePrices(
  query: string,
  { offers }: Model,
  market: Market,
  at: string,
  members: readonly Body[],
): void {
  for (const { variants } of members)
    for (const { '@id': iri, resolvedPrice } of variants) {
      const offer = winnerAt(offers.get(iri) ?? [], market, at)
      compare(
        query,
        [resolvedPrice?.amount ?? null, resolvedPrice?.saleOffer ?? null],
        [offer?.amount ?? null, offer ? `/api/sale_offers/${offer.id}` : null],
      )
      counts.prices += 1
    }
}

function compare(query: string, found: unknown, expected: unknown): void {
  if (!isDeepStrictEqual(found, expected)) expect(found, query).toEqual(expected)
}

/** Compares a catalogue after each of some groups of edits. */
async function compareCatalogue(seed: number): Promise<void> {
  const made = await openCatalogue(chanceOf(seed))
  const { chance, shop } = made
  for (let round = 0; round < 8 && compared() < wanted; round += 1) {
    const model = await modelOf(made)
    for (let left = 12; left > 0 && compared() < wanted; left -= 1) {
      await compareQuery(made, model).catch((error: Error) => {
        error.message = `seed ${seed}: ${error.message}`
        throw error
      })
      if (showsProgress) process.stderr.write(`\r${compared()} of ${wanted} comparisons`)
    }
    for (let left = 1 + chance.below(6); left > 0; left -= 1) {
      await edits[chance.weighted({ offer: 3, change: 5, state: 4, product: 2, market: 1, time: 2 })](made)
      counts.edits += 1
    }
    await shop.rest()
  }
  counts.catalogues += 1
}

test(
  `${wanted} comparisons from seed ${firstSeed} on`,
  async () => {
    const began = Date.now()
    let seed = firstSeed
    const work = async () => {
      while (compared() < wanted) {
        seed += 1
        await compareCatalogue(seed - 1)
      }
    }
    await Promise.all(Array.from({ length: atOnce }, work))
    const seconds = Math.round((Date.now() - began) / 1000)
    if (showsProgress)
      process.stderr.write(
        `\n${counts.requests} requests and ${counts.prices} prices compared in ${seconds} s, ${counts.edits} edits, ${seed - firstSeed} catalogues\n`,
      )
    expect(counts.edits).toBeGreaterThan(0)
  },
  60_000 + wanted * 100,
)

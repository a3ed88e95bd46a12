import { type Client, concurrently, type HydraList, Refusal, type Violation } from '../cli/http.ts'
import {
  creationBody,
  isPricedAtOnce,
  pairVariants,
  planOffer,
  planUpdate,
  pricesPerRequest,
  type Target,
  type UpdatePlan,
  untranslated,
  variantBody,
} from './plan.ts'
import type {
  ImportedProduct,
  ImportedVariant,
  ListedProduct,
  OptionDocument,
  ProductDocument,
  SaleOfferDocument,
  VariantDocument,
} from './product.ts'
import { pricesOf, type Report, remarksOn } from './report.ts'

/** Most products of one POST, and most variants or offers. */
export const productsPerRequest = 50
const rowsPerRequest = 250

/** A variant that is in the catalogue, with the offers it had before. */
type Priced = { product: ImportedProduct; wanted: ImportedVariant; iri: string; offers: SaleOfferDocument[] }

/** Whether products are probably all new. `ahead` resolves when all earlier products of the file are written. */
type Going = { readonly areNew: boolean; readonly ahead: Promise<unknown> }

/**
 * Writes a batch of products (at most `productsPerRequest`) and their prices; only what differs is sent. Where they are likely all new
 * they are created at once, and only rejected ones are looked up, after earlier products are written. Returns how many existed.
 */
export async function applyBatch(
  client: Client,
  products: readonly ImportedProduct[],
  target: Target,
  report: Report,
  { areNew, ahead }: Going,
): Promise<number> {
  const made = areNew ? await createUnseen(client, products, target, report) : { rest: products, priced: [] }
  // A batch may depend on an earlier one: a later product may take the SKU of an earlier one.
  if (made.rest.length > 0) await ahead
  const found = await concurrently(6, made.rest, async (product) => {
    const current = await find(client, product.handle).catch(refusalOfRows)
    if (current instanceof Refusal) report.rejectProduct(product, remarksOn(product, said(current)))
    return { product, current }
  })
  const created = await create(
    client,
    found.flatMap(({ product, current }) => (current === null ? [product] : [])),
    target,
    report,
  )
  const updated = await concurrently(4, found, async ({ product, current }) =>
    current === null || current instanceof Refusal ? null : update(client, product, current, target, report),
  )
  const priced = updated.flatMap((each) => each?.priced ?? [])
  await price(client, [...made.priced, ...created, ...priced], target, report)
  await concurrently(4, updated, async (each) => each && place(client, each, report))
  return found.filter(({ current }) => current !== null).length
}

/** The product of a handle with all its variants, or null. */
async function find(client: Client, handle: string): Promise<ProductDocument | null> {
  const { member } = await client.read<{ member: ListedProduct[] }>(
    `/api/products?handle=${encodeURIComponent(handle)}`,
  )
  return member[0] ? inFull(client, member[0]) : null
}

/** A product in a list shows its first variants only, and none of very many option values; `variantsTotal` says how many there are. */
async function inFull(client: Client, listed: ListedProduct): Promise<ProductDocument> {
  const { options, variants, variantsTotal = variants.length } = listed
  const hasAllValues = options.every((each): each is OptionDocument => each.values !== undefined)
  return {
    ...listed,
    options: hasAllValues
      ? options
      : await client.list<OptionDocument>(`${listed['@id']}/product_options?itemsPerPage=100`),
    variants:
      variantsTotal <= variants.length
        ? variants
        : await client.list<VariantDocument>(`${listed['@id']}/variants?itemsPerPage=100`),
  }
}

/** Where products are created; all that they then are is not asked for, of which hardly anything is looked at. */
const creations = '/api/products?properties[]=id'
type CreatedProduct = Pick<ProductDocument, '@id'>

/** Maximum products and prices of a request. */
function creationOf(
  products: readonly ImportedProduct[],
  target: Target,
): { bodies: unknown[]; limits: BulkLimits } {
  return {
    bodies: products.map((product) => creationBody(product, target)),
    limits: {
      rows: productsPerRequest,
      counted: { of: (place) => pricedAtOnce(products[place]!).length, most: pricesPerRequest },
    },
  }
}

const pricedAtOnce = ({ variants }: ImportedProduct) =>
  variants.filter((_, index) => isPricedAtOnce(variants, index))

/** Creates products that were not looked up, with their prices. Returns the rejected ones, and variants without their price. */
async function createUnseen(
  client: Client,
  products: readonly ImportedProduct[],
  target: Target,
  report: Report,
): Promise<{ rest: ImportedProduct[]; priced: Priced[] }> {
  const { bodies, limits } = creationOf(products, target)
  const outcomes = await createNew<CreatedProduct>(client, creations, bodies, limits)
  const priced = await concurrently(6, products, async (product, place) => {
    const outcome = outcomes[place]
    return outcome ? unpricedOf(client, product, outcome.created, report) : []
  })
  return { rest: products.filter((_, place) => !outcomes[place]), priced: priced.flat() }
}

/** Counts a product that was created; gives those of its variants whose prices the request did not take. */
async function unpricedOf(
  client: Client,
  product: ImportedProduct,
  created: CreatedProduct,
  report: Report,
): Promise<Priced[]> {
  const { variants } = product
  report.settle(product.rows, 'created')
  if (product.published === undefined && !product.isPartial) report.undecided += 1
  report.count('variants', 'created', variants.length)
  const sent = new Set(pricedAtOnce(product))
  report.count('prices', 'created', sent.size)
  if (variants.every((each) => each.price === null || sent.has(each))) return []
  const document = await inFull(client, await client.read<ListedProduct>(created['@id']))
  return pairVariants(variants, document).flatMap(({ wanted, current }) =>
    current && !sent.has(wanted) ? [{ product, wanted, iri: current['@id'], offers: [] }] : [],
  )
}

/** Creates products with their prices; gives those variants whose prices one request did not take. */
async function create(
  client: Client,
  products: readonly ImportedProduct[],
  target: Target,
  report: Report,
): Promise<Priced[]> {
  const { bodies, limits } = creationOf(products, target)
  const outcomes = await createAll<CreatedProduct>(client, creations, bodies, limits)
  const partial: ImportedProduct[] = []
  const priced = await concurrently(6, products, async (product, place): Promise<Priced[]> => {
    const outcome = outcomes[place]!
    if ('created' in outcome) return unpricedOf(client, product, outcome.created, report)
    const without = withoutRejected(product, outcome.refused, report)
    if (without) partial.push(without)
    else report.rejectProduct(product, remarksOn(product, outcome.refused.map(withHandle)))
    return []
  })
  return [...priced.flat(), ...(partial.length > 0 ? await create(client, partial, target, report) : [])]
}

const isTaken = ({ slug }: Violation) => slug === 'variant.sku_taken'

/** A new product whose SKUs other products have is probably one of these. */
const withHandle = (violation: Violation): Violation =>
  isTaken(violation)
    ? { ...violation, message: `${violation.message} To change that product, give the row its handle.` }
    : violation

/**
 * A product without its rejected variants, prices and pictures, which are reported. Null if another part was rejected, or if other
 * products have the SKUs of all its variants.
 */
function withoutRejected(
  product: ImportedProduct,
  violations: readonly Violation[],
  report: Report,
): ImportedProduct | null {
  const rejected = { variant: new Set<number>(), price: new Set<number>(), picture: new Set<number>() }
  for (const { propertyPath } of violations) {
    const [, variant, price, picture] =
      /^(?:variants\[(\d+)\](\.saleOffers)?|media\[(\d+)\])/.exec(propertyPath) ?? []
    if (picture !== undefined) rejected.picture.add(Number(picture))
    else if (variant !== undefined) rejected[price ? 'price' : 'variant'].add(Number(variant))
    else return null
  }
  const isOther = violations.every(isTaken) && rejected.variant.size === product.variants.length
  if (violations.length === 0 || isOther) return null
  report.reject(product.rows, remarksOn(product, violations))
  const variants = product.variants.flatMap((variant, place) =>
    rejected.variant.has(place) ? [] : [rejected.price.has(place) ? { ...variant, price: null } : variant],
  )
  const media = product.media?.filter((_, place) => !rejected.picture.has(place))
  const partial = { ...product, ...(media && { media }), variants, isPartial: true }
  report.count('variants', 'rejected', rejected.variant.size)
  report.count('prices', 'rejected', pricesOf(product) - pricesOf(partial))
  return partial
}

/** A product that existed. `placement` puts it on sale, or withdraws it. */
type Updated = Pick<UpdatePlan, 'placement'> & {
  readonly product: ImportedProduct
  readonly iri: string
  readonly isChanged: boolean
  readonly priced: Priced[]
}

/** Writes a product and its variants, without placement and prices. Null if the product is rejected. */
async function update(
  client: Client,
  product: ImportedProduct,
  current: ProductDocument,
  target: Target,
  report: Report,
): Promise<Updated | null> {
  const strange = untranslated(product, current)
  if (strange) {
    report.rejectProduct(product, [strange])
    return null
  }
  const plan = planUpdate(product, current, target)
  const iri = current['@id']
  const shape = await writeShape(client, iri, plan).catch(refusalOfRows)
  if (shape instanceof Refusal) {
    report.rejectProduct(product, remarksOn(product, said(shape)))
    return null
  }

  // Of every channel: a price that names none may be the file's already.
  const query = `product=${encodeURIComponent(iri)}&itemsPerPage=100`
  const offers = await client.list<SaleOfferDocument>(`/api/sale_offers?${query}`)
  const priced: Priced[] = []
  const refuse = (wanted: ImportedVariant, violations: readonly Violation[]) => {
    report.count('variants', 'rejected')
    if (wanted.price !== null) report.count('prices', 'rejected')
    report.reject(product.rows, remarksOn(product, violations, wanted))
  }
  for (const { wanted, current: known, patch } of plan.variants) {
    if (!known) continue
    const written =
      patch && (await client.write('PATCH', `${iri}/variants/${known.id}`, patch).catch(refusalOfRows))
    if (written instanceof Refusal) {
      refuse(wanted, said(written))
      continue
    }
    report.count('variants', patch ? 'changed' : 'unchanged')
    priced.push({ product, wanted, iri: known['@id'], offers })
  }
  const missing = plan.variants.filter(({ current: known }) => !known).map(({ wanted }) => wanted)
  const outcomes = await createAll<VariantDocument>(client, `${iri}/variants`, missing.map(variantBody), {
    rows: rowsPerRequest,
  })
  for (const [place, outcome] of outcomes.entries()) {
    const wanted = missing[place]!
    if ('refused' in outcome) {
      refuse(wanted, outcome.refused)
      continue
    }
    report.count('variants', 'created')
    priced.push({ product, wanted, iri: outcome.created['@id'], offers: [] })
  }
  return {
    product,
    iri,
    placement: plan.placement,
    isChanged: plan.patch !== null || plan.options.length > 0,
    priced,
  }
}

/** Puts a product on sale, unless a part of it was rejected, or withdraws it. Counts it. */
async function place(
  client: Client,
  { product, iri, placement, isChanged }: Updated,
  report: Report,
): Promise<void> {
  const isPlaced = placement !== null && !(product.published && report.isRejected(product))
  const written = isPlaced ? await client.write('PATCH', iri, placement).catch(refusalOfRows) : null
  if (written instanceof Refusal) report.reject(product.rows, remarksOn(product, said(written)))
  const isWritten = isPlaced && !(written instanceof Refusal)
  report.settle(product.rows, isChanged || isWritten ? 'changed' : 'unchanged')
}

/** The product's own fields, then the options and values that its variants are going to name. */
async function writeShape(client: Client, iri: string, plan: UpdatePlan): Promise<void> {
  if (plan.patch) await client.write('PATCH', iri, plan.patch)
  for (const { title, iri: known, values } of plan.options) {
    const option =
      known ?? (await client.write<OptionDocument>('POST', `${iri}/product_options`, { title }))['@id']
    for (const value of values) await client.write('POST', '/api/option_values', { option, title: value })
  }
}

async function price(
  client: Client,
  priced: readonly Priced[],
  target: Target,
  report: Report,
): Promise<void> {
  const bodies: { of: Priced; body: Record<string, unknown> }[] = []
  const refuse = ({ product, wanted }: Priced, violations: readonly Violation[]) => {
    report.count('prices', 'rejected')
    report.reject(product.rows, remarksOn(product, violations, wanted))
  }
  await concurrently(4, priced, async (of) => {
    const plan = planOffer(of.wanted, of.iri, of.offers, target)
    if (plan?.kind === 'create') bodies.push({ of, body: plan.body })
    if (plan?.kind === 'unchanged') report.count('prices', 'unchanged')
    if (plan?.kind !== 'patch') return
    const written = await client.write('PATCH', plan.iri, plan.patch).catch(refusalOfRows)
    if (written instanceof Refusal) refuse(of, said(written))
    else report.count('prices', 'changed')
  })
  const outcomes = await createAll(
    client,
    '/api/sale_offers',
    bodies.map(({ body }) => body),
    { rows: rowsPerRequest },
  )
  for (const [place, outcome] of outcomes.entries()) {
    if ('refused' in outcome) refuse(bodies[place]!.of, outcome.refused)
    else report.count('prices', 'created')
  }
}

function said({ violations, message }: Refusal): readonly Violation[] {
  return violations.length > 0 ? violations : [{ propertyPath: '', message }]
}

/** The outcome of one of many bodies. */
type Outcome<Document> = { created: Document } | { refused: readonly Violation[] }

/** How many rows an array may have, and what of each counts towards a bound of its own. */
type BulkLimits = { rows: number; counted?: { of: (place: number) => number; most: number } }

/**
 * Creates rows that are probably all new. Returns the outcome of each; null for those of a rejected request, of which nothing is
 * created. @throws Refusal, as `refusalOfRows` does
 */
async function createNew<Document>(
  client: Client,
  path: string,
  bodies: readonly unknown[],
  limits: BulkLimits,
): Promise<({ created: Document } | null)[]> {
  const outcomes: ({ created: Document } | null)[] = bodies.map(() => null)
  for (const places of packed(bodies, limits)) {
    const created = await createTogether<Document>(client, path, bodies, places)
    if (created instanceof Refusal) continue
    for (const [index, place] of places.entries()) outcomes[place] = { created: created[index]! }
  }
  return outcomes
}

/** Creates the rows at some places with one request. */
async function createTogether<Document>(
  client: Client,
  path: string,
  bodies: readonly unknown[],
  places: readonly number[],
): Promise<Document[] | Refusal> {
  const rows = places.map((place) => bodies[place])
  const created = await client.write<HydraList<Document>>('POST', path, rows).catch(refusalOfRows)
  if (created instanceof Refusal) return created
  if (created.member.length !== places.length)
    throw new Error(`${path} answered ${created.member.length} rows for ${places.length}.`)
  return created.member
}

/** Well under the service's limit of 1 MiB a body. */
const maximumBytes = 900_000

/**
 * Creates many rows with few requests. An array is written all or nothing, so after a refusal the rows that were
 * named (`[3].title`) are set aside and the others are sent again; a refusal that names no row halves the array
 * until the row is found.
 */
async function createAll<Document>(
  client: Client,
  path: string,
  bodies: readonly unknown[],
  limits: BulkLimits,
): Promise<Outcome<Document>[]> {
  const outcomes = new Array<Outcome<Document>>(bodies.length)

  async function send(places: readonly number[]): Promise<void> {
    if (places.length === 0) return
    const created = await createTogether<Document>(client, path, bodies, places)
    if (created instanceof Refusal) return sort(places, created)
    for (const [index, place] of places.entries()) outcomes[place] = { created: created[index]! }
  }

  async function sort(places: readonly number[], refusal: Refusal): Promise<void> {
    const named = byRow(refusal.violations, places.length)
    if (places.length === 1) {
      const unnamed =
        refusal.violations.length > 0 ? refusal.violations : [{ propertyPath: '', message: refusal.message }]
      outcomes[places[0]!] = { refused: named.get(0) ?? unnamed }
      return
    }
    if (named.size === 0) {
      const middle = places.length >> 1
      await send(places.slice(0, middle))
      return send(places.slice(middle))
    }
    for (const [index, refused] of named) outcomes[places[index]!] = { refused }
    return send(places.filter((_, index) => !named.has(index)))
  }

  for (const places of packed(bodies, limits)) await send(places)
  return outcomes
}

/** Rejections of the body. A missing permission or an unknown host stops the import instead. */
function refusalOfRows(error: unknown): Refusal {
  if (error instanceof Refusal && ![401, 403, 429, 502, 503, 504].includes(error.status)) return error
  throw error
}

function byRow(violations: readonly Violation[], count: number): Map<number, Violation[]> {
  const rows = new Map<number, Violation[]>()
  for (const violation of violations) {
    const { propertyPath } = violation
    const [whole, index] = /^\[(\d+)\]\.?/.exec(propertyPath) ?? []
    if (whole === undefined || Number(index) >= count) continue
    const row = rows.get(Number(index)) ?? []
    rows.set(Number(index), [...row, { ...violation, propertyPath: propertyPath.slice(whole.length) }])
  }
  return rows
}

function* packed(bodies: readonly unknown[], { rows, counted }: BulkLimits): Generator<number[]> {
  let places: number[] = []
  let [bytes, count] = [0, 0]
  for (const [place, body] of bodies.entries()) {
    const size = Buffer.byteLength(JSON.stringify(body))
    const more = counted?.of(place) ?? 0
    const isFull =
      places.length === rows || bytes + size > maximumBytes || count + more > (counted?.most ?? 0)
    if (places.length > 0 && isFull) {
      yield places
      places = []
      ;[bytes, count] = [0, 0]
    }
    places.push(place)
    bytes += size
    count += more
  }
  if (places.length > 0) yield places
}

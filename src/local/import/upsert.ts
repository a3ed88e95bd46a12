/** The bodies of upserts, and the parts of the catalogue on which they depend. */
import { type ImportedProduct, type ImportedVariant, pricesOf, type Remark } from './product.ts'
import { sameAmount } from './values.ts'

/** The requests of an import. `npm run import` and the page of /admin send them. */
export type Client = {
  /** Every member of a list, on all its pages. */
  list<Member>(path: string): Promise<Member[]>
  /** The document of a response. Rejects for anything but 2xx. */
  write<Document>(
    method: 'PATCH',
    path: string,
    body: unknown,
    headers: Readonly<Record<string, string>>,
  ): Promise<Document>
}

/** Where the prices of the file hold. */
export type Target = { readonly channel: string; readonly currency: string }

type Title = { readonly title: string | null; readonly fallbacks?: Readonly<Record<string, string>> }
type Option = Title & { readonly '@id': string; readonly values?: readonly Title[] }

/** A product of the catalogue. `specialOffers` are those that an upsert does not find by their terms. */
export type StoredProduct = {
  readonly '@id': string
  readonly externalId: string | null
  readonly handle: string
  readonly channels: readonly string[]
  readonly version: number
  readonly options: readonly Option[]
  readonly specialOffers?: readonly SpecialOffer[]
}

const shown = ['externalId', 'handle', 'channels', 'version', 'updatedAt', 'options']
  .map((name) => `&properties[]=${name}`)
  .join('')
/** Products of a list, and elements of a batch. */
export const productsPerRequest = 100

/** Finds products by their handles, at most a hundred. */
export async function findProducts<Product extends StoredProduct>(
  client: Client,
  handles: readonly string[],
): Promise<Map<string, Product>> {
  const names = handles.map((handle) => `handle[]=${encodeURIComponent(handle)}`).join('&')
  const found = await client.list<Product>(
    `/api/products?${names}&itemsPerPage=${productsPerRequest}${shown}`,
  )
  return new Map(found.map((product) => [product.handle, product]))
}

/** An external id for a product without one. */
const externalIdOf = (id: string = crypto.randomUUID()) => `import:${id}`

/** A product with the prices, and with very many option values, which lists do not contain. */
export async function withDetails(
  stored: StoredProduct,
  product: ImportedProduct,
  { client, target }: { readonly client: Client; readonly target: Target },
): Promise<StoredProduct> {
  const { '@id': iri, options } = stored
  const hasAllValues = options.every(({ values }) => values)
  return {
    ...stored,
    options: hasAllValues ? options : await client.list(`${iri}/product_options?itemsPerPage=100`),
    specialOffers: pricesOf(product) > 0 ? await readSpecialOffers(client, iri, target) : [],
  }
}

/** Gives external ids to products without one, because an upsert finds a product by its external id. */
export async function link(client: Client, products: readonly StoredProduct[]): Promise<StoredProduct[]> {
  if (products.length === 0) return []
  const body = products.map(({ '@id': iri }) => ({
    '@id': iri,
    externalId: externalIdOf(iri.slice(iri.lastIndexOf('/') + 1)),
  }))
  const { member } = await client.write<{ member: StoredProduct[] }>('PATCH', '/api/products', body, {
    'content-type': 'application/vnd.catalogue.batch+json',
  })
  return member
}

type Offer = {
  readonly variant: string | { readonly '@id': string }
  readonly externalId?: string | null
  readonly channel: string | null
  readonly countries: readonly string[]
  readonly amount: string
  readonly compareAtAmount?: string | null
  readonly validFrom?: string | null
  readonly validUntil?: string | null
  readonly priority: number
  readonly minQuantity: number
}

type OptionValue = { readonly title: string | null }
type StoredVariant = {
  readonly '@id': string
  readonly sku: string | null
  readonly optionValues: readonly OptionValue[]
}
type SpecialOffer = { readonly offer: Offer; readonly variant: StoredVariant }

/** The beginning of the external ids of imported prices in this channel and currency. */
const markOf = ({ channel, currency }: Target) => `import:${channel}:${currency}:`

/**
 * Reads offers of a product that an upsert does not find by their terms. These are imported prices whose terms were changed, and prices of
 * every channel, for variants without a price in this channel.
 */
async function readSpecialOffers(client: Client, iri: string, target: Target): Promise<SpecialOffer[]> {
  const { channel, currency } = target
  const offers = await client.list<Offer>(
    `/api/sale_offers?product=${encodeURIComponent(iri)}&currency=${currency}&itemsPerPage=100`,
  )
  const isMarked = ({ externalId }: Offer) => externalId?.startsWith(markOf(target)) === true
  const found = new Set(offers.filter((offer) => offer.channel === channel && isPlain(offer)).map(variantOf))
  const special = offers.filter(
    (offer) =>
      (isMarked(offer) && !(offer.channel === channel && isPlain(offer))) ||
      (offer.channel === null && isPlain(offer) && offer.priority === 0 && !found.has(variantOf(offer))),
  )
  if (special.length === 0) return []
  const variants = new Map(
    (await client.list<StoredVariant>(`${iri}/variants?itemsPerPage=100`)).map((variant) => [
      variant['@id'],
      variant,
    ]),
  )
  return special.flatMap((offer) => {
    const variant = variants.get(variantOf(offer))
    return variant ? [{ offer, variant }] : []
  })
}

const variantOf = ({ variant }: Offer) => (typeof variant === 'string' ? variant : variant['@id'])

const isPlain = ({ countries, validFrom, validUntil, minQuantity }: Offer) =>
  countries.length === 0 && !validFrom && !validUntil && minQuantity === 1

/**
 * Refuses an update in a language into which the product's options are not translated yet: their titles would be
 * taken for options that are missing, and added a second time.
 */
export function untranslated(product: ImportedProduct, stored: StoredProduct): Remark | null {
  const strange = product.options.find(({ title, values }) => {
    const known = stored.options.find((option) => option.title === title)
    if (!known) return stored.options.some(({ fallbacks }) => fallbacks?.title)
    const storedValues = known.values ?? []
    return (
      storedValues.some(({ fallbacks }) => fallbacks?.title) &&
      values.some((value) => !storedValues.some((there) => there.title === value))
    )
  })
  if (!strange) return null
  const message = `The option "${strange.title}" is not translated into this language in the catalogue; translate it there first.`
  return { line: product.line, handle: product.handle, message }
}

/** The address of the upsert of a product. A new one gets an external id. */
export const upsertPath = (stored: StoredProduct | null) =>
  `/api/products/by-external-id/${encodeURIComponent(stored?.externalId ?? externalIdOf())}`

/** An upsert has at most 1,000 rows: a variant has itself, its price and three values. */
export const variantsPerRequest = 199

/** The bodies that create or change a product, which are sent one after the other. The last one puts it on sale. */
export function bodiesOf(product: ImportedProduct, stored: StoredProduct | null, target: Target): object[] {
  const { handle, title, description, vendor, productType, tags, seo, keepsMedia, variants, options } =
    product
  const media = stored && keepsMedia ? undefined : product.media
  const own = { ...(!stored && { handle }), title, description, vendor, productType, tags, media, seo }
  const count = Math.max(1, Math.ceil(variants.length / variantsPerRequest))
  return Array.from({ length: count }, (_, index) => {
    const some = variants.slice(index * variantsPerRequest, (index + 1) * variantsPerRequest)
    const isUsed = (option: string, value: string) =>
      some.some(({ optionValues }) =>
        optionValues.some((each) => each.option === option && each.value === value),
      )
    return {
      ...(index === 0 && own),
      ...(index === count - 1 && placement(product, stored, target)),
      options: options.map((option) => ({
        title: option.title,
        values: option.values
          .filter((value) => isUsed(option.title, value))
          .map((value) => ({ title: value })),
      })),
      variants: some.map((variant) => {
        const { line: _line, price: _price, compareAt: _compareAt, optionValues, ...plain } = variant
        return {
          ...plain,
          ...(optionValues.length > 0 && { optionValues }),
          saleOffers: saleOffersOf(variant, stored, target),
        }
      }),
    }
  })
}

/**
 * Puts a product into the channel, or takes it out of this channel alone; it becomes a draft when no channel is left. A partial product is
 * not put on sale, but can be withdrawn.
 */
function placement(
  { published, isPartial }: ImportedProduct,
  stored: StoredProduct | null,
  { channel }: Target,
): object {
  if (!stored)
    return published && !isPartial ? { status: 'ACTIVE', channels: [channel] } : { status: 'DRAFT' }
  if (published === undefined || (published && isPartial)) return {}
  const others = stored.channels.filter((name) => name !== channel)
  if (!published) return { channels: others, ...(others.length === 0 && { status: 'DRAFT' }) }
  return {
    status: 'ACTIVE',
    channels: stored.channels.includes(channel) ? stored.channels : [...others, channel],
  }
}

const marks = new WeakMap<ImportedVariant, string>()

/** The price of a variant. Undefined if the file has no price, or if the price of every channel is equal. */
function saleOffersOf(
  variant: ImportedVariant,
  stored: StoredProduct | null,
  target: Target,
): object[] | undefined {
  const { price, compareAt, sku, optionValues } = variant
  if (price === null) return undefined
  const amounts = { amount: price, compareAtAmount: compareAt }
  if (!stored) {
    const mark = marks.get(variant) ?? crypto.randomUUID()
    marks.set(variant, mark)
    return [{ ...target, ...amounts, externalId: markOf(target) + mark }]
  }
  const values = (titles: readonly (string | null)[]) => JSON.stringify(titles.toSorted())
  const own = (stored.specialOffers ?? []).filter(
    ({ variant: other }) =>
      (sku && sku === other.sku) ||
      values(optionValues.map(({ value }) => value)) === values(other.optionValues.map(({ title }) => title)),
  )
  const changed = own.find(({ offer: { externalId } }) => externalId?.startsWith(markOf(target)))
  if (changed) return [{ ...amounts, externalId: changed.offer.externalId }]
  const isEqual = own.some(
    ({ offer }) => sameAmount(price, offer.amount) && sameAmount(compareAt, offer.compareAtAmount),
  )
  return isEqual ? undefined : [{ ...target, ...amounts }]
}

import { type Client, type HydraList, openClient, Refusal } from './client.ts'
import { acme } from './demo/acme.ts'
import { categoryBody, midnightIn, offerBody, offerExternalId, productBody } from './demo/bodies.ts'
import { globex } from './demo/globex.ts'
import { type DemoCatalogue, type DemoCategory, type DemoProduct, demoLocales } from './demo/model.ts'
import { categoryTexts, productTexts, translate } from './demo/translate.ts'
import { type DemoVariant, matches, variantsOf } from './demo/variants.ts'
import type { CategoryDocument, ProductDocument, SaleOfferDocument } from './documents.ts'

const catalogues: Record<string, DemoCatalogue> = { acme, globex }

/** The pictures of all demo catalogues, by the names of their files. */
export const demoPictures: readonly string[] = Object.values(catalogues).flatMap(({ products }) =>
  products.flatMap(({ images }) => images.map(({ file }) => file)),
)

/**
 * Fills a demo tenant through the public API: categories, products with their prices in English, then their other languages. What
 * is already there or was taken down, by handle or external id, is left as it is, so an interrupted seeding is finished by
 * the next one.
 * `host` is the tenant's host without port (`acme.localhost`), whose first label names the demo unless `demo` does. Answers
 * how many were created.
 */
export async function seedDemo(options: {
  port: number
  /** The port in the addresses of the pictures; `port` when absent. */
  pagesPort?: number
  host: string
  demo?: string
  token: string
  /** That of the tenant: its sales begin and end at midnight there. */
  timeZone: string
  onProgress?: (message: string) => void
  now?: Date
}): Promise<{ products: number; offers: number }> {
  const { port, host, token, timeZone, onProgress = () => {}, now = new Date() } = options
  const midnight = midnightIn(timeZone, now)
  const catalogue = catalogues[options.demo ?? host.split('.')[0]!]
  if (!catalogue)
    throw new Error(`There is no demo for ${host}, only for ${Object.keys(catalogues).join(', ')}.`)
  const client = openClient({ port, host, token, locale: 'en-US' })
  try {
    const categories = await seedCategories(client, catalogue)
    onProgress(`${host}: ${categories.size} categories`)
    // Files are the same at every host, and every machine resolves this one.
    const missing = await missingOffers(client, midnight)
    const pictures = `http://localhost:${options.pagesPort ?? port}/admin`
    const seeded = await seedProducts(client, catalogue, { pictures, categories, missing })
    const { products } = seeded
    onProgress(`${host}: ${products} products`)
    const translated = await seedTranslations(client, catalogue)
    onProgress(`${host}: ${translated} documents in ${demoLocales.length} languages`)
    // Those of products that were there before: of an older demo, or one that was interrupted.
    const offers =
      seeded.offers + (await seedOffers(client, catalogue, await missingOffers(client, midnight)))
    onProgress(`${host}: ${offers} offers`)
    return { products, offers }
  } finally {
    client.close()
  }
}

/** Creates the tree level by level, because a category names its parent; answers the IRI of each handle. */
async function seedCategories(client: Client, { categories }: DemoCatalogue): Promise<Map<string, string>> {
  const documents = await client.list<CategoryDocument>('/api/categories?itemsPerPage=100')
  const iris = new Map(
    documents.flatMap(({ '@id': iri, handle }) => (handle ? [[handle, iri] as const] : [])),
  )
  let level: { category: DemoCategory; parent: string | null }[] = categories.map((category) => ({
    category,
    parent: null,
  }))
  while (level.length > 0) {
    const missing = level.filter(({ category }) => !iris.has(category.handle))
    const created = await createRows<CategoryDocument>(
      client,
      '/api/categories',
      missing.map(({ category, parent }) => categoryBody(category, parent && iris.get(parent)!)),
      250,
    )
    for (const [place, document] of created.entries())
      iris.set(missing[place]!.category.handle, document['@id'])
    level = level.flatMap(({ category: { handle, children = [] } }) =>
      children.map((category) => ({ category, parent: handle })),
    )
  }
  return iris
}

/** The bodies of a variant's offers that there are not. */
type Missing = (product: DemoProduct, variant: DemoVariant) => ReturnType<typeof offerBody>[]

async function missingOffers(client: Client, midnight: (days: number) => string): Promise<Missing> {
  const documents = await client.list<SaleOfferDocument>('/api/sale_offers?itemsPerPage=100')
  const ended = await client.list<SaleOfferDocument>('/api/sale_offers?itemsPerPage=100&status=ARCHIVED')
  const there = new Set([...documents, ...ended].map(({ externalId }) => externalId))
  return ({ offers }, variant) =>
    offers
      .filter(({ only = {} }) => matches(variant.values, only))
      .filter((offer) => !there.has(offerExternalId(variant, offer)))
      .map((offer) => offerBody(variant, offer, midnight))
}

type Beside = { pictures: string; categories: ReadonlyMap<string, string>; missing: Missing }

/** Creates the products that there are not, with their prices. */
async function seedProducts(
  client: Client,
  { products }: DemoCatalogue,
  { pictures, categories, missing: missingOf }: Beside,
): Promise<{ products: number; offers: number }> {
  const taken = await client.list<ProductDocument>('/api/products?itemsPerPage=100&status=ARCHIVED')
  const there = new Set([...(await readProducts(client)), ...taken].map(({ handle }) => handle))
  const missing = products.filter(({ handle }) => !there.has(handle))
  const bodies = missing.map((product) =>
    productBody(product, { pictures, categories, offers: (variant) => missingOf(product, variant) }),
  )
  const offersIn = ({ variants }: (typeof bodies)[number]) =>
    variants.reduce((sum, { saleOffers }) => sum + saleOffers.length, 0)
  for (const several of packed(bodies, offersIn)) await createRows(client, '/api/products', several, 50)
  return { products: bodies.length, offers: bodies.reduce((sum, body) => sum + offersIn(body), 0) }
}

/** Products in as few requests as hold their offers. */
function packed<Body>(bodies: readonly Body[], offersIn: (body: Body) => number): Body[][] {
  const packs: Body[][] = [[]]
  let offers = 0
  for (const body of bodies) {
    offers += offersIn(body)
    if (offers > 250) {
      packs.push([])
      offers = offersIn(body)
    }
    packs.at(-1)?.push(body)
  }
  return packs
}

async function seedTranslations(client: Client, { categories, products }: DemoCatalogue): Promise<number> {
  const categoryDocuments = await client.list<CategoryDocument>('/api/categories?itemsPerPage=100')
  const productDocuments = await readProducts(client)
  return translate(client, [
    ...flat(categories).flatMap((category) => {
      const document = categoryDocuments.find(({ handle }) => handle === category.handle)
      return document ? categoryTexts(category, document) : []
    }),
    ...products.flatMap((product) => {
      const document = productDocuments.find(({ handle }) => handle === product.handle)
      return document ? productTexts(product, document) : []
    }),
  ])
}

async function seedOffers(client: Client, { products }: DemoCatalogue, missing: Missing): Promise<number> {
  const iriBySku = new Map(
    (await readProducts(client)).flatMap(({ variants }) =>
      variants.map(({ sku, '@id': iri }) => [sku, iri] as const),
    ),
  )
  const bodies = products.flatMap((product) =>
    variantsOf(product).flatMap((variant) => {
      const iri = iriBySku.get(variant.sku)
      return iri ? missing(product, variant).map((body) => ({ variant: iri, ...body })) : []
    }),
  )
  return (await createRows(client, '/api/sale_offers', bodies, 250)).length
}

function readProducts(client: Client): Promise<ProductDocument[]> {
  return client.list<ProductDocument>('/api/products?itemsPerPage=100')
}

function flat(categories: readonly DemoCategory[]): DemoCategory[] {
  return categories.flatMap((category) => [category, ...flat(category.children ?? [])])
}

async function createRows<Document>(
  client: Client,
  path: string,
  bodies: readonly unknown[],
  rows: number,
): Promise<Document[]> {
  const created: Document[] = []
  for (let start = 0; start < bodies.length; start += rows) {
    const answer = await client
      .write<HydraList<Document>>('POST', path, bodies.slice(start, start + rows))
      .catch((error: Error) => {
        throw error instanceof Refusal ? new Error(explained(path, error)) : error
      })
    created.push(...answer.member)
  }
  return created
}

function explained(path: string, { status, message, violations }: Refusal): string {
  const told = violations.map((violation) => `${violation.propertyPath}: ${violation.message}`)
  return [`The demo catalogue was refused at ${path} (${status}): ${message}`, ...told].join('\n  ')
}

/** The rows of a grid: the variants of the products that a filter of the product list selects, with their prices. */
import type { Fields } from '../core/changed.ts'
import { call } from '../core/http.ts'
import { forEach } from '../core/lanes.ts'
import { everyMember, everyPage } from '../core/pages.ts'
import { variantName } from '../fields/Title.tsx'
import type { SaleOffer } from '../prices/offer.ts'
import type { GridData } from '../prices/PriceGrid.tsx'
import { readVariants } from '../prices/variants.tsx'
import { type GridRow, iriOf } from './properties.ts'

/** Products of one grid: the prices of each may be a request of its own, and one client may send five hundred in ten seconds. */
export const mostProducts = 400

/** Names that one request takes. */
const mostNames = 100

/** The filters for pasted names. */
export const nameFilters = ['sku[]', 'barcode[]', 'handle[]', 'externalId[]'] as const

/** The filters that the earlier API versions do not have. */
const withNames = { 'Service-Api-Version': 'unstable' }

export type ReadGrid = GridData & {
  /** Pasted names without a product. */
  readonly missing: readonly string[]
  /** The products that the filter finds; at most {@link mostProducts} of them have rows. */
  readonly total: number
}

type OnProgress = (products: number) => void

/** Reads the rows of a filter. */
export async function readGrid(filter: Fields, onProgress: OnProgress): Promise<ReadGrid> {
  const { products, missing, total } = await readProducts(filter)
  const rows = await readRows(products, onProgress)
  const variants = named(filter, 'sku') ?? named(filter, 'barcode')
  return {
    rows: variants ? rows.filter(({ variant }) => variants(variant)) : rows,
    offers: await readOffers(products.map(iriOf)),
    missing,
    total,
  }
}

/** Reads some products again. Their rows keep their places. */
export async function readGridAgain(grid: ReadGrid, products: ReadonlySet<string>): Promise<ReadGrid> {
  const iris = [...products]
  const ids = iris.map((iri) => iri.slice(iri.lastIndexOf('/') + 1))
  const documents = await readProducts({ 'id[]': ids })
  const fresh = new Map(
    (await readRows(documents.products, () => {})).map((row) => [iriOf(row.variant), row] as const),
  )
  const offers = await readOffers(iris)
  return {
    ...grid,
    rows: grid.rows.flatMap((row) =>
      products.has(iriOf(row.product)) ? (fresh.get(iriOf(row.variant)) ?? []) : row,
    ),
    offers: [...grid.offers.filter(({ variant }) => !products.has(productOf(variant))), ...offers],
  }
}

/** The IRI of the product of a variant. */
const productOf = (variant: string) => variant.slice(0, variant.indexOf('/variants/'))

/** Whether a variant has one of the pasted codes; null if no such codes were pasted. */
function named(filter: Fields, code: 'sku' | 'barcode'): ((variant: Fields) => boolean) | null {
  const names = filter[`${code}[]`]
  return Array.isArray(names) ? ({ [code]: value }) => names.includes(value) : null
}

async function readProducts(filter: Fields) {
  const products = new Map<string, Fields>()
  const missing: string[] = []
  let total = 0
  for (const query of queriesOf(filter)) {
    const isNamed = query.toString().includes('%5B%5D=')
    const headers = isNamed ? { headers: withNames } : {}
    const address = `/api/products?${query}`
    if (isNamed) {
      const { json } = await call<{ member: Fields[]; missing?: string[] }>(address, headers)
      for (const product of json.member) products.set(iriOf(product), product)
      missing.push(...(json.missing ?? []))
      total = products.size
      continue
    }
    for await (const page of everyPage<Fields>(address)) {
      for (const product of page.members) products.set(iriOf(product), product)
      total = page.total ?? products.size
      if (products.size >= mostProducts) break
    }
  }
  return { products: [...products.values()].slice(0, mostProducts), missing, total }
}

/** The queries of a filter. One request has a part of the names. */
function queriesOf(filter: Fields): URLSearchParams[] {
  const [list] = Object.entries(filter).filter(([, value]) => Array.isArray(value))
  const query = new URLSearchParams({ itemsPerPage: '100' })
  for (const [name, value] of Object.entries(filter))
    if (value != null && !Array.isArray(value)) query.set(name, String(value))
  if (!list) return [query]
  const [parameter, values] = list
  const names = (values as readonly string[]).slice(0, mostProducts)
  return Array.from({ length: Math.ceil(names.length / mostNames) }, (_, part) => {
    const some = new URLSearchParams(query)
    for (const name of names.slice(part * mostNames, (part + 1) * mostNames)) some.append(parameter, name)
    return some
  })
}

async function readRows(products: readonly Fields[], onProgress: OnProgress): Promise<GridRow[]> {
  const rows: GridRow[][] = []
  let done = 0
  await forEach(products, async (product, at) => {
    const embedded = (product.variants ?? []) as readonly Fields[]
    const isWhole = embedded.length === product.variantsTotal
    const variants = isWhole
      ? embedded
      : ((await readVariants(iriOf(product))) as unknown as readonly Fields[])
    rows[at] = variants.map((variant) => ({
      name: variants.length > 1 ? `${product.title}, ${variantName(variant)}` : String(product.title),
      variant,
      product,
    }))
    done += 1
    onProgress(done)
  })
  return rows.flat()
}

/** Reads the prices of products: of each, or all of the shop if these are fewer requests. */
async function readOffers(products: readonly string[]): Promise<SaleOffer[]> {
  const list = '/api/sale_offers?itemsPerPage=100'
  const { json } = await call<{ totalItems?: number }>('/api/sale_offers?itemsPerPage=0')
  if ((json.totalItems ?? Number.POSITIVE_INFINITY) / 100 < products.length) {
    const isChosen = new Set(products)
    const offers = await everyMember<SaleOffer>(list)
    return offers.filter(({ variant }) => isChosen.has(productOf(variant)))
  }
  const offers: SaleOffer[][] = []
  await forEach(products, async (product, at) => {
    offers[at] = await everyMember<SaleOffer>(`${list}&product=${encodeURIComponent(product)}`)
  })
  return offers.flat()
}

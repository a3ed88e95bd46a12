/** The prices of the products of a sale. */
import { everyMember } from '../core/pages.ts'
import { type Cost, readCosts } from '../prices/costs.ts'
import type { SaleOffer } from '../prices/offer.ts'
import { readVariants, type Variant } from '../prices/variants.tsx'

export type Product = {
  readonly '@id': string
  readonly title: string
  readonly variantsTotal: number
}

/** A product with the variants, prices and costs that a sale is worked out from. */
export type Priced = {
  readonly product: Product
  readonly variants: readonly Variant[]
  readonly offers: readonly SaleOffer[]
  readonly costs: readonly Cost[]
}

/** Products of one sale: each is read in three requests, and five hundred in ten seconds are what one client may ask. */
export const mostProducts = 150

/** How many products are read at a time. */
const lanes = 4

/** Reads products' prices, some at a time, in the order of the products. */
export async function readPriced(
  products: readonly Product[],
  onProgress: (done: number) => void,
): Promise<Priced[]> {
  const found: Priced[] = []
  const waiting = products.entries()
  let done = 0
  const work = async () => {
    for (const [at, product] of waiting) {
      const iri = product['@id']
      const [variants, offers, costs] = await Promise.all([
        readVariants(iri),
        readOffers(iri),
        readCosts({ product: iri }),
      ])
      found[at] = { product, variants, offers, costs }
      done += 1
      onProgress(done)
    }
  }
  await Promise.all(Array.from({ length: lanes }, work))
  return found
}

async function readOffers(product: string): Promise<SaleOffer[]> {
  const query = new URLSearchParams({ product, status: 'ACTIVE', itemsPerPage: '100' })
  return everyMember(`/api/sale_offers?${query}`)
}

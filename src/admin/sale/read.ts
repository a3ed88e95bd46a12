/** The prices of the products of a sale. */
import { forEach } from '../core/lanes.ts'
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

/** Reads products' prices, some at a time, in the order of the products. */
export async function readPriced(
  products: readonly Product[],
  onProgress: (done: number) => void,
): Promise<Priced[]> {
  const found: Priced[] = []
  let done = 0
  await forEach(products, async (product, at) => {
    const iri = product['@id']
    const [variants, offers, costs] = await Promise.all([
      readVariants(iri),
      readOffers(iri),
      readCosts({ product: iri }),
    ])
    found[at] = { product, variants, offers, costs }
    done += 1
    onProgress(done)
  })
  return found
}

async function readOffers(product: string): Promise<SaleOffer[]> {
  const query = new URLSearchParams({ product, status: 'ACTIVE', itemsPerPage: '100' })
  return everyMember(`/api/sale_offers?${query}`)
}

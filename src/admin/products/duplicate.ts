import type { Fields } from '../core/changed.ts'
import { call } from '../core/http.ts'
import { everyMember } from '../core/pages.ts'

type Valued = { readonly title: string; readonly option: string }
type Option = { readonly '@id': string; readonly title: string; readonly values: readonly Valued[] }
type Product = Fields & {
  readonly options: readonly Option[]
  readonly categories: readonly { readonly '@id': string }[]
}
type Variant = Fields & { readonly '@id': string; readonly optionValues: readonly Valued[] }
type Offer = Fields & {
  readonly variant: string
  readonly validFrom: string | null
  readonly validUntil: string | null
}

/** External IDs, handles, SKUs and barcodes name one resource, so the copy has none. */
const ofProduct = ['description', 'channels', 'vendor', 'productType', 'tags', 'media', 'seo']
const ofVariant = ['weight', 'measure', 'media']
const ofOffer = [
  ...['channel', 'countries', 'currency', 'amount', 'compareAtAmount', 'taxIncluded'],
  ...['validUntil', 'minQuantity', 'priority', 'reductionReason', 'status'],
]

/** Creates a copy of a product by one request, with its prices that have not ended. Returns the IRI of the copy. */
export async function duplicate(iri: string, title: string): Promise<string> {
  const ofThis = `product=${encodeURIComponent(iri)}&itemsPerPage=100`
  const [{ json: product }, variants, offers] = await Promise.all([
    call<Product>(iri),
    everyMember<Variant>(`${iri}/variants?itemsPerPage=100`),
    everyMember<Offer>(`/api/sale_offers?${ofThis}`),
  ])
  const now = Date.now()
  const titles = new Map(product.options.map((option) => [option['@id'], option.title]))
  const offersOf = Map.groupBy(
    offers.filter(({ validUntil }) => validUntil === null || Date.parse(validUntil) > now),
    ({ variant }) => variant,
  )
  const body = {
    ...picked(product, ofProduct),
    ...ownFields(product),
    title,
    status: 'DRAFT',
    categories: product.categories.map((category) => category['@id']),
    options: product.options.map((option) => ({
      title: option.title,
      values: option.values.map((value) => ({ title: value.title })),
    })),
    variants: variants.map((variant) => ({
      ...picked(variant, ofVariant),
      ...ownFields(variant),
      optionValues: variant.optionValues.map((value) => ({
        option: titles.get(value.option),
        value: value.title,
      })),
      saleOffers: (offersOf.get(variant['@id']) ?? []).map((offer) => ({
        ...picked(offer, ofOffer),
        // A price of the copy cannot have applied before the copy existed.
        validFrom: offer.validFrom !== null && Date.parse(offer.validFrom) > now ? offer.validFrom : null,
      })),
    })),
  }
  const { json } = await call<{ readonly '@id': string }>('/api/products', {
    method: 'POST',
    body: JSON.stringify(body),
  })
  return json['@id']
}

function picked(from: Fields, names: readonly string[]): Fields {
  return Object.fromEntries(names.map((name) => [name, from[name]]))
}

function ownFields({ fields }: Fields): Fields {
  const all = Array.isArray(fields) ? fields : []
  return all.length === 0 ? {} : { fields: all.map(({ key, value }) => ({ key, value })) }
}

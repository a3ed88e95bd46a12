/** The parts of the service's documents that local clients read. */

type Weight = { value: number | string; unit: string }
export type Media = { url: string; alt?: string | null; type?: string }
export type Seo = { title?: string | null; description?: string | null }

type OptionValueDocument = { '@id': string; title: string | null; fallbacks?: Fallbacks }

export type OptionDocument = {
  '@id': string
  title: string | null
  values: OptionValueDocument[]
  fallbacks?: Fallbacks
}

export type VariantDocument = {
  '@id': string
  id: string
  sku?: string | null
  barcode?: string | null
  weight?: Weight | null
  media?: Media[]
  /** `option` is the IRI of the option that the value belongs to. */
  optionValues: { '@id': string; option: string; title: string | null }[]
}

export type ProductDocument = {
  '@id': string
  id: string
  externalId?: string | null
  handle: string
  title: string | null
  description?: string | null
  status: string
  channels: string[]
  vendor?: string | null
  productType?: string | null
  tags?: string[]
  media?: Media[]
  seo?: Seo | null
  options: OptionDocument[]
  variants: VariantDocument[]
  variantsTotal?: number
  fallbacks?: Fallbacks
}

/** A product in a list, where very many option values are left out. */
export type ListedProduct = Omit<ProductDocument, 'options'> & {
  options: (Omit<OptionDocument, 'values'> & { values?: OptionValueDocument[] })[]
}

export type SaleOfferDocument = {
  '@id': string
  /** IRI of the variant, or an object that carries it. */
  variant: string | { '@id': string }
  externalId?: string | null
  channel: string | null
  countries: string[]
  currency: string
  amount: string
  compareAtAmount?: string | null
  validFrom?: string | null
  validUntil?: string | null
  priority: number
  minQuantity: number
  status: string
}

/** Fields answered in another language than the one asked for, with that language. */
type Fallbacks = Record<string, string>

export function iriOf(reference: string | { '@id': string }): string {
  return typeof reference === 'string' ? reference : reference['@id']
}

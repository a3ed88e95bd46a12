/** The languages of the demo, by the locales that its tenants declare. */
const languages = { 'en-US': 'en', 'fr-FR': 'fr', 'de-DE': 'de', 'es-ES': 'es' } as const

export type DemoLocale = keyof typeof languages
export const demoLocales = Object.keys(languages) as DemoLocale[]

/** A text in every language of the demo, or one that is the same in all (`XL`, `250 g`). */
export type Text = string | { [Language in (typeof languages)[DemoLocale]]: string }

/** A branch of the category tree, its order being the order of the list. */
export type DemoCategory = { handle: string; title: Text; description?: Text; children?: DemoCategory[] }

/**
 * A price. Where several hold at once, the service takes, in this order: the higher priority, the exact channel, the
 * exact country, the one with a window.
 */
export type DemoOffer = {
  /** Tells this offer from the product's others; part of its external id. */
  name: string
  currency: string
  amount: string
  /** The price before a reduction, more than `amount`. */
  compareAt?: string
  /** Absent: every channel. */
  channel?: string
  /** ISO 3166-1 alpha-2; absent: every country. */
  countries?: string[]
  /** The price holds from this many pieces; absent: from one. */
  minQuantity?: number
  priority?: number
  /** False for prices to which tax is added, as in wholesale. */
  taxIncluded?: false
  /**
   * Days from the day of seeding, at the shop's midnight: `from` inclusive, `until` exclusive. Relative, so that a fresh demo
   * always shows offers that are over, on and still to come.
   */
  window?: { from?: number; until?: number }
  /** Only the variants with these values, by their English titles; absent: every variant. */
  only?: Record<string, string>
}

export type DemoProduct = {
  handle: string
  title: Text
  description: Text
  seo?: { title: Text; description: Text }
  vendor: string
  productType: string
  tags: string[]
  /** Absent: ACTIVE. */
  status?: 'DRAFT'
  /** Where the product is on sale; a draft has none. */
  channels: string[]
  /** Handles of categories. */
  categories: string[]
  images: { file: string; alt: string }[]
  /** Start of every SKU; values follow: `TEE` with Red and L is `TEE-RED-L`. */
  sku: string
  /** GTIN, on products with one variant. */
  barcode?: string
  weight: { value: number; unit: 'g' | 'kg' }
  /** Absent: one variant without options. There is a variant for every combination. */
  options?: { title: Text; values: Text[] }[]
  /** Combinations that are not made, by English titles. */
  except?: Record<string, string>[]
  offers: DemoOffer[]
}

export type DemoCatalogue = { categories: DemoCategory[]; products: DemoProduct[] }

export function english(text: Text): string {
  return textIn(text, 'en-US')
}

export function textIn(text: Text, locale: DemoLocale): string {
  return typeof text === 'string' ? text : text[languages[locale]]
}

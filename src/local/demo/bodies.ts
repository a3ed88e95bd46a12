import { type DemoCategory, type DemoOffer, type DemoProduct, english } from './model.ts'
import { pictureName } from './pictures.ts'
import type { DemoVariant } from './variants.ts'
import { variantsOf } from './variants.ts'

/** What is posted for a category, in English. */
export function categoryBody({ handle, title, description }: DemoCategory, parent: string | null) {
  return {
    handle,
    externalId: `demo:${handle}`,
    title: english(title),
    ...(description && { description: english(description) }),
    ...(parent && { parent }),
  }
}

/** What the body of a product refers to: where pictures are served, the IRI of each category's handle, the offers that there are not. */
type Beside = {
  pictures: string
  categories: ReadonlyMap<string, string>
  offers: (variant: DemoVariant) => ReturnType<typeof offerBody>[]
}

/** What is posted for a product with its options, variants and their offers, in English. */
export function productBody(product: DemoProduct, { pictures, categories, offers }: Beside) {
  const { handle, title, description, seo, vendor, productType, tags, channels, weight, barcode } = product
  return {
    handle,
    externalId: `demo:${handle}`,
    title: english(title),
    description: english(description),
    ...(seo && { seo: { title: english(seo.title), description: english(seo.description) } }),
    vendor,
    productType,
    tags,
    status: product.status ?? 'ACTIVE',
    channels,
    categories: product.categories.map((category) => categories.get(category)),
    media: product.images.map(({ file, alt }) => ({
      url: `${pictures}/${pictureName(file)}`,
      alt,
      type: 'IMAGE',
    })),
    options: (product.options ?? []).map((option) => ({
      title: english(option.title),
      values: option.values.map((value) => ({ title: english(value) })),
    })),
    variants: variantsOf(product).map((variant) => ({
      sku: variant.sku,
      weight,
      ...(barcode && { barcode }),
      optionValues: Object.entries(variant.values).map(([option, value]) => ({ option, value })),
      saleOffers: offers(variant),
    })),
  }
}

export function offerExternalId(variant: DemoVariant, offer: DemoOffer): string {
  return `demo:${variant.sku}:${offer.name}`
}

/** What is posted for an offer with its variant; `midnight` says when the day begins that is so many days from now. */
export function offerBody(variant: DemoVariant, offer: DemoOffer, midnight: (days: number) => string) {
  const { currency, amount, compareAt, channel, countries, minQuantity, priority, taxIncluded, window } =
    offer
  return {
    externalId: offerExternalId(variant, offer),
    currency,
    amount,
    ...(compareAt && { compareAtAmount: compareAt }),
    ...(channel && { channel }),
    ...(countries && { countries }),
    ...(minQuantity && { minQuantity }),
    ...(priority && { priority }),
    ...(taxIncluded === false && { taxIncluded }),
    ...(window?.from !== undefined && { validFrom: midnight(window.from) }),
    ...(window?.until !== undefined && { validUntil: midnight(window.until) }),
  }
}

/** When, by the clocks of a zone, the day begins that is so many days after that of `now`. */
export function midnightIn(timeZone: string, now: Date): (days: number) => string {
  // Its dates are those of ISO 8601.
  const date = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' }).format(now)
  const offset = new Intl.DateTimeFormat('en-GB', { timeZone, timeZoneName: 'longOffset' })
  return (days) => {
    const day = new Date(`${date}T00:00:00Z`)
    day.setUTCDate(day.getUTCDate() + days)
    const name = offset.formatToParts(day).find(({ type }) => type === 'timeZoneName')?.value ?? ''
    return new Date(`${day.toISOString().slice(0, 19)}${name.slice('GMT'.length) || 'Z'}`).toISOString()
  }
}

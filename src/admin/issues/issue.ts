import { translationAddress } from '../languages/texts.ts'

/** A reason for which a product is not sold in a market, or a fact that needs attention. */
export type Issue = {
  readonly '@id': string
  readonly type: string
  readonly message: string
  readonly product: string
  readonly resource: string
  readonly locale: string | null
}

const pages: readonly (readonly [pattern: RegExp, page: string])[] = [
  [/^\/api\/products\/[^/]+\/variants\//, 'variants'],
  [/^\/api\/products\//, 'products'],
  [/^\/api\/sale_offers\//, 'sale_offers'],
  [/^\/api\/metaobjects\//, 'metaobjects'],
]

/** The address of the page where an issue is resolved. */
export function pageOf({ type, product, resource, locale }: Issue) {
  if (locale !== null) return translationAddress(product, locale)
  if (type === 'no_variant') return `/variants/create?product=${encodeURIComponent(product)}`
  if (type === 'no_price') {
    const source = { product, variant: resource }
    return `/sale_offers/create?source=${encodeURIComponent(JSON.stringify(source))}`
  }
  const page = pages.find(([pattern]) => pattern.test(resource))?.[1]
  return `/${page}/${encodeURIComponent(resource)}`
}

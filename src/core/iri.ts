/** The one spelling of an id: a lower-case dashed UUID. */
export const idPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** Whether a text is an id as the service mints and writes them. */
export function isId(text: string): boolean {
  return idPattern.test(text)
}

/** The origins whose absolute IRIs stand for relative ones, while something that was sent is read. */
let ownOrigins: readonly string[] = []

/**
 * Reads something that was sent to a tenant: until `read` returns, absolute IRIs of its origins name its resources as
 * relative ones do. Schemas are made once and only they know which texts are IRIs, while the origins are the request's; they
 * are kept beside them, and no two requests can meet, since reading waits for nothing.
 */
export function readingAt<Result>(origins: readonly string[], read: () => Result): Result {
  const before = ownOrigins
  ownOrigins = origins
  try {
    return read()
  } finally {
    ownOrigins = before
  }
}

// Without user info, query and fragment, of which no IRI of ours has one.
const absolute = /^(https?:\/\/[^/?#@\\\s]+)(\/[^?#\\\s]*)$/i

/** An absolute IRI of an origin that is read at as a relative one; any other text as it is. */
export function relativeIri(text: string): string {
  const [, origin = '', path = text] = ownOrigins.length === 0 ? [] : (absolute.exec(text) ?? [])
  return ownOrigins.includes(URL.parse(origin)?.origin ?? '') ? path : text
}

/** The id in an IRI of the given collection (`/api/categories/…`), or null. */
export function idIn(text: string, collection: string): string | null {
  const iri = relativeIri(text)
  if (!iri.startsWith(`${collection}/`)) return null
  const id = iri.slice(collection.length + 1)
  return isId(id) ? id : null
}

const variantIri = /^\/api\/products\/([0-9a-f-]{36})\/variants\/([0-9a-f-]{36})$/

/** The IRIs of resources by their ids. */
export const iri = {
  product: (id: string) => `/api/products/${id}`,
  productOption: (id: string) => `/api/product_options/${id}`,
  optionValue: (id: string) => `/api/option_values/${id}`,
  variant: (productId: string, id: string) => `/api/products/${productId}/variants/${id}`,
  category: (id: string) => `/api/categories/${id}`,
  collection: (id: string) => `/api/collections/${id}`,
  saleOffer: (id: string) => `/api/sale_offers/${id}`,
  metaobjectDefinition: (id: string) => `/api/metaobject_definitions/${id}`,
  metaobject: (id: string) => `/api/metaobjects/${id}`,
  webhookSubscription: (id: string) => `/api/webhook_subscriptions/${id}`,
}

/** The product's and the variant's id in a variant's IRI, or null. */
export function variantIn(text: string): { productId: string; id: string } | null {
  const found = variantIri.exec(relativeIri(text))
  return found && isId(found[1]!) && isId(found[2]!) ? { productId: found[1]!, id: found[2]! } : null
}

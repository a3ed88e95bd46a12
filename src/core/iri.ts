/** The one spelling of an id: a lower-case dashed UUID. */
export const idPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** Whether a text is an id as the service mints and writes them. */
export function isId(text: string): boolean {
  return idPattern.test(text)
}

/** The id in an IRI of the given collection (`/api/categories/…`), or null. An absolute URL is not an IRI of ours. */
export function idIn(iri: string, collection: string): string | null {
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
  const found = variantIri.exec(text)
  return found && isId(found[1]!) && isId(found[2]!) ? { productId: found[1]!, id: found[2]! } : null
}

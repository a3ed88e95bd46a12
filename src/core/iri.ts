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
export function withOrigins<Result>(origins: readonly string[], read: () => Result): Result {
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
  const [, origin, path] = ownOrigins.length === 0 ? [] : (absolute.exec(text) ?? [])
  // Only what looks like one is parsed: a text that is no URL takes workerd twenty times as long as one that is.
  if (origin === undefined || path === undefined) return text
  return ownOrigins.includes(URL.parse(origin)?.origin ?? '') ? path : text
}

/** Makes IRIs of a collection's items from their ids. */
export function irisUnder(collection: string): (id: string) => string {
  return (id) => `${collection}/${id}`
}

const owner = /\{\w+\}/

/** The IRI of an item, also of a collection that each owner has one of: `/api/products/{productId}/variants`. */
export function itemIri(collection: string, id: string, ownerId: string | null): string {
  return `${ownerId === null ? collection : collection.replace(owner, ownerId)}/${id}`
}

/** The ids in an IRI of a collection's item, or null. */
export function itemIn(text: string, collection: string): { id: string; ownerId: string | null } | null {
  const iri = relativeIri(text)
  const slash = iri.lastIndexOf('/')
  const id = iri.slice(slash + 1)
  const [start = '', end] = collection.split(owner)
  const ownerId = end === undefined ? null : iri.slice(start.length, slash - end.length)
  const isWhole = isId(id) && (ownerId === null || isId(ownerId)) && iri === itemIri(collection, id, ownerId)
  return isWhole ? { id, ownerId } : null
}

/** The id in an IRI of a collection's item, or null. */
export function idIn(text: string, collection: string): string | null {
  return itemIn(text, collection)?.id ?? null
}

import { AsyncLocalStorage } from 'node:async_hooks'

/** The canonical form of an id: a lower-case dashed UUID. */
export const idPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** Whether a string is an id in canonical form. */
export function isId(text: string): boolean {
  return idPattern.test(text)
}

const originCheck = new AsyncLocalStorage<(origin: URL) => boolean>()

/**
 * Serves a request of a tenant: inside `serve`, absolute IRIs of its origins equal relative ones. Schemas are created once
 * and only they know which strings are IRIs, but the origins belong to the request.
 */
export function withOrigins<Result>(isAccepted: (origin: URL) => boolean, serve: () => Result): Result {
  return originCheck.run(isAccepted, serve)
}

// Without user info, query and fragment, which IRIs of the service never have.
const absoluteIri = /^(https?:\/\/[^/?#@\\\s]+)(\/[^?#\\\s]*)$/i

/** Converts an absolute IRI of an accepted origin into a relative one; other strings are unchanged. */
export function relativeIri(text: string): string {
  const [, origin, path] = absoluteIri.exec(text) ?? []
  // Parses only likely URLs: workerd takes twenty times as long for a string that is no URL.
  if (origin === undefined || path === undefined) return text
  const url = URL.parse(origin)
  return url && originCheck.getStore()?.(url) ? path : text
}

/** Returns a function that builds the IRI of a collection's item from its id. */
export function irisUnder(collection: string): (id: string) => string {
  return (id) => `${collection}/${id}`
}

const ownerParameter = /\{\w+\}/

/** The IRI of an item, also in a collection that belongs to an owner: `/api/products/{productId}/variants`. */
export function itemIri(collection: string, id: string, ownerId: string | null): string {
  return `${ownerId === null ? collection : collection.replace(ownerParameter, ownerId)}/${id}`
}

/** The ids in an IRI of a collection's item, or null. */
export function itemIn(text: string, collection: string): { id: string; ownerId: string | null } | null {
  const iri = relativeIri(text)
  const slash = iri.lastIndexOf('/')
  const id = iri.slice(slash + 1)
  const [start = '', end] = collection.split(ownerParameter)
  const ownerId = end === undefined ? null : iri.slice(start.length, slash - end.length)
  const isWhole = isId(id) && (ownerId === null || isId(ownerId)) && iri === itemIri(collection, id, ownerId)
  return isWhole ? { id, ownerId } : null
}

/** The id in an IRI of a collection's item, or null. */
export function idIn(text: string, collection: string): string | null {
  return itemIn(text, collection)?.id ?? null
}

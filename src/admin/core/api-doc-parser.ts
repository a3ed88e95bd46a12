/**
 * Replaces API Platform's parser and `jsonld` (vite.config.ts), with a tenth of their size. The pages are
 * written by hand and ask by {@link call}: of the service's description the provider needs the names of its collections,
 * which the entrypoint has given already.
 */
import { collectionNames } from './settings.ts'

export async function parseHydraDocumentation(entrypoint: string) {
  const resources = collectionNames().map((name) => ({ name, url: `${entrypoint}/${name}`, fields: [] }))
  return { api: { entrypoint, resources } }
}

/** Of the provider's own client and of its parser for OpenAPI, which nothing calls here. */
function absent(): never {
  throw new Error('left out of the pages')
}

export default absent
export {
  absent as fetchJsonLd,
  absent as getDocumentationUrlFromHeaders,
  absent as parseOpenApi3Documentation,
}

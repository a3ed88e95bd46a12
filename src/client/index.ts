/** Typed calls of the catalogue API with openapi-fetch: paths, parameters, bodies and answers of one API version. */
import createClient, { type Client, type ClientOptions } from 'openapi-fetch'
import type { Components, Paths } from './types/index.ts'

export { type CatalogueEvent, eventsAfter, followEvents, lastSequence } from './events.ts'
export { idOf, pages } from './pages.ts'
export { type PricesAsked, pricesAt, type VariantPrice } from './prices.ts'
export type { Components, Paths, Webhooks } from './types/index.ts'
export { type Delivery, verifyWebhook } from './webhook.ts'

export type Version = keyof Paths

export type CatalogueClient<V extends Version> = Client<Paths[V]>

/** A document of a version: `Document<'2026-10', 'Product'>`. */
export type Document<
  V extends Version,
  Type extends keyof Components[V]['schemas'],
> = Components[V]['schemas'][Type]

export type CatalogueOptions<V extends Version> = {
  /** `https://acme.example`: the tenant's host. */
  readonly baseUrl: string
  /** An access token, or what gets one; asked before every request, so that it may renew it. */
  readonly token: string | (() => string | Promise<string>)
  readonly version: V
  /** `fr-FR`: the language of texts, read and written. */
  readonly locale?: string
  /**
   * Whether unknown properties and parameters are rejected (422) instead of ignored. Types cannot
   * detect them all, such as a misspelt name in a body that was built elsewhere. True unless set to false.
   */
  readonly strict?: boolean
  readonly fetch?: NonNullable<ClientOptions['fetch']>
}

/** Opens a client of one tenant in one API version, whose types say what that version takes and answers. */
export function createCatalogueClient<const V extends Version>(
  options: CatalogueOptions<V>,
): CatalogueClient<V> {
  const { baseUrl, token, version, locale, strict = true, fetch } = options
  const client = createClient<Paths[V]>({ baseUrl, ...(fetch && { fetch }) })
  client.use({
    async onRequest({ request }) {
      const { headers, method } = request
      headers.set('Accept', 'application/ld+json')
      headers.set('Authorization', `Bearer ${typeof token === 'string' ? token : await token()}`)
      headers.set('Service-Api-Version', version)
      if (locale !== undefined && !headers.has('Service-Locale')) headers.set('Service-Locale', locale)
      if (strict && !headers.has('Prefer')) headers.set('Prefer', 'handling=strict')
      if (method === 'PATCH') headers.set('Content-Type', 'application/merge-patch+json')
      return request
    },
  })
  return client
}

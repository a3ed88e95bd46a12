/** Typed calls of the catalogue API with openapi-fetch: paths, parameters, bodies and answers of one API version. */
import createClient, { type Client, type ClientOptions } from 'openapi-fetch'
import { idOf } from './pages.ts'
import { type Resource, resourceAt } from './resource.ts'
import { retrying } from './retry.ts'
import type { Components, Paths } from './types/index.ts'

export type { Complete, PropertyPath, Selected } from './document.ts'
export { type CatalogueEvent, eventsAfter, followEvents, lastSequence } from './events.ts'
export { CatalogueError, idOf, pages } from './pages.ts'
export { type PricesAsked, pricesAt, type VariantPrice } from './prices.ts'
export type { CallOptions, Resource } from './resource.ts'
export { type Change, type Copy, type Progress, sync, type VerifiableCopy, verify } from './sync.ts'
export type { Components, Paths, Webhooks } from './types/index.ts'
export { type ComparedType, type CopiedVersion, type CopyDifference, copyDifferences } from './verify.ts'
export { type Delivery, verifyWebhook, WebhookVerificationError } from './webhook.ts'

export type Version = keyof Paths

/** Lists at addresses without parameters, by their names in the client. */
const collections = {
  products: '/api/products',
  categories: '/api/categories',
  collections: '/api/collections',
  saleOffers: '/api/sale_offers',
  purchaseOffers: '/api/purchase_offers',
  metaobjectDefinitions: '/api/metaobject_definitions',
  metaobjects: '/api/metaobjects',
  webhookSubscriptions: '/api/webhook_subscriptions',
} as const

/** openapi-fetch, and the operations of each kind of resource. */
export type CatalogueClient<V extends Version> = Client<Paths[V]> & {
  readonly [Name in keyof typeof collections]: Resource<Paths[V], (typeof collections)[Name]>
} & {
  /** The operations of any list or item: `resource('/api/products/{productId}/variants', { productId: '…' })`. */
  resource<Path extends ResourcePath<keyof Paths[V] & string>>(
    path: Path,
    ...parameters: Path extends `${string}{${string}` ? [Record<NameIn<Path>, string>] : []
  ): Resource<Paths[V], Path>
}

/** A path, or that of an item without its last parameter: `/api/product_options`. */
type ResourcePath<Path extends string> = Path extends `${infer List}/{${infer Last}}`
  ? Path | (Last extends `${string}/${string}` ? never : List)
  : Path
type NameIn<Path> = Path extends `${string}{${infer Name}}${infer Rest}` ? Name | NameIn<Rest> : never

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
  /** How often a request is repeated after 429, 502, 503, 504 and network errors, if that is safe. 3 by default. */
  readonly retries?: number
  readonly fetch?: NonNullable<ClientOptions['fetch']>
}

/** Opens a client of one tenant in one API version, whose types say what that version takes and answers. */
export function createCatalogueClient<const V extends Version>(
  options: CatalogueOptions<V>,
): CatalogueClient<V> {
  const { baseUrl, token, version, locale, strict = true, retries = 3 } = options
  const send = options.fetch ?? ((request: Request) => globalThis.fetch(request))
  const client = createClient<Paths[V]>({ baseUrl, fetch: retrying(send, retries) })
  client.use({
    async onRequest({ request }) {
      const { headers, method } = request
      if (!headers.has('Accept')) headers.set('Accept', 'application/ld+json')
      headers.set('Authorization', `Bearer ${typeof token === 'string' ? token : await token()}`)
      headers.set('Service-Api-Version', version)
      if (locale !== undefined && !headers.has('Service-Locale')) headers.set('Service-Locale', locale)
      if (strict && !headers.has('Prefer')) headers.set('Prefer', 'handling=strict')
      if (method === 'PATCH') headers.set('Content-Type', 'application/merge-patch+json')
      // All writes accept a key, with which a repeated request happens once.
      if (method !== 'GET' && method !== 'HEAD' && !headers.has('Idempotency-Key'))
        headers.set('Idempotency-Key', crypto.randomUUID())
      return request
    },
  })
  const resource = (path: string, parameters: Readonly<Record<string, string>> = {}) =>
    resourceAt(
      client as Client<never>,
      path.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(idOf(parameters[name] ?? ''))),
    )
  const named = Object.entries(collections).map(([name, path]) => [name, resource(path)] as const)
  // Each resource has the operations of its paths, which only the types know.
  return Object.assign(client, Object.fromEntries(named), { resource }) as unknown as CatalogueClient<V>
}

import type * as z from 'zod'
import type { Session } from '../db/client.ts'
import type { Translations } from '../db/columns.ts'
import type { Access } from './access.ts'
import type { Actor, Tenant } from './context.ts'
import type { Value } from './document.ts'
import type { Json, JsonObject } from './json.ts'
import type { EventContext, Kind } from './kind.ts'
import type { Locale } from './locale.ts'
import type { LogFields } from './log.ts'
import type { CataloguedProblem, Messages } from './problem.ts'
import type { Shape, WritableValues } from './schema.ts'
import type { Scope } from './scopes.ts'
import type { SelectedMembers } from './select.ts'
import type { Translated, WrittenTranslations } from './state.ts'
import type { Trace } from './trace.ts'
import type { View } from './view.ts'

/**
 * The caller, tenant, locale and time of a request. The API version is absent on purpose: business code uses current
 * names only.
 */
export type Context = {
  readonly tenant: Tenant
  readonly actor: Actor
  readonly locale: Locale
  messages(this: void): Promise<Messages>
  /** The members of a list's documents that the response needs. Other members need not be read. */
  readonly selectedMembers: SelectedMembers
  readonly now: Date
  readonly requestId: string
  readonly trace: Trace
  /** The log fields of the request, as far as they are available. */
  logFields(this: void): LogFields
  /** The version's name, only for the audit trail. */
  readonly apiVersion: string
  readonly db: Session
  readonly access: Access
  /**
   * Rejects (403) a caller without the given scopes. It checks scopes that depend on stored rows; scopes that depend
   * only on the request are checked before the operation runs.
   */
  requireScopes(this: void, scopes: readonly Scope[]): void
  /** Whether unknown input is rejected instead of ignored (RFC 7240 `handling=strict`). */
  readonly strict: boolean
  reportIgnored(this: void, paths: readonly string[]): void
  /** Null in operations that do not compare `If-Match`: see `comparesIfMatch()`. */
  readonly ifMatch: IfMatch | null
  /** The `Idempotency-Key` with the fingerprint of its request; null without the header. */
  readonly idempotency: Idempotency | null
  readonly url: URL
  readonly callbacks: Callbacks
  /** Storage of uploaded pictures; null if the operator has bound no bucket. */
  readonly pictures: PictureStore | null
  /**
   * Runs work after the response was sent, for at most half a minute, and not at all if the isolate is terminated. Use
   * it only for work that a recurring job would complete anyway.
   * Failures are logged and not reported to the caller. `db` is a separate session; its round trips do not count for
   * the request.
   */
  runAfterResponse(work: (db: Session) => Promise<unknown>): void
}

/** The headers `If-Match` and, of upserts, `If-None-Match` of a request. */
type IfMatch = {
  /** The versions that it allows; null for any, also without the header. */
  readonly versions: readonly number[] | null
  /** Whether the resource has to exist already (`If-Match: *`), or must not (`If-None-Match: *`); null for both. Only upserts compare it. */
  readonly exists: boolean | null
  /** Whether the operation has compared them with the version of the resource that it changes. */
  isCompared: boolean
}

/** The `Idempotency-Key` of a request, and the data that a replay of its response needs. */
export type Idempotency = {
  readonly key: string
  readonly fingerprint: string
  /** Method, path, body, locale and version, each as a digest or a short text, to find what differs from an earlier request. */
  readonly parts: Readonly<Record<string, string>>
  /** Every scope that the request has needed so far, including those that depend on stored rows. */
  readonly neededScopes: ReadonlySet<Scope>
  /**
   * Checks the scopes that an earlier request with the key needed.
   * @throws Problem 403
   */
  readonly requireScopes: Context['requireScopes']
}

/** Stores files by key. */
export type PictureStore = {
  /**
   * Stores a stream of parts with `length` bytes in total, completely or not at all. Returns a digest of the bytes.
   * @throws errors of the stream, and 503 if the file cannot be stored
   */
  save(
    this: void,
    key: string,
    file: { readonly type: string; readonly length: number; readonly parts: AsyncIterable<Uint8Array> },
  ): Promise<string>
  delete(this: void, key: string): Promise<void>
}

/** Keys of 32 bytes as base64, newest first. The newest one encrypts; each decrypts its own ciphertexts. */
export type SecretKeys = readonly [string, ...string[]]

/** The environment of webhook deliveries. */
export type Callbacks = {
  /** Encrypt the secrets at rest. */
  readonly secretKeys: SecretKeys
  /** Whether loopback addresses may be called, also over http. */
  readonly allowLoopback: boolean
  /** A resolver that answers DNS queries as `application/dns-json`. */
  readonly dnsUrl: string
  readonly fetch: typeof fetch
}

/** The declared input of an operation: the names in its path, its query parameters, the shape of its body. */
type DeclaredInput = {
  readonly params?: string
  readonly query?: Query
  readonly body?: Shape
  /** The shape of the resource that an upsert creates. */
  readonly creates?: Shape
}
export type Query = Readonly<Record<string, z.ZodType>>

/** The parsed input of a request, in current names. */
export type Input<Of extends DeclaredInput = DeclaredInput> = {
  readonly params: Readonly<
    Record<Of extends { readonly params: infer Name extends string } ? Name : string, string>
  >
  /** Parsed query values by their literal names: `updatedAt[after]`. */
  readonly query: QueryOf<Of extends { readonly query: infer Declared extends Query } ? Declared : Query>
  /** One parsed body, or several when an array was sent. */
  readonly bodies: readonly BodyOf<
    Of extends { readonly body: infer Declared extends Shape } ? Declared : Shape
  >[]
  readonly bulk: boolean
  /**
   * Parses the body of an upsert as that of a creation.
   * @throws Problem 422 if required properties are missing
   */
  readonly creation: () => BodyOf<
    Of extends { readonly creates: infer Declared extends Shape } ? Declared : Shape
  >
  /** The file that is the body of an operation with `upload`; null elsewhere. */
  readonly upload: Upload | null
}

/** The input of an operation on one resource that has no body and no parameters. */
export type ItemInput = Pick<Input<{ params: 'id' }>, 'params'>

/** An incoming file, whose stream can be read once. */
export type Upload = {
  /** Bytes, from Content-Length. */
  readonly length: number
  readonly body: ReadableStream<Uint8Array>
}

export type QueryOf<Parameters extends Query> = {
  readonly [Name in keyof Parameters]: z.output<Parameters[Name]>
}

/** A parsed body; plain JSON members if the operation declares no shape. */
export type BodyOf<Of extends Shape> = string extends keyof Of['properties']
  ? Readonly<Record<string, Json>>
  : WritableValues<Of> & { readonly fallbacks?: JsonObject }

/** The moment of the prices in a response, and the next one at which one of them changes automatically; null if none does. */
export type Pricing = {
  readonly at: string
  readonly until: string | null
  /** The moment until which the response stays the same for later requests, if `at` is the moment of the request; null: always. */
  readonly cachedUntil?: string | null
}

/** Whether an upsert created or changed the resource. */
export type Effect = 'created' | 'changed' | 'none'

/** The result of an operation. HTTP and MCP each serialize it in their own format. */
export type Answer =
  | {
      readonly kind: 'item'
      readonly document: Value
      /** The version part of the ETag; null for resources without a version. */
      readonly version: number | null
      readonly sequence?: number | string
      readonly pricing?: Pricing | undefined
      readonly location?: string
      /** The present address of a resource whose requested address contains a name (RFC 9110 §8.7). */
      readonly contentLocation?: string
      readonly replayed?: boolean
      /** The effect of an upsert. */
      readonly effect?: Effect
    }
  | {
      readonly kind: 'collection'
      readonly members: readonly Value[]
      readonly total?: number | undefined
      /**
       * The links of a page that contains only `count` of its members, because all of them may be too large for one
       * response. Absent for lists without a view.
       * @throws Problem 413 if the page cannot be shortened
       */
      readonly view?: (count: number) => View
      /** Whether a shortened page contains its last members instead of its first: it was requested backwards. */
      readonly backward?: boolean
      /** The names in the request that select no member. */
      readonly missing?: readonly string[]
      /** The facets that the request names, of all members of the list. */
      readonly facets?: readonly Value[]
      /** The words of a search that were replaced, because no member has them. */
      readonly corrections?: readonly Value[]
      /** The completions of a search, instead of members. */
      readonly suggestions?: readonly Value[]
      readonly sequence?: number | string
      readonly pricing?: Pricing | undefined
      readonly replayed?: boolean
    }
  | { readonly kind: 'empty'; readonly replayed?: boolean }

/** The paths of the servers of tools. Each is a protected resource with its own metadata. */
export const toolPaths = ['/mcp', '/mcp/catalogue'] as const

/** The MCP tool of an operation (Model Context Protocol). */
export type Tool = {
  readonly path: (typeof toolPaths)[number]
  readonly name: string
  readonly title: string
  /** For the model that chooses among tools. */
  readonly description: string
  /** The arguments by name. Every tool also accepts `locale`. */
  readonly inputs: Readonly<Record<string, ToolInput>>
  /** The parameters that replace those of the path. A call has exactly one of them. */
  readonly item?: Query
}

/**
 * An argument of a tool: the parameter of its name. Without such a parameter, the argument is an object: the member `channel`
 * of `resolveContext` is the parameter `resolveContext[channel]`.
 */
type ToolInput = {
  /** The parameter, if it has another name. */
  readonly parameter?: string
  /** Its JSON Schema, if it differs from that of the parameter. */
  readonly schema?: JsonObject
}

/** The parameters of a tool: those of its query, and those that replace the path's. */
export function toolParameters({ query, tool }: Pick<Operation, 'query' | 'tool'>): Query {
  return { ...tool?.item, ...query }
}

/** The members of an argument that is an object. */
export function membersOfArgument(name: string, { query }: Pick<Operation, 'query'>): Tool['inputs'] {
  const parameters = Object.keys(query).filter((parameter) => parameter.startsWith(`${name}[`))
  return Object.fromEntries(
    parameters.map((parameter) => [parameter.slice(name.length + 1, -1), { parameter }]),
  )
}

/** One operation of the API as data. All entry points, documents and tests are derived from it. */
export type Operation = {
  /** The operationId: `listProducts`. */
  readonly name: string
  readonly summary: string
  /** Details for callers that the summary does not contain. */
  readonly description?: string
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  /** `/api/products/{id}` */
  readonly path: string
  /** Null: any valid token is accepted. */
  readonly scope: Scope | null
  /** Additional scopes that the operation always needs. */
  readonly alsoScopes?: readonly Scope[]
  /**
   * A sentence for the documentation about additional scopes that depend on stored rows. The operation checks them
   * after reading the rows.
   */
  readonly alsoTakes?: string
  readonly shape: Shape
  readonly answers: 'item' | 'collection' | 'empty'
  /** The status of a POST that creates nothing; any other POST returns 201. */
  readonly status?: 200 | 202
  readonly query: Readonly<Record<string, z.ZodType>>
  /** Path parameters that are not ids of the service. */
  readonly params?: Readonly<Record<string, z.ZodType>>
  readonly notFound: ((values: { id: string }) => Error) & CataloguedProblem
  readonly body?: {
    readonly mode: 'create' | 'patch'
    /** The maximum length of an array body; absent if arrays are rejected. */
    readonly bulk?: number
    /** True if the body is a batch: an array of patches, each of which names its resource in `@id` (src/http/batch.ts). */
    readonly isBatch?: true
    readonly shape?: Shape
  }
  /** For an operation whose body is a file, instead of `body`: the accepted media types and the maximum bytes. */
  readonly upload?: {
    readonly types: readonly string[]
    readonly most: number
    /** The type of the documented file. */
    readonly exampleType: string
  }
  /** Topics that a successful request emits, the topic of the resource itself first. */
  readonly emits?: readonly string[]
  /** The tool of the operation. Only reads can have one. */
  readonly tool?: Tool
  /**
   * True for reads that depend only on the request, the caller's access, the tenant's settings and rows that only
   * commits change. Their responses may be cached until the tenant's clock moves. Reads that depend on the time of the
   * request, or on rows such as deliveries, must not set it. Prices of now are an exception: see `Pricing.cachedUntil`.
   */
  readonly isCacheable?: true
  /** True for a POST that changes a resource with versions. PUT, PATCH and DELETE always compare `If-Match`. */
  readonly comparesIfMatch?: true
  /**
   * True for a PATCH by an external id, which creates the resource if none has it. Its body has the `externalId` of the path, and is
   * parsed as a patch; `Input.creation()` parses it as a creation of `shape`.
   */
  readonly isUpsert?: true
  /** Statuses of its errors, in addition to those that follow from its method, body and scope. */
  readonly alsoFails?: readonly number[]
  /** Headers of its response, in addition to those that follow from its method and query. */
  readonly alsoHeaders?: readonly string[]
  /** The only version that has the operation, if not all have it. */
  readonly onlyIn?: string
  run(this: void, context: Context, input: Input): Promise<Answer>
}

/** The media types of a body. */
export const bodyTypes: Readonly<Record<'create' | 'patch', readonly string[]>> = {
  create: ['application/ld+json', 'application/json'],
  patch: ['application/merge-patch+json'],
}

/** The media type of a batch: an array of merge patches. */
const batchType = 'application/vnd.catalogue.batch+json'

/** The media types of an operation's body. */
export function bodyTypesOf({ mode, isBatch }: NonNullable<Operation['body']>): readonly string[] {
  return isBatch ? [batchType] : bodyTypes[mode]
}

/** The reads of publishable keys. Every other operation is rejected, also a new one. */
export const publicPaths: readonly string[] = [
  '/api/products',
  '/api/products/{id}',
  '/api/products/by-handle/{handle}',
  '/api/products/{productId}/product_options',
  '/api/products/{productId}/variants',
  '/api/products/{productId}/variants/{variantId}',
  '/api/categories',
  '/api/categories/{id}',
  '/api/categories/by-path/{path}',
  '/api/collections',
  '/api/collections/{id}',
  '/api/collections/{id}/products',
  '/api/markets',
  '/api/markets/{id}',
  '/api/metaobjects',
  '/api/metaobjects/{id}',
  '/api/metaobjects/{type}/{handle}',
]

/** Whether a publishable key may use the operation. */
export function isPublic({ method, path }: Pick<Operation, 'method' | 'path'>): boolean {
  return method === 'GET' && publicPaths.includes(path)
}

/** Whether the operation compares `If-Match` with the version of the resource that it changes. */
export function comparesIfMatch({ method, body, comparesIfMatch: isDeclared }: Operation): boolean {
  return isDeclared ?? (/^(?:PUT|PATCH|DELETE)$/.test(method) && !body?.isBatch)
}

type ParamOf<Path extends string> = string extends Path
  ? string
  : Path extends `${string}{${infer Name}}${infer Rest}`
    ? Name | ParamOf<Rest>
    : never

type BodyShape<Body, ResourceShape extends Shape> = Body extends {
  readonly shape: infer Declared extends Shape
}
  ? Declared
  : ResourceShape

export type DeclaredOperation<
  Path extends string,
  Parameters extends Query,
  ResourceShape extends Shape,
  Body extends Operation['body'],
> = Omit<Operation, 'path' | 'query' | 'shape' | 'body' | 'run'> & {
  readonly path: Path
  /** None by default. */
  readonly query?: Parameters
  readonly shape: ResourceShape
  readonly body?: Body
  readonly run: (
    context: Context,
    input: Input<{
      params: ParamOf<Path>
      query: Parameters
      body: BodyShape<Body, ResourceShape>
      creates: ResourceShape
    }>,
  ) => Promise<Answer>
}

/** Declares an operation and types its `run` function by the path's names, the query and the body's shape. */
export function operation<
  const Path extends string,
  Parameters extends Query,
  ResourceShape extends Shape,
  Body extends Operation['body'],
>(declaration: DeclaredOperation<Path, Parameters, ResourceShape, Body>): Operation {
  // The input is parsed by the same path, query and shape, so it has their types.
  return { query: {}, ...declaration }
}

/** The names in braces in a string: path parameters or message placeholders. */
export function namesIn(text: string): string[] {
  return [...text.matchAll(/\{(\w+)\}/g)].flatMap(([, name]) => name ?? [])
}

export type Resource = {
  readonly shape: Shape
  readonly operations: readonly Operation[]
  readonly problems: readonly CataloguedProblem[]
  /** Absent if its translations are not a separate document. */
  readonly texts?: Texts
  /** Removes a locale from one resource, if `texts` does not do it or does not do all of it. */
  readonly forgetLocale?: ForgetLocale
}

/** A resource of operations on one shape, without problems of its own. */
export function resourceOf(first: Operation, ...others: readonly Operation[]): Resource {
  return { shape: first.shape, operations: [first, ...others], problems: [] }
}

/** Removes a locale from the translations of one resource. It is a separate change if the resource has any. */
export type ForgetLocale = (context: Context, id: string, locale: string) => Promise<unknown>

/** The resource after its translations were replaced. */
export type Replaced = Translated<{ readonly translations?: Translations | null; readonly version: number }>

/** Reads and replaces the translations of a resource in all locales. */
export type Texts = {
  /** `a product` */
  readonly noun: string
  /** The scope that replacing them needs. */
  readonly scope: Scope
  readonly emits: readonly string[]
  readonly notFound: Operation['notFound']
  /** Replaces all translations by the given ones. */
  readonly replace: (context: Context, id: string, translations: WrittenTranslations) => Promise<Replaced>
  readonly forget: ForgetLocale
}

/** A resource whose changes are recorded as events. */
export type EventedResource<RenderContext extends EventContext = EventContext> = Resource & {
  readonly kind: Kind<RenderContext>
}

import type * as z from 'zod'
import type { Session } from '../db/client.ts'
import type { Translations } from '../db/columns.ts'
import type { Access } from './access.ts'
import type { Actor, Tenant } from './context.ts'
import type { Members, Value } from './document.ts'
import type { Json, JsonObject } from './json.ts'
import type { EventContext, Kind } from './kind.ts'
import type { Locale } from './locale.ts'
import type { LogFields } from './log.ts'
import type { CataloguedProblem } from './problem.ts'
import type { Shape, Written } from './schema.ts'
import type { Scope } from './scopes.ts'
import type { SelectedMembers } from './select.ts'
import type { Translated, WrittenTranslations } from './state.ts'
import type { Trace } from './trace.ts'
import type { View } from './view.ts'

/** Who asks, for which tenant, in which locale, when. Not which API version: business code has one shape. */
export type Context = {
  readonly tenant: Tenant
  readonly actor: Actor
  readonly locale: Locale
  /** What of the documents of a list the caller asks for: the others of their members need not be read. */
  readonly outline: SelectedMembers
  readonly now: Date
  readonly requestId: string
  readonly trace: Trace
  /** What the log tells of the request, as far as it is known now. */
  about(this: void): LogFields
  /** The version's name, for the audit trail alone. */
  readonly apiVersion: string
  readonly db: Session
  /** What the caller may see. */
  readonly sight: Access
  /**
   * Refuses (403) a caller who lacks some scopes, for what only stored rows tell that a request needs; what the request itself
   * tells is demanded before the operation runs.
   */
  demand(this: void, scopes: readonly Scope[]): void
  /** Whether what is unknown is refused rather than passed over (RFC 7240 `handling=strict`). */
  readonly strict: boolean
  /** Tells the caller of members of its body that mean nothing, by their paths. */
  ignore(this: void, paths: readonly string[]): void
  /** Versions that `If-Match` allows; null when it was not sent, `*` for any. */
  readonly ifMatch: readonly number[] | '*' | null
  /** RFC-style `Idempotency-Key` with the fingerprint of its request; null when it was not sent. */
  readonly idempotency: Idempotency | null
  readonly url: URL
  /** The origins that are the tenant's own where IRIs are read. */
  readonly origins: readonly string[]
  readonly callbacks: Callbacks
  /** Where uploaded pictures are kept; null where the operator has bound no bucket. */
  readonly pictures: PictureStore | null
  /**
   * Goes on after the answer was sent, for half a minute at most and not at all when the isolate dies: only for work that
   * something recurring would find undone. A failure is logged, and nobody's error. `db` is a session of its own, whose trips are not
   * counted as the request's.
   */
  later(work: (db: Session) => Promise<unknown>): void
}

/** The `Idempotency-Key` of a request, and what a replay of its response needs. */
export type Idempotency = {
  readonly key: string
  readonly fingerprint: string
  /** Every scope that the request has needed so far, also those that only stored rows made it need. */
  readonly demanded: ReadonlySet<Scope>
  /** Demands the scopes that an earlier request with the key needed. @throws Problem 403 */
  readonly demand: Context['demand']
}

/** Keeps files under keys. */
export type PictureStore = {
  /**
   * Keeps the parts as they come, which have so many bytes together, or nothing of them; answers a digest of them. @throws what the
   * parts throw, and 503 where they cannot be kept
   */
  keep(
    this: void,
    key: string,
    file: { readonly type: string; readonly length: number; readonly parts: AsyncIterable<Uint8Array> },
  ): Promise<string>
  forget(this: void, key: string): Promise<void>
}

/** Keys of 32 bytes as base64, the newest first: that one encrypts, and each decrypts what it has encrypted. */
export type SecretKeys = readonly [string, ...string[]]

/** What webhooks need of the world outside. */
export type Callbacks = {
  /** They encrypt the secrets at rest. */
  readonly secretKeys: SecretKeys
  /** Whether this very machine may be called, also over http. */
  readonly allowLoopback: boolean
  /** Answers DNS questions as `application/dns-json`. */
  readonly dnsUrl: string
  readonly fetch: typeof fetch
}

/** What an operation says of its input: the names in its path, the parameters of its query, the shape of its body. */
type Asked = { readonly params?: string; readonly query?: Query; readonly body?: Shape }
export type Query = Readonly<Record<string, z.ZodType>>

/** What a call brings, parsed and in today's shape. */
export type Input<Of extends Asked = Asked> = {
  readonly params: Readonly<
    Record<Of extends { readonly params: infer Name extends string } ? Name : string, string>
  >
  /** Parsed query values by their literal names: `updatedAt[after]`. */
  readonly query: QueryOf<Of extends { readonly query: infer Given extends Query } ? Given : Query>
  /** One read body, or several when an array was sent. */
  readonly bodies: readonly BodyOf<Of extends { readonly body: infer Given extends Shape } ? Given : Shape>[]
  readonly bulk: boolean
  /** The file that is the body of an operation with `upload`; null elsewhere. */
  readonly upload: Upload | null
}

/** A file on its way, which is read once. */
export type Upload = {
  /** Bytes, as Content-Length announces them. */
  readonly length: number
  readonly body: ReadableStream<Uint8Array>
}

/** The values of query parameters. */
export type QueryOf<Given extends Query> = { readonly [Name in keyof Given]: z.output<Given[Name]> }

/** A body as it was read; without a shape of its own, JSON by name. */
export type BodyOf<Of extends Shape> = string extends keyof Of['properties']
  ? Readonly<Record<string, Json>>
  : Written<Of> & { readonly fallbacks?: JsonObject }

/** What an operation answers; each door writes it in its own way. */
export type Answer =
  | {
      readonly kind: 'item'
      readonly document: Value
      /** The version part of the ETag; null where a resource has none. */
      readonly version: number | null
      readonly sequence?: number | string
      readonly location?: string
      readonly replayed?: boolean
    }
  | {
      readonly kind: 'collection'
      readonly members: readonly Value[]
      readonly total?: number | undefined
      /**
       * The links of a page that shows so many of its members, since all of them may be too large for one answer; absent where
       * a list has no view. @throws Problem 413 where it cannot do with fewer
       */
      readonly view?: (shown: number) => View
      /** Whether the last members are shown where not all are: a page that is walked backwards. */
      readonly backward?: boolean
      readonly sequence?: number | string
      readonly extra?: Members
      readonly replayed?: boolean
    }
  | { readonly kind: 'empty'; readonly replayed?: boolean }

/** What makes an operation a tool of the Model Context Protocol. */
export type Tool = {
  readonly name: string
  readonly title: string
  /** For the model that chooses among tools. */
  readonly description: string
  /** The query parameters that are the tool's inputs, each with its JSON Schema; every tool takes `locale` as well. */
  readonly inputs: Readonly<Record<string, JsonObject>>
}

/** One thing that a caller can do, as data: every door, document and test is derived from it. */
export type Operation = {
  /** `listProducts`: the operationId. */
  readonly name: string
  readonly summary: string
  /** What it does that its summary does not say, for whoever calls it. */
  readonly description?: string
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  /** `/api/products/{id}` */
  readonly path: string
  /** Null: any valid token will do. */
  readonly scope: Scope | null
  /** Scopes that it always takes as well. */
  readonly alsoScopes?: readonly Scope[]
  /** A sentence for the documentation on what stored rows make it take beside its scope: that is demanded when they were read. */
  readonly alsoTakes?: string
  readonly shape: Shape
  readonly answers: 'item' | 'collection' | 'empty'
  /** What a POST that creates nothing answers; any other is 201. */
  readonly status?: 200 | 202
  readonly query: Readonly<Record<string, z.ZodType>>
  /** Path parameters that are not ids of the service. */
  readonly params?: Readonly<Record<string, z.ZodType>>
  readonly notFound: ((values: { id: string }) => Error) & CataloguedProblem
  readonly body?: {
    readonly mode: 'create' | 'patch'
    /** How many an array may hold; absent where an array is not taken. */
    readonly bulk?: number
    readonly shape?: Shape
  }
  /** In place of `body`, where the body is a file: the media types that it may be sent as, and how many bytes it may have. */
  readonly upload?: { readonly types: readonly string[]; readonly most: number }
  /** Topics that a successful call emits, the first for the resource itself. */
  readonly emits?: readonly string[]
  /** The tool that it answers to; only lists that are read can be one. */
  readonly tool?: Tool
  /**
   * True for reads that are made of the request, what the caller may see, the tenant's settings and rows alone that only a commit
   * changes: their answers may be kept for as long as the tenant's clock stands. What depends on the time of the request, or on
   * rows of deliveries and their like, is none.
   */
  readonly mayBeKept?: true
  /** The one version that has it, when it is not in all. */
  readonly onlyIn?: string
  run(this: void, context: Context, input: Input): Promise<Answer>
}

type ParamOf<Path extends string> = string extends Path
  ? string
  : Path extends `${string}{${infer Name}}${infer Rest}`
    ? Name | ParamOf<Rest>
    : never

type BodyShape<Body, Own extends Shape> = Body extends { readonly shape: infer Other extends Shape }
  ? Other
  : Own

type DeclaredOperation<
  Path extends string,
  Parameters extends Query,
  Own extends Shape,
  Body extends Operation['body'],
> = Omit<Operation, 'path' | 'query' | 'shape' | 'body' | 'run'> & {
  readonly path: Path
  readonly query: Parameters
  readonly shape: Own
  readonly body?: Body
  readonly run: (
    context: Context,
    input: Input<{ params: ParamOf<Path>; query: Parameters; body: BodyShape<Body, Own> }>,
  ) => Promise<Answer>
}

/** Declares an operation: what runs is given the names of its path, the values of its query and the body of its shape. */
export function operation<
  const Path extends string,
  Parameters extends Query,
  Own extends Shape,
  Body extends Operation['body'],
>(declared: DeclaredOperation<Path, Parameters, Own, Body>): Operation {
  const { run, ...rest } = declared
  // What is parsed by the path, the query and the shape has their types.
  return { ...rest, run: run as Operation['run'] }
}

/** The names in a text in braces: the parameters of a path, the values of a message. */
export function namesIn(text: string): string[] {
  return [...text.matchAll(/\{(\w+)\}/g)].flatMap(([, name]) => name ?? [])
}

/** A resource: its shape, its operations, its problems. */
export type Resource = {
  readonly shape: Shape
  readonly operations: readonly Operation[]
  readonly problems: readonly CataloguedProblem[]
  /** Absent where its translations are no document of their own. */
  readonly texts?: Texts
  /** How a locale that is on its way out is taken from one of them, where `texts` does not tell it, or not as well. */
  readonly forgetLocale?: ForgetLocale
}

/** Takes a locale from the texts of one resource, as a change of its own where it has any in it. */
export type ForgetLocale = (context: Context, id: string, locale: string) => Promise<unknown>

/** What replacing a resource's texts leaves. */
export type Replaced = Translated<{ readonly translations?: Translations | null; readonly version: number }>

/** How the texts of a resource are read and replaced in every locale at once. */
export type Texts = {
  /** `a product` */
  readonly noun: string
  /** What replacing them takes. */
  readonly scope: Scope
  readonly emits: readonly string[]
  readonly notFound: Operation['notFound']
  /** The column that tells which of them are archived, whose texts nobody misses; null where none is. */
  readonly archivedBy: 'status' | 'product_archived' | null
  /** Puts the written texts in the place of all that there are. */
  readonly replace: (context: Context, id: string, written: WrittenTranslations) => Promise<Replaced>
  readonly forget: ForgetLocale
}

/** A resource whose changes are recorded as events. */
export type EventedResource<Around extends EventContext = EventContext> = Resource & {
  readonly kind: Kind<Around>
}

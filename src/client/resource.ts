/** The operations of one kind of resource, derived from the paths of a version. */
import type { Client } from 'openapi-fetch'
import type { Complete, PropertyPath, Selected } from './document.ts'
import { CatalogueError, idOf, type Problem, pages } from './pages.ts'

type Operation<P, Path, Method extends string> = Path extends keyof P
  ? Method extends keyof P[Path]
    ? NonNullable<P[Path][Method]>
    : never
  : never

/** The path of an item: `/api/products/{id}` of `/api/products`. */
type ItemPath<P, Path extends string> = keyof P extends infer Each
  ? Each extends `${Path}/{${infer Name}}`
    ? Name extends `${string}/${string}`
      ? never
      : Each
    : never
  : never

type QueryOf<O> = O extends { parameters: { query?: infer Query } } ? NonNullable<Query> : never
type BodyOf<O> = O extends { requestBody?: infer Body }
  ? NonNullable<Body> extends { content: infer Content }
    ? Content[keyof Content]
    : never
  : never
type AnswerOf<O> = O extends { responses: infer Responses }
  ? JsonOf<Responses[keyof Responses & (200 | 201)]>
  : never
type JsonOf<Response> = Response extends { content: { 'application/ld+json': infer Json } } ? Json : never
type ListOf<Answer> = Extract<Answer, { member: unknown[] }>
type MemberOf<Answer> = Answer extends { member: (infer Member)[] } ? Member : never

/** The parameters of a request, with paths such as `variants.sku` as `properties`. */
type Parameters<O, T, Path> = Omit<QueryOf<O>, 'properties[]' | 'cursor' | 'page'> & {
  readonly properties?: readonly (Path & PropertyPath<T>)[]
}

type Shown<T, Path extends string> = [Path] extends [never] ? Complete<T> : Selected<Complete<T>, Path>

export type CallOptions = {
  readonly signal?: AbortSignal
  readonly headers?: Readonly<Record<string, string>>
}

/** The arguments of a read. The parameters are required if one of them is. */
type Arguments<O, P> =
  Partial<QueryOf<O>> extends QueryOf<O>
    ? [parameters?: P, options?: CallOptions]
    : [parameters: P, options?: CallOptions]

type Lists<O> = [MemberOf<AnswerOf<O>>] extends [never]
  ? unknown
  : {
      /** Reads all pages of the list, one after the other. */
      list<const Path extends PropertyPath<MemberOf<AnswerOf<O>>> = never>(
        ...args: Arguments<O, Parameters<O, MemberOf<AnswerOf<O>>, Path>>
      ): AsyncGenerator<Shown<MemberOf<AnswerOf<O>>, Path>, void>
    }

type Creates<O> = [BodyOf<O>] extends [never]
  ? unknown
  : {
      /** Creates all, or none. */
      create(
        bodies: Extract<BodyOf<O>, readonly unknown[]>,
        options?: CallOptions,
      ): Promise<Complete<MemberOf<AnswerOf<O>>>[]>
      // Last, because the compiler reports its errors.
      create(
        body: Exclude<BodyOf<O>, readonly unknown[]>,
        options?: CallOptions,
      ): Promise<Complete<Exclude<AnswerOf<O>, ListOf<AnswerOf<O>>>>>
    }

type Gets<O> = [AnswerOf<O>] extends [never]
  ? unknown
  : {
      get<const Path extends PropertyPath<AnswerOf<O>> = never>(
        iri: string,
        ...args: Arguments<O, Parameters<O, AnswerOf<O>, Path>>
      ): Promise<Shown<AnswerOf<O>, Path>>
    }

type Updates<O> = [BodyOf<O>] extends [never]
  ? unknown
  : {
      /**
       * Sends a merge patch. A function gets the current document and returns the patch, or null for none. It is called again, up to
       * five times, if another write came first (412).
       */
      update(
        iri: string,
        patch: BodyOf<O> | ((current: Complete<AnswerOf<O>>) => BodyOf<O> | null | Promise<BodyOf<O> | null>),
        options?: CallOptions,
      ): Promise<Complete<AnswerOf<O>>>
    }

type Deletes<O> = [O] extends [never]
  ? unknown
  : { delete(iri: string, options?: CallOptions): Promise<void> }

/** The operations that a version has for a list such as `/api/products`, and for its items. An item is named by its IRI or its id. */
export type Resource<P, Path extends string> = Lists<Operation<P, Path, 'get'>> &
  Creates<Operation<P, Path, 'post'>> &
  Gets<Operation<P, ItemPath<P, Path>, 'get'>> &
  Updates<Operation<P, ItemPath<P, Path>, 'patch'>> &
  Deletes<Operation<P, ItemPath<P, Path>, 'delete'>>

type Call = CallOptions & { readonly params?: { query: object }; readonly body?: unknown }
type Json = Record<string, unknown>

/** The operations of a list and its items at run time: those of a resource that has all of them. */
export function resourceAt(client: Client<never>, path: string) {
  // The compiler does not know the paths.
  const request = client.request as unknown as (
    method: string,
    path: string,
    call?: Call,
  ) => Promise<{ data?: unknown; error?: Problem; response: Response }>
  const call = async (method: string, address: string, init?: Call) => {
    const { data, error, response } = await request(method, address, init)
    if (!response.ok) throw new CatalogueError(error, response.status)
    return { data: data as Json & { member: unknown[] }, etag: response.headers.get('ETag') }
  }
  const item = (iri: string) => {
    const id = idOf(iri)
    if (iri !== id && iri !== `${path}/${id}`) throw new TypeError(`${iri} is not in ${path}`)
    return `${path}/${encodeURIComponent(id)}`
  }
  return {
    async *list(parameters?: Json, options?: CallOptions) {
      const query = queryOf(parameters)
      const read = async (next: object) =>
        call('GET', path, { ...options, params: { query: { ...query, ...next } } })
      for await (const { member } of pages<{ member: unknown[]; view?: { next?: string } }>(read))
        yield* member
    },
    async create(body: unknown, options?: CallOptions) {
      const { data } = await call('POST', path, { ...options, body })
      return Array.isArray(body) ? data.member : data
    },
    async get(iri: string, parameters?: Json, options?: CallOptions) {
      return (await call('GET', item(iri), { ...options, params: { query: queryOf(parameters) } })).data
    },
    async update(iri: string, patch: unknown, options?: CallOptions) {
      if (typeof patch !== 'function')
        return (await call('PATCH', item(iri), { ...options, body: patch })).data
      for (let attempt = 1; ; attempt++) {
        const { data, etag } = await call('GET', item(iri), options)
        const body = await patch(data)
        if (body === null) return data
        try {
          const headers = { ...options?.headers, 'If-Match': etag ?? '*' }
          return (await call('PATCH', item(iri), { ...options, headers, body })).data
        } catch (error) {
          const isStale = error instanceof CatalogueError && error.status === 412
          if (!isStale || attempt === maximumUpdates) throw error
        }
      }
    },
    async delete(iri: string, options?: CallOptions) {
      await call('DELETE', item(iri), options)
    },
  }
}

const maximumUpdates = 5

/** `properties: ['variants.sku']` is `properties[variants][]=sku`. */
function queryOf({ properties = [], ...query }: Json = {}): Json {
  const selected: Record<string, string[]> = {}
  for (const path of properties as string[]) {
    const names = path.split('.')
    const name = names.pop() ?? ''
    ;(selected[`properties${names.map((parent) => `[${parent}]`).join('')}[]`] ??= []).push(name)
  }
  return { ...query, ...selected }
}

import * as z from 'zod'
import type { Members } from '../../core/document.ts'
import {
  type Context,
  type Operation,
  operation,
  type Query,
  type Resource,
  resourceOf,
} from '../../core/operation.ts'
import { httpProblems } from '../../core/problems/http.ts'
import type { Shape } from '../../core/schema.ts'
import type { Scope } from '../../core/scopes.ts'

/** Data that describes the service itself. It is read-only, and changes with no request. */
type ServiceData = {
  readonly shape: Shape
  readonly scope?: Scope
  readonly list: Pick<Operation, 'name' | 'summary' | 'description'>
  /** Filters by the member of their name. */
  readonly query?: Query
  readonly item: Pick<Operation, 'name' | 'summary'>
  /** The detail of the 404 for a key without an item. */
  readonly unknownKey?: string
  /** The path parameter of an item, which ends its `@id`. */
  readonly key: string
  /** Returns the documents of all items, in the order of the list. */
  readonly documents: (context: Context) => readonly Members[] | Promise<readonly Members[]>
}

const { not_found: kind } = httpProblems
const notFound = Object.assign(() => kind(), { ...kind })

/** Builds a resource whose list has no pages. */
export function serviceResource(data: ServiceData): Resource {
  const { shape, scope = null, list, query = {}, item, unknownKey, key, documents } = data
  const common = { shape, scope, method: 'GET', notFound } as const
  return resourceOf(
    operation({
      ...common,
      ...list,
      path: shape.collection,
      answers: 'collection',
      query,
      async run(context, { query: filters }) {
        const members = (await documents(context)).filter((document) =>
          Object.entries(filters).every(([name, value]) => value === undefined || document[name] === value),
        )
        return { kind: 'collection', members, total: members.length }
      },
    }),
    operation({
      ...common,
      ...item,
      path: `${shape.collection}/{${key}}`,
      params: { [key]: z.string() },
      answers: 'item',
      async run(context, { params }) {
        const iri = `${shape.collection}/${params[key]}`
        const document = (await documents(context)).find((candidate) => candidate['@id'] === iri)
        if (!document) throw kind(undefined, unknownKey === undefined ? {} : { help: unknownKey })
        const { version } = document
        return { kind: 'item', document, version: typeof version === 'number' ? version : null }
      },
    }),
  )
}

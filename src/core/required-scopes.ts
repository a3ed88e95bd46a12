import { isJsonArray, isJsonObject, type Json } from './json.ts'
import type { Operation } from './operation.ts'
import { isWritable, type RequiredScopes, type Shape } from './schema.ts'
import type { Scope } from './scopes.ts'
import { metaOf } from './zod.ts'

/** Scopes that a request needs beyond its operation's scope. They follow from query and body before either is validated. */

type Demanding = Pick<Operation, 'scope' | 'alsoScopes' | 'query' | 'body' | 'shape'>

type Demands = {
  readonly query: ReadonlyMap<string, RequiredScopes>
  readonly body: ReadonlyMap<string, RequiredScopes>
}

// A cache: operations are constant, and every request needs their scopes.
const known = new WeakMap<Demanding, Demands>()

/** The scopes that an operation's parameters and body members need, by name. */
export function requiredScopesOf(operation: Demanding): Demands {
  const before = known.get(operation)
  if (before) return before
  const query = Object.entries(operation.query).flatMap(([name, schema]) => {
    const { demand } = metaOf(schema)
    return demand ? [[name, demand] as const] : []
  })
  const demands = { query: new Map(query), body: new Map(operation.body ? bodyDemands(operation) : []) }
  known.set(operation, demands)
  return demands
}

/** Every scope that a request needs, without duplicates, the operation's own first. */
export function requiredScopesFor(
  operation: Demanding,
  query: Iterable<[string, string]>,
  body: Json,
): Scope[] {
  const demands = requiredScopesOf(operation)
  const bodies = isJsonArray(body) ? body : [body]
  const members = bodies.flatMap((each) => (isJsonObject(each) ? Object.entries(each) : []))
  return [
    ...new Set([
      ...(operation.scope === null ? [] : [operation.scope]),
      ...(operation.alsoScopes ?? []),
      ...[...query].flatMap(([name, value]) => demands.query.get(name)?.scopes(value) ?? []),
      ...members.flatMap(([name, value]) => demands.body.get(name)?.scopes(value) ?? []),
    ]),
  ]
}

function bodyDemands({ shape, body }: Demanding): (readonly [string, RequiredScopes])[] {
  const { properties }: Shape = body?.shape ?? shape
  return Object.entries(properties).flatMap(([name, property]) => {
    const { demand } = property
    return demand && isWritable(property, body?.mode ?? 'patch') ? [[name, demand] as const] : []
  })
}

import { isJsonArray, isJsonObject, type Json } from './json.ts'
import type { Operation } from './operation.ts'
import { isWritable, type RequiredScopes, type Shape } from './schema.ts'
import type { Scope } from './scopes.ts'
import { metaOf } from './zod.ts'

/** Scopes that a request needs beyond its operation's scope. They follow from query and body before either is validated. */

type ScopedOperation = Pick<Operation, 'scope' | 'alsoScopes' | 'query' | 'body' | 'shape'>

type ScopesByName = {
  readonly query: ReadonlyMap<string, RequiredScopes>
  readonly body: ReadonlyMap<string, RequiredScopes>
}

/** The scopes that an operation's parameters and body members need, by name. */
export function scopesByNameOf(operation: ScopedOperation): ScopesByName {
  const query = Object.entries(operation.query).flatMap(([name, schema]) => {
    const { neededScopes } = metaOf(schema)
    return neededScopes ? [[name, neededScopes] as const] : []
  })
  return { query: new Map(query), body: new Map(operation.body ? bodyScopes(operation) : []) }
}

/** Every scope that a request needs, without duplicates, the operation's own first. */
export function scopesOfRequest(
  operation: ScopedOperation,
  query: Iterable<[string, string]>,
  body: Json,
  scopesByName: ScopesByName = scopesByNameOf(operation),
): Scope[] {
  const bodies = isJsonArray(body) ? body : [body]
  const members = bodies.flatMap((item) => (isJsonObject(item) ? Object.entries(item) : []))
  return [
    ...new Set([
      ...(operation.scope === null ? [] : [operation.scope]),
      ...(operation.alsoScopes ?? []),
      ...[...query].flatMap(([name, value]) => scopesByName.query.get(name)?.scopes(value) ?? []),
      ...members.flatMap(([name, value]) => scopesByName.body.get(name)?.scopes(value) ?? []),
    ]),
  ]
}

function bodyScopes({ shape, body }: ScopedOperation): (readonly [string, RequiredScopes])[] {
  const { properties }: Shape = body?.shape ?? shape
  return Object.entries(properties).flatMap(([name, property]) => {
    const { neededScopes } = property
    return neededScopes && isWritable(property, body?.mode ?? 'patch') ? [[name, neededScopes] as const] : []
  })
}

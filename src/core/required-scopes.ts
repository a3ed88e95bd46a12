import { isJsonArray, isJsonObject, type Json } from './json.ts'
import type { Operation } from './operation.ts'
import type { Violation } from './problem.ts'
import { isWritable, type RequiredScopes, type Shape } from './schema.ts'
import type { Scope } from './scopes.ts'
import { metaOf } from './zod.ts'

/** Scopes and parameters that a request needs in addition. They follow from query and body before either is validated. */

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

/** Violations for absent parameters that other parameters of the query need (`neededBy`). */
export function missingParameters(
  parameters: { has(name: string): boolean },
  { query }: Pick<Operation, 'query'>,
): Violation[] {
  return Object.entries(query).flatMap(([name, schema]) => {
    const { neededBy, missing } = metaOf(schema)
    const isNeeded = neededBy?.some((parameter) => parameters.has(parameter)) && !parameters.has(name)
    return isNeeded && missing ? [missing] : []
  })
}

function bodyScopes({ shape, body }: ScopedOperation): (readonly [string, RequiredScopes])[] {
  const { properties }: Shape = body?.shape ?? shape
  return Object.entries(properties).flatMap(([name, property]) => {
    const { neededScopes } = property
    return neededScopes && isWritable(property, body?.mode ?? 'patch') ? [[name, neededScopes] as const] : []
  })
}

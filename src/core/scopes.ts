import * as z from 'zod'
import type { Actor } from './context.ts'

/** Whether the actor may do what `scope` names: the token has the scope and, acting for a person, the permission. */
export function may(actor: Actor, scope: Scope): boolean {
  return actor.scopes.has(scope) && missingPermissions(actor, [scope]).length === 0
}

/**
 * The identity permissions (`identity:<resource>:<access>`) for `scopes` that the token's person does not have; empty
 * for an application, which needs only scopes.
 */
export function missingPermissions(actor: Actor, scopes: readonly Scope[]): string[] {
  if (!actor.person) return []
  return scopes.filter((scope) => !isPermitted(actor.permissions, scope)).map((scope) => `identity:${scope}`)
}

function isPermitted(permissions: ReadonlySet<string>, scope: Scope): boolean {
  const resource = scope.slice(0, scope.indexOf(':'))
  return (
    permissions.has(`identity:${scope}`) ||
    permissions.has(`identity:${resource}:*`) ||
    permissions.has('identity:*')
  )
}

/** An OAuth 2.0 scope of the service: `<resource>:<access>`, such as `products:read`; `write` does not imply `read`. */
export type Scope = z.infer<typeof scopeText>

const accesses = ['read', 'write'] as const
export const scopeText = z.templateLiteral([z.string(), ':', z.enum(accesses)])

/** Both scopes of every resource in the given scopes, in order of first occurrence. */
export function readAndWriteScopes(scopes: readonly (Scope | null)[]): Scope[] {
  const resources = new Set(scopes.flatMap((scope) => scope?.split(':')[0] ?? []))
  return [...resources].flatMap((resource) => accesses.map((access) => `${resource}:${access}` as const))
}

/** Whether a string has the form of a scope. */
export function isScope(text: string): text is Scope {
  return /^[a-z_]+:(?:read|write)$/.test(text)
}

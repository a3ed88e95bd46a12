import type { Actor } from './context.ts'
import type { Scope } from './scopes.ts'

/** Whether the actor may do what `scope` names: the token holds the scope and, acting for a person, the permission. */
export function may(actor: Actor, scope: Scope): boolean {
  return actor.scopes.has(scope) && missingPermissions(actor, [scope]).length === 0
}

/**
 * The identity permissions (`identity:<resource>:<access>`) that the person behind the token lacks for `scopes`;
 * none for an application, whose scopes alone decide.
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

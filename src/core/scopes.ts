/** An OAuth 2.0 scope of the service: `<resource>:<access>`, such as `products:read`; `write` does not imply `read`. */
export type Scope = `${string}:${(typeof accesses)[number]}`

const accesses = ['read', 'write'] as const

/** Both scopes of every resource that one of the given scopes names, in the order in which they are named first. */
export function scopesOf(named: readonly (Scope | null)[]): Scope[] {
  const resources = new Set(named.flatMap((scope) => scope?.split(':')[0] ?? []))
  return [...resources].flatMap((resource) => accesses.map((access) => `${resource}:${access}` as const))
}

/** Whether a text has the form of a scope. */
export function isScope(text: string): text is Scope {
  return /^[a-z_]+:(?:read|write)$/.test(text)
}

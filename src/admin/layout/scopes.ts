/** Resources that share the scopes of another resource. */
const shared: Readonly<Record<string, string>> = { price_policies: 'sale_offers' }

/** The scope that reading or writing a resource needs. */
export function scopeOf(resource: string, action: 'read' | 'write'): string {
  return `${shared[resource] ?? resource}:${action}`
}

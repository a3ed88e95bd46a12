/** The resources that a scope can name; `products` also covers options, values and variants. */
export const scopeResources = [
  'products',
  'categories',
  'collections',
  'sale_offers',
  'purchase_offers',
  'metaobjects',
  'metaobject_definitions',
  'webhook_subscriptions',
  'error_codes',
  'events',
  'audit_trail',
] as const

/** An OAuth 2.0 scope of the service: `<resource>:<access>`; `write` does not imply `read`. */
export type Scope = `${(typeof scopeResources)[number]}:${'read' | 'write'}`

/** Every scope, in a stable order. */
export const allScopes: readonly Scope[] = scopeResources.flatMap(
  (resource) => [`${resource}:read`, `${resource}:write`] as const,
)

/** The key of a tenant's picture: below its id, so that no host can name another tenant's. */
export function keyOf(tenantId: string, name: string): string {
  return `${tenantId}/${name}`
}

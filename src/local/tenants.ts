import type { JWK } from 'jose'
import type pg from 'pg'

/** A tenant that exists for trying the service out. */
export type DemoTenant = {
  readonly id: string
  /** What commands call it: `--tenant acme`. */
  readonly name: string
  readonly title: string
  readonly host: string
  readonly locales: readonly [string, ...string[]]
  readonly issuer: string
  readonly audience: string
}

/** Two, so that what one can see of the other can be tried: nothing. */
export const demoTenants: readonly DemoTenant[] = [
  {
    id: '019aa000-0000-7000-8000-00000000ac3e',
    name: 'acme',
    title: 'Acme Outfitters',
    host: 'acme.localhost',
    locales: ['en-US', 'fr-FR'],
    issuer: 'https://issuer.localhost/acme',
    audience: 'https://acme.localhost/api',
  },
  {
    id: '019aa000-0000-7000-8000-000000910be8',
    name: 'globex',
    title: 'Globex Maison',
    host: 'globex.localhost',
    locales: ['fr-FR', 'en-US'],
    issuer: 'https://issuer.localhost/globex',
    audience: 'https://globex.localhost/api',
  },
]

/** The demo tenant of that name. Throws an Error that names the known ones. */
export function demoTenant(name: string): DemoTenant {
  const found = demoTenants.find((tenant) => tenant.name === name)
  if (found) return found
  const known = demoTenants.map((tenant) => tenant.name).join(', ')
  throw new Error(`There is no tenant "${name}". Known tenants: ${known}.`)
}

/**
 * Makes a tenant, or renews where it takes its tokens from; name, locales and default version stay as they are in the
 * database. `client` is connected as the owner.
 */
export async function ensureTenant(
  client: pg.ClientBase,
  tenant: DemoTenant,
  jwks: { keys: JWK[] },
): Promise<void> {
  await client.query(
    `insert into tenants (id, host, name, locales, default_api_version, issuer, audience, jwks)
     values ($1, $2, $3, $4, $5, $6, $7, $8)
     on conflict (id) do update
       set host = excluded.host, issuer = excluded.issuer, audience = excluded.audience,
           jwks = excluded.jwks, jwks_uri = null`,
    [
      tenant.id,
      tenant.host,
      tenant.title,
      tenant.locales,
      '2026-10',
      tenant.issuer,
      tenant.audience,
      JSON.stringify(jwks),
    ],
  )
  await client.query('insert into tenant_clock (tenant_id) values ($1) on conflict do nothing', [tenant.id])
}

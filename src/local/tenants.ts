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
  /** The IANA name of the zone in which its people speak of times. */
  readonly timeZone: string
  readonly issuer: string
  readonly audience: string
}

/** Two, so that what one can see of the other can be tried: nothing. The first is also the one at `localhost`. */
export const demoTenants: readonly DemoTenant[] = [
  {
    id: '019aa000-0000-7000-8000-00000000ac3e',
    name: 'acme',
    title: 'Acme Outfitters',
    host: 'acme.localhost',
    locales: ['en-US', 'fr-FR', 'de-DE', 'es-ES'],
    timeZone: 'Europe/Paris',
    issuer: 'https://issuer.localhost/acme',
    audience: 'https://acme.localhost/api',
  },
  {
    id: '019aa000-0000-7000-8000-000000910be8',
    name: 'globex',
    title: 'Globex Maison',
    host: 'globex.localhost',
    locales: ['fr-FR', 'en-US', 'de-DE', 'es-ES'],
    timeZone: 'Europe/Paris',
    issuer: 'https://issuer.localhost/globex',
    audience: 'https://globex.localhost/api',
  },
]

/**
 * Where a program of this machine reaches a demo tenant. `*.localhost` is resolved by browsers and some libraries only, so the
 * first tenant is named by what every machine resolves.
 */
export function originOf(tenant: DemoTenant, port: number): string {
  return `http://${tenant === demoTenants[0] ? 'localhost' : tenant.host}:${port}`
}

/** The issuer, made up, of a tenant that takes the tokens which `npm run token` makes on this machine. */
export const localIssuer = (host: string) => `https://issuer.localhost/${host}`

/**
 * Makes a tenant, or renews where it takes its tokens from and adds the locales that it lacks; name, time zone, order of
 * the locales and default version stay as they are in the database. `client` is connected as the owner. Answers whether locales were added
 * to a tenant that was there: its texts have still to be translated.
 */
export async function ensureTenant(
  client: pg.ClientBase,
  tenant: DemoTenant,
  jwks: { keys: JWK[] },
): Promise<boolean> {
  const { rows } = await client.query<{ locales: string[] }>('select locales from tenants where id = $1', [
    tenant.id,
  ])
  await client.query(
    `insert into tenants (id, host, name, locales, time_zone, default_api_version, issuer, audience, jwks)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
     on conflict (id) do update
       set host = excluded.host, issuer = excluded.issuer, audience = excluded.audience,
           jwks = excluded.jwks, jwks_uri = null`,
    [
      tenant.id,
      tenant.host,
      tenant.title,
      tenant.locales,
      tenant.timeZone,
      '2026-10',
      tenant.issuer,
      tenant.audience,
      JSON.stringify(jwks),
    ],
  )
  await client.query('insert into tenant_clock (tenant_id) values ($1) on conflict do nothing', [tenant.id])
  const known = rows[0]?.locales ?? tenant.locales
  const added = tenant.locales
    .filter((locale) => !known.includes(locale))
    .slice(0, mostLocales - known.length)
  if (added.length > 0) await addLocales(client, tenant.id, added)
  return added.length > 0
}

const mostLocales = 10

/** Declares further locales. Until they are written again, products are searched in them as in the first one. */
async function addLocales(client: pg.ClientBase, id: string, added: readonly string[]): Promise<void> {
  await client.query(
    `with declared as (update tenants set locales = locales || $2::text[] where id = $1 returning id, locales[1] as first)
     insert into product_search (tenant_id, product_id, locale, vector, words)
     select s.tenant_id, s.product_id, a.locale, s.vector, s.words
       from declared d join product_search s on s.tenant_id = d.id and s.locale = d.first, unnest($2::text[]) as a(locale)
     on conflict do nothing`,
    [id, added],
  )
}

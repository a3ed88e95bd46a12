import { randomBytes } from 'node:crypto'
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK } from 'jose'
import type pg from 'pg'

/** The demo tenants' names in commands, and of their catalogues. */
export type DemoName = 'acme' | 'globex'

/** A tenant that exists for trying the service out. */
export type DemoTenant = {
  readonly id: string
  /** Its name in commands, `--tenant acme`, and of its catalogue. */
  readonly name: DemoName
  readonly title: string
  readonly host: string
  readonly locales: readonly [string, ...string[]]
  /** The IANA name of the time zone of its users. */
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
 * Creates a tenant, or gives it these keys again. Settings that were changed in the database stay. `client` is connected as the owner.
 */
export async function ensureTenant(
  client: pg.ClientBase,
  tenant: DemoTenant,
  jwks: { keys: JWK[] },
): Promise<void> {
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
}

/** Keys that are created once and stored locally. */
export type LocalKeys = {
  /** ES256 private key with `kid`, of the made-up issuers of the demo tenants. */
  readonly signing: JWK
  /** Password of role `catalogue_app`. */
  readonly appPassword: string
}

/** Git-ignored folder of everything that `npm run dev` keeps; another one where several are to run side by side. */
export const dataDirectory = resolve(
  process.env.DATA_DIRECTORY || fileURLToPath(new URL('../../.data', import.meta.url).href),
)

/** Reads the keys, or makes them; the file is readable by its owner alone. */
export async function localKeys(directory: string): Promise<LocalKeys> {
  const file = `${directory}/keys.json`
  try {
    return read(file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  const { privateKey } = await generateKeyPair('ES256', { extractable: true })
  const jwk = await exportJWK(privateKey)
  const signing = { ...jwk, kid: await calculateJwkThumbprint(jwk), alg: 'ES256', use: 'sig' }
  const keys: LocalKeys = {
    signing,
    appPassword: randomBytes(24).toString('base64url'),
  }
  mkdirSync(directory, { recursive: true })
  const unfinished = `${file}.${process.pid}`
  writeFileSync(unfinished, `${JSON.stringify(keys, null, 2)}\n`, { mode: 0o600 })
  try {
    // Fails when another command has made the file meanwhile; then its keys are the ones.
    linkSync(unfinished, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(unfinished)
  }
  return read(file)
}

/** The public half, as a tenant's inline key set. */
export function publicKeys({ signing }: LocalKeys): { keys: JWK[] } {
  const { kty, crv, x, y, kid, alg, use } = signing
  return { keys: [{ kty, crv, x, y, kid, alg, use } as JWK] }
}

function read(file: string): LocalKeys {
  return JSON.parse(readFileSync(file, 'utf8'))
}

import { randomUUID } from 'node:crypto'
import { importJWK, type JWK, SignJWT } from 'jose'
import * as z from 'zod'
import { allScopes } from '../resources/index.ts'
import { command, option, port, repeated, runHere, text, wholeNumber } from './cli/command.ts'
import { demoTenants, localIssuer, localKeys, originOf } from './local-tenants.ts'
import { usedService } from './running.ts'

export type TokenContents = {
  readonly issuer: string
  readonly audience: string
  /** ES256 private key with `kid`. */
  readonly key: JWK
  /** Scopes separated by spaces; empty for a token without any. */
  readonly scope: string
  readonly permissions: readonly string[]
  /** Whom the token acts for; the client itself in an application token. */
  readonly subject: string
  readonly client: string
  /** Seconds. */
  readonly expiresIn: number
  readonly now?: Date
}

/** Signs an access token of the profile RFC 9068 §2.2. */
export async function mintToken(contents: TokenContents): Promise<string> {
  const { issuer, audience, key, scope, permissions, subject, client, expiresIn, now = new Date() } = contents
  const issued = Math.floor(now.getTime() / 1000)
  const claims = {
    client_id: client,
    ...(scope !== '' && { scope }),
    ...(permissions.length > 0 && { permissions: [...permissions] }),
  }
  return new SignJWT(claims)
    .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: key.kid ?? '' })
    .setIssuer(issuer)
    .setAudience(audience)
    .setSubject(subject)
    .setIssuedAt(issued)
    .setExpirationTime(issued + expiresIn)
    .setJti(randomUUID())
    .sign(await importJWK(key, 'ES256'))
}

/**
 * An application token of a tenant of this machine, with every scope, for an hour. Throws an Error for an unknown tenant, and for one
 * with another issuer.
 */
export async function tokenFor(
  tenantName: string,
  differently: Partial<
    Pick<TokenContents, 'scope' | 'permissions' | 'subject' | 'client' | 'expiresIn'>
  > = {},
): Promise<string> {
  const { issuer, audience } =
    demoTenants.find(({ name }) => name === tenantName) ?? (await madeTenant(tenantName))
  const client = differently.client ?? 'local-development'
  return mintToken({
    issuer,
    audience,
    key: (await localKeys((await usedService()).directory)).signing,
    scope: allScopes.join(' '),
    permissions: [],
    subject: client,
    expiresIn: 3600,
    ...differently,
    client,
  })
}

/** A tenant that `npm run tenant` made, in the database of `npm start`. */
async function madeTenant(asked: string): Promise<Pick<TokenContents, 'issuer' | 'audience'>> {
  const [{ withDatabase }, { findTenant }] = await Promise.all([
    import('./cli/database.ts'),
    import('./tenant/stored.ts'),
  ])
  const { host, issuer, audience } = await withDatabase(undefined, (client) => findTenant(client, asked))
  if (issuer === localIssuer(host)) return { issuer, audience }
  throw new Error(
    `${host} takes tokens of ${issuer}, which this machine cannot make: ask that issuer for one with the audience ${audience}.`,
  )
}

const permission = text.regex(
  /^identity:(\*|[a-z_]+:(read|write|\*))$/,
  'is identity:<resource>:<read|write>, identity:<resource>:* or identity:*',
)

const scopes = z
  .string('takes a value')
  .transform((names) => names.split(/\s+/).filter(Boolean))
  .superRefine((names, context) => {
    const known: readonly string[] = allScopes
    const unknown = names.filter((name) => !known.includes(name))
    if (unknown.length > 0)
      context.addIssue(`has unknown scopes: ${unknown.join(', ')}. Scopes: ${allScopes.join(' ')}`)
  })

/** `npm run token`. */
export const tokenCommand = command({
  name: 'token',
  summary: 'Prints a bearer token for a local tenant, and nothing else.',
  examples: [
    `curl -H "Authorization: Bearer $(npm run --silent token -- --tenant ${demoTenants[0]!.name})" ${originOf(demoTenants[0]!, 8787)}/api/products`,
  ],
  options: {
    tenant: option(
      'NAME',
      `${demoTenants.map(({ name }) => name).join(' or ')}, or a tenant that "npm run tenant -- create" created without an issuer`,
      text,
    ),
    port: option('NUMBER', 'the port of the service, if several run', port.optional()),
    scope: option(
      '"SCOPE …"',
      'scopes separated by spaces (default: all scopes; "" for none)',
      scopes.optional(),
    ),
    sub: option(
      'NAME',
      'the person that the token acts for, which also needs permissions (default: none)',
      text.optional(),
    ),
    permission: repeated(
      'PERMISSION',
      'identity:<resource>:<read|write>, identity:<resource>:* or identity:* (default: none)',
      z.array(permission).default([]),
    ),
    client: option('NAME', 'the client (default: local-development)', text.optional()),
    'expires-in': option(
      'SECONDS',
      '1 to 86400 (default: 3600)',
      wholeNumber(1, 86_400, 'a number of seconds').default(3600),
    ),
  },
  async run({ tenant, port, scope, sub, permission, client, 'expires-in': expiresIn }, { print }) {
    await usedService(port)
    const token = await tokenFor(tenant, {
      permissions: permission,
      expiresIn,
      ...(scope && { scope: scope.join(' ') }),
      ...(sub !== undefined && { subject: sub }),
      ...(client !== undefined && { client }),
    })
    print(token)
    return 0
  },
})

if (import.meta.main) await runHere(tokenCommand)

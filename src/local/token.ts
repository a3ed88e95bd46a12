import { randomUUID } from 'node:crypto'
import { parseArgs } from 'node:util'
import { importJWK, type JWK, SignJWT } from 'jose'
import { allScopes } from '../resources/index.ts'
import { localKeys } from './keys.ts'
import { demoTenants, localIssuer, originOf } from './tenants.ts'

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
 * whose tokens somebody else issues.
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
    key: (await localKeys()).signing,
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
  const [{ default: pg }, { ownerUrlFrom }, { findTenant }] = await Promise.all([
    import('pg'),
    import('./owner-url.ts'),
    import('./tenant/stored.ts'),
  ])
  const client = new pg.Client({ connectionString: await ownerUrlFrom(undefined) })
  await client.connect()
  try {
    const { host, issuer, audience } = await findTenant(client, asked)
    if (issuer === localIssuer(host)) return { issuer, audience }
    throw new Error(
      `${host} takes tokens of ${issuer}, which this machine cannot make: ask that issuer for one with the audience ${audience}.`,
    )
  } finally {
    await client.end()
  }
}

const help = `Prints a bearer token for a tenant of this machine, and nothing else.

  npm run --silent token -- --tenant acme

  --tenant NAME            ${demoTenants.map(({ name }) => name).join(' or ')}, or one that "npm run tenant -- create" made without an issuer (required)
  --scope "SCOPE …"        scopes separated by spaces (default: every scope; "" for none)
  --sub NAME               makes a token that acts for this person; it then also needs permissions
  --permission PERMISSION  identity:<resource>:<read|write>, identity:<resource>:* or identity:*;
                           may be repeated (default: none)
  --client NAME            the client (default: local-development)
  --expires-in SECONDS     1 to 86400 (default: 3600)
  --help                   this text

  curl -H "Authorization: Bearer $(npm run --silent token -- --tenant ${demoTenants[0]!.name})" ${originOf(demoTenants[0]!, 8787)}/api/products
`

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      tenant: { type: 'string' },
      scope: { type: 'string' },
      permission: { type: 'string', multiple: true },
      sub: { type: 'string' },
      client: { type: 'string' },
      'expires-in': { type: 'string' },
      help: { type: 'boolean' },
    },
  })
  if (values.help) return void process.stdout.write(help)
  if (!values.tenant) throw new Error(`Give --tenant: ${demoTenants.map(({ name }) => name).join(' or ')}.`)
  const scope = values.scope?.split(/\s+/).filter(Boolean)
  const known: readonly string[] = allScopes
  const unknown = scope?.filter((name) => !known.includes(name)) ?? []
  if (unknown.length > 0) {
    throw new Error(`There is no scope ${unknown.join(', ')}. Known scopes: ${allScopes.join(' ')}`)
  }
  const permissions = values.permission ?? []
  const malformed = permissions.find((name) => !/^identity:(\*|[a-z_]+:(read|write|\*))$/.test(name))
  if (malformed) throw new Error(`"${malformed}" is not a permission: identity:<resource>:<read|write>.`)
  const expiresIn = Number(values['expires-in'] ?? 3600)
  if (!Number.isInteger(expiresIn) || expiresIn < 1 || expiresIn > 86_400) {
    throw new Error('--expires-in is a number of seconds from 1 to 86400.')
  }
  const token = await tokenFor(values.tenant, {
    permissions,
    expiresIn,
    ...(scope && { scope: scope.join(' ') }),
    ...(values.sub && { subject: values.sub }),
    ...(values.client && { client: values.client }),
  })
  console.log(token)
}

if (import.meta.main) {
  main().catch((error: Error) => {
    console.error(error.message)
    process.exitCode = 1
  })
}

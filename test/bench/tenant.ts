import { randomUUID } from 'node:crypto'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import type { Client } from 'pg'
import { uuidv7 } from 'uuidv7'
import { allScopes } from '../../src/resources/index.ts'

/** A tenant to measure with, on a host of its own, and an application's token with every scope, good for half a day. */
export async function newTenant(owner: Client, host: string): Promise<{ tenant: string; token: string }> {
  // Nothing that is made now begins like it: rows are copied by the beginning of their ids.
  const tenant = randomUUID()
  await owner.query(
    `insert into tenants (id, host, name, locales, default_api_version, issuer, audience, jwks)
     values ($1, $2, 'Bench', '{en-US,fr-FR}', '2026-10', $3, $4, '{"keys": []}')`,
    [tenant, host, issuerOf(host), audienceOf(host)],
  )
  await owner.query('insert into tenant_clock (tenant_id) values ($1)', [tenant])
  return { tenant, token: await newToken(owner, host) }
}

/** Another such token for a tenant that was made before: with a new key, which Workers that are running do not know. */
export async function newToken(owner: Client, host: string): Promise<string> {
  const { publicKey, privateKey } = await generateKeyPair('ES256')
  const jwk = { ...(await exportJWK(publicKey)), kid: uuidv7(), use: 'sig', alg: 'ES256' }
  await owner.query('update tenants set jwks = $2 where host = $1', [host, JSON.stringify({ keys: [jwk] })])
  return new SignJWT({ scope: allScopes.join(' '), client_id: 'bench' })
    .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: jwk.kid })
    .setIssuer(issuerOf(host))
    .setAudience(audienceOf(host))
    .setSubject('bench')
    .setJti(uuidv7())
    .setIssuedAt()
    .setExpirationTime('12h')
    .sign(privateKey)
}

const issuerOf = (host: string) => `https://issuer.${host}/`
const audienceOf = (host: string) => `https://${host}/api`

import { randomUUID } from 'node:crypto'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import type { Client } from 'pg'
import { uuidv7 } from 'uuidv7'
import { allScopes } from '../../src/resources/index.ts'

/** A tenant to measure with, on a host of its own, and an application's token with every scope, good for an hour. */
export async function newTenant(owner: Client, host: string): Promise<{ tenant: string; token: string }> {
  const issuer = `https://issuer.${host}/`
  const audience = `https://${host}/api`
  const { publicKey, privateKey } = await generateKeyPair('ES256')
  const jwk = { ...(await exportJWK(publicKey)), kid: 'bench', use: 'sig', alg: 'ES256' }
  // Nothing that is made now begins like it: rows are copied by the beginning of their ids.
  const tenant = randomUUID()
  await owner.query(
    `insert into tenants (id, host, name, locales, default_api_version, issuer, audience, jwks)
     values ($1, $2, 'Bench', '{en-US,fr-FR}', '2026-10', $3, $4, $5)`,
    [tenant, host, issuer, audience, JSON.stringify({ keys: [jwk] })],
  )
  await owner.query('insert into tenant_clock (tenant_id) values ($1)', [tenant])
  const token = await new SignJWT({ scope: allScopes.join(' '), client_id: 'bench' })
    .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: 'bench' })
    .setIssuer(issuer)
    .setAudience(audience)
    .setSubject('bench')
    .setJti(uuidv7())
    .setIssuedAt()
    .setExpirationTime('1h')
    .sign(privateKey)
  return { tenant, token }
}

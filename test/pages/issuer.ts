/** An OpenID provider on this machine, which accepts any name and password. */
import { randomUUID } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair } from 'jose'
import Provider from 'oidc-provider'
import { allScopes } from '../../src/resources/index.ts'

export type Issuer = {
  readonly issuer: string
  readonly jwks: { readonly keys: readonly object[] }
  readonly close: () => void
}

export async function startIssuer(client: string, redirectUri: string): Promise<Issuer> {
  const server: Server = createServer()
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const issuer = `http://login.localhost:${(server.address() as AddressInfo).port}`
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true })
  const key = { kid: randomUUID(), alg: 'ES256', use: 'sig' }
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: client,
        token_endpoint_auth_method: 'none',
        redirect_uris: [redirectUri],
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        id_token_signed_response_alg: 'ES256',
      },
    ],
    jwks: { keys: [{ ...(await exportJWK(privateKey)), ...key }] },
    cookies: { keys: [randomUUID()] },
    clientBasedCORS: () => true,
    rotateRefreshToken: true,
    // The permissions of the person, as the service reads them.
    extraTokenClaims: () => ({ permissions: allScopes.map((scope) => `identity:${scope}`) }),
    features: {
      resourceIndicators: {
        enabled: true,
        useGrantedResource: () => true,
        getResourceServerInfo: (_context, resource) => ({
          scope: allScopes.join(' '),
          audience: resource,
          accessTokenFormat: 'jwt',
          jwt: { sign: { alg: 'ES256' } },
        }),
      },
    },
  })
  server.on('request', provider.callback())
  return {
    issuer,
    jwks: { keys: [{ ...(await exportJWK(publicKey)), ...key }] },
    close: () => server.close(),
  }
}

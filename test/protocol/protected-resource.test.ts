import { checkResourceAllowed, discoverOAuthProtectedResourceMetadata } from '@modelcontextprotocol/client'
import { discoverOAuthProtectedResourceMetadata as discoverBefore } from '@modelcontextprotocol/sdk/client/auth.js'
import { checkResourceAllowed as isAllowedBefore } from '@modelcontextprotocol/sdk/shared/auth-utils.js'
import { expect, test } from 'vitest'
import { openShop } from '../support/shop.ts'

test('a refused client finds the issuer at the address that the challenge names', async () => {
  const shop = await openShop()
  const refused = await shop.get('/api/products', { token: null, status: 401 })
  const address = /resource_metadata="([^"]+)"/.exec(refused.headers.get('WWW-Authenticate') ?? '')?.[1]
  expect(address).toBe(`http://${shop.host}/.well-known/oauth-protected-resource`)
  const metadata = await shop.get(new URL(address!).pathname, { token: null, status: 200 })
  expect(metadata.body).toMatchObject({
    resource: shop.tenant.audience,
    authorization_servers: [shop.tenant.issuer],
    bearer_methods_supported: ['header'],
  })
})

/** How clients of MCP find out what to ask a token for: of the SDK, and of the SDK before. */
const clients = [
  ['the SDK', discoverOAuthProtectedResourceMetadata, checkResourceAllowed],
  ['the SDK before', discoverBefore, isAllowedBefore],
] as const

test.each(clients)(
  '%s takes the metadata of /mcp at every host of the tenant, and gets a token that is good there',
  async (_, discover, isAllowed) => {
    const host = `t-${crypto.randomUUID().slice(0, 13)}.test`
    const shop = await openShop({ host, bindings: { LOCALHOST_TENANT: host } })
    const through = (url: string | URL, init?: RequestInit) => shop.fetch(new Request(url, init))
    const call = (origin: string, token: string | null) =>
      shop.fetch(
        new Request(`${origin}/mcp`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
          body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }),
        }),
      )
    const origins = [host, 'localhost', '127.0.0.1'].map((name) => `http://${name}:8787`)
    for (const origin of origins) {
      const refused = (await call(origin, null)).headers.get('www-authenticate') ?? ''
      const told = /resource_metadata="([^"]+)"/.exec(refused)?.[1]
      // Asked at the address that the challenge names, and at the one that is made from the server's.
      for (const found of [{ resourceMetadataUrl: told! }, {}]) {
        const metadata = await discover(`${origin}/mcp`, found, through)
        expect(metadata.resource).toBe(`${origin}/mcp`)
        const asked = { requestedResource: `${origin}/mcp`, configuredResource: metadata.resource }
        expect(isAllowed(asked)).toBe(true)
        const token = await shop.token({ claims: { aud: metadata.resource } })
        for (const other of origins)
          expect((await call(other, token)).status).toBe(other === origin ? 200 : 401)
      }
    }
  },
)

test('the metadata of the API name its one audience at every host, since no other token is taken', async () => {
  const host = `t-${crypto.randomUUID().slice(0, 13)}.test`
  const shop = await openShop({ host, bindings: { LOCALHOST_TENANT: host } })
  for (const origin of [host, 'localhost', '127.0.0.1'].map((name) => `http://${name}:8787`)) {
    const metadata = await shop.fetch(new Request(`${origin}/.well-known/oauth-protected-resource`))
    const { resource } = (await metadata.json()) as { resource: string }
    expect(resource).toBe(shop.tenant.audience)
    for (const [aud, status] of [
      [resource, 200],
      [origin, 401],
    ] as const) {
      const headers = { authorization: `Bearer ${await shop.token({ claims: { aud } })}` }
      expect((await shop.fetch(new Request(`${origin}/api/products`, { headers }))).status).toBe(status)
    }
  }
})

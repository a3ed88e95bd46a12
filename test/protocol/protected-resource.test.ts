import { auth } from '@ai-sdk/mcp'
import { checkResourceAllowed, discoverOAuthProtectedResourceMetadata } from '@modelcontextprotocol/client'
import { expect, test } from 'vitest'
import { openShop } from '../support/shop.ts'

test('a refused client finds the issuer at the address that the challenge names', async () => {
  const shop = await openShop()
  const refused = await shop.get('/api/products', { token: null, status: 401 })
  const address = /resource_metadata="([^"]+)"/.exec(refused.headers.get('WWW-Authenticate') ?? '')?.[1]
  expect(address).toBe(`http://${shop.host}/.well-known/oauth-protected-resource`)
  const metadata = await shop.read(new URL(address!).pathname, { token: null })
  expect(metadata).toMatchObject({
    resource: shop.tenant.audience,
    authorization_servers: [shop.tenant.issuer],
    bearer_methods_supported: ['header'],
  })
})

type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>

/** How clients of MCP find the issuer of tokens: the official client, and an independent one, up to the issuer. */
const clients: Readonly<
  Record<string, (server: string, metadataUrl: string | null, fetch: Fetch) => Promise<string>>
> = {
  async 'the official client'(server, metadataUrl, fetch) {
    const found = metadataUrl === null ? {} : { resourceMetadataUrl: metadataUrl }
    const { resource } = await discoverOAuthProtectedResourceMetadata(server, found, fetch)
    expect(checkResourceAllowed({ requestedResource: server, configuredResource: resource })).toBe(true)
    return resource
  },
  async 'an independent client'(server, metadataUrl, fetch) {
    let asked: URL | undefined
    const provider = {
      redirectUrl: 'http://localhost/callback',
      clientMetadata: { redirect_uris: ['http://localhost/callback'] },
      clientInformation: () => ({ client_id: 'test' }),
      tokens: () => undefined,
      saveTokens: () => {},
      codeVerifier: () => '',
      saveCodeVerifier: () => {},
      saveAuthorizationServerInformation: () => {},
      redirectToAuthorization: (url: URL) => {
        asked = url
      },
    }
    const found = metadataUrl === null ? {} : { resourceMetadataUrl: new URL(metadataUrl) }
    await auth(provider, {
      serverUrl: server,
      ...found,
      fetchFn: async (url, init) => fetch(url.toString(), init),
    })
    return asked?.searchParams.get('resource') ?? 'none'
  },
}

test.each(Object.entries(clients))(
  '%s takes the metadata of /mcp at every host of the tenant, and gets a token that is good there',
  async (_, resourceOf) => {
    const host = `t-${crypto.randomUUID().slice(0, 13)}.test`
    const shop = await openShop({ host, bindings: { LOCALHOST_TENANT: host } })
    // The issuer publishes nothing of its own here.
    const through: Fetch = async (url, init) =>
      String(url).startsWith('https:')
        ? new Response(null, { status: 404 })
        : shop.fetch(new Request(url, init))
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
      const linked = /resource_metadata="([^"]+)"/.exec(refused)?.[1]
      // Asked at the address that the challenge names, and at the one that is made from the server's.
      for (const metadataUrl of [linked!, null]) {
        const resource = await resourceOf(`${origin}/mcp`, metadataUrl, through)
        expect(resource).toBe(`${origin}/mcp`)
        const token = await shop.token({ claims: { aud: resource } })
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

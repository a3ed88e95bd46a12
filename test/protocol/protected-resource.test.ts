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

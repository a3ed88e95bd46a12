/** How a host finds its tenant, and what a developer's machine adds. */
import { expect, test } from 'vitest'
import { openShop } from '../support/shop.ts'

const names = ['localhost', '127.0.0.1']

test.each(names)('%s is the tenant that a developer machine names', async (name) => {
  const host = `t-${crypto.randomUUID().slice(0, 13)}.test`
  const shop = await openShop({ host, name: 'Local shop', bindings: { LOCALHOST_TENANT: host } })
  const made = await shop.create('/api/categories', { title: 'Shoes' })
  const headers = { authorization: `Bearer ${await shop.token()}` }
  const ask = (path: string, given: HeadersInit = headers) =>
    shop.fetch(new Request(`http://${name}:8787${path}`, { headers: given }))

  const list = await ask('/api/categories')
  expect(list.status, await list.clone().text()).toBe(200)
  expect(await list.json()).toMatchObject({ totalItems: 1, member: [{ '@id': made['@id'] }] })
  expect(list.headers.get('link')).toContain(`<http://${name}:8787/api/docs.jsonld>`)

  const refused = await ask('/api/categories', {})
  expect(refused.status).toBe(401)
  expect(refused.headers.get('www-authenticate')).toContain(`"http://${name}:8787/.well-known/`)
  const about = (await ask('/.well-known/oauth-protected-resource/mcp', {})).json()
  expect(await about).toMatchObject({ resource: `http://${name}:8787/mcp`, resource_name: 'Local shop' })
})

test('absolute IRIs of every name of the tenant are its own, those of another port are not', async () => {
  const host = `t-${crypto.randomUUID().slice(0, 13)}.test`
  const shop = await openShop({ host, bindings: { LOCALHOST_TENANT: host } })
  const made = await shop.create('/api/categories', { title: 'Shoes' })
  const headers = { authorization: `Bearer ${await shop.token()}`, 'content-type': 'application/json' }
  const all = [host, ...names]
  for (const asked of all) {
    for (const named of all) {
      const iri = `http://${named}:8787${made['@id']}`
      const find = (category: string) =>
        shop.fetch(
          new Request(`http://${asked}:8787/api/products?category=${encodeURIComponent(category)}`, {
            headers,
          }),
        )
      expect((await find(iri)).status, `${named} at ${asked}`).toBe(200)
      expect((await find(iri.replace('8787', '8788'))).status, `${named} at ${asked}`).toBe(422)
      const body = JSON.stringify({ title: 'Boot', categories: [iri] })
      const product = await shop.fetch(
        new Request(`http://${asked}:8787/api/products`, { method: 'POST', headers, body }),
      )
      expect(product.status, `${named} at ${asked}`).toBe(201)
      expect(await product.json()).toMatchObject({ categories: [{ '@id': made['@id'] }] })
    }
  }
})

test.each([...names, '[::1]', '127.0.0.2', 'other.localhost'])(
  '%s has no tenant anywhere else',
  async (name) => {
    const shop = await openShop()
    const answer = await shop.fetch(new Request(`http://${name}:8787/api`))
    expect(answer.status).toBe(404)
    expect(await answer.json()).toMatchObject({
      slug: 'http.tenant_not_found',
      message: `There is no catalogue at the address ${name}.`,
      detail: `GET /api: There is no catalogue at the address ${name}. Check the host name of the request.`,
    })
  },
)

test('other names of the loopback have no tenant on a developer machine', async () => {
  const host = `t-${crypto.randomUUID().slice(0, 13)}.test`
  const shop = await openShop({ host, bindings: { LOCALHOST_TENANT: host } })
  for (const name of ['127.0.0.2', 'localhost.test', 'other.localhost', '[::1]']) {
    const answer = await shop.fetch(new Request(`http://${name}:8787/api`))
    expect(answer.status, name).toBe(404)
  }
})

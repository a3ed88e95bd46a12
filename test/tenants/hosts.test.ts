/** A tenant of several hosts is one tenant on each of them. */
import { beforeAll, expect, test } from 'vitest'
import { connected, databaseUrls } from '../support/database.ts'
import { openShop, type Shop } from '../support/shop.ts'

const name = () => `t-${crypto.randomUUID().slice(0, 13)}.test`
const hosts = [name(), name(), name()]
let shop: Shop
beforeAll(async () => {
  shop = await openShop({ host: hosts[0]!, hosts })
})

async function ask(host: string, path: string, init: RequestInit = {}): Promise<Response> {
  const headers = { authorization: `Bearer ${await shop.token()}`, 'content-type': 'application/json' }
  return shop.fetch(new Request(`https://${host}${path}`, { headers, ...init }))
}

test('each host shows the same catalogue, under relative IRIs and its own address', async () => {
  const made = await shop.create('/api/categories', { title: 'Shoes' })
  for (const host of hosts) {
    const answer = await ask(host, made['@id'])
    expect(answer.status, host).toBe(200)
    expect(answer.headers.get('link')).toContain(`<https://${host}/api/docs.jsonld>`)
    expect(await answer.json()).toEqual(made)
  }
})

test('absolute IRIs of each host are its own at each other one; of another scheme, port or tenant they are not', async () => {
  const { '@id': iri } = await shop.create('/api/categories', { title: 'Hats' })
  const other = await openShop()
  for (const asked of hosts) {
    const create = (category: string) =>
      ask(asked, '/api/products', {
        method: 'POST',
        body: JSON.stringify({ title: 'Cap', categories: [category] }),
      })
    for (const named of hosts) {
      const answer = await create(`https://${named}${iri}`)
      expect(answer.status, `${named} at ${asked}`).toBe(201)
      expect(await answer.json()).toMatchObject({ categories: [{ '@id': iri }] })
      expect((await create(`http://${named}${iri}`)).status).toBe(422)
      expect((await create(`https://${named}:8443${iri}`)).status).toBe(422)
    }
    expect((await create(`https://${other.host}${iri}`)).status).toBe(422)
  }
})

test('accepts an absolute IRI with the dot that the host of the request ends in', async () => {
  const { '@id': iri } = await shop.create('/api/categories', { title: 'Hats' })
  const create = (host: string) =>
    ask(host, '/api/products', {
      method: 'POST',
      body: JSON.stringify({ title: 'Cap', categories: [`https://${hosts[0]}.${iri}`] }),
    })
  expect((await create(`${hosts[0]}.`)).status).toBe(201)
  expect((await create(`${hosts[0]}`)).status).toBe(422)
})

test('a host is one tenant’s, and the primary one of its own', async () => {
  const other = await openShop()
  await connected(databaseUrls().ownerUrl, async (client) => {
    const tried = (sql: string, ...values: unknown[]) =>
      client.query(sql, values).then(
        () => 'taken',
        (error: { constraint: string }) => error.constraint,
      )
    expect(
      await tried('insert into tenant_hosts (tenant_id, host) values ($1, $2)', other.tenant.id, hosts[1]),
    ).toBe('tenant_hosts_host')
    expect(await tried('update tenants set host = $2 where id = $1', other.tenant.id, hosts[1])).toBe(
      'tenant_hosts_host',
    )
    expect(await tried('delete from tenant_hosts where host = $1', hosts[0])).toBe('tenants_primary_host')
    const renamed = name()
    expect(await tried('update tenants set host = $2 where id = $1', other.tenant.id, renamed)).toBe('taken')
    const { rows } = await client.query(`select tenant_by_host($1) -> 'hosts' as hosts`, [other.host])
    expect(rows).toEqual([{ hosts: [renamed, other.host] }])
  })
})

import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { authenticate } from '../http/auth.ts'
import { allScopes } from '../resources/index.ts'
import { demoTenants, localKeys, publicKeys } from './local-tenants.ts'
import { mintToken, type TokenContents } from './token.ts'

const folder = mkdtempSync(join(tmpdir(), 'keys-'))
afterAll(() => rmSync(folder, { recursive: true }))
const keys = await localKeys(folder)
const [acme, globex] = [demoTenants[0]!, demoTenants[1]!]

/** The actor that the service reads from a token with these contents. */
async function actorOf(differently: Partial<TokenContents> = {}, tenant = acme) {
  const token = await mintToken({
    issuer: acme.issuer,
    audience: acme.audience,
    key: keys.signing,
    scope: allScopes.join(' '),
    permissions: [],
    subject: 'shop',
    client: 'shop',
    expiresIn: 3600,
    ...differently,
  })
  return authenticate(
    new Headers({ authorization: `Bearer ${token}` }),
    new URL(`http://${tenant.host}/api/products`),
    {
      ...tenant,
      defaultApiVersion: '2026-10',
      jwks: JSON.parse(JSON.stringify(publicKeys(keys))),
      jwksUri: null,
      algorithms: ['ES256'],
      tokenProfile: 'rfc9068',
      tokensValidAfter: null,
      revokedTokens: [],
      hosts: [tenant.host],
      isSuspended: false,
      arriving: [],
      leaving: [],
      limits: { webhookSubscriptions: 100, webhookSubscriptionsPerHost: 20 },
      priorPriceDays: 30,
      pricePolicies: {},
      referenceUnits: [],
      timeZone: 'UTC',
      imageHosts: [],
      epochs: [],
    },
    { now: new Date(), fetch: () => Promise.reject(new Error('no key is fetched')), sharedKeys: null },
  )
}

test('an application token is accepted with every scope', async () => {
  expect(await actorOf()).toEqual({
    subject: 'shop',
    client: 'shop',
    scopes: new Set(allScopes),
    permissions: new Set(),
    person: false,
    token: { id: expect.any(String), issuedAt: expect.any(Number) },
  })
})

test("a user's token has the requested permissions", async () => {
  const actor = await actorOf({
    subject: 'ann',
    scope: 'products:read',
    permissions: ['identity:products:read', 'identity:events:*'],
  })
  expect(actor).toMatchObject({ subject: 'ann', person: true, scopes: new Set(['products:read']) })
  expect(actor.permissions).toEqual(new Set(['identity:products:read', 'identity:events:*']))
})

test('the longest lifetime is accepted and an expired token is not', async () => {
  await expect(actorOf({ expiresIn: 86_400 })).resolves.toBeDefined()
  await expect(actorOf({ now: new Date(Date.now() - 7_200_000) })).rejects.toThrow()
})

test('a token of one tenant is refused by the other', async () => {
  await expect(actorOf({}, globex)).rejects.toThrow()
})

test('keys are made once, are readable by their owner alone, and their public half has no secret', async () => {
  const directory = join(folder, 'made')
  const file = join(directory, 'keys.json')
  const [first, second] = await Promise.all([localKeys(directory), localKeys(directory)])
  expect(second).toEqual(first)
  expect(await localKeys(directory)).toEqual(first)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(readFileSync(file, 'utf8')).toContain(first.signing.d)
  expect(JSON.stringify(publicKeys(first))).not.toContain(first.signing.d)
})

test('demo tenants share no host, issuer or audience', () => {
  for (const field of ['id', 'host', 'issuer', 'audience'] as const) {
    expect(new Set(demoTenants.map((tenant) => tenant[field])).size).toBe(demoTenants.length)
  }
})

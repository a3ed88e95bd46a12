import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { databaseUrls, useOwnDatabase } from '../../test/support/database.ts'
import { openShop, type Shop } from '../../test/support/shop.ts'
import { keyIdOf, signingSecrets } from '../resources/webhooks/subscriptions/secrets.ts'
import { noProgress } from './cli/output.ts'
import { heldByKeys, reencrypt } from './secret-keys.ts'

const older = btoa('o'.repeat(32))
const newer = btoa('n'.repeat(32))
let drop: () => Promise<void>
let client: pg.Client
let shops: Shop[]

beforeAll(async () => {
  drop = await useOwnDatabase()
  client = new pg.Client({ connectionString: databaseUrls().ownerUrl })
  await client.connect()
  shops = await Promise.all([1, 2].map(() => openShop({ bindings: { WEBHOOK_SECRET_KEY: older } })))
})

afterAll(async () => {
  await client.end()
  await drop()
})

async function subscribed(shop: Shop, key: string): Promise<{ id: string; secret: string }> {
  const headers = { 'idempotency-key': key }
  return await shop.create('/api/webhook_subscriptions', {}, { headers })
}

async function signing(shop: Shop, id: string, key: string): Promise<string[]> {
  const { rows } = await client.query(
    `select secret, previous_secret as "previousSecret", instant_text(previous_secret_until) as "previousSecretUntil"
       from webhook_subscriptions where id = $1`,
    [id],
  )
  return signingSecrets(rows[0], [key], { tenantId: shop.tenant.id, id }, new Date())
}

async function command(args: readonly string[], keys: string | undefined): Promise<string> {
  const env = { ...process.env, WEBHOOK_SECRET_KEY: keys, DATABASE_URL: databaseUrls().ownerUrl }
  const script = `${import.meta.dirname}/secret-keys.ts`
  return (await promisify(execFile)(process.execPath, [script, ...args], { env })).stdout
}

test('every stored secret moves to the newest key, of each tenant, and is still the same secret', async () => {
  const [first, second] = shops as [Shop, Shop]
  const plain = await subscribed(first, 'first')
  const rotated = await subscribed(second, 'second')
  const { secret } = (
    await second.post(`/api/webhook_subscriptions/${rotated.id}/rotate_secret`, { status: 200 })
  ).body
  const third = await subscribed(first, 'third')
  const [oldId, newId] = await Promise.all([older, newer].map(keyIdOf))
  // Three current secrets, the previous one, and those in three responses that are stored for their idempotency keys.
  expect(await heldByKeys(client)).toEqual([{ keyId: oldId, secrets: 7 }])

  const counts: number[] = []
  const progress = {
    ...noProgress,
    start: (total: number) => void counts.push(total),
    show: (_: string, done: number) => void counts.push(done),
  }
  expect(await reencrypt(client, [newer, older], progress)).toEqual({ secrets: 7, unreadable: [] })
  expect(counts).toEqual([7, 7])
  expect(await heldByKeys(client)).toEqual([{ keyId: newId, secrets: 7 }])
  expect(await signing(first, plain.id, newer)).toEqual([plain.secret])
  expect(await signing(first, third.id, newer)).toEqual([third.secret])
  expect(await signing(second, rotated.id, newer)).toEqual([secret, rotated.secret])
  expect(await reencrypt(client, [newer, older])).toEqual({ secrets: 0, unreadable: [] })
})

test('a secret that no key reads is named, and left as it is', async () => {
  const shop = await openShop({ bindings: { WEBHOOK_SECRET_KEY: btoa('l'.repeat(32)) } })
  const { id } = await shop.create('/api/webhook_subscriptions', {})
  const unreadable = [`${shop.tenant.id}/${id}`]
  expect((await reencrypt(client, [newer, older])).unreadable).toEqual(unreadable)
  await expect(command(['reencrypt', '--json'], `${newer},${older}`)).rejects.toMatchObject({
    code: 1,
    stdout: expect.stringContaining(JSON.stringify({ unreadable }).slice(1)),
  })
  await client.query('delete from webhook_subscriptions where id = $1', [id])
})

test('rotate puts a new key in front of the one that is there, and refuses to lose that one', async () => {
  const value = (await command(['rotate', '--value'], older)).trim()
  expect(value).toMatch(/^[A-Za-z0-9+/]{43}=,/)
  expect(value.split(',')[1]).toBe(older)
  await expect(command(['rotate'], '')).rejects.toMatchObject({ code: 2 })
})

test('list without a key reports that no key was tried', async () => {
  const rows = JSON.parse(await command(['list', '--json'], ''))
  expect(rows.map(({ role }: { role: string }) => role)).toEqual(['not tried: no WEBHOOK_SECRET_KEY'])
})

test('list says what each key holds, and which of them the Worker has', async () => {
  const rows = JSON.parse(await command(['list', '--json'], `${newer},${older}`))
  expect(rows).toEqual([
    { keyId: await keyIdOf(newer), secrets: expect.any(Number), role: 'encrypts and decrypts' },
    { keyId: await keyIdOf(older), secrets: 0, role: 'decrypts' },
  ])
  await expect(command(['list', '--json'], older)).rejects.toMatchObject({
    code: 1,
    stdout: expect.stringMatching(
      `{"keyId":"${await keyIdOf(newer)}","secrets":[1-9]\\d*,"role":"not available"}`,
    ),
  })
})

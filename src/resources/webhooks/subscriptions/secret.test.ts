import { expect, test } from 'vitest'
import { decryptSecret, encryptSecret, keyIdOf, mintSecret, signingSecrets } from './secrets.ts'

const keys = [btoa('k'.repeat(32))] as const
const newer = btoa('n'.repeat(32))
const owner = { tenantId: '01900000-0000-7000-8000-000000000001', id: '01900000-0000-7000-8000-000000000002' }
const now = new Date('2026-11-21T18:00:00Z')

test('mintSecret returns whsec_ and 32 random bytes', () => {
  const secret = mintSecret()
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
  expect(mintSecret()).not.toBe(secret)
})

test('the ciphertext hides the secret, differs each time and decrypts to the secret', async () => {
  const secret = mintSecret()
  const ciphertext = await encryptSecret(secret, keys, owner)
  expect(ciphertext).toMatch(/^v1\.[\w-]{16}\.[\w-]+\.[0-9a-f]{8}$/)
  expect(ciphertext).not.toContain(secret.slice(6, 20))
  expect(await encryptSecret(secret, keys, owner)).not.toBe(ciphertext)
  expect(await decryptSecret(ciphertext, keys, owner)).toBe(secret)
})

test('decryption fails for another tenant, subscription or key, and for changed ciphertext', async () => {
  const ciphertext = await encryptSecret(mintSecret(), keys, owner)
  const { tenantId, id } = owner
  const [form, iv, payload = '', keyId] = ciphertext.split('.')
  const touched = [form, iv, `${payload.slice(0, -2)}AA`, keyId].join('.')
  await expect(decryptSecret(ciphertext, keys, { tenantId: id, id })).rejects.toThrow()
  await expect(decryptSecret(ciphertext, keys, { tenantId, id: tenantId })).rejects.toThrow()
  await expect(decryptSecret(ciphertext, [btoa('x'.repeat(32))], owner)).rejects.toThrow()
  await expect(decryptSecret(touched, keys, owner)).rejects.toThrow()
  await expect(decryptSecret(ciphertext.replace('v1', 'v2'), keys, owner)).rejects.toThrow('unknown form')
})

test('the previous secret also signs, after the new one, until its end', async () => {
  const [fresh, old] = [mintSecret(), mintSecret()]
  const columns = async (previousSecretUntil: string | null) => ({
    secret: await encryptSecret(fresh, keys, owner),
    previousSecret: previousSecretUntil && (await encryptSecret(old, keys, owner)),
    previousSecretUntil,
  })
  expect(await signingSecrets(await columns(null), keys, owner, now)).toEqual([fresh])
  expect(await signingSecrets(await columns('2026-11-21T18:00:00.000001Z'), keys, owner, now)).toEqual([
    fresh,
  ])
  expect(await signingSecrets(await columns('2026-11-21T18:00:01.000000Z'), keys, owner, now)).toEqual([
    fresh,
    old,
  ])
})

test('the newest key encrypts, and each available key decrypts its own ciphertext', async () => {
  const secret = mintSecret()
  const old = await encryptSecret(secret, keys, owner)
  const fresh = await encryptSecret(secret, [newer, ...keys], owner)
  const ids = [await keyIdOf(keys[0]), await keyIdOf(newer)]
  expect([old, fresh].map((text) => text.split('.')[3])).toEqual(ids)
  for (const encrypted of [old, fresh])
    expect(await decryptSecret(encrypted, [newer, ...keys], owner)).toBe(secret)
  await expect(decryptSecret(old, [newer], owner)).rejects.toThrow(`a secret of key ${ids[0]}`)
})

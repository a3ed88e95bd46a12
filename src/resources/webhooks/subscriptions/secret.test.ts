import { expect, test } from 'vitest'
import { decryptSecret, encryptSecret, mintSecret, signingSecrets } from './secret.ts'

const key = btoa('k'.repeat(32))
const owner = { tenantId: '01900000-0000-7000-8000-000000000001', id: '01900000-0000-7000-8000-000000000002' }
const now = new Date('2026-11-21T18:00:00Z')

test('a secret is whsec_ and 32 bytes, and never the same twice', () => {
  const secret = mintSecret()
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
  expect(mintSecret()).not.toBe(secret)
})

test('what is kept shows nothing of the secret, differs each time and decrypts to it', async () => {
  const secret = mintSecret()
  const kept = await encryptSecret(secret, key, owner)
  expect(kept).toMatch(/^v1\.[\w-]{16}\.[\w-]+$/)
  expect(kept).not.toContain(secret.slice(6, 20))
  expect(await encryptSecret(secret, key, owner)).not.toBe(kept)
  expect(await decryptSecret(kept, key, owner)).toBe(secret)
})

test('a secret moved to another tenant or subscription, touched, or met with another key decrypts to nothing', async () => {
  const kept = await encryptSecret(mintSecret(), key, owner)
  const { tenantId, id } = owner
  await expect(decryptSecret(kept, key, { tenantId: id, id })).rejects.toThrow()
  await expect(decryptSecret(kept, key, { tenantId, id: tenantId })).rejects.toThrow()
  await expect(decryptSecret(kept, btoa('x'.repeat(32)), owner)).rejects.toThrow()
  await expect(decryptSecret(`${kept.slice(0, -2)}AA`, key, owner)).rejects.toThrow()
  await expect(decryptSecret(kept.replace('v1', 'v2'), key, owner)).rejects.toThrow('unknown form')
})

test('the one before signs after the new one until its time is up', async () => {
  const [fresh, old] = [mintSecret(), mintSecret()]
  const columns = async (previousSecretUntil: string | null) => ({
    secret: await encryptSecret(fresh, key, owner),
    previousSecret: previousSecretUntil && (await encryptSecret(old, key, owner)),
    previousSecretUntil,
  })
  expect(await signingSecrets(await columns(null), key, owner, now)).toEqual([fresh])
  expect(await signingSecrets(await columns('2026-11-21T18:00:00.000001Z'), key, owner, now)).toEqual([fresh])
  expect(await signingSecrets(await columns('2026-11-21T18:00:01.000000Z'), key, owner, now)).toEqual([
    fresh,
    old,
  ])
})

import * as z from 'zod'
import type { SecretKeys } from '../../../core/operation.ts'
import type { RowOf } from '../../../db/query.ts'

/**
 * Signing secrets. A receiver gets `whsec_` and the base64 of 32 random bytes, the format of Standard
 * Webhooks. The database stores AES-GCM ciphertext, bound to its tenant and subscription, so that a copied
 * row cannot be decrypted elsewhere. The encryption keys can be rotated: ciphertext contains the id of its
 * key, the newest key encrypts, and all keys decrypt.
 */

/** The subscription that a secret belongs to. */
export type SecretOwner = { readonly tenantId: string; readonly id: string }

/** The columns of a subscription that contain its secrets. */
export type SecretColumns = RowOf<typeof secretRow>
export const secretRow = {
  secret: z.string(),
  previousSecret: z.string().nullable(),
  /** A canonical instant. */
  previousSecretUntil: z.string().nullable(),
}

/** The time for which a replaced secret continues to sign next to its successor. */
export const overlapMilliseconds = 24 * 3600 * 1000

export function mintSecret(): string {
  return `whsec_${base64(crypto.getRandomValues(new Uint8Array(32)))}`
}

/** Encrypts a secret with the newest key: `v1.<iv>.<ciphertext>.<id of the key>`. */
export async function encryptSecret(secret: string, [key]: SecretKeys, owner: SecretOwner): Promise<string> {
  const iv = crypto.getRandomValues(new Uint8Array(12))
  const ciphertext = await crypto.subtle.encrypt(algorithm(iv, owner), await importKey(key), encode(secret))
  return `v1.${base64url(iv)}.${base64url(new Uint8Array(ciphertext))}.${await keyIdOf(key)}`
}

/** Throws an Error if the text was not encrypted for this owner with one of these keys. */
export async function decryptSecret(text: string, keys: SecretKeys, owner: SecretOwner): Promise<string> {
  const [format, iv = '', ciphertext = '', keyId] = text.split('.')
  if (format !== 'v1') throw new Error('a secret of an unknown form')
  // Ciphertext without a key id is from before keys could be rotated.
  const ids = await Promise.all(keys.map(keyIdOf))
  const candidates = keys.filter((_, index) => keyId === undefined || ids[index] === keyId)
  if (candidates.length === 0) throw new Error(`a secret of key ${keyId}, which is not configured`)
  const plaintexts = candidates.map(async (key) =>
    crypto.subtle.decrypt(algorithm(bytes(iv), owner), await importKey(key), bytes(ciphertext)),
  )
  return new TextDecoder().decode(await Promise.any(plaintexts))
}

/** The id of the key that a secret was encrypted with. Null for ciphertext from before key ids. */
export function keyIdIn(text: string): string | null {
  return text.split('.')[3] ?? null
}

/** The public id of a key: the first 8 hexadecimal digits of its SHA-256. */
export async function keyIdOf(key: string): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes(key)))
  return [...digest.subarray(0, 4)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** The secrets that sign at a time, newest first. */
export async function signingSecrets(
  columns: SecretColumns,
  keys: SecretKeys,
  owner: SecretOwner,
  now: Date,
): Promise<string[]> {
  const { secret, previousSecret, previousSecretUntil } = columns
  const isOverlapping =
    previousSecret !== null && previousSecretUntil !== null && Date.parse(previousSecretUntil) > now.getTime()
  const liveSecrets = isOverlapping ? [secret, previousSecret] : [secret]
  return Promise.all(liveSecrets.map((encrypted) => decryptSecret(encrypted, keys, owner)))
}

function algorithm(iv: Uint8Array<ArrayBuffer>, { tenantId, id }: SecretOwner) {
  return { name: 'AES-GCM', iv, additionalData: encode(`${tenantId}/${id}`) }
}

function importKey(key: string): Promise<CryptoKey> {
  return crypto.subtle.importKey('raw', bytes(key), 'AES-GCM', false, ['encrypt', 'decrypt'])
}

function encode(text: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(new TextEncoder().encode(text))
}

function base64(data: Uint8Array): string {
  return btoa(String.fromCharCode(...data))
}

function base64url(data: Uint8Array): string {
  return base64(data).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

/** Decodes base64 in either alphabet. */
function bytes(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
  return new Uint8Array([...binary].map((char) => char.charCodeAt(0)))
}

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
  const [format, iv = '', ciphertext = '', keyId = ''] = text.split('.')
  if (format !== 'v1') throw new Error('a secret of an unknown form')
  const ids = await Promise.all(keys.map(keyIdOf))
  const key = keys[ids.indexOf(keyId)]
  if (key === undefined) throw new Error(`a secret of key ${keyId}, which is not configured`)
  const plaintext = await crypto.subtle.decrypt(
    algorithm(bytes(iv), owner),
    await importKey(key),
    bytes(ciphertext),
  )
  return new TextDecoder().decode(plaintext)
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
  const current = await decryptSecret(secret, keys, owner)
  // The key of a secret that was rotated because its key was lost decrypts nothing.
  const previous = isOverlapping ? await decryptSecret(previousSecret, keys, owner).catch(() => null) : null
  return previous === null ? [current] : [current, previous]
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

import type { Tenant, TokenAlgorithm } from '../core/context.ts'
import { keepNewest } from './newest.ts'
import { TokenRefused } from './token-check.ts'

/** A public key as an issuer publishes it (RFC 7517). */
export type PublishedKey = NonNullable<Tenant['jwks']>['keys'][number]

/** How many imported keys an isolate keeps. */
const mostImported = 200

/** By what the key is made of, so that a key read anew is not imported anew. */
const imported = new Map<string, CryptoKey>()

/**
 * The key that a token signed with `algorithm` under `kid` must verify with.
 * @throws TokenRefused when the issuer publishes none, publishes two under that name, or publishes one that is too weak, secret,
 * or meant for something else
 */
export async function signingKey(
  published: readonly PublishedKey[],
  kid: string,
  algorithm: TokenAlgorithm,
): Promise<CryptoKey> {
  const [key, another] = published.filter((candidate) => candidate.kid === kid)
  if (!key || another) throw new TokenRefused('key_unknown')
  const imported = mayVerify(key, algorithm) ? await importedKey(key, algorithm) : null
  if (imported === null) throw new TokenRefused('key_unfit')
  return imported
}

function mayVerify(key: PublishedKey, algorithm: TokenAlgorithm): boolean {
  if (key.use !== undefined && key.use !== 'sig') return false
  if (key.key_ops !== undefined && !(Array.isArray(key.key_ops) && key.key_ops.includes('verify')))
    return false
  if (key.alg !== undefined && !algorithmNames[algorithm].includes(key.alg)) return false
  // A private or symmetric key that is published is no longer anybody's own.
  if (Object.hasOwn(key, 'd') || Object.hasOwn(key, 'k')) return false
  return isStrong[algorithm](key)
}

/** RFC 9864 gives EdDSA over Ed25519 a name of its own. */
const algorithmNames: Readonly<Record<TokenAlgorithm, readonly string[]>> = {
  ES256: ['ES256'],
  RS256: ['RS256'],
  EdDSA: ['EdDSA', 'Ed25519'],
}

const isStrong: Readonly<Record<TokenAlgorithm, (key: PublishedKey) => boolean>> = {
  ES256: ({ kty, crv }) => kty === 'EC' && crv === 'P-256',
  EdDSA: ({ kty, crv }) => kty === 'OKP' && crv === 'Ed25519',
  RS256: ({ kty, n, e }) => {
    const modulus = bits(n)
    // FIPS 186-5 §5.1 wants 2¹⁶ < e; the upper bounds keep a verification cheap.
    return kty === 'RSA' && modulus >= 2048 && modulus <= 8192 && bits(e) > 16 && bits(e) <= 32
  },
}

/** The length of a base64url integer without its leading zeros; 0 when it is none. */
function bits(integer: string | undefined): number {
  if (typeof integer !== 'string' || !/^[A-Za-z0-9_-]+$/.test(integer)) return 0
  try {
    const bytes = atob(integer.replaceAll('-', '+').replaceAll('_', '/')).replace(/^\0+/, '')
    return bytes === '' ? 0 : bytes.length * 8 - (Math.clz32(bytes.charCodeAt(0)) - 24)
  } catch {
    return 0
  }
}

const importParameters = {
  ES256: { name: 'ECDSA', namedCurve: 'P-256' },
  RS256: { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' },
  EdDSA: { name: 'Ed25519' },
} as const

async function importedKey(key: PublishedKey, algorithm: TokenAlgorithm): Promise<CryptoKey | null> {
  const { kty, crv, x, y, n, e } = key
  const material = JSON.stringify([algorithm, kty, crv, x, y, n, e])
  const known = imported.get(material)
  if (known) return known
  try {
    const jwk: JsonWebKey = { kty: kty ?? '', crv, x, y, n, e }
    const made = await crypto.subtle.importKey('jwk', jwk, importParameters[algorithm], false, ['verify'])
    keepNewest(imported, material, made, mostImported)
    return made
  } catch {
    return null
  }
}

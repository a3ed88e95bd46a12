import { randomBytes } from 'node:crypto'
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK } from 'jose'

/** Keys that are created once and stored locally. */
export type LocalKeys = {
  /** ES256 private key with `kid`, of the made-up issuers of the demo tenants. */
  readonly signing: JWK
  /** Password of role `catalogue_app`. */
  readonly appPassword: string
}

/** Git-ignored folder of everything that `npm run dev` keeps; another one where several are to run side by side. */
export const dataDirectory = resolve(
  process.env.DATA_DIRECTORY || fileURLToPath(new URL('../../.data', import.meta.url).href),
)

/** Reads the keys, or makes them; the file is readable by its owner alone. */
export async function localKeys(file = `${dataDirectory}/keys.json`): Promise<LocalKeys> {
  try {
    return read(file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  const { privateKey } = await generateKeyPair('ES256', { extractable: true })
  const jwk = await exportJWK(privateKey)
  const signing = { ...jwk, kid: await calculateJwkThumbprint(jwk), alg: 'ES256', use: 'sig' }
  const keys: LocalKeys = {
    signing,
    appPassword: randomBytes(24).toString('base64url'),
  }
  mkdirSync(dirname(file), { recursive: true })
  const unfinished = `${file}.${process.pid}`
  writeFileSync(unfinished, `${JSON.stringify(keys, null, 2)}\n`, { mode: 0o600 })
  try {
    // Fails when another command has made the file meanwhile; then its keys are the ones.
    linkSync(unfinished, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(unfinished)
  }
  return read(file)
}

/** The public half, as a tenant's inline key set. */
export function publicKeys({ signing }: LocalKeys): { keys: JWK[] } {
  const { kty, crv, x, y, kid, alg, use } = signing
  return { keys: [{ kty, crv, x, y, kid, alg, use } as JWK] }
}

function read(file: string): LocalKeys {
  return JSON.parse(readFileSync(file, 'utf8'))
}

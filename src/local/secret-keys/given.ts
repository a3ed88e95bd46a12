import type { SecretKeys } from '../../core/operation.ts'
import { localSecretKeys, secretKeys } from '../../env.ts'
import { isDevelopment } from '../owner-url.ts'

/** The keys in WEBHOOK_SECRET_KEY; null if it is not set. @throws Error if it is not valid */
export function keysInEnvironment(): SecretKeys | null {
  const given = process.env.WEBHOOK_SECRET_KEY?.trim()
  if (!given) return null
  const read = secretKeys.safeParse(given)
  if (!read.success)
    throw new Error('WEBHOOK_SECRET_KEY is keys of 32 bytes as base64, separated by commas, newest first.')
  return read.data
}

/** The keys for a database: those in WEBHOOK_SECRET_KEY, else for the database that `npm start` runs its fixed key, else null. */
export function keysFor(databaseUrl: string | undefined): SecretKeys | null {
  return keysInEnvironment() ?? (isDevelopment(databaseUrl) ? localSecretKeys : null)
}

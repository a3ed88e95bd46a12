import { DatabaseError, StorageUnavailable, TooLargeForStorage } from '../../../db/client.ts'

/** An error for the log: our own words for those of the database, and of strangers' errors, which may quote data, the name. */
export function logged(error: unknown): string {
  if (error instanceof DatabaseError || error instanceof StorageUnavailable) return error.message
  if (error instanceof TooLargeForStorage) return error.message
  return error instanceof Error ? error.name : 'unknown error'
}

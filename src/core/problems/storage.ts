import {
  DatabaseError,
  largestBatch,
  StorageUnavailable,
  TooLargeForStorage,
  tooManyWriters,
} from '../../db/client.ts'
import { httpProblems } from './http.ts'
import { concurrencyProblems, serverProblems } from './server.ts'
import { validationProblems } from './validation.ts'

/** 503 with `Retry-After`. */
export function storageUnavailable(cause: unknown): Error {
  if (cause instanceof StorageUnavailable && cause.reason === tooManyWriters)
    return concurrencyProblems.tenant_busy(undefined, { headers: { 'Retry-After': '1' }, cause })
  return serverProblems.storage_unavailable(undefined, { headers: { 'Retry-After': '5' }, cause })
}

/** The problem that a failure of the database means for the caller; any other error stays as it is. */
export function problemOfStorage(error: unknown): unknown {
  if (error instanceof StorageUnavailable) return storageUnavailable(error)
  if (error instanceof TooLargeForStorage) {
    return error.what === 'batch'
      ? httpProblems.batch_too_large({ limit: largestBatch }, { cause: error })
      : serverProblems.answer_too_large(undefined, { headers: { 'Retry-After': '60' }, cause: error })
  }
  if (error instanceof DatabaseError && error.subject === 'title_order')
    return validationProblems.cursor_order({}, { violations: [validationProblems.cursor_order.at('cursor')] })
  if (error instanceof DatabaseError && /^(57014|55P03)$/.test(error.sqlstate)) {
    return serverProblems.timeout(undefined, { headers: { 'Retry-After': '2' }, cause: error })
  }
  return error
}

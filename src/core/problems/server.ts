import {
  DatabaseError,
  largestBatch,
  StorageUnavailable,
  TooLargeForStorage,
  tooManyWriters,
} from '../../db/client.ts'
import { declareProblems } from '../problem.ts'
import { httpProblems } from './http.ts'
import { validationProblems } from './validation.ts'

/** Errors of the service, independent of the request. */
export const serverProblems = declareProblems('server', {
  storage_unavailable: {
    code: 'SRV-1001',
    status: 503,
    description:
      'The database cannot be reached. Retry after the time in Retry-After, a write with the same Idempotency-Key so that it happens once.',
    message: 'The service is temporarily unavailable. Please try again shortly.',
  },
  timeout: {
    code: 'SRV-1002',
    status: 503,
    description:
      'The database did not respond in time and the service cancelled the request. Retry after the time in Retry-After. Retry a write with the same Idempotency-Key, so that it happens once.',
    message: 'The request took too long. Please try again shortly.',
  },
  unexpected: {
    code: 'SRV-1003',
    status: 500,
    description: 'A defect of the service: no input should lead here. Report the request id in instance.',
    message: 'Something went wrong on our side. Please try again or contact support.',
  },
  resolver_unavailable: {
    code: 'SRV-1004',
    status: 503,
    description:
      'The name servers did not respond, so the service cannot check whether it may call the address. Retry after the time in Retry-After.',
    message: 'The address cannot be checked at the moment. Please try again shortly.',
  },
  not_ready: {
    code: 'SRV-1006',
    status: 503,
    description:
      'The service cannot serve now: the database is unreachable, or lacks migrations that this deployment needs. The member checks names the cause. Retry after the time in Retry-After.',
    message: 'The service is not ready yet. Please try again shortly.',
  },
  answer_too_large: {
    code: 'SRV-1005',
    status: 503,
    description:
      'The database has more to answer than the service can receive at once, a defect of the service; nothing was changed. Ask for less at once, for instance with a smaller itemsPerPage, and report the request id in instance.',
    message: 'There is too much to show at once. Please ask for less, or contact support.',
  },
  tenant_suspended: {
    code: 'SRV-1007',
    status: 503,
    description:
      'The operator of the service has suspended this catalogue. No data is lost, and webhooks continue when the operator resumes it. Contact the operator.',
    message: 'This catalog is suspended at the moment. Please contact its operator.',
  },
  invalid_settings: {
    code: 'SRV-1008',
    status: 503,
    description:
      'Settings of the service are missing or invalid, so that it cannot serve any request. Its operator must correct them; the log names them. Retry after the time in Retry-After.',
    message: 'The service is not set up completely. Please contact its operator.',
  },
})

/** Conflicts between concurrent writers of a resource. */
export const concurrencyProblems = declareProblems('concurrency', {
  version_mismatch: {
    code: 'CON-1001',
    status: 412,
    description:
      'If-Match names another version than the stored one, which currentVersion gives. Read the resource again, apply the change to it and send the new ETag.',
    message:
      'This record has been changed in the meantime (current version: {currentVersion}). Please reload it and try again.',
  },
  busy: {
    code: 'CON-1002',
    status: 409,
    description:
      'Other writers changed the same resources at each of several attempts, so nothing was written. Send the request again.',
    message: 'This record is being changed by others right now. Please try again.',
  },
  tenant_busy: {
    code: 'CON-1003',
    status: 503,
    description:
      'Too many writes of this catalogue run at the same time: eight run at once, others wait for some seconds. Nothing was written. Retry after the time in Retry-After, and send fewer writes at once.',
    message: 'There are too many changes at the same time. Please try again shortly.',
  },
})

/** Errors of the Idempotency-Key header. */
export const idempotencyProblems = declareProblems('idempotency', {
  malformed_key: {
    code: 'IDEM-1001',
    status: 400,
    description:
      'Idempotency-Key is empty, too long, or has characters outside visible ASCII. Send a fresh UUID per operation.',
    message: 'The request could not be accepted because its identifier is not valid.',
  },
  key_reused: {
    code: 'IDEM-1002',
    status: 422,
    description:
      'The Idempotency-Key was used within the last 24 hours for another request. Send a new key for a new operation, or the same request for a retry.',
    message: 'This request differs from an earlier one that has the same identifier. Please start again.',
  },
  in_flight: {
    code: 'IDEM-1003',
    status: 409,
    description:
      'The first request with this Idempotency-Key is still being worked on. Wait a moment, then send the same request again to get its answer.',
    message: 'This request is already being processed. Please wait a moment.',
  },
})

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

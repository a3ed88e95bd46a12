import pg from 'pg'
import { ResponseTooLarge } from './bridge-batch.ts'
import { ConnectFailure } from './bridge-pool.ts'
import { Refusal } from './bridge-request.ts'

/** The fields of an error of Postgres, with Neon's names; each is in every failure, null where there is nothing to say. */
const fields = [
  'detail',
  'hint',
  'position',
  'internalPosition',
  'internalQuery',
  'where',
  'table',
  'column',
  'schema',
  'dataType',
  'constraint',
  'file',
  'line',
  'routine',
] as const

/**
 * The HTTP response of a failure, as on Neon. An error of a statement is 400, and so are a wrong password and a
 * connection that is lost under way, both without a code; no connection is 500, with a code where Postgres gave one (53300
 * for too many). 413 and 507 are certain not to have committed.
 */
export function failureOf(error: unknown): { status: number; text: string } {
  if (error instanceof Refusal) return { status: error.status, text: textOf(error.message) }
  if (error instanceof ResponseTooLarge) return { status: 507, text: textOf(error.message) }
  if (error instanceof ConnectFailure) {
    const { cause } = error
    if (!(cause instanceof pg.DatabaseError)) return { status: 500, text: textOf(error.message) }
    // The proxy itself asks for the password, and has no code for a wrong one.
    if (cause.code?.startsWith('28')) return { status: 400, text: textOf(cause.message) }
    return { status: 500, text: textOf(cause.message, cause) }
  }
  if (error instanceof pg.DatabaseError) return { status: 400, text: textOf(error.message, error) }
  return { status: 400, text: textOf('the connection to the database was lost') }
}

function textOf(message: string, error?: pg.DatabaseError): string {
  const { code = '', severity = '' } = error ?? {}
  const entries = fields.map((name) => [name, error?.[name] ?? null])
  return JSON.stringify({ message, code, severity, ...Object.fromEntries(entries) })
}

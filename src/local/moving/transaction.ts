import pg from 'pg'
import { DatabaseError, type Session, serialize } from '../../db/client.ts'
import { combineQueries, type DatabaseQueries, type Results } from '../../db/query.ts'

/**
 * A session whose batches all belong to the transaction that `client` is in. A batch that fails is undone by itself, so that the
 * transaction can continue. `client` has entered the tenant.
 */
export function transactionSession(client: pg.ClientBase): Session {
  const spent = { trips: 0, statements: 0, milliseconds: 0 }
  const send = async <Sent extends DatabaseQueries>(readings: Sent): Promise<Results<Sent>> => {
    const { statements, take } = combineQueries(readings)
    const started = performance.now()
    spent.trips += 1
    spent.statements += statements.length
    await client.query('savepoint batch')
    try {
      const results: unknown[][] = []
      for (const { query } of statements) {
        const { sql: text, params } = serialize(query)
        results.push((await client.query(text, params)).rows)
      }
      await client.query('release savepoint batch')
      return take(results)
    } catch (error) {
      if (!(error instanceof pg.DatabaseError)) throw error
      await client.query('rollback to savepoint batch')
      throw new DatabaseError(error.code ?? '', error.constraint, error.message, error.detail)
    } finally {
      spent.milliseconds += performance.now() - started
    }
  }
  return {
    stats: spent,
    hasSubscribers: null,
    hasNearSchedule: false,
    clock: null,
    followClock() {},
    read: send,
    write: send,
  }
}

import pg from 'pg'
import { DatabaseError, type Session } from '../../db/client.ts'
import { combineQueries, type DatabaseQueries, type Results } from '../../db/query.ts'
import { serialize } from '../../db/sql.ts'

/**
 * A session whose batches all belong to the transaction that `client` is in. A failed batch is undone, so that the
 * transaction can continue. `client` has entered the tenant.
 */
export function transactionSession(client: pg.ClientBase): Session {
  const spent = { trips: 0, statements: 0, milliseconds: 0 }
  const queryAll = async (
    statements: readonly ReturnType<typeof serialize>[],
  ): Promise<pg.QueryResult['rows'][]> => {
    const started = performance.now()
    spent.trips += 1
    spent.statements += statements.length
    await client.query('savepoint batch')
    try {
      const results = []
      for (const { sql, params } of statements) results.push((await client.query(sql, params)).rows)
      await client.query('release savepoint batch')
      return results
    } catch (error) {
      if (!(error instanceof pg.DatabaseError)) throw error
      await client.query('rollback to savepoint batch')
      throw new DatabaseError(error.code ?? '', error.constraint, error.message)
    } finally {
      spent.milliseconds += performance.now() - started
    }
  }
  const send = async <Sent extends DatabaseQueries>(queries: Sent): Promise<Results<Sent>> => {
    const { statements, take } = combineQueries(queries)
    return take(await queryAll(statements.map(({ query }) => serialize(query))))
  }
  return {
    stats: spent,
    hasSubscribers: null,
    hasNearSchedule: false,
    clock: null,
    setCachedClock() {},
    read: send,
    write: send,
    async apply(write) {
      const [rows] = await queryAll([{ sql: applyInTransaction, params: [JSON.stringify(write)] }])
      return rows?.[0].result
    },
  }
}

/** Performs a write with the settings of the transaction. */
const applyInTransaction = `select apply_write(current_setting('app.tenant'), current_setting('lock_timeout'), $1::jsonb) as result`

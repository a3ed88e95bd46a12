import pg from 'pg'

/**
 * Runs in a transaction that can change nothing and is rolled back. Steps are cut after 30 seconds, so that a large database is not
 * kept busy by who looks at it.
 */
export async function reading<Result>(client: pg.ClientBase, ask: () => Promise<Result>): Promise<Result> {
  await client.query('begin read only')
  try {
    await client.query(`set local statement_timeout = '30s'`)
    return await ask()
  } finally {
    await client.query('rollback')
  }
}

/** Runs with a connection of its own, which is closed at the end. */
export async function connected<Result>(
  connectionString: string,
  ask: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 10_000 })
  client.on('error', () => {})
  await client.connect()
  try {
    return await ask(client)
  } finally {
    await client.end()
  }
}

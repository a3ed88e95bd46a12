/** A database at an earlier time: the rows of a tenant are saved, and put back after later changes. */
import pg from 'pg'
import { transaction } from '../../src/local/cli/database.ts'
import { beginEpoch, type Recovered } from '../../src/local/recover.ts'
import { connected, databaseUrls } from './database.ts'

/** The rows of a tenant's tables at a time. */
export type SavedRows = { readonly at: Date; readonly tables: ReadonlyMap<string, readonly string[]> }

/** Saves the rows of a tenant, in one snapshot. Its row in `tenants` is not among them. */
export function saveRows(tenantId: string): Promise<SavedRows> {
  return connected(databaseUrls().ownerUrl, async (client) => {
    await client.query('begin isolation level repeatable read read only')
    const tables = new Map<string, string[]>()
    for (const table of await tablesOfTenants(client)) {
      const query = `select row_to_json(t)::text as row from ${table} t where tenant_id = $1`
      const { rows } = await client.query<{ row: string }>(query, [tenantId])
      tables.set(
        table,
        rows.map(({ row }) => row),
      )
    }
    const { rows } = await client.query<{ at: Date }>('select clock_timestamp() as at')
    await client.query('commit')
    return { at: rows[0]!.at, tables }
  })
}

/** Puts the saved rows in the place of a tenant's rows, without triggers and checks of references, as Postgres restores them. */
export function putBack(tenantId: string, { tables }: SavedRows): Promise<void> {
  return superuser(async (client) => {
    await client.query('begin')
    await client.query('set local session_replication_role = replica')
    for (const [table, saved] of tables) {
      const { rows } = await client.query<{ names: string }>(
        `select string_agg(quote_ident(attname), ', ' order by attnum) as names from pg_attribute
          where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = ''`,
        [table],
      )
      const names = rows[0]!.names
      await client.query(`delete from ${table} where tenant_id = $1`, [tenantId])
      await client.query(
        `insert into ${table} (${names}) select ${names} from json_populate_recordset(null::${table}, $1::json)`,
        [`[${saved.join()}]`],
      )
    }
    await client.query('commit')
  })
}

/** Restores a tenant to the saved rows, and recovers it: the two steps of an operator, at a moment that is not before `now`. */
export async function restoreAndRecover(tenantId: string, saved: SavedRows, now = ''): Promise<Recovered> {
  await putBack(tenantId, saved)
  return connected(databaseUrls().ownerUrl, (client) => {
    const recover = async () => {
      const clock = `update tenant_clock set last_at = greatest(last_at, nullif($2, '')::timestamptz) where tenant_id = $1`
      await client.query(clock, [tenantId, now])
      return beginEpoch(client, tenantId, saved.at.toISOString())
    }
    return transaction(client, recover, { tenant: tenantId })
  })
}

/** Queries as the superuser of the server that npm installed, or of the one that TEST_SUPERUSER_URL names. */
export async function superuser(ask: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const { TEST_SUPERUSER_URL } = process.env
  const owner = new URL(databaseUrls().ownerUrl)
  const url = TEST_SUPERUSER_URL ?? Object.assign(owner, { username: 'postgres', password: 'postgres' }).href
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await ask(client).finally(() => client.end())
}

async function tablesOfTenants(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(`
    select quote_ident(c.relname) as name from pg_class c
     where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and exists (
       select from pg_attribute a where a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped)
     order by c.oid`)
  return rows.map(({ name }) => name)
}

/** The databases of a server, each filled once and kept: the service's own, that of another commit, and the floor's. */
import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import * as z from 'zod'
import { appUrl, migrate } from '../../../src/local/migrate.ts'
import { startPostgres } from '../../../src/local/postgres.ts'
import { fill } from '../../support/fill.ts'
import { newTenant, newToken } from '../tenant.ts'
import { type Clock, familyClockOf, postgresOf } from './processes.ts'
import { ask } from './request.ts'

/** A Postgres, with what its processes have taken. */
export type Server = {
  readonly ownerUrl: string
  readonly clock: Clock
  stop(): Promise<void>
}

/** A filled tenant. */
export type Catalogue = {
  readonly owner: pg.Client
  readonly appUrl: string
  readonly tenant: string
  readonly token: string
  /** Deletes the rows that were created since it was filled. */
  tidy(): Promise<void>
}

/** The host that all requests name. */
export const host = 'bench.test'
const scratchHost = 'scratch.test'
const password = 'bench'

/** The server that DATABASE_URL names, or one whose data is in a folder. */
export async function openServer(directory: string): Promise<Server> {
  const given = process.env.DATABASE_URL
  const own = given ? null : await startPostgres({ directory })
  const ownerUrl = given ?? own?.ownerUrl ?? ''
  const pid = await connected(ownerUrl, async (client) => {
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
    const isHere = /^(?:127\.|localhost$|\[::1\])/.test(new URL(ownerUrl).hostname)
    return isHere && rows[0] ? postgresOf(rows[0].pid) : null
  })
  return { ownerUrl, clock: familyClockOf(pid), stop: async () => own?.stop() }
}

export type CatalogueOptions = {
  readonly server: Server
  /** The end of the database's name. */
  readonly name: string
  /** The tree whose migrations it has. */
  readonly tree: string
  readonly products: number
  readonly fresh: boolean
  /** Starts the Worker through which it is filled. */
  start(appUrl: string): Promise<{ readonly port: number; stop(): Promise<void> }>
  readonly onProgress: (text: string) => void
}

const mark = z.object({
  fingerprint: z.string(),
  tenant: z.string(),
  filledAt: z.string(),
  totals: z.record(z.string(), z.string()),
})
type Mark = z.infer<typeof mark>

/** A database with a filled tenant: an existing one, if it was filled in the same way. */
export async function openCatalogue(options: CatalogueOptions): Promise<Catalogue> {
  const { server, tree, products } = options
  const name = `catalogue_bench_${options.name}_${products}`
  const ownerUrl = urlOf(server, name)
  const fingerprint = fingerprintOf(tree, products)
  let found = options.fresh ? null : await markOf(server, name)
  if (found?.fingerprint !== fingerprint) {
    await recreate(server, name)
    await migrate({ ownerUrl, appPassword: password, directory: join(tree, 'migrations') })
    const filled = await filledTenant(ownerUrl, options)
    found = { fingerprint, ...filled }
    const comment = pg.escapeLiteral(JSON.stringify(found))
    await connected(server.ownerUrl, (client) => client.query(`comment on database ${name} is ${comment}`))
  } else {
    await migrate({ ownerUrl, appPassword: password, directory: join(tree, 'migrations') })
  }
  await connected(ownerUrl, (client) => keepSettingsApart(client, tree))
  const owner = new pg.Client(ownerUrl)
  await owner.connect()
  const { tenant } = found
  const kept = found
  await tidied(owner, kept)
  const token = await newToken(owner, host)
  return { owner, appUrl: appUrl(ownerUrl, password), tenant, token, tidy: () => tidied(owner, kept) }
}

/** A database with the floor's one table; answers how to put texts into it. */
export async function openFloor(server: Server): Promise<{
  readonly appUrl: string
  put(path: string, body: string): Promise<void>
  stop(): Promise<void>
}> {
  const name = 'catalogue_bench_floor'
  await recreate(server, name)
  const owner = new pg.Client(urlOf(server, name))
  await owner.connect()
  // Ready text: neither compressed nor to be put together.
  await owner.query(`create table floor (path text primary key, body text not null);
    alter table floor alter column body set storage external;
    grant select on floor to catalogue_app`)
  return {
    appUrl: appUrl(urlOf(server, name), password),
    async put(path, body) {
      await owner.query(
        'insert into floor values ($1, $2) on conflict (path) do update set body = excluded.body',
        [path, body],
      )
    },
    stop: () => owner.end(),
  }
}

async function filledTenant(
  ownerUrl: string,
  { start, products, onProgress }: CatalogueOptions,
): Promise<Omit<Mark, 'fingerprint'>> {
  return connected(ownerUrl, async (owner) => {
    const made = await newTenant(owner, host)
    const scratch = await newTenant(owner, scratchHost)
    const tokens = new Map([
      [host, made.token],
      [scratchHost, scratch.token],
    ])
    const worker = await start(appUrl(ownerUrl, password))
    try {
      await fill({
        owner,
        call: async (to, method, path, body) => {
          const { status, text } = await ask(worker.port, {
            method,
            path,
            headers: {
              host: to,
              authorization: `Bearer ${tokens.get(to)}`,
              'content-type': 'application/ld+json',
            },
            ...(body === undefined ? {} : { body: JSON.stringify(body) }),
          })
          if (status >= 300) throw new Error(`${method} ${path} answered ${status}: ${text.slice(0, 500)}`)
          return JSON.parse(text)
        },
        tenant: { id: made.tenant, host },
        scratch: { id: scratch.tenant, host: scratchHost },
        products,
        onProgress: (done) => onProgress(`filling: ${done} of ${products} products`),
      })
    } finally {
      await worker.stop()
    }
    const { rows } = await owner.query<{ at: string }>('select now()::text as at')
    const totals = await owner.query<{ name: string; total: string }>(
      'select name, total::text from tenant_totals where tenant_id = $1',
      [made.tenant],
    )
    return {
      tenant: made.tenant,
      filledAt: rows[0]?.at ?? '',
      totals: Object.fromEntries(totals.rows.map(({ name, total }) => [name, total])),
    }
  })
}

/** Products that were made by measuring go with all that is theirs; their events stay. */
async function tidied(owner: pg.Client, { tenant, filledAt, totals }: Mark): Promise<void> {
  await owner.query(`select set_config('app.tenant', $1, false)`, [tenant])
  const { rowCount } = await owner.query('delete from products where tenant_id = $1 and created_at > $2', [
    tenant,
    filledAt,
  ])
  if (!rowCount) return
  await owner.query(
    `update tenant_totals t set total = given.value::bigint from jsonb_each_text($2) as given
      where t.tenant_id = $1 and t.name = given.key`,
    [tenant, totals],
  )
  await owner.query('vacuum (analyze) products, variants, sale_offers, product_search')
}

/**
 * Has the Worker's role in a database only what the migrations of its own tree set: what a role is set to holds in all databases of a
 * server, and an older commit would be measured with plans that a newer one has asked for.
 */
async function keepSettingsApart(owner: pg.Client, tree: string): Promise<void> {
  const migrations = globSync(join(tree, 'migrations/**/*.sql')).map((file) => readFileSync(file, 'utf8'))
  const own = new Map(
    migrations.flatMap((text) =>
      [...text.matchAll(/^ *alter role catalogue_app set (\w+) = (\S+);/gim)].map(([, name, value]) => [
        name,
        value,
      ]),
    ),
  )
  const { rows } = await owner.query<{ database: string; name: string; standard: string }>(
    `select current_database() as database, split_part(setting, '=', 1) as name, current_setting(split_part(setting, '=', 1), true) as standard
       from pg_db_role_setting s cross join lateral unnest(s.setconfig) setting
      where s.setdatabase = 0 and s.setrole = 'catalogue_app'::regrole
        and current_setting(split_part(setting, '=', 1), true) is not null`,
  )
  for (const { database, name, standard } of rows) {
    const value = own.get(name) ?? pg.escapeLiteral(standard)
    await owner.query(
      `alter role catalogue_app in database ${pg.escapeIdentifier(database)} set ${name} = ${value}`,
    )
  }
}

/** The inputs of a filled database: another migration, or another way of filling, is another database. */
function fingerprintOf(tree: string, products: number): string {
  const hash = createHash('sha256').update(String(products))
  const filling = fileURLToPath(import.meta.resolve('../../support/fill.ts'))
  for (const file of [...globSync(join(tree, 'migrations/**/*.sql')).sort(), filling])
    hash.update(readFileSync(file))
  return hash.digest('hex')
}

async function markOf(server: Server, name: string): Promise<Mark | null> {
  const { rows } = await connected(server.ownerUrl, (client) =>
    client.query<{ text: string | null }>(
      `select shobj_description(oid, 'pg_database') as text from pg_database where datname = $1`,
      [name],
    ),
  )
  const text = rows[0]?.text
  return text ? mark.parse(JSON.parse(text)) : null
}

async function recreate(server: Server, name: string): Promise<void> {
  await connected(server.ownerUrl, async (client) => {
    await client.query(`drop database if exists ${name} with (force)`)
    await client.query(`create database ${name}`)
  })
}

function urlOf({ ownerUrl }: Server, name: string): string {
  const url = new URL(ownerUrl)
  url.pathname = name
  return url.href
}

async function connected<Result>(url: string, run: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    return await run(client)
  } finally {
    await client.end()
  }
}

/** `npm run doctor`: every check in turn, and what they say. */
import { fileURLToPath } from 'node:url'
import type pg from 'pg'
import { localSecretKeys } from '../../env.ts'
import { dataDirectory, localKeys } from '../keys.ts'
import { appUrl } from '../migrate.ts'
import { runningPostgres } from '../postgres.ts'
import { findTenant } from '../tenant/stored.ts'
import { help, readArguments } from './arguments.ts'
import { configurationFindings } from './configuration.ts'
import { connected, reading } from './connection.ts'
import { countFindings } from './counts.ts'
import { clockFindings, migrationFindings, secretFindings } from './database.ts'
import { type Finding, fail, ok, reasonOf, warn } from './finding.ts'
import { readyFindings } from './ready.ts'
import { roleFindings } from './role.ts'
import { outsideFindings, policyFindings } from './row-security.ts'
import { storedPartsFindings } from './stored-parts.ts'
import { givenUpFindings, waitingFindings } from './waiting.ts'

const projectConfig = fileURLToPath(new URL('../../../wrangler.toml', import.meta.url).href)

/** What the command is surrounded by. */
export type Surroundings = {
  readonly print: (text: string) => void
  readonly tell: (text: string) => void
  readonly env: Readonly<Record<string, string | undefined>>
}

/** Runs the command, and gives its exit code. */
export async function run(args: readonly string[], { print, tell, env }: Surroundings): Promise<0 | 1 | 2> {
  let asked: ReturnType<typeof readArguments>
  try {
    asked = readArguments(args)
  } catch (error) {
    tell(`${reasonOf(error)}\nSee: npm run doctor -- --help`)
    return 2
  }
  if (asked.help) {
    print(help)
    return 0
  }
  const databases = await databasesOf(asked['database-url'] ?? env.DATABASE_URL)
  const workerUrl = asked['worker-url'] ?? env.WORKER_DATABASE_URL ?? databases?.workerUrl ?? null
  const findings = [
    ...configurationFindings(asked.config ?? projectConfig, databases?.ownerUrl ?? null),
    ...(databases
      ? await databaseFindings(databases.ownerUrl, workerUrl, {
          secretKey: env.WEBHOOK_SECRET_KEY ?? databases.secretKey,
          tenant: asked.tenant,
        })
      : [
          fail(
            'database',
            'none is named',
            'Give --database-url or DATABASE_URL, or run "npm start" in another terminal.',
          ),
        ]),
    ...(asked.url === undefined ? [] : await readyFindings(asked.url)),
  ]
  print(asked.json ? JSON.stringify(findings) : table(findings))
  return findings.some(({ state }) => state === 'fail') ? 1 : 0
}

/** The databases' connection strings: those given, or of the Postgres that `npm start` runs; null where there is none. */
async function databasesOf(given: string | undefined): Promise<{
  readonly ownerUrl: string
  readonly workerUrl: string | null
  readonly secretKey?: string
} | null> {
  if (given !== undefined) return { ownerUrl: given, workerUrl: null }
  const ownerUrl = await runningPostgres(`${dataDirectory}/postgres`)
  if (ownerUrl === null) return null
  const workerUrl = appUrl(ownerUrl, (await localKeys()).appPassword)
  return { ownerUrl, workerUrl, secretKey: localSecretKeys.join(',') }
}

async function databaseFindings(
  ownerUrl: string,
  workerUrl: string | null,
  { secretKey, tenant }: { readonly secretKey: string | undefined; readonly tenant: string | undefined },
): Promise<Finding[]> {
  try {
    return await connected(ownerUrl, async (owner) => [
      ...(await checked('database', owner, () => ownerFindings(owner))),
      ...(await checked('migrations', owner, () => migrationFindings(owner))),
      ...(await checked('role', owner, () => roleFindings(owner))),
      ...(await checked('row security', owner, () => policyFindings(owner))),
      ...(await seenFromOutside(owner, workerUrl)),
      ...(await checked('clock', owner, () => clockFindings(owner))),
      ...(await checked('secret key', owner, () => secretFindings(owner, secretKey))),
      ...(await checked('waiting', owner, () => waitingFindings(owner))),
      ...(await checked('given up', owner, () => givenUpFindings(owner))),
      ...(await countedFindings(owner, tenant)),
      ...(await checked('stored parts', owner, () => storedPartsFindings(owner))),
    ])
  } catch (error) {
    const next = 'Is it there, and is the connection string the one of its owner?'
    return [fail('database', `it does not let us in: ${reasonOf(error)}`, next)]
  }
}

/** Compares totals, counts and documents with their rows, of one tenant or of all. */
async function countedFindings(owner: pg.ClientBase, tenant: string | undefined): Promise<Finding[]> {
  return checkedTenants(owner, tenant).then(
    (ids) => countFindings(owner, ids, (check, look) => checked(check, owner, look)),
    (error) => [fail('totals', reasonOf(error), 'npm run tenant -- list names every tenant.')],
  )
}

async function checkedTenants(owner: pg.ClientBase, tenant: string | undefined): Promise<string[]> {
  if (tenant !== undefined) return [(await findTenant(owner, tenant)).id]
  const { rows } = await owner.query<{ id: string }>('select id from tenants order by host')
  return rows.map(({ id }) => id)
}

/** Whether what is seen is everything: row security hides all rows from a role that is under it. */
async function ownerFindings(owner: pg.ClientBase): Promise<Finding[]> {
  const { rows } = await owner.query<{ name: string; sees: boolean; version: string }>(
    `select rolname as name, rolsuper or rolbypassrls as sees, current_setting('server_version') as version
       from pg_roles where rolname = current_user`,
  )
  const [role] = rows
  if (role?.sees) return [ok('database', `Postgres ${role.version}, as ${role.name}`)]
  const next = "Give the owner's connection string; the Worker's is for --worker-url."
  return [fail('database', `${role?.name} cannot see past row security: nothing else can be told`, next)]
}

/** Runs a check in a transaction of its own; one that throws is a finding, too. */
async function checked(
  check: string,
  client: pg.ClientBase,
  look: () => Promise<Finding[]>,
): Promise<Finding[]> {
  try {
    return await reading(client, look)
  } catch (error) {
    return [fail(check, reasonOf(error), 'Mend what is told above, and run again.')]
  }
}

async function seenFromOutside(owner: pg.ClientBase, workerUrl: string | null): Promise<Finding[]> {
  const check = 'seen from outside'
  if (workerUrl === null)
    return [
      warn(
        check,
        "not looked at: the owner may not act as the Worker's role",
        'Give --worker-url, the connection string that the Worker has.',
      ),
    ]
  try {
    return await connected(workerUrl, (worker) =>
      reading(worker, async () => {
        const { rows } = await worker.query<{ name: string }>('select current_user as name')
        const role = rows[0]?.name
        if (role === 'catalogue_app') return reading(owner, () => outsideFindings(worker, owner))
        return [fail(check, `the Worker would be ${role}`, 'Give it the connection string of catalogue_app.')]
      }),
    )
  } catch (error) {
    const next = 'Is the password right? npm run migrate -- --app-password sets it.'
    return [fail(check, `as the Worker: ${reasonOf(error)}`, next)]
  }
}

/** A line for each finding, what to do below it. */
function table(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ check }) => check.length))
  const lines = findings.flatMap(({ check, state, seen, next }) => [
    `${state.padEnd(4)}  ${check.padEnd(width)}  ${seen}`,
    ...(next === null ? [] : [`${' '.repeat(width + 8)}→ ${next}`]),
  ])
  const count = (state: Finding['state']) => findings.filter((each) => each.state === state).length
  return [...lines, '', `${count('ok')} ok, ${count('warn')} to look at, ${count('fail')} failed`].join('\n')
}

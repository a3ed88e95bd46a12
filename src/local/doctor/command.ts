/** `npm run doctor`: runs every check of a deployment. */
import { fileURLToPath } from 'node:url'
import type pg from 'pg'
import { localSecretKeys } from '../../env.ts'
import {
  type Check,
  checkNote,
  checkOptions,
  fail,
  type Result,
  report,
  runChecks,
  selectedChecks,
  warn,
} from '../cli/checks.ts'
import { command, httpUrl, option, reasonOf, runHere, text } from '../cli/command.ts'
import { connected, connectionString, databaseUrl, reading } from '../cli/database.ts'
import { localKeys } from '../local-tenants.ts'
import { appUrl } from '../migrate.ts'
import { runningPostgres } from '../postgres.ts'
import { usedService } from '../running.ts'
import { ready } from '../verify/checks.ts'
import { openService } from '../verify/service.ts'
import { configurationChecks, configurationResults, environment } from './configuration.ts'
import { countChecks } from './counts.ts'
import { collations, type DatabaseContext, databaseChecks, migrations } from './database.ts'
import { roleChecks, visibleRows } from './role.ts'

type OwnerContext = DatabaseContext & {
  readonly tenant: string | undefined
  /** The connection string of the Worker; null if it is not given. */
  readonly workerUrl: string | null
}

const database: Check<OwnerContext> = {
  name: 'database',
  advice: 'Does the database run, and is this the connection string of its owner?',
  async run({ owner }) {
    const { rows } = await owner.query<{ name: string; sees: boolean; version: string }>(
      `select rolname as name, rolsuper or rolbypassrls as sees, current_setting('server_version') as version
         from pg_roles where rolname = current_user`,
    )
    const [role] = rows
    if (role?.sees) return `Postgres ${role.version}, as ${role.name}`
    const next = "Give the owner's connection string; the Worker's is for --worker-url."
    return [fail(`${role?.name} is subject to row security, so no other check is possible`, next)]
  },
}

const outside: Check<OwnerContext> = {
  name: 'seen from outside',
  advice: 'Is the password right? npm run migrate -- --app-password sets it.',
  async run({ owner, workerUrl }) {
    if (workerUrl === null) {
      const next = 'Give --worker-url, the connection string that the Worker has.'
      return [warn("not looked at: the owner may not act as the Worker's role", next)]
    }
    return connected(workerUrl, (worker) =>
      reading(worker, async () => {
        const { rows } = await worker.query<{ name: string }>('select current_user as name')
        const role = rows[0]?.name
        if (role === 'catalogue_app') return visibleRows(worker, owner)
        return [fail(`the Worker would be ${role}`, 'Give it the connection string of catalogue_app.')]
      }),
    )
  },
}

/** The checks of a database, in the order of the report. */
export const ownerChecks: readonly Check<OwnerContext>[] = [
  database,
  migrations,
  collations,
  ...roleChecks,
  outside,
  ...databaseChecks,
  ...countChecks,
]

const checks = [...configurationChecks, ...ownerChecks, ready]
const projectConfig = fileURLToPath(new URL('../../../wrangler.toml', import.meta.url).href)

/** `npm run doctor`. */
export const doctorCommand = command({
  name: 'doctor',
  summary: 'Checks a deployment. It changes nothing.',
  examples: [
    'npm run doctor',
    'npm run doctor -- --database-url URL --worker-url URL --url https://acme.example.com',
  ],
  options: {
    'database-url': databaseUrl,
    'worker-url': option(
      'URL',
      'the Worker\'s own connection string, of role catalogue_app, to check row security (default: the variable WORKER_DATABASE_URL, then that of "npm start")',
      connectionString.optional(),
      'WORKER_DATABASE_URL',
    ),
    tenant: option(
      'NAME',
      'counts the rows of this tenant only; without it, of all tenants, up to 30 seconds per check',
      text.optional(),
    ),
    url: option(
      'URL',
      'the service\'s URL, to check its /health and /ready (default: that of "npm start")',
      httpUrl.optional(),
    ),
    config: option(
      'FILE',
      "the wrangler.toml that is checked (default: the project's)",
      text.default(projectConfig),
    ),
    env: environment,
    ...checkOptions(checks),
  },
  notes: [
    checkNote(checks),
    'It counts again totals, offers of variants and products in the search index, and compares stored documents with their rows. "npm run recount" repairs all of these but the documents.',
    'Each line has a state (ok, warn or fail), the observation, and the next step.',
  ],
  exitCodes: '0 nothing failed, 1 a check failed',
  async run({ url, config, env: name, only, json, ...values }, { print, env }) {
    const given = await databasesOf(values['database-url'])
    const context = {
      secretKey: env.WEBHOOK_SECRET_KEY ?? given?.secretKey,
      workerUrl: values['worker-url'] ?? given?.workerUrl ?? null,
      tenant: values.tenant,
    }
    const ownerUrl = given?.ownerUrl ?? null
    const address = url ?? given?.url
    const results = [
      ...(await configurationResults(config, name, ownerUrl, selectedChecks(configurationChecks, only))),
      ...(await ownerResults(ownerUrl, context, selectedChecks(ownerChecks, only))),
      ...(await serviceResults(address, selectedChecks([ready], only))),
    ]
    return report(results, { json, print })
  },
})

/** The databases' connection strings: the given ones, or those of the Postgres that `npm start` runs. Null if it does not run. */
async function databasesOf(given: string | undefined): Promise<{
  readonly ownerUrl: string
  readonly workerUrl: string | null
  readonly secretKey?: string
  /** The URL of the service. */
  readonly url?: string
} | null> {
  if (given !== undefined) return { ownerUrl: given, workerUrl: null }
  const { directory, port } = await usedService()
  const ownerUrl = await runningPostgres(`${directory}/postgres`)
  if (ownerUrl === null) return null
  const workerUrl = appUrl(ownerUrl, (await localKeys(directory)).appPassword)
  const url = `http://localhost:${port}`
  return { ownerUrl, workerUrl, secretKey: localSecretKeys.join(','), url }
}

/** Runs each check in a read-only transaction of its own. */
async function ownerResults(
  ownerUrl: string | null,
  context: Omit<OwnerContext, 'owner'>,
  selected: readonly Check<OwnerContext>[],
): Promise<Result[]> {
  if (selected.length === 0) return []
  const unreached = (seen: string, next?: string) =>
    runChecks([{ ...database, run: () => [fail(seen, next)] }], null)
  if (ownerUrl === null)
    return unreached(
      'no database is given',
      'Give --database-url or DATABASE_URL, or run "npm start" in another terminal.',
    )
  const inTransaction = (owner: pg.ClientBase) =>
    selected.map((check) => ({
      ...check,
      run: (each: OwnerContext) => reading(owner, async () => check.run(each)),
    }))
  try {
    return await connected(ownerUrl, (owner) => runChecks(inTransaction(owner), { ...context, owner }))
  } catch (error) {
    return unreached(reasonOf(error))
  }
}

async function serviceResults(
  url: string | undefined,
  selected: readonly (typeof ready)[],
): Promise<Result[]> {
  if (url === undefined) {
    const problem = {
      state: 'not tried',
      seen: 'no URL of the service is given',
      next: 'Give --url.',
    } as const
    return runChecks(
      selected.map((check) => ({ ...check, run: () => [problem] })),
      null,
    )
  }
  const service = openService({ url: new URL(url) })
  try {
    return await runChecks(selected, { service })
  } finally {
    service.close()
  }
}

if (import.meta.main) await runHere(doctorCommand)

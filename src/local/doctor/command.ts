/** `/ready` of the Worker that serves. */

import { fileURLToPath } from 'node:url'
import type pg from 'pg'
import * as z from 'zod'
import { localSecretKeys } from '../../env.ts'
import { command, flag, httpUrl, option, reasonOf, runHere, text } from '../cli/command.ts'
import { connected, connectionString, databaseUrl, reading } from '../cli/database.ts'
import { dataDirectory, localKeys } from '../local-tenants.ts'
import { appUrl } from '../migrate.ts'
import { runningPostgres } from '../postgres.ts'
import { findTenant } from '../tenant/stored.ts'
import { configurationFindings, duration, type Finding, fail, ok, warn } from './configuration.ts'
import { countFindings, storedPartsFindings } from './counts.ts'
import {
  clockFindings,
  collationFindings,
  givenUpFindings,
  migrationFindings,
  secretFindings,
  waitingFindings,
} from './database.ts'
import { outsideFindings, policyFindings, roleFindings } from './role.ts'

const age = z.number().nullable()
const answer = z.object({ migrations: z.string(), oldestWaitingEvent: age, oldestWaitingDelivery: age })
const problem = z.object({ checks: z.record(z.string(), z.unknown()) })

/** Whether a deployed service is ready; `url` is its address on any host that leads to it. */
export async function readyFindings(url: string): Promise<Finding[]> {
  const check = 'ready'
  const next = 'Find answer_failed in the log; .github/docs/logs.md, "Alive and ready".'
  try {
    const response = await fetch(new URL('/ready', url), {
      signal: AbortSignal.timeout(10_000),
      redirect: 'manual',
    })
    const body: unknown = await response.json().catch(() => null)
    if (response.status === 503) {
      const { data } = problem.safeParse(body)
      const which = data
        ? `: ${Object.entries(data.checks)
            .map((each) => each.join(' '))
            .join(', ')}`
        : ''
      return [fail(check, `${url} answers 503${which}`, next)]
    }
    const read = answer.safeParse(body)
    if (response.status !== 200 || !read.success)
      return [
        fail(
          check,
          `${url}/ready answers ${response.status}, not as this service`,
          'Is there a route to the Worker?',
        ),
      ]
    const { migrations, oldestWaitingEvent: event, oldestWaitingDelivery: delivery } = read.data
    if (migrations === 'ahead')
      return [
        warn(
          check,
          `${url} runs a Worker that is older than the database`,
          'npm run deploy sends the Worker of this tree.',
        ),
      ]
    const ageOf = (seconds: number | null) => (seconds === null ? 'none' : duration(seconds))
    const seen = `${url} is; oldest event ${ageOf(event)}, oldest delivery ${ageOf(delivery)}`
    return [
      (event ?? 0) >= 600
        ? warn(check, seen, 'Are the queues and the cron of the Worker there?')
        : ok(check, seen),
    ]
  } catch (error) {
    const cause = error instanceof Error && error.cause !== undefined ? ` (${reasonOf(error.cause)})` : ''
    return [
      fail(
        check,
        `${url} is not reached: ${reasonOf(error)}${cause}`,
        'Are its DNS record, certificate and route there?',
      ),
    ]
  }
}

/** `npm run doctor`: runs every check. */

const projectConfig = fileURLToPath(new URL('../../../wrangler.toml', import.meta.url).href)

const workerUrl = option(
  'URL',
  'the Worker\'s own connection string, of role catalogue_app, to check row security (default: the variable WORKER_DATABASE_URL, then that of "npm start")',
  connectionString.optional(),
  'WORKER_DATABASE_URL',
)

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
    'worker-url': workerUrl,
    tenant: option(
      'NAME',
      'counts the rows of this tenant only; without it, of all tenants, up to 30 seconds per check',
      text.optional(),
    ),
    url: option('URL', "the service's URL, to check its /ready", httpUrl.optional()),
    config: option(
      'FILE',
      "the wrangler.toml whose production environment is checked (default: the project's)",
      text.default(projectConfig),
    ),
    json: flag('prints the findings as JSON'),
  },
  notes: [
    "It checks the production environment in wrangler.toml, the rights of the Worker's role, row security, migrations, waiting and failed work, the clock of the database, unfinished changes of locales and collections, and whether WEBHOOK_SECRET_KEY decrypts every stored secret.",
    'It counts again totals, offers of variants and products in the search index, and compares stored documents with their rows. "npm run recount" repairs all of these but the documents.',
    'Each line has a state (ok, warn or fail), the observation, and the next step.',
  ],
  exitCodes: '0 nothing failed, 1 a check failed',
  async run(
    { 'database-url': url, 'worker-url': worker, tenant, url: serviceUrl, config, json },
    { print, env },
  ) {
    const databases = await databasesOf(url)
    const findings = [
      ...configurationFindings(config, databases?.ownerUrl ?? null),
      ...(databases
        ? await databaseFindings(databases.ownerUrl, worker ?? databases.workerUrl, {
            secretKey: env.WEBHOOK_SECRET_KEY ?? databases.secretKey,
            tenant,
          })
        : [
            fail(
              'database',
              'no database is given',
              'Give --database-url or DATABASE_URL, or run "npm start" in another terminal.',
            ),
          ]),
      ...(serviceUrl === undefined ? [] : await readyFindings(serviceUrl)),
    ]
    print(json ? JSON.stringify(findings) : findingsText(findings))
    return findings.some(({ state }) => state === 'fail') ? 1 : 0
  },
})

/** The databases' connection strings: the given ones, or those of the Postgres that `npm start` runs. Null if it does not run. */
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
      ...(await checked('collations', owner, () => collationFindings(owner))),
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
    const next = 'Does the database run, and is this the connection string of its owner?'
    return [fail('database', reasonOf(error), next)]
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

/** Whether the role sees all rows: row security hides them from most roles. */
async function ownerFindings(owner: pg.ClientBase): Promise<Finding[]> {
  const { rows } = await owner.query<{ name: string; sees: boolean; version: string }>(
    `select rolname as name, rolsuper or rolbypassrls as sees, current_setting('server_version') as version
       from pg_roles where rolname = current_user`,
  )
  const [role] = rows
  if (role?.sees) return [ok('database', `Postgres ${role.version}, as ${role.name}`)]
  const next = "Give the owner's connection string; the Worker's is for --worker-url."
  return [fail('database', `${role?.name} is subject to row security, so no other check is possible`, next)]
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
    return [fail(check, reasonOf(error), 'Fix the failures above, and run it again.')]
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
function findingsText(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ check }) => check.length))
  const lines = findings.flatMap(({ check, state, seen, next }) => [
    `${state.padEnd(4)}  ${check.padEnd(width)}  ${seen}`,
    ...(next === null ? [] : [`${' '.repeat(width + 8)}→ ${next}`]),
  ])
  const count = (state: Finding['state']) => findings.filter((each) => each.state === state).length
  return [...lines, '', `${count('ok')} ok, ${count('warn')} to look at, ${count('fail')} failed`].join('\n')
}

if (import.meta.main) await runHere(doctorCommand)

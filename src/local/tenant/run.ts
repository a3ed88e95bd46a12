/** `npm run tenant`: what each part does with what was typed, and what it says at the end. */
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type * as z from 'zod'
import { localKeys, publicKeys } from '../keys.ts'
import { ownerUrlFrom } from '../owner-url.ts'
import { localIssuer } from '../tenants.ts'
import { readArguments, schemas, UsageError } from './arguments.ts'
import { createTenant } from './create.ts'
import { type JudgeExport, judgeExport } from './exported.ts'
import { type Action, help, helpOf } from './help.ts'
import { workOffLocales } from './locales.ts'
import { type Shows, showProgress } from './progress.ts'
import { contentsOf, removeTenant, sequenceOf, untilUnserved } from './remove.ts'
import { arrivalText, changeText, tenantsText, tenantText } from './show.ts'
import { Failure, findTenant, listTenants, type StoredTenant } from './stored.ts'
import { resumeTenant, suspendTenant } from './suspension.ts'
import { updateFaults, updateTenant } from './update.ts'

/** What the command speaks to. */
export type Surroundings = {
  /** The answer. */
  readonly print: (text: string) => void
  /** Everything else that is said. */
  readonly tell: (text: string) => void
  /** What somebody types to a question; null where nobody can be asked. */
  readonly ask: (question: string) => Promise<string | null>
  readonly shows?: Shows
  /** Whether a file is a whole export of a tenant as it is now. */
  readonly judge?: JudgeExport
}

type Answer = { readonly text: string; readonly json: unknown }
type Run = (
  args: readonly string[],
  around: Surroundings,
) => Promise<{ answer: Answer; asJson: boolean | undefined } | null>

/** Runs the command, and gives its exit code. */
export async function run(args: readonly string[], around: Surroundings): Promise<0 | 1 | 2> {
  const [name = '', ...rest] = args
  const action = actions.find((each) => each === name)
  if (!action) return helpFor(name, around)
  try {
    const done = await parts[action](rest, around)
    if (!done) around.print(helpOf[action])
    else around.print(done.asJson ? JSON.stringify(done.answer.json) : done.answer.text)
    return 0
  } catch (error) {
    if (error instanceof UsageError) {
      around.tell(`${error.message}\nSee: npm run tenant -- ${action} --help`)
      return 2
    }
    if (error instanceof Failure) around.tell(error.message)
    else around.tell(`${reason(error)}\n${nextAfter(error)}`)
    return 1
  }
}

function helpFor(name: string, { print, tell }: Surroundings): 0 | 2 {
  if (name === '--help' || name === 'help') {
    print(help)
    return 0
  }
  tell(
    `${name === '' ? 'Say what to do' : `"${name}" is nothing to do`}: ${actions.join(', ')}.\nSee: npm run tenant -- --help`,
  )
  return 2
}

/** What to do about a failure that nobody foresaw: steps are transactions, so that the command can be run again. */
function nextAfter(error: unknown): string {
  const lacksMigrations = error instanceof pg.DatabaseError && /^42(?:P01|703|883)$/.test(error.code ?? '')
  return lacksMigrations
    ? 'The database lacks migrations: npm run migrate -- --database-url URL'
    : 'What was done until then stays done; the command can be run again.'
}

/** What Postgres or the network says. */
function reason(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reason).join('\n')
  return error instanceof Error ? error.message : String(error)
}

/** Runs with a connection of the owner's. */
async function connected<Result>(
  given: string | undefined,
  ask: (client: pg.Client, ownerUrl: string) => Promise<Result>,
): Promise<Result> {
  const ownerUrl = await ownerUrlFrom(given).catch((error) => {
    throw new Failure(reason(error))
  })
  const client = new pg.Client({ connectionString: ownerUrl })
  client.on('error', () => {})
  await client.connect().catch((error) => {
    throw new Failure(`The database does not let us in: ${reason(error)}`)
  })
  try {
    return await ask(client, ownerUrl)
  } finally {
    await client.end()
  }
}

const told = (text: string, tenant: StoredTenant): Answer => ({
  text: `${text}\n\n${tenantText(tenant)}`,
  json: tenant,
})

const parts: Readonly<Record<Action, Run>> = {
  async create(args) {
    const asked = readArguments('create', schemas.create, args)
    if (!asked) return null
    const { values } = asked
    const { issuer = null, ...others } = values
    if (issuer === null) return { answer: await createLocal(others), asJson: values.json }
    const tenant = await connected(values['database-url'], (client) =>
      createTenant(client, { ...others, issuer }),
    )
    const next = `The tenant is made, and found within seconds at its hosts. Next:
  1. A DNS record, a certificate and a route for each host: .github/operations.md, "Host names".
  2. curl https://${tenant.host}/health
  3. A token of ${tenant.issuer} for the audience ${tenant.audience}.`
    return { answer: told(next, tenant), asJson: values.json }
  },

  async list(args) {
    const asked = readArguments('list', schemas.list, args)
    if (!asked) return null
    const { values } = asked
    const tenants = await connected(values['database-url'], listTenants)
    return { answer: { text: tenantsText(tenants), json: tenants }, asJson: values.json }
  },

  async show(args) {
    const asked = readArguments('show', schemas.show, args)
    if (!asked) return null
    const { values, tenant: name } = asked
    const tenant = await connected(values['database-url'], (client) => findTenant(client, name))
    return { answer: { text: tenantText(tenant), json: tenant }, asJson: values.json }
  },

  async update(args, around) {
    const asked = readArguments('update', schemas.update, args)
    if (!asked) return null
    const { 'database-url': url, json, wait, yes, ...wanted } = asked.values
    return connected(url, async (client, ownerUrl) => {
      const before = await findTenant(client, asked.tenant)
      const faults = await updateFaults(client, before, wanted)
      if (faults.length > 0) throw new Failure(faults.join('\n'))
      const going = wanted['remove-locale'] ?? []
      if (going.length > 0 && !yes) {
        await confirm(
          `Every text of ${before.host} in ${going.join(', ')} is deleted, for good.`,
          before,
          around,
        )
      }
      const changed = await updateTenant(client, before, wanted)
      const comes = (wanted['add-locale'] ?? []).length > 0
      const tenant =
        comes || going.length > 0
          ? await workOffLocales(client, changed, {
              ownerUrl,
              waits: wait === true,
              shows: around.shows ?? showProgress,
            })
          : changed
      const left = tenant.localeChanges.map(
        (each) =>
          `${changeText(each)}. The service does the rest; see: npm run tenant -- show ${tenant.host}`,
      )
      const arrivals = (wanted['add-locale'] ?? []).map((locale) =>
        arrivalText(
          locale,
          tenant.localeChanges.find((each) => each.locale === locale) ?? null,
          tenant.locales[0],
        ),
      )
      const text = ['Changed; the service sees it within a minute.', ...arrivals, ...left].join('\n')
      return { answer: told(text, tenant), asJson: json }
    })
  },

  async suspend(args) {
    const asked = readArguments('suspend', schemas.suspend, args)
    if (!asked) return null
    const { values, tenant: name } = asked
    return connected(values['database-url'], async (client) => {
      const tenant = await suspendTenant(client, await findTenant(client, name))
      const text = `${tenant.host} is suspended: within a minute it answers 503, and nothing is sent for it. Undo: npm run tenant -- resume ${tenant.host}`
      return { answer: told(text, tenant), asJson: values.json }
    })
  },

  async resume(args) {
    const asked = readArguments('resume', schemas.resume, args)
    if (!asked) return null
    const { values, tenant: name } = asked
    return connected(values['database-url'], async (client) => {
      const tenant = await resumeTenant(client, await findTenant(client, name))
      const text = `${tenant.host} is served again within a minute, and what waited for it is delivered.`
      return { answer: told(text, tenant), asJson: values.json }
    })
  },

  async remove(args, around) {
    const asked = readArguments('remove', schemas.remove, args)
    if (!asked) return null
    const { values } = asked
    return connected(values['database-url'], async (client) => {
      const tenant = await findTenant(client, asked.tenant)
      const wait = await untilUnserved(client, tenant)
      const demandExport = async () => {
        if (values.exported === undefined || tenant.status === 'REMOVING') return
        const { judge = judgeExport } = around
        const sequence = await sequenceOf(client, tenant)
        const fault = judge(values.exported, { hosts: tenant.hosts, sequence })
        if (fault !== null) throw new Failure(fault)
      }
      await demandExport()
      if (wait > 0) {
        around.tell(`Waiting ${Math.ceil(wait / 1000)} s, until no Worker serves ${tenant.host} any more.`)
        await sleep(wait)
        // What was still being written is not in the file.
        await demandExport()
      }
      const contents = await contentsOf(client, tenant)
      const rows = contents.reduce((sum, each) => sum + each.rows, 0)
      const amount = (table: string) => contents.find((each) => each.table === table)?.rows ?? 0
      if (!values.yes) {
        const what = `${amount('products')} products, ${amount('events')} events, ${rows} rows in all`
        await confirm(`Everything of ${tenant.host} is deleted, for good: ${what}.`, tenant, around)
      }
      const progress = (around.shows ?? showProgress)(rows)
      let done = 0
      await removeTenant(client, tenant, (table, some) => {
        done += some
        progress.show(table, done)
      }).finally(() => progress.stop())
      const text = `${tenant.host} is removed, with ${rows} rows. Left to you:
  Its routes, custom hostnames and DNS records: ${tenant.hosts.join(', ')}.
  Its uploaded pictures, in the bucket below ${tenant.id}/: .github/operations.md, "Pictures".`
      return { answer: { text, json: { removed: tenant, rows } }, asJson: values.json }
    })
  },
}

/** Makes a tenant of this machine, which takes the tokens that `npm run token` makes. */
async function createLocal(values: Omit<z.output<typeof schemas.create>, 'issuer'>): Promise<Answer> {
  const [host = ''] = values.host
  const jwks = publicKeys(await localKeys())
  const tenant = await connected(undefined, (client) =>
    createTenant(client, { ...values, issuer: localIssuer(host), jwks }),
  )
  const next = `The tenant is made, and found within seconds at its hosts on this machine. Next, at the port of "npm start":
  curl -H "Authorization: Bearer $(npm run -s token -- --tenant ${tenant.host})" http://${tenant.host}:8787/api/products`
  return told(next, tenant)
}

const actions = Object.keys(helpOf) as readonly Action[]

/** @throws UsageError where nobody can be asked, Failure where the answer is another than the tenant's host */
async function confirm(warning: string, { host }: StoredTenant, { ask }: Surroundings): Promise<void> {
  const typed = await ask(`${warning}\nType ${host} to go on: `)
  if (typed === null) throw new UsageError([`${warning} Without a terminal this needs --yes.`])
  if (typed.trim() !== host) throw new Failure('Nothing was changed.')
}

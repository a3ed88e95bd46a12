/** The options of `npm run tenant`, with the rules of their values. */
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod'
import { localePattern } from '../../core/locale.ts'
import { isRetired, versions } from '../../versions/index.ts'
import {
  command,
  commands,
  Failure,
  flag,
  here,
  httpUrl,
  option,
  repeated,
  type Surroundings,
  text,
  UsageError,
  type ValuesOf,
  wholeNumber,
} from '../cli/command.ts'
import { databaseUrl, isDevelopment, withDatabase } from '../cli/database.ts'
import { type Progress, progressBar } from '../cli/output.ts'
import { localIssuer, localKeys, publicKeys } from '../local-tenants.ts'
import { contentsOf, exportFault, removeTenant, sequenceOf, untilUnserved } from './remove.ts'
import { arrivalText, changeText, tenantsText, tenantText } from './show.ts'
import {
  createTenant,
  findTenant,
  listTenants,
  resumeTenant,
  type StoredTenant,
  suspendTenant,
} from './stored.ts'
import { updateFaults, updateTenant, workOffLocales } from './update.ts'

/** Maximum number of other hosts from which a tenant may load pictures. Each is named in a header of every page. */
export const maximumImageHosts = 20
/** Maximum number of declared locales, including those that are being removed. */
export const maximumLocales = 10

const host = text.regex(
  /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/,
  'is a host in lower case, without scheme, port and final dot: acme.example.com',
)
const locale = text.regex(localePattern, 'is a language with a country: fr-FR')
const limit = wholeNumber(0, 1000)
const versionNames = versions
  .filter((version) => !isRetired(version, new Date()))
  .map((version) => version.name)
const timeZone = text.refine(isTimeZone, 'is the IANA name of a time zone: Europe/Paris')

/** Whether a text is the name of a time zone. An offset such as +01:00 is not, because its clocks never change. */
function isTimeZone(name: string): boolean {
  try {
    return /^[A-Z]/i.test(name) && new Intl.DateTimeFormat('en', { timeZone: name }) !== null
  } catch {
    return false
  }
}

/** One or more distinct values. */
function several<Schema extends z.ZodType>(schema: Schema, most = 100) {
  return z
    .array(schema, 'is required')
    .min(1)
    .max(most, `is given at most ${most} times`)
    .refine((values) => new Set(values).size === values.length, 'has the same value twice')
}

const publicKey = z.looseObject({
  kty: z.string('has no "kty"'),
  d: z.never('is a private key: give its public half').optional(),
})
const keySet = z.object(
  { keys: z.array(publicKey).min(1, 'has no key') },
  'is not JSON of the form {"keys": […]}',
)

/** A file of public keys, as parsed. */
const jwks = text.transform((path, context) => {
  const result = keySet.safeParse(jsonIn(path))
  if (result.success) return result.data
  const [issue] = result.error.issues
  const place = issue && issue.path.length > 0 ? `${issue.path.join('.')} ` : ''
  context.issues.push({ code: 'custom', input: path, message: `${path}: ${place}${issue?.message}` })
  return z.NEVER
})

function jsonIn(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return undefined
  }
}

/** The options of all subcommands. */
export const commonOptions = { 'database-url': databaseUrl, json: flag('prints the result as JSON') }

const settings = {
  name: option('TEXT', 'its display name', text.optional()),
  issuer: option('URL', 'the issuer of its tokens: the exact claim "iss"', httpUrl.optional()),
  audience: option('TEXT', 'the audience of its tokens: the claim "aud"', text.optional()),
  'jwks-uri': option('URL', 'where the issuer publishes its keys', text.optional()),
  jwks: option('FILE', 'the public keys themselves, instead of --jwks-uri: {"keys": […]}', jwks.optional()),
  algorithm: repeated(
    'NAME',
    'ES256, RS256 or EdDSA',
    several(z.enum(['ES256', 'RS256', 'EdDSA'], 'is ES256, RS256 or EdDSA')).optional(),
  ),
  profile: option(
    'NAME',
    'rfc9068, or generic for the default tokens of Auth0, Okta, Entra and Keycloak',
    z.enum(['rfc9068', 'generic'], 'is rfc9068 or generic').optional(),
  ),
  'default-version': option(
    'VERSION',
    'the API version of requests that name none',
    z.enum(versionNames, `is one of ${versionNames.join(', ')}`).optional(),
  ),
  subscriptions: option('NUMBER', 'maximum webhook subscriptions, 0 to 1000', limit.optional()),
  'subscriptions-per-host': option(
    'NUMBER',
    'maximum webhook subscriptions of one callback host, 0 to 1000',
    limit.optional(),
  ),
  'prior-price-days': option(
    'NUMBER',
    'days before a reduction whose lowest price is the prior price, 30 to 36500',
    wholeNumber(30, 36_500, 'a number of days').optional(),
  ),
  'time-zone': option(
    'ZONE',
    'the IANA name of the time zone in which pages show and take times',
    timeZone.optional(),
  ),
}

export const createOptions = {
  host: repeated('NAME', 'a host of the tenant; the first is its primary host', several(host)),
  locale: repeated(
    'TAG',
    'a language with a country, such as fr-FR; the first is the default and stays the default',
    several(locale, maximumLocales),
  ),
  'image-host': repeated(
    'NAME',
    'another host from which /admin loads pictures over https, at most 20; pictures of other hosts are shown as links',
    several(host, maximumImageHosts).optional(),
  ),
  ...settings,
  ...commonOptions,
}

export const updateOptions = {
  'add-host': repeated('NAME', 'a new host', several(host).optional()),
  'remove-host': repeated('NAME', 'a host to remove', several(host).optional()),
  'primary-host': option('NAME', 'the new primary host; the previous one stays a host', host.optional()),
  'add-image-host': repeated(
    'NAME',
    'a new host from which /admin loads pictures over https, at most 20; pictures of other hosts are shown as links',
    several(host, maximumImageHosts).optional(),
  ),
  'remove-image-host': repeated('NAME', 'an image host to remove', several(host).optional()),
  'add-locale': repeated(
    'TAG',
    'a new locale; Workers use it within a minute, and search in it uses its own words within about four minutes',
    several(locale).optional(),
  ),
  'remove-locale': repeated(
    'TAG',
    'a locale to remove with all its texts, which cannot be undone; texts that the default locale lacks are copied to it',
    several(locale).optional(),
  ),
  wait: flag('waits until added and removed locales are complete, for two minutes or more'),
  yes: flag('asks no question'),
  ...settings,
  ...commonOptions,
}

export type CreateValues = ValuesOf<typeof createOptions>
export type UpdateValues = ValuesOf<typeof updateOptions>

/** Faults of both keys options. */
export function keyFaults(given: Readonly<Record<string, unknown>>): string[] {
  return 'jwks' in given && 'jwks-uri' in given ? ['Give --jwks or --jwks-uri, not both.'] : []
}

/** The subcommands of `npm run tenant`. */

export type TenantSurroundings = Surroundings & {
  /** The user's answer to a question; null without a terminal. */
  readonly ask: (question: string) => Promise<string | null>
  readonly progress?: Progress
}

const named = (action: string) => ({
  name: 'TENANT',
  missing: `The tenant is required: npm run tenant -- ${action} acme.`,
})
const naming =
  'TENANT is one of its hosts, the first label of its primary host (acme of acme.example.com), or its id.'

/** The result of a change, with all settings of the tenant. */
function resultText(message: string, tenant: StoredTenant, json: boolean): string {
  return json ? JSON.stringify(tenant) : `${message}\n\n${tenantText(tenant)}`
}

const createCommand = command({
  name: 'tenant create',
  summary: 'Creates a tenant.',
  examples: [
    'npm run tenant -- create --host acme.example.com --locale en-US --issuer https://login.example.com/ \\',
    '  --jwks-uri https://login.example.com/.well-known/jwks.json',
  ],
  options: createOptions,
  notes: [
    'Without issuer and keys, it creates a tenant on the Postgres of "npm start", which accepts the tokens of "npm run token".',
    'Defaults: the host as its name, https://HOST/api as audience, ES256, rfc9068, the current API version, 100 subscriptions and 20 per callback host, 30 days before a reduction, UTC.',
  ],
  faults: (given) => [...keyFaults(given), ...issuerFaults(given)],
  async run({ issuer, ...values }, { print }) {
    const create = (issuer: string, jwks: CreateValues['jwks'] | ReturnType<typeof publicKeys>) =>
      withDatabase(values['database-url'], (client) => createTenant(client, { ...values, issuer, jwks }))
    const [host = ''] = values.host
    if (issuer === undefined) {
      const tenant = await create(localIssuer(host), publicKeys(await localKeys()))
      const next = `The tenant is created. Its hosts find it locally within seconds. Next, at the port of "npm start":
  curl -H "Authorization: Bearer $(npm run -s token -- --tenant ${tenant.host})" http://${tenant.host}:8787/api/products`
      print(resultText(next, tenant, values.json))
      return 0
    }
    const tenant = await create(issuer, values.jwks)
    const next = `The tenant is created. Its hosts find it within seconds. Next:
  1. A DNS record, a certificate and a route for each host: .github/docs/operations.md, "Host names".
  2. curl https://${tenant.host}/health
  3. A token of ${tenant.issuer} for the audience ${tenant.audience}.`
    print(resultText(next, tenant, values.json))
    return 0
  },
})

/** A tenant of the Postgres of `npm start` needs neither issuer nor keys: it accepts the tokens of `npm run token`. */
function issuerFaults(given: Readonly<Record<string, unknown>>): string[] {
  const hasKeys = 'jwks' in given || 'jwks-uri' in given
  if (!hasKeys && !('issuer' in given) && !('database-url' in given) && isDevelopment(undefined)) return []
  return [
    ...('issuer' in given ? [] : ['--issuer is required.']),
    ...(hasKeys ? [] : ['--jwks-uri or --jwks is required.']),
  ]
}

const listCommand = command({
  name: 'tenant list',
  summary: 'Lists all tenants.',
  examples: ['npm run tenant -- list'],
  options: commonOptions,
  async run({ 'database-url': url, json }, { print }) {
    const tenants = await withDatabase(url, listTenants)
    print(json ? JSON.stringify(tenants) : tenantsText(tenants))
    return 0
  },
})

const showCommand = command({
  name: 'tenant show',
  summary: 'Shows all settings of a tenant, and the progress of added and removed locales.',
  examples: ['npm run tenant -- show TENANT'],
  argument: named('show'),
  options: commonOptions,
  notes: [naming],
  async run({ argument, 'database-url': url, json }, { print }) {
    const tenant = await withDatabase(url, (client) => findTenant(client, argument))
    print(json ? JSON.stringify(tenant) : tenantText(tenant))
    return 0
  },
})

const updateCommand = command<typeof updateOptions, TenantSurroundings>({
  name: 'tenant update',
  summary: 'Changes settings, hosts and locales. Other settings stay unchanged.',
  examples: ['npm run tenant -- update TENANT --add-host shop.acme.com --add-locale de-DE'],
  argument: named('update'),
  options: updateOptions,
  notes: [
    'Until a Worker uses an added locale, it answers a write in it with 422 locale.not_declared. Until its own words are indexed, search in it uses those of another locale of its language, or of the default locale. Without --wait, the service completes the changes of locales in the background.',
    naming,
  ],
  faults: (given) => {
    const changes = Object.keys(given).filter(
      (name) => !['database-url', 'json', 'wait', 'yes'].includes(name),
    )
    return [
      ...keyFaults(given),
      ...(changes.length === 0 ? ['Give at least one option that changes it.'] : []),
    ]
  },
  run: ({ argument, 'database-url': url, json, wait, yes, ...changes }, { print, ask, progress }) =>
    withDatabase(url, async (client, ownerUrl) => {
      const before = await findTenant(client, argument)
      const faults = await updateFaults(client, before, changes)
      if (faults.length > 0) throw new Failure(faults.join('\n'))
      const { 'add-locale': added = [], 'remove-locale': removed = [] } = changes
      if (removed.length > 0 && !yes)
        await confirm(`This deletes all texts of ${before.host} in ${removed.join(', ')}.`, before, ask)
      const changed = await updateTenant(client, before, changes)
      const tenant =
        added.length > 0 || removed.length > 0
          ? await workOffLocales(client, changed, {
              ownerUrl,
              waits: wait,
              progress: progress ?? progressBar(),
            })
          : changed
      const unfinished = tenant.localeChanges.map(
        (change) =>
          `${changeText(change)}. The service does the rest; see: npm run tenant -- show ${tenant.host}`,
      )
      const arrivals = added.map((locale) => {
        const change = tenant.localeChanges.find((each) => each.locale === locale) ?? null
        return arrivalText(locale, change, tenant.locales[0])
      })
      const message = ['Changed. The service uses it within a minute.', ...arrivals, ...unfinished].join('\n')
      print(resultText(message, tenant, json))
      return 0
    }),
})

const suspendCommand = command({
  name: 'tenant suspend',
  summary: 'Suspends a tenant: its hosts answer 503, its webhooks wait, and none of its data expires.',
  examples: ['npm run tenant -- suspend TENANT'],
  argument: named('suspend'),
  options: commonOptions,
  notes: [naming],
  run: ({ argument, 'database-url': url, json }, { print }) =>
    withDatabase(url, async (client) => {
      const tenant = await suspendTenant(client, await findTenant(client, argument))
      const message = `${tenant.host} is suspended. Within a minute it answers 503, and none of its webhooks are sent. Undo: npm run tenant -- resume ${tenant.host}`
      print(resultText(message, tenant, json))
      return 0
    }),
})

const resumeCommand = command({
  name: 'tenant resume',
  summary: 'Serves a suspended tenant again, and sends the webhooks that waited.',
  examples: ['npm run tenant -- resume TENANT'],
  argument: named('resume'),
  options: commonOptions,
  notes: [naming],
  run: ({ argument, 'database-url': url, json }, { print }) =>
    withDatabase(url, async (client) => {
      const tenant = await resumeTenant(client, await findTenant(client, argument))
      const message = `${tenant.host} is served again within a minute, and the webhooks that waited are sent.`
      print(resultText(message, tenant, json))
      return 0
    }),
})

const removeOptions = {
  exported: option('FILE', 'its complete export, up to its last change', text.optional()),
  'without-export': flag('deletes it without an export'),
  yes: flag('asks no question; required without a terminal'),
  ...commonOptions,
}

const removeCommand = command<typeof removeOptions, TenantSurroundings>({
  name: 'tenant remove',
  summary: 'Deletes a suspended tenant with all its data, in steps. If it is interrupted, run it again.',
  examples: [
    'npm run tenant -- suspend acme',
    'npm run export -- --tenant acme',
    'npm run tenant -- remove acme --exported acme.ndjson',
  ],
  argument: named('remove'),
  options: removeOptions,
  notes: [
    'Workers may serve the tenant for a minute after the suspension. The command waits for the end of this minute, and then asks.',
    'It does not delete uploaded pictures in the bucket, routes and DNS records.',
    naming,
  ],
  faults: (given) =>
    'exported' in given === 'without-export' in given
      ? ['Give --exported FILE, or --without-export. The tenant must be suspended.']
      : [],
  run: (
    { argument, 'database-url': url, json, exported, yes },
    { print, printError, ask, progress = progressBar() },
  ) =>
    withDatabase(url, async (client) => {
      const tenant = await findTenant(client, argument)
      const wait = await untilUnserved(client, tenant)
      const requireExport = async () => {
        if (exported === undefined || tenant.status === 'REMOVING') return
        const sequence = await sequenceOf(client, tenant)
        const fault = exportFault(exported, { hosts: tenant.hosts, sequence })
        if (fault !== null) throw new Failure(fault)
      }
      await requireExport()
      if (wait > 0) {
        printError(`Waiting ${Math.ceil(wait / 1000)} s, until no Worker serves ${tenant.host}.`)
        await sleep(wait)
        // Writes during the wait are not in the file.
        await requireExport()
      }
      const contents = await contentsOf(client, tenant)
      const rows = contents.reduce((sum, table) => sum + table.rows, 0)
      const count = (name: string) => contents.find(({ table }) => table === name)?.rows ?? 0
      if (!yes) {
        const what = `${count('products')} products, ${count('events')} events, ${rows} rows in total`
        await confirm(`This deletes all data of ${tenant.host}: ${what}.`, tenant, ask)
      }
      progress.start(rows)
      await removeTenant(client, tenant, progress.advance).finally(() => progress.stop())
      const message = `${tenant.host} is removed, with ${rows} rows. Not deleted:
  Its routes, custom hostnames and DNS records: ${tenant.hosts.join(', ')}.
  Its uploaded pictures, in the bucket below ${tenant.id}/: .github/docs/operations.md, "Pictures".`
      print(json ? JSON.stringify({ removed: tenant, rows }) : message)
      return 0
    }),
})

/** @throws UsageError without a terminal, Failure if the answer is not the tenant's host */
async function confirm(
  warning: string,
  { host }: StoredTenant,
  ask: TenantSurroundings['ask'],
): Promise<void> {
  const answer = await ask(`${warning} It cannot be undone.\nType ${host} to continue: `)
  if (answer === null) throw new UsageError(`${warning} Without a terminal this requires --yes.`)
  if (answer.trim() !== host) throw new Failure('Nothing was changed.')
}

export const tenantCommand = commands<TenantSurroundings>({
  name: 'tenant',
  summary: 'Creates, shows and changes tenants in any database.',
  parts: [
    createCommand,
    listCommand,
    showCommand,
    updateCommand,
    suspendCommand,
    resumeCommand,
    removeCommand,
  ],
  notes: ['The service uses changes within a minute.'],
})

/** Asks on a terminal. Returns null without one. */
async function ask(question: string): Promise<string | null> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return null
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  try {
    return await terminal.question(question)
  } finally {
    terminal.close()
  }
}

if (import.meta.main) process.exitCode = await tenantCommand.run(process.argv.slice(2), { ...here, ask })

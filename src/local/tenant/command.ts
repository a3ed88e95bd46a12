/** `npm run tenant`: one command for each action. */
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import {
  type Asking,
  ask,
  command,
  commands,
  confirmed,
  Failure,
  flag,
  here,
  isLoopback,
  moment,
  option,
  text,
} from '../cli/command.ts'
import { isDevelopment, withDatabase } from '../cli/database.ts'
import { amount, type Progress, progressBar } from '../cli/output.ts'
import { localIssuer, localKeys, publicKeys } from '../local-tenants.ts'
import { usedService } from '../running.ts'
import { sequenceOf } from '../transfer/export.ts'
import {
  addStorefrontOptions,
  type CreateValues,
  commonOptions,
  createOptions,
  keyFaults,
  revokeStorefrontOptions,
  updateOptions,
} from './options.ts'
import { contentsOf, exportFault, removeTenant, untilUnserved } from './remove.ts'
import {
  arrivalText,
  changeText,
  createTenant,
  findTenant,
  listTenants,
  resumeAll,
  resumeTenant,
  type StoredTenant,
  suspendAll,
  suspendTenant,
  tenantsText,
  tenantText,
} from './stored.ts'
import { addStorefront, revokeStorefront } from './storefronts.ts'
import { updateFaults, updateTenant, workOffLocales } from './update.ts'

export type TenantSurroundings = Asking & { readonly progress?: Progress }

const named = (action: string) => ({
  name: 'TENANT',
  missing: `The tenant is required: npm run tenant -- ${action} acme.`,
})
const naming =
  'TENANT is one of its hosts, the first label of its primary host (acme of acme.example.com), or its id.'

/** The result of a change, with all settings of the tenant. */
function resultText(message: string | null, tenant: StoredTenant, json: boolean): string {
  if (json) return JSON.stringify(tenant)
  return message === null ? tenantText(tenant) : `${message}\n\n${tenantText(tenant)}`
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
      const { directory, port } = await usedService()
      const tenant = await create(localIssuer(host), publicKeys(await localKeys(directory)))
      const next = `The tenant is created. Its hosts find it locally within seconds. Next:
  curl -H "Authorization: Bearer $(npm run -s token -- --tenant ${tenant.host})" http://${tenant.host}:${port}/api/products`
      print(resultText(next, tenant, values.json))
      return 0
    }
    const tenant = await create(issuer, values.jwks)
    const next = `The tenant is created. Its hosts find it within seconds. Next:
  1. A DNS record, a certificate and a route for each host: .github/docs/tenants.md, "Host names".
  2. curl -i ${isLoopback(host) ? `http://${host}:8787` : `https://${host}`}/api/products: 401 means that the tenant is found, 404 that it is not.
  3. A token of ${tenant.issuer} for the audience ${tenant.audience}. Default tokens of Auth0, Okta, Entra and Keycloak need --profile generic.`
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

/** A command without own options, which prints a tenant after `run`. Without a message it prints only the tenant. */
function ofTenant(
  action: string,
  summary: string,
  run: (client: pg.ClientBase, tenant: StoredTenant) => Promise<StoredTenant>,
  message: (host: string, database: string) => string | null,
) {
  return command({
    name: `tenant ${action}`,
    summary,
    examples: [`npm run tenant -- ${action} TENANT`],
    argument: named(action),
    options: commonOptions,
    notes: [naming],
    run: ({ argument, 'database-url': url, json }, { print }) =>
      withDatabase(url, async (client) => {
        const tenant = await run(client, await findTenant(client, argument))
        print(resultText(message(tenant.host, databaseOption(url)), tenant, json))
        return 0
      }),
  })
}

/** The option with which a printed command works on the same database. Its URL has a password, so it is not printed. */
const databaseOption = (url: string | undefined) => (url === undefined ? '' : ' --database-url …')

const showCommand = ofTenant(
  'show',
  'Shows all settings of a tenant, and the progress of added and removed locales.',
  async (_, tenant) => tenant,
  () => null,
)

const suspendCommand = ofTenant(
  'suspend',
  'Suspends a tenant: its hosts answer 503, its webhooks wait, and none of its data expires.',
  suspendTenant,
  (host, database) =>
    `${host} is suspended. Within a minute it answers 503, and none of its webhooks are sent. Undo: npm run tenant -- resume ${host}${database}`,
)

const resumeCommand = ofTenant(
  'resume',
  'Serves a suspended tenant again, and sends the webhooks that waited.',
  resumeTenant,
  (host) => `${host} is served again within a minute, and the webhooks that waited are sent.`,
)

const addStorefrontCommand = command({
  name: 'tenant add-storefront',
  summary: 'Creates a host at which browsers read published products, and prints its publishable key.',
  examples: ['npm run tenant -- add-storefront TENANT --host shop.acme.example.com'],
  argument: named('add-storefront'),
  options: addStorefrontOptions,
  notes: [
    'The key is shown only once. Run the command again for another key of the host, which replaces the first one in the shop.',
    naming,
  ],
  run: ({ argument, host, 'max-age': maxAge, 'database-url': url, json }, { print }) =>
    withDatabase(url, async (client) => {
      const { tenant, key } = await addStorefront(client, await findTenant(client, argument), host, maxAge)
      print(
        json
          ? JSON.stringify({ host, key })
          : `${key}\n\nThe key reads the published products of ${tenant.host} at ${host}, within a minute. It is not shown again.`,
      )
      return 0
    }),
})

const revokeStorefrontCommand = command({
  name: 'tenant revoke-storefront',
  summary: 'Revokes a publishable key, or removes a storefront host with all of its keys.',
  examples: ['npm run tenant -- revoke-storefront TENANT --host shop.acme.example.com --key pk_…'],
  argument: named('revoke-storefront'),
  options: revokeStorefrontOptions,
  notes: [naming],
  run: ({ argument, host, key, 'database-url': url, json }, { print }) =>
    withDatabase(url, async (client) => {
      const tenant = await revokeStorefront(client, await findTenant(client, argument), host, key)
      const revoked = key === undefined ? `${host} is removed with all of its keys` : 'The key is revoked'
      const message = `${revoked}. Workers reject it within a minute; caches may return stored responses until their max-age.`
      print(resultText(message, tenant, json))
      return 0
    }),
})

const suspendAllCommand = command({
  name: 'tenant suspend-all',
  summary: 'Suspends every active tenant, and prints the command that resumes these.',
  examples: ['npm run tenant -- suspend-all'],
  options: commonOptions,
  run: ({ 'database-url': url, json }, { print }) =>
    withDatabase(url, async (client) => {
      const { count, suspendedAt } = await suspendAll(client)
      const message = `${amount(count, 'tenant')} suspended. Within a minute they answer 503, and none of their webhooks are sent.
Undo: npm run tenant -- resume-all --suspended-since ${suspendedAt}${databaseOption(url)}`
      print(json ? JSON.stringify({ suspended: count, suspendedAt }) : message)
      return 0
    }),
})

const resumeAllOptions = {
  'suspended-since': option('TIME', 'the time that suspend-all printed: 2026-11-29T10:00:00Z', moment),
  ...commonOptions,
}

const resumeAllCommand = command({
  name: 'tenant resume-all',
  summary: 'Serves all tenants again that were suspended at a time or later.',
  examples: ['npm run tenant -- resume-all --suspended-since 2026-11-29T10:00:00Z'],
  options: resumeAllOptions,
  run: ({ 'suspended-since': since, 'database-url': url, json }, { print }) =>
    withDatabase(url, async (client) => {
      const count = await resumeAll(client, since)
      print(
        json
          ? JSON.stringify({ resumed: count })
          : `${amount(count, 'tenant')} served again within a minute.`,
      )
      return 0
    }),
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
        await confirmed(
          `This deletes all texts of ${before.host} in ${removed.join(', ')}.`,
          before.host,
          ask,
        )
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
        const sequence = await sequenceOf(client, tenant.id)
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
        await confirmed(`This deletes all data of ${tenant.host}: ${what}.`, tenant.host, ask)
      }
      progress.start(rows)
      await removeTenant(client, tenant, progress.advance).finally(() => progress.stop())
      const message = `${tenant.host} is removed, with ${rows} rows. Not deleted:
  Its routes, custom hostnames and DNS records: ${[...tenant.hosts, ...tenant.storefronts.map(({ host }) => host)].join(', ')}.
  Its uploaded pictures, in the bucket below ${tenant.id}/: .github/docs/operations.md, "Pictures".`
      print(json ? JSON.stringify({ removed: tenant, rows }) : message)
      return 0
    }),
})

export const tenantCommand = commands<TenantSurroundings>({
  name: 'tenant',
  summary: 'Creates, shows and changes tenants in any database.',
  parts: [
    createCommand,
    listCommand,
    showCommand,
    updateCommand,
    addStorefrontCommand,
    revokeStorefrontCommand,
    suspendCommand,
    resumeCommand,
    suspendAllCommand,
    resumeAllCommand,
    removeCommand,
  ],
  notes: ['The service uses changes within a minute.'],
})

if (import.meta.main) process.exitCode = await tenantCommand.run(process.argv.slice(2), { ...here, ask })

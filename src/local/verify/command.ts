/** `npm run verify`: runs the checks, removes what they created, and exceeds the rate limit last. */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { decodeJwt } from 'jose'
import * as z from 'zod'
import { missingPermissions } from '../../core/scopes.ts'
import {
  checkNote,
  checkOptions,
  Failed,
  NotTried,
  type Result,
  report,
  resultsOf,
  selectedChecks,
} from '../cli/checks.ts'
import {
  command,
  Failure,
  flag,
  here,
  httpUrl,
  isLoopback,
  option,
  reasonOf,
  type Surroundings,
  text,
  UsageError,
  wholeNumber,
} from '../cli/command.ts'
import { concurrently, rejectedToken } from '../cli/http.ts'
import { progressBar } from '../cli/output.ts'
import { type CheckContext, pastLimit, type ServiceCheck, sequentialChecks, webhook } from './checks.ts'
import { openService, products, requireBody, type Service, summaryOf } from './service.ts'

const checks: readonly ServiceCheck[] = [...sequentialChecks, webhook, pastLimit]

type VerifySurroundings = Surroundings & {
  /** Aborted when the run is stopped. */
  readonly signal: AbortSignal
}

const options = {
  url: option(
    'URL',
    "the tenant's host, with its scheme and port",
    httpUrl
      .transform((value) => new URL(value))
      .refine(
        ({ username, pathname, search, hash }) => username === '' && pathname === '/' && search + hash === '',
        'ends with the host: https://acme.example.com',
      ),
  ),
  token: option(
    'TOKEN',
    'a bearer token of this tenant (default: the variable ACCESS_TOKEN, which neither npm nor ps shows)',
    text,
    'ACCESS_TOKEN',
  ),
  receiver: option(
    'URL',
    'a public URL that leads to --listen, such as that of a tunnel; checks webhooks of a service that cannot call this computer directly',
    httpUrl.transform((value) => new URL(value)).optional(),
  ),
  listen: option(
    'NUMBER',
    'the port on which webhooks are received (default: any free port)',
    wholeNumber(0, 65_535).default(0),
  ),
  'worker-version': option(
    'WORKER=ID',
    'sends each request to this version of the Worker, which is part of a gradual deployment',
    text
      .regex(/^[\w-]+=[\w-]+$/, 'is the name of the Worker and the id of its version: WORKER=ID')
      .optional(),
  ),
  'past-limit': flag('sends reads until the client is rejected, even if that takes hundreds'),
  ...checkOptions(checks),
}

/** `npm run verify`. */
export const verifyCommand = command<typeof options, VerifySurroundings>({
  name: 'verify',
  summary:
    'Checks a running service over HTTP, then archives the products and deletes the subscriptions that it created.',
  examples: ['ACCESS_TOKEN=… npm run verify -- --url https://acme.example.com'],
  options,
  notes: [
    `${checkNote(checks)} Missing scopes of the token are reported before any check runs.`,
    'Titles, handles and tags of created resources begin with "verify-". At the end, also after Ctrl-C, it archives the products and deletes the subscriptions. Events of the products stay in the feed, and other subscribers receive them.',
  ],
  exitCodes: '0 nothing failed, 1 a check failed, 130 stopped by Ctrl-C',
  faults: (given) =>
    'receiver' in given && !('listen' in given)
      ? ['--receiver needs --listen, the port that it leads to.']
      : [],
  async run({ url, token, receiver: tunnel, listen, only, json, ...values }, { print, signal }) {
    const selected = selectedChecks(checks, only)
    const place = tunnel || isLoopback(url.hostname) ? { port: listen, url: tunnel ?? null } : null
    const receiver = selected.includes(webhook) ? place : null
    requireGrants(
      selected.filter((check) => check !== webhook || receiver),
      token,
    )
    const mark = `verify-${randomUUID().slice(0, 8)}`
    const created = new Set<string>()
    const [worker, version] = values['worker-version']?.split('=') ?? []
    const headers: Record<string, string> =
      version === undefined ? {} : { 'cloudflare-workers-version-overrides': `${worker}="${version}"` }
    const service = openService({ url, token, headers, signal, onCreated: (path) => created.add(path) })
    try {
      if (version !== undefined) await requireVersion(service, version)
      await requireAccess(service, token)
      const context = { receiver, service, mark, signal, pastLimit: values['past-limit'] }
      const results = await allResults(selected, context, created)
      const code = report(results, { json, print, url: url.origin, mark })
      return code === 0 && signal.aborted ? 130 : code
    } finally {
      service.close()
    }
  },
})

/** @throws UsageError if the token lacks a scope or permission that a check needs */
function requireGrants(selected: readonly ServiceCheck[], token: string): void {
  const scopes = [...new Set(selected.flatMap((check) => check.scopes))]
  const actor = actorOf(token)
  const missing = [
    ...scopes.filter((scope) => !actor.scopes.has(scope)),
    ...missingPermissions(actor, scopes),
  ]
  if (missing.length > 0) throw new UsageError(`The token lacks ${missing.join(', ')}. Nothing was tried.`)
}

/** The claims of a token, in the forms of both token profiles. Only the service verifies it. */
function actorOf(token: string) {
  const claims = claimsOf(token)
  const subject = String(claims.sub)
  const client = String(claims.client_id ?? claims.azp ?? claims.cid ?? claims.appid)
  return {
    subject,
    client,
    scopes: new Set(namesIn(claims.scope ?? claims.scp)),
    permissions: new Set(namesIn(claims.permissions)),
    person: subject !== client,
  }
}

function claimsOf(token: string) {
  try {
    return decodeJwt(token)
  } catch {
    throw new UsageError('The token is not a JWT. Give an access token of the tenant.')
  }
}

const namesIn = (value: unknown): string[] =>
  Array.isArray(value) ? value.map(String) : typeof value === 'string' ? value.split(' ') : []

/** @throws Failure if the service does not answer or rejects the token */
async function requireAccess(service: Service, token: string): Promise<void> {
  const response = await service.request('GET', '/api/versions').catch((error) => {
    if (error instanceof NotTried) throw new Failure('Stopped. Nothing was tried.')
    throw new Failure(`Nothing answers at ${service.origin.origin}: ${reasonOf(error)}`)
  })
  if (response.status === 200) return
  const issuer = response.status === 401 ? await issuerOf(service) : null
  const { iss } = claimsOf(token)
  if (issuer !== null && issuer !== iss)
    throw new Failure(
      `${service.origin.host}: the token is of the issuer ${iss}, but this tenant accepts those of ${issuer}. Nothing was tried.`,
    )
  const next = `
Is it a token of this tenant, and not expired? The service's log has a line token_refused with this request id, whose "check"
says why: .github/docs/logs.md, "Checks of a token". Locally: npm run -s token -- --tenant NAME`
  throw new Failure(
    `${service.origin.host}: ${summaryOf(response)}. Nothing was tried.${response.status === 401 ? next : ''}${rejectedToken(response, token)}`,
  )
}

/**
 * Waits for a version, because a deployment takes seconds to reach every data centre. Until then another version answers.
 * @throws Failure after ten seconds
 */
async function requireVersion(service: Service, version: string): Promise<void> {
  const ready = z.looseObject({ version: z.string() })
  for (const until = Date.now() + 10_000; ; await sleep(1000)) {
    const { body } = await service.request('GET', '/ready')
    const answered = ready.safeParse(body).data?.version
    if (answered === version) return
    if (Date.now() > until)
      throw new Failure(
        `The version ${version} does not answer: /ready is of ${answered ?? 'no version'}. Nothing was tried.`,
      )
  }
}

/** The issuer whose tokens the tenant accepts (RFC 9728); null if the response does not name it. */
async function issuerOf(service: Service): Promise<string | null> {
  const metadata = z.looseObject({ authorization_servers: z.tuple([z.string()]) })
  const { body } = await service.request('GET', '/.well-known/oauth-protected-resource')
  return metadata.safeParse(body).data?.authorization_servers[0] ?? null
}

async function allResults(
  selected: readonly ServiceCheck[],
  context: CheckContext,
  created: ReadonlySet<string>,
): Promise<Result[]> {
  const progress = progressBar()
  progress.start(selected.length + 1)
  let begun = 0
  const runAll = async (some: readonly ServiceCheck[]) => {
    const results: Result[] = []
    for (const check of some) {
      progress.show(check.name, begun)
      begun += 1
      results.push(...(await resultsOf(check, context)))
    }
    return results
  }
  const chosen = (some: readonly ServiceCheck[]) => some.filter((check) => selected.includes(check))
  const [ofWebhook, others] = await Promise.all([runAll(chosen([webhook])), runAll(chosen(sequentialChecks))])
  const removal: ServiceCheck = {
    name: 'created resources are removed',
    scopes: [],
    advice: 'Find them with GET /api/products?q=verify, and archive them.',
    run: (each) => removeCreated(each, created),
  }
  const creates = selected.some(({ scopes }) => scopes.includes('products:write'))
  const ofRemoval = await runAll(creates ? [removal] : [])
  const ofLimit = await runAll(chosen([pastLimit]))
  progress.stop()
  return [...others, ...ofWebhook, ...ofRemoval, ...ofLimit]
}

const subscriptionPath = '/api/webhook_subscriptions'

/**
 * Deletes the created subscriptions and archives the created products: those whose responses arrived, and those with the mark,
 * because a response may be lost. @throws Failed with the names of what may be left
 */
async function removeCreated(
  { service, mark, receiver }: CheckContext,
  created: ReadonlySet<string>,
): Promise<string> {
  const { requestAlways } = service
  const faults: string[] = []
  const isSubscription = (path: string) => path.startsWith(subscriptionPath)
  /** Returns how many are removed. A failure does not stop the removal of others. */
  async function remove(find: () => readonly string[] | Promise<readonly string[]>): Promise<number> {
    try {
      const responses = await concurrently(4, await find(), (path) => requestAlways('DELETE', path))
      const rejected = responses.filter(({ status }) => status !== 204 && status !== 404)
      faults.push(...rejected.map(summaryOf))
      return responses.length - rejected.length
    } catch (error) {
      faults.push(reasonOf(error))
      return 0
    }
  }
  async function listed<Member>(path: string, member: z.ZodType<Member>): Promise<Member[]> {
    const list = z.looseObject({ member: z.array(member) })
    return requireBody(await requestAlways('GET', `${path}itemsPerPage=100`), 200, list).member
  }
  const subscription = z.looseObject({ '@id': z.string(), callbackUrl: z.string().nullish() })
  const lostSubscriptions = async () =>
    (await listed(`${subscriptionPath}?`, subscription))
      .filter(({ callbackUrl }) => callbackUrl?.endsWith(mark))
      .map((member) => member['@id'])
  const lostProducts = async () =>
    (await listed(`/api/products?tag=${mark}&`, products.shape.member.element))
      .filter(({ status }) => status !== 'ARCHIVED')
      .map((member) => member['@id'])
  // Subscriptions first, because they would get webhooks of the rest. Without a receiver the run creates none, and the token may not read them.
  const deleted =
    (await remove(() => [...created].filter(isSubscription))) +
    (receiver ? await remove(lostSubscriptions) : 0)
  const archived =
    (await remove(() => [...created].filter((path) => !isSubscription(path)))) + (await remove(lostProducts))
  if (faults.length > 0) throw new Failed(`perhaps something is left, marked ${mark}: ${faults.join(', ')}`)
  return `subscriptions deleted: ${deleted}, products archived: ${archived}`
}

if (import.meta.main) {
  const stopping = new AbortController()
  let stopped = 0
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (stopped === 0) {
        stopped = Date.now()
        console.error('\nStopping, and removing the created resources. Press Ctrl-C again to leave them.')
        stopping.abort()
      } else if (Date.now() - stopped > 1000) {
        // npm passes on the same Ctrl-C within a second.
        process.exit(130)
      }
    })
  }

  process.exitCode = await verifyCommand.run(process.argv.slice(2), { ...here, signal: stopping.signal })
}

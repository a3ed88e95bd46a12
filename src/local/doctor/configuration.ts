/** The production environment of `wrangler.toml`: what the Worker would be deployed with. */
import { unstable_readConfig } from 'wrangler'
import * as z from 'zod'
import { settingsOf } from '../../env.ts'
import { reasonOf } from '../cli/command.ts'

/** The checked parts of a configuration, which wrangler types as any. */
const configuration = z.object({
  vars: z.record(z.string(), z.unknown()),
  queues: z.object({
    producers: z.array(z.object({ binding: z.string(), queue: z.string() })).default([]),
    consumers: z.array(z.object({ queue: z.string() })).default([]),
  }),
  r2_buckets: z.array(z.object({ binding: z.string(), bucket_name: z.string().optional() })).default([]),
  ratelimits: z.array(z.object({ name: z.string(), namespace_id: z.string() })).default([]),
  assets: z.object({ binding: z.string().optional(), run_worker_first: z.unknown() }).optional(),
  triggers: z.object({ crons: z.array(z.string()).optional() }),
  route: z.unknown(),
  routes: z.array(z.unknown()).default([]),
  placement: z.looseObject({ region: z.string().optional() }).optional(),
  observability: z.object({ enabled: z.boolean().optional() }).optional(),
})
type Config = z.infer<typeof configuration>

/**
 * The faults of the environment `production` of a wrangler.toml. If `databaseUrl` is Neon's, it names the
 * region in which the Worker should run.
 */
export function configurationFindings(path: string, databaseUrl: string | null): Finding[] {
  let config: Config
  try {
    config = configuration.parse(
      unstable_readConfig({ config: path, env: 'production' }, { hideWarnings: true }),
    )
  } catch (error) {
    return [fail('configuration', `${path} cannot be read: ${reasonOf(error)}`, `Correct ${path}.`)]
  }
  return [
    ...orOk('vars', varsFindings(config), 'ENVIRONMENT and CALLBACKS are those of production'),
    ...orOk('bindings', bindingFindings(config), ['WORK', ...limitNames, 'ASSETS'].join(', ')),
    pictureFinding(config),
    ...orOk('queues', queueFindings(config), 'each has a consumer'),
    ...orOk('cron', cronFindings(config), 'every minute'),
    ...orOk('routes', routeFindings(config), `${config.routes.length} in ${path}`),
    ...orOk('placement', placementFindings(config, databaseUrl), 'a region is set'),
    config.observability?.enabled
      ? ok('logs', 'observability is on')
      : warn('logs', 'Cloudflare keeps no log', 'Set [env.production.observability] enabled = true.'),
  ]
}

/** The secrets of the Worker, which are in no file. */
const secrets = {
  DATABASE_URL: 'postgresql://app:secret@db.test/x',
  WEBHOOK_SECRET_KEY: btoa('k'.repeat(32)),
}

function varsFindings({ vars }: Config): Finding[] {
  const exposed = Object.keys(secrets).filter((name) => name in vars)
  const findings = exposed.map((name) =>
    fail(
      'vars',
      `${name} is in the file, which all developers read`,
      `Remove it, change it, and give it with: npx wrangler secret put ${name} --env production`,
    ),
  )
  if (vars.ENVIRONMENT !== 'production') {
    const next = 'Set ENVIRONMENT = "production" under [env.production.vars].'
    findings.push(fail('vars', `ENVIRONMENT is ${JSON.stringify(vars.ENVIRONMENT) ?? 'missing'}`, next))
  }
  try {
    settingsOf({ ...vars, ...secrets })
  } catch (error) {
    const next = 'Correct [env.production.vars]. src/env.ts has the allowed values.'
    findings.push(fail('vars', `the Worker would not start: ${reasonOf(error)}`, next))
  }
  return findings
}

const limitNames = ['READ_LIMIT', 'WRITE_LIMIT', 'REFUSED_LIMIT']
const repeated = 'An environment inherits no bindings: repeat those of the top level under [env.production].'

function bindingFindings({ queues, ratelimits, assets }: Config): Finding[] {
  const there = [
    ...queues.producers.map(({ binding }) => binding),
    ...ratelimits.map(({ name }) => name),
    assets?.binding,
  ]
  const missing = ['WORK', ...limitNames, 'ASSETS'].filter((name) => !there.includes(name))
  const findings = missing.map((name) => fail('bindings', `${name} is missing`, repeated))
  const counted = Map.groupBy(ratelimits, (each) => each.namespace_id)
  for (const [namespace, limits] of counted) {
    if (limits.length === 1) continue
    const names = limits.map(({ name }) => name).join(' and ')
    const seen = `${names} count together, in the namespace ${namespace}`
    findings.push(fail('bindings', seen, 'Give each a namespace_id of its own.'))
  }
  if (assets?.binding === 'ASSETS' && assets.run_worker_first !== true) {
    const seen = 'files are served without the Worker, also on unknown hosts'
    findings.push(fail('bindings', seen, 'Set run_worker_first = true under [env.production.assets].'))
  }
  return findings
}

/** A service without a bucket is none that lacks something: pictures are then given by their addresses. */
function pictureFinding({ r2_buckets }: Config): Finding {
  const bound = r2_buckets.find(({ binding }) => binding === 'PICTURES')
  if (bound) return ok('pictures', `uploaded into the bucket ${bound.bucket_name ?? 'PICTURES'}`)
  const [other] = r2_buckets
  if (!other)
    return ok('pictures', 'by their addresses: no bucket is bound as PICTURES (.github/docs/operations.md)')
  const next = 'Name it PICTURES under [env.production]: the Worker knows no other.'
  return warn('pictures', `no bucket is bound as PICTURES, one as ${other.binding}`, next)
}

function queueFindings({ queues: { consumers, producers } }: Config): Finding[] {
  const idle = producers.filter(({ queue }) => !consumers.some((consumer) => consumer.queue === queue))
  return idle.map(({ queue }) =>
    fail('queues', `nothing consumes ${queue}`, `Add [[env.production.queues.consumers]] for ${queue}.`),
  )
}

function cronFindings({ triggers }: Config): Finding[] {
  if (triggers.crons?.includes('* * * * *')) return []
  const next = 'Set crons = ["* * * * *"] under [env.production.triggers].'
  return [fail('cron', 'none of every minute: what queues lose is never found', next)]
}

function routeFindings({ routes, route }: Config): Finding[] {
  if (route !== undefined || routes.length > 0) return []
  const next = 'Set routes under [env.production]: .github/docs/tenants.md, "Host names".'
  return [warn('routes', 'none: no host leads to the Worker', next)]
}

function placementFindings({ placement }: Config, databaseUrl: string | null): Finding[] {
  const region = placement?.region
  const neon = databaseUrl === null ? null : neonRegion(databaseUrl)
  if (neon !== null && region !== undefined && region !== neon) {
    const next = `Set region = "${neon}" under [env.production.placement].`
    return [warn('placement', `the Worker runs in ${region}, its database in ${neon}`, next)]
  }
  if (placement) return []
  const next = `Set region under [env.production.placement]${neon ? ` to "${neon}"` : ''}.`
  return [warn('placement', 'the Worker runs near callers, two round trips from its database', next)]
}

/** The region that the host of Neon's connection string names, as Cloudflare writes it. */
function neonRegion(databaseUrl: string): string | null {
  const [, region, cloud] =
    /\.([a-z0-9-]+)\.(aws|azure)\.neon\.tech$/.exec(URL.parse(databaseUrl)?.hostname ?? '') ?? []
  return region && cloud ? `${cloud}:${region}` : null
}

/** The result of one check of `npm run doctor`. */
export type Finding = {
  readonly check: string
  readonly state: 'ok' | 'warn' | 'fail'
  /** The observation, in a sentence. */
  readonly seen: string
  /** The next step; null if none is needed. */
  readonly next: string | null
}

export const ok = (check: string, seen: string): Finding => ({ check, state: 'ok', seen, next: null })
export const warn = (check: string, seen: string, next: string): Finding => ({
  check,
  state: 'warn',
  seen,
  next,
})
export const fail = (check: string, seen: string, next: string): Finding => ({
  check,
  state: 'fail',
  seen,
  next,
})

/** The findings of a check, or that all was well. */
export const orOk = (check: string, findings: readonly Finding[], seen: string): Finding[] =>
  findings.length > 0 ? [...findings] : [ok(check, seen)]

/** How many there are of something: `1 tenant`, `2 tenants`. */
export const amount = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

/** A length of time for people: `40 s`, `12 min`, `3 h`, `2 days`. */
export function duration(seconds: number): string {
  if (seconds < 120) return `${Math.round(seconds)} s`
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`
  if (seconds < 172_800) return `${Math.round(seconds / 3600)} h`
  return `${Math.round(seconds / 86_400)} days`
}

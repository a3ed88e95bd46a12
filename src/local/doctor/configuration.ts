/** An environment of `wrangler.toml`: what the Worker would be deployed with. */
import { unstable_readConfig } from 'wrangler'
import * as z from 'zod'
import { settingsOf } from '../../env.ts'
import { type Check, fail, type Problem, type Result, runChecks, warn } from '../cli/checks.ts'
import { option, reasonOf } from '../cli/command.ts'

/** The option that names an environment. */
export const environment = option(
  'NAME',
  'the environment of wrangler.toml: production (default) or staging',
  z.enum(['production', 'staging'], 'is production or staging').default('production'),
)

/** The checked parts of a configuration, which wrangler types as any. */
const configuration = z.object({
  name: z.string(),
  definedEnvironments: z.array(z.string()).default([]),
  vars: z.record(z.string(), z.unknown()),
  queues: z.object({
    producers: z.array(z.object({ binding: z.string(), queue: z.string() })).default([]),
    consumers: z.array(z.object({ queue: z.string() })).default([]),
  }),
  r2_buckets: z.array(z.object({ binding: z.string(), bucket_name: z.string().optional() })).default([]),
  durable_objects: z.object({
    bindings: z.array(z.object({ name: z.string(), script_name: z.string().optional() })).default([]),
  }),
  ratelimits: z.array(z.object({ name: z.string(), namespace_id: z.string() })).default([]),
  analytics_engine_datasets: z.array(z.object({ dataset: z.string().optional() })).default([]),
  assets: z.object({ binding: z.string().optional(), run_worker_first: z.unknown() }).optional(),
  triggers: z.object({ crons: z.array(z.string()).optional() }),
  route: z.unknown(),
  routes: z.array(z.unknown()).default([]),
  placement: z.looseObject({ region: z.string().optional() }).optional(),
  observability: z.object({ enabled: z.boolean().optional() }).optional(),
})
type Config = z.infer<typeof configuration>

type Configured = {
  readonly config: Config
  /** The other environments of the file, by their names. */
  readonly others: ReadonlyMap<string, Config>
  readonly path: string
  readonly databaseUrl: string | null
}

/** The checks of an environment. Advice names production, and configurationResults() replaces it by the checked environment. */
export const configurationChecks: readonly Check<Configured>[] = [
  {
    name: 'vars',
    advice: 'Correct [env.production.vars]. src/env.ts has the allowed values.',
    run: ({ config }) => orOk(varsProblems(config), 'ENVIRONMENT and CALLBACKS are those of production'),
  },
  {
    name: 'bindings',
    advice: 'An environment inherits no bindings: repeat those of the top level under [env.production].',
    run: ({ config }) => orOk(bindingProblems(config), bindingNames.join(', ')),
  },
  {
    name: 'pictures',
    advice: 'Name it PICTURES under [env.production]: the Worker knows no other.',
    run({ config: { r2_buckets: buckets } }) {
      const bound = buckets.find(({ binding }) => binding === 'PICTURES')
      if (bound) return `uploaded into the bucket ${bound.bucket_name ?? 'PICTURES'}`
      const [other] = buckets
      if (other) return [warn(`no bucket is bound as PICTURES, one as ${other.binding}`)]
      return 'by their addresses: no bucket is bound as PICTURES (.github/docs/operations.md)'
    },
  },
  {
    name: 'queues',
    advice: 'Add [[env.production.queues.consumers]] for it.',
    run({ config: { queues } }) {
      const consumed = queues.consumers.map(({ queue }) => queue)
      const idle = queues.producers.filter(({ queue }) => !consumed.includes(queue))
      return orOk(
        idle.map(({ queue }) => fail(`nothing consumes ${queue}`)),
        'each has a consumer',
      )
    },
  },
  {
    name: 'environments',
    advice:
      'Give each environment a Worker, queues, buckets, rate limit namespaces and data sets of its own.',
    run({ config, others }) {
      const own = sharedNames(config)
      const shared = [...others].flatMap(([name, other]) => {
        const both = sharedNames(other).filter((each) => own.includes(each))
        return both.map((each) => fail(`${each} is also that of ${name}`))
      })
      return orOk(shared, 'share nothing')
    },
  },
  {
    name: 'cron',
    advice: 'Set crons = ["* * * * *"] under [env.production.triggers].',
    run: ({ config: { triggers } }) =>
      triggers.crons?.includes('* * * * *')
        ? 'every minute'
        : [fail('none of every minute: what queues lose is never found')],
  },
  {
    name: 'routes',
    advice: 'Set routes under [env.production]: .github/docs/tenants.md, "Host names".',
    run: ({ config: { routes, route }, path }) =>
      route !== undefined || routes.length > 0
        ? `${routes.length} in ${path}`
        : [warn('none: no host leads to the Worker')],
  },
  {
    name: 'placement',
    advice: 'Set region under [env.production.placement].',
    run({ config: { placement }, databaseUrl }) {
      const region = placement?.region
      const neon = databaseUrl === null ? null : neonRegion(databaseUrl)
      const next = neon === null ? undefined : `Set region = "${neon}" under [env.production.placement].`
      if (neon !== null && region !== undefined && region !== neon)
        return [warn(`the Worker runs in ${region}, its database in ${neon}`, next)]
      if (placement) return 'a region is set'
      return [warn('the Worker runs near callers, two round trips from its database', next)]
    },
  },
  {
    name: 'logs',
    advice: 'Set [env.production.observability] enabled = true.',
    run: ({ config }) =>
      config.observability?.enabled ? 'observability is on' : [warn('Cloudflare keeps no log')],
  },
]

/** Runs checks of a wrangler.toml. If `databaseUrl` is Neon's, it names the region in which the Worker should run. */
export async function configurationResults(
  path: string,
  env: string,
  databaseUrl: string | null,
  checks = configurationChecks,
): Promise<Result[]> {
  try {
    const config = readConfiguration(path, env)
    const names = config.definedEnvironments.filter((name) => name !== env)
    const others = new Map(names.map((name) => [name, readConfiguration(path, name)]))
    const results = await runChecks(checks, { config, others, path, databaseUrl })
    return results.map(({ next, ...result }) => ({
      ...result,
      next: next?.replaceAll('env.production', `env.${env}`) ?? null,
    }))
  } catch (error) {
    const run = () => [fail(`${path} cannot be read: ${reasonOf(error)}`)]
    return runChecks([{ name: 'configuration', advice: `Correct ${path}.`, run }], null)
  }
}

/** The checked parts of an environment. @throws Error if the file is missing or wrong */
export const readConfiguration = (path: string, env: string): Config =>
  configuration.parse(unstable_readConfig({ config: path, env }, { hideWarnings: true }))

/** The names in the account that only one environment may use. */
function sharedNames({
  name,
  queues,
  r2_buckets: buckets,
  ratelimits,
  analytics_engine_datasets: datasets,
  durable_objects: objects,
}: Config): string[] {
  // An object belongs to the Worker that has its class: the own one, or `script_name`.
  const workers = objects.bindings.map(({ script_name: worker = name }) => worker)
  return [
    ...new Set([name, ...workers].map((worker) => `the Worker ${worker}`)),
    ...queues.producers.map(({ queue }) => `the queue ${queue}`),
    ...buckets.flatMap(({ bucket_name: bucket }) => (bucket === undefined ? [] : [`the bucket ${bucket}`])),
    ...ratelimits.map(({ namespace_id: id }) => `the rate limit namespace ${id}`),
    ...datasets.flatMap(({ dataset }) => (dataset === undefined ? [] : [`the data set ${dataset}`])),
  ]
}

/** The problems; without any, the observation. */
export const orOk = (problems: readonly Problem[], seen: string) => (problems.length > 0 ? problems : seen)

/** The secrets of the Worker, which are in no file. */
const secrets = {
  DATABASE_URL: 'postgresql://app:secret@db.test/x',
  WEBHOOK_SECRET_KEY: btoa('k'.repeat(32)),
}

function varsProblems({ vars }: Config): Problem[] {
  const problems: Problem[] = []
  if (vars.ENVIRONMENT !== 'production')
    problems.push(
      fail(
        `ENVIRONMENT is ${JSON.stringify(vars.ENVIRONMENT) ?? 'missing'}`,
        'Set ENVIRONMENT = "production" under [env.production.vars].',
      ),
    )
  try {
    settingsOf({ ...vars, ...secrets })
  } catch (error) {
    problems.push(fail(`the Worker would not start: ${reasonOf(error)}`))
  }
  return problems
}

const bindingNames = ['WORK', 'READ_LIMIT', 'WRITE_LIMIT', 'REFUSED_LIMIT', 'ASSETS', 'WAKE_UP']

function bindingProblems({ queues, ratelimits, durable_objects: objects, assets }: Config): Problem[] {
  const bound = [
    ...objects.bindings.map(({ name }) => name),
    ...queues.producers.map(({ binding }) => binding),
    ...ratelimits.map(({ name }) => name),
    assets?.binding,
  ]
  const missing = bindingNames.filter((name) => !bound.includes(name))
  const problems = missing.map((name) =>
    name === 'WAKE_UP'
      ? warn(`${name} is missing: the cron keeps the database awake`)
      : fail(`${name} is missing`),
  )
  for (const [namespace, limits] of Map.groupBy(ratelimits, (limit) => limit.namespace_id)) {
    if (limits.length === 1) continue
    const names = limits.map(({ name }) => name).join(' and ')
    const seen = `${names} count together, in the namespace ${namespace}`
    problems.push(fail(seen, 'Give each a namespace_id of its own.'))
  }
  if (assets?.binding === 'ASSETS' && assets.run_worker_first !== true) {
    const seen = 'files are served without the Worker, also on unknown hosts'
    problems.push(fail(seen, 'Set run_worker_first = true under [env.production.assets].'))
  }
  return problems
}

/** The region that the host of Neon's connection string names, as Cloudflare writes it. */
function neonRegion(databaseUrl: string): string | null {
  const [, region, cloud] =
    /\.([a-z0-9-]+)\.(aws|azure)\.neon\.tech$/.exec(URL.parse(databaseUrl)?.hostname ?? '') ?? []
  return region && cloud ? `${cloud}:${region}` : null
}

import type { Context } from 'hono'
import { authProblems } from '../core/problems/auth.ts'
import { httpProblems } from '../core/problems/http.ts'
import type { WaitingWork } from '../core/wake-up.ts'
import { settingsOf } from '../env.ts'
import { gaugesAt } from '../resources/housekeeping.ts'
import { countRejection } from './rate-limit.ts'
import { type AppEnv, isReadableByOthers } from './request.ts'
import { serviceRuntimeOf } from './runtime.ts'

/** Kinds of work that a metric reports even if none waits. */
const kinds = ['event', 'delivery', 'boundary', 'locale_change', 'rebuild', 'bulk_operation', 'expired_row']

/**
 * The gauges of the database as OpenMetrics 1.0, for a monitor with the deployment's METRICS_TOKEN. They identify tenants
 * by id. While nothing is due, they are those of the last run of the cron, so that a monitor does not keep the database awake.
 * @throws 404 without METRICS_TOKEN in the settings; 401 for another token; 403 `auth.insecure_transport`
 */
export async function metricsPage(c: Context<AppEnv>): Promise<Response> {
  const { METRICS_TOKEN } = settingsOf(c.env)
  if (METRICS_TOKEN === undefined) throw httpProblems.not_found()
  const { headers } = c.req.raw
  if (isReadableByOthers(c)) throw authProblems.insecure_transport()
  const token = /^Bearer +(\S+)$/i.exec(headers.get('authorization') ?? '')?.[1]
  if (token === undefined || !(await areEqual(token, METRICS_TOKEN))) {
    const problem = token === undefined ? authProblems.token_required : authProblems.invalid_token
    const help = 'This page needs the token in METRICS_TOKEN, which the operator of the deployment has.'
    throw await countRejection(
      problem(undefined, { help, headers: { 'WWW-Authenticate': 'Bearer' } }),
      headers,
      c,
    )
  }
  const { database, wakeUp } = serviceRuntimeOf(c.env)
  const { now } = c.var
  const { at, rows } = (await wakeUp.gauges()) ?? {
    at: now.getTime(),
    ...(await database.open(null).read({ rows: gaugesAt(now) })),
  }
  return new Response(openMetrics(rows, at), {
    headers: {
      'Cache-Control': 'no-store',
      'Content-Type': 'application/openmetrics-text; version=1.0.0; charset=utf-8',
    },
  })
}

/** Compares digests, so that the duration does not depend on the token. */
async function areEqual(one: string, other: string): Promise<boolean> {
  const digests = [one, other].map((text) => crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)))
  const [a, b] = (await Promise.all(digests)).map((digest) => new Uint8Array(digest).join())
  return a === b
}

/** `at` is the time of the gauges, in milliseconds since 1970. */
function openMetrics(rows: readonly WaitingWork[], at: number): string {
  const ofAll = (kind: string) => rows.find((row) => row.kind === kind && row.tenant === null)
  const named = rows.flatMap(({ kind, tenant, seconds }) =>
    tenant === null ? [] : [`{kind="${kind}",tenant="${tenant}"} ${seconds ?? 0}`],
  )
  const gauge = (name: string, help: string, samples: readonly string[]) => [
    `# TYPE ${name} gauge`,
    ...(name.endsWith('_seconds') ? [`# UNIT ${name} seconds`] : []),
    `# HELP ${name} ${help}`,
    ...samples.map((sample) => `${name}${sample}`),
  ]
  return [
    ...gauge(
      'catalogue_oldest_waiting_seconds',
      'How long the oldest due work of any tenant has waited.',
      kinds.map((kind) => `{kind="${kind}"} ${ofAll(kind)?.seconds ?? 0}`),
    ),
    ...gauge(
      'catalogue_waiting_tenants',
      'Tenants with due work.',
      kinds.map((kind) => `{kind="${kind}"} ${ofAll(kind)?.amount ?? 0}`),
    ),
    ...gauge(
      'catalogue_tenant_waiting_seconds',
      'How long the oldest due work of a tenant has waited, from two minutes on.',
      named,
    ),
    ...gauge('catalogue_unreachable_hosts', 'Callback hosts that several attempts in a row did not reach.', [
      ` ${ofAll('unreachable_host')?.amount ?? 0}`,
    ]),
    ...gauge('catalogue_database_connections', 'Connections of the database.', [
      ` ${ofAll('connection')?.amount ?? 0}`,
    ]),
    ...gauge('catalogue_measured_timestamp_seconds', 'When these gauges were measured, in Unix time.', [
      ` ${at / 1000}`,
    ]),
    '# EOF\n',
  ].join('\n')
}

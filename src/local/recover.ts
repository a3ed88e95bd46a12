/** `npm run recover`: begins a new epoch of every tenant after a restore of the database to an earlier time. */
import type pg from 'pg'
import { uuidv7 } from 'uuidv7'
import { settingsTtl } from '../db/tenants.ts'
import { restoredTopic } from '../resources/events/topics.ts'
import { type Asking, ask, command, confirmed, Failure, flag, here, moment, option } from './cli/command.ts'
import { databaseUrl, transaction, withDatabase } from './cli/database.ts'
import { amount, duration, table } from './cli/output.ts'
import { pendingMigrations } from './migrate.ts'
import { keptFor } from './tenant/stored.ts'

/**
 * The first sequence of an epoch is its second since 1970 times this number. No tenant commits as many events per second. So the
 * sequence is above all that were issued before, also in an epoch that the restore undid. The largest sequence is that of the year 2286.
 */
const sequencesPerSecond = 100_000

/** Seconds until the first waiting delivery is attempted. Each host then gets ten per second of a tenant. */
const deliveryPause = 300

/** A tenant in its new epoch. */
export type Recovered = {
  readonly host: string
  /** The time of the last commit that the database has; null without any. */
  readonly lastChangeAt: string | null
  readonly lostSeconds: number | null
  readonly epoch: number
  readonly lastSequence: number
  readonly firstSequence: number
  readonly waitingDeliveries: number
}

/**
 * Begins an epoch of a tenant, in a transaction that has entered the tenant: moves its clock and its sequence, records
 * `catalogue/restored`, lets the changes of prices begin again, and releases and delays waiting deliveries. Deliveries and subscriptions
 * continue as if no time had passed.
 */
export async function beginEpoch(
  client: pg.ClientBase,
  tenantId: string,
  restoredTo: string,
): Promise<Recovered> {
  const { rows } = await client.query<Recovered>(
    `with before as materialized (
       select c.last_at, c.sequence, floor(extract(epoch from now()))::bigint as second,
              coalesce((select max(e.epoch) from tenant_epochs e where e.tenant_id = $1), 0) as epoch,
              (select count(*)::int from tenant_epochs e where e.tenant_id = $1) as count
         from tenant_clock c where c.tenant_id = $1
     ), begun as (
       insert into tenant_epochs (tenant_id, epoch, restored_to, recovered_at, last_sequence, first_sequence)
       select $1, greatest(second, epoch + 1), $2, now(), sequence, greatest(second * ${sequencesPerSecond}, sequence + 1000000000)
         from before
       returning epoch, recovered_at, last_sequence, first_sequence
     ), clock as (
       update tenant_clock c
          set last_at = greatest(clock_timestamp(), c.last_at + interval '1 microsecond'), sequence = begun.first_sequence
         from begun where c.tenant_id = $1
       returning c.last_at
     ), complete as (
       -- A position in the changes of prices may be that of a lost change. From here on it is 410.
       update markets m set prices_complete_at = clock.last_at from clock where m.tenant_id = $1 and m.prices_complete_at is not null
     ), announced as (
       insert into events (tenant_id, sequence, id, topic, kind, resource_id, resource_version, occurred_at, effective_at,
                           actor, api_version, request_id, document, changes, fanned_out_at)
       select $1, begun.first_sequence, $3::uuid, $4, 'catalogue', $1, before.count + 1, clock.last_at, $2, '{}', '', ($3::uuid)::text,
              json_build_object('restoredTo', instant_text($2), 'lostUntil', instant_text(begun.recovered_at), 'epoch', begun.epoch),
              '[]',
              case when not exists (select from webhook_subscriptions s
                where s.tenant_id = $1 and s.status <> 'DISABLED' and s.topic = any(topic_patterns($4))) then clock.last_at end
         from before, begun, clock
     ), waiting as materialized (
       select d.id, row_number() over (partition by s.callback_host order by d.event_sequence, d.id) as place
         from webhook_deliveries d
         join webhook_subscriptions s on s.tenant_id = d.tenant_id and s.id = d.subscription_id
        where d.tenant_id = $1 and d.status = 'PENDING'
     ), released as (
       update webhook_deliveries d
          set lease = null, leased_until = null, queued_until = null,
              next_attempt_at = greatest(d.next_attempt_at, now() + interval '${deliveryPause} s' + waiting.place * interval '100 ms')
         from waiting where d.tenant_id = $1 and d.id = waiting.id
     ), failing as (
       update webhook_subscriptions s set failing_since = s.failing_since + (now() - $2::timestamptz)
        where s.tenant_id = $1 and s.failing_since is not null
     ), kept as (
       update tenants t set kept_until = greatest(t.kept_until, now() + interval '${keptFor}') where t.id = $1
     )
     select t.host, case when before.sequence > 0 then instant_text(before.last_at) end as "lastChangeAt",
            case when before.sequence > 0 then extract(epoch from now() - before.last_at)::float8 end as "lostSeconds",
            begun.epoch::float8 as epoch, begun.last_sequence::float8 as "lastSequence",
            begun.first_sequence::float8 as "firstSequence", (select count(*)::int from waiting) as "waitingDeliveries"
       from tenants t, before, begun where t.id = $1`,
    [tenantId, restoredTo, uuidv7(), restoredTopic],
  )
  const [recovered] = rows
  if (!recovered) throw new Error(`tenant ${tenantId} has no clock`)
  return recovered
}

const options = {
  'restored-to': option(
    'TIME',
    'the time that the database was restored to: 2026-11-28T09:30:00Z',
    moment.transform((value) => new Date(value).toISOString()),
  ),
  'database-url': databaseUrl,
  'keep-later-writes': flag(
    'accepts changes after that time, if clients have already written to the restored database; all tenants must be suspended',
  ),
  'dry-run': flag('checks everything and prints the report, but changes nothing'),
  yes: flag('asks no question; required without a terminal'),
  json: flag('prints the report as JSON'),
}

/** `npm run recover`. */
export const recoverCommand = command<typeof options, Asking>({
  name: 'recover',
  summary:
    'Begins a new epoch after the database was restored to an earlier time, before the Worker uses it: sequences and entity tags of the lost time never return.',
  examples: ['npm run recover -- --database-url URL --restored-to 2026-11-28T09:30:00Z'],
  options,
  notes: [
    'It refuses a database that lacks migrations, that the Worker is connected to, that has later changes than the given time, or that was recovered since then. Nothing is changed then.',
    'One transaction moves the clock and the sequence of every tenant, records the event catalogue/restored, and delays waiting webhooks by five minutes.',
  ],
  async run({ 'restored-to': restoredTo, 'keep-later-writes': keepsWrites, ...values }, { print, ask }) {
    await withDatabase(values['database-url'], async (client) => {
      const faults = await recoveryFaults(client, { restoredTo, keepsWrites })
      if (faults.length > 0) throw new Failure([...faults, 'Nothing was changed.'].join('\n'))
      const { database, tenants } = await targetOf(client)
      const isDry = values['dry-run']
      if (!isDry && !values.yes) {
        const warning = `This ends the entity tags and sequences that clients of ${amount(tenants, 'tenant')} have. Every follower has to read the lists again.`
        await confirmed(warning, database, ask)
      }
      const recover = async () => {
        // No write can begin or end between the check of the clocks and the end of the transaction.
        await client.query(`set local lock_timeout = '5s'`)
        await client.query('lock table tenant_clock in exclusive mode').catch((error) => {
          if (error.code !== '55P03') throw error
          throw new Failure(
            'A write has been running for five seconds. Is it the restored database?\nNothing was changed.',
          )
        })
        const since = await recoveryFaults(client, { restoredTo, keepsWrites })
        if (since.length > 0) throw new Failure([...since, 'Nothing was changed.'].join('\n'))
        const { rows } = await client.query<{ id: string }>(
          'select t.id from tenants t join tenant_clock c on c.tenant_id = t.id order by t.host',
        )
        const recovered: Recovered[] = []
        for (const { id } of rows) {
          await client.query(`select set_config('app.tenant', $1, true)`, [id])
          recovered.push(await beginEpoch(client, id, restoredTo))
        }
        return recovered
      }
      const report = await transaction(client, recover, { end: isDry ? 'rollback' : 'commit' })
      const facts = { database, restoredTo, isDryRun: isDry, tenants: report }
      print(values.json ? JSON.stringify(facts) : reportText(facts))
    })
    return 0
  },
})

type Report = {
  readonly database: string
  readonly restoredTo: string
  readonly isDryRun: boolean
  readonly tenants: readonly Recovered[]
}

function reportText({ database, restoredTo, isDryRun, tenants }: Report): string {
  const newest = tenants
    .flatMap(({ lastChangeAt }) => lastChangeAt ?? [])
    .toSorted()
    .at(-1)
  const deliveries = tenants.reduce((sum, { waitingDeliveries }) => sum + waitingDeliveries, 0)
  const rows = tenants.map(({ host, lastChangeAt, lostSeconds, ...tenant }) => [
    host,
    lastChangeAt ?? 'never changed',
    lostSeconds === null ? 'unknown' : duration(lostSeconds),
    tenant.lastSequence,
    tenant.firstSequence,
    tenant.waitingDeliveries,
  ])
  return [
    `${database}, restored to ${restoredTo}: ${amount(tenants.length, 'tenant')} ${isDryRun ? 'would begin' : 'began'} a new epoch.`,
    `${newest === undefined ? 'It has no changes yet' : `Its newest change is of ${newest}`}. Changes between ${restoredTo} and now are lost.`,
    '',
    table([['tenant', 'last change', 'lost', 'sequence', 'next sequence', 'waiting webhooks'], ...rows]),
    '',
    isDryRun
      ? 'Nothing was changed.'
      : `${amount(deliveries, 'webhook')} will be sent from five minutes on. Next: set the secret DATABASE_URL of the Worker to this database.`,
  ].join('\n')
}

/** The database's name and server, and how many tenants it has. */
async function targetOf(client: pg.ClientBase): Promise<{ database: string; tenants: number }> {
  const { rows } = await client.query<{ name: string; tenants: number }>(
    'select current_database() as name, (select count(*)::int from tenants) as tenants',
  )
  const [{ name, tenants } = { name: '', tenants: 0 }] = rows
  return { database: name, tenants }
}

type RecoveryOptions = { readonly restoredTo: string; readonly keepsWrites: boolean }

type State = {
  readonly seesAll: boolean
  readonly now: string
  readonly connections: number
  readonly tenants: number
  /** Tenants that a Worker may serve, with settings that it has cached. */
  readonly served: number
  /** The newest recovery; null without any. */
  readonly recoveredAt: string | null
  /** Up to three tenants with a change or an attempt after the time, the newest first. */
  readonly later: readonly { readonly host: string; readonly at: string }[]
}

/** The reasons against a recovery, a sentence each. */
async function recoveryFaults(
  client: pg.ClientBase,
  { restoredTo, keepsWrites }: RecoveryOptions,
): Promise<string[]> {
  const missing = await pendingMigrations(client)
  if (missing.length > 0) {
    return [
      `The database lacks ${missing.join(', ')}. If it is that of the catalogue: npm run migrate -- --database-url URL.`,
    ]
  }
  const { rows } = await client.query<State>(
    `with change as materialized (
       select t.host, greatest(c.last_at, t.created_at, t.suspended_at,
                (select max(a.started_at) from webhook_attempts a where a.tenant_id = t.id)) as at
         from tenants t left join tenant_clock c on c.tenant_id = t.id)
     select (select rolsuper or rolbypassrls from pg_roles where rolname = current_user) as "seesAll",
            instant_text(clock_timestamp() - interval '1 minute') as now,
            (select count(*)::int from pg_stat_activity where datname = current_database() and usename = 'catalogue_app') as connections,
            (select count(*)::int from tenants) as tenants,
            (select count(*)::int from tenants t where t.status = 'ACTIVE'
                or t.suspended_at > clock_timestamp() - interval '${settingsTtl + 1000} ms') as served,
            (select instant_text(max(recovered_at)) from tenant_epochs where recovered_at > $1) as "recoveredAt",
            (select coalesce(json_agg(l), '[]') from (
               select host, instant_text(at) as at from change where at > $1 order by change.at desc limit 3) l) as later`,
    [restoredTo],
  )
  const [state] = rows
  if (!state?.seesAll) return ["This role does not see all tenants. Give the owner's connection string."]
  const { connections, tenants, served, recoveredAt, later } = state
  if (tenants === 0) return ['The database has no tenant.']
  if (recoveredAt !== null)
    return [
      `The database was recovered at ${recoveredAt}. Continue with the next step. A second recovery requires that it is restored again, to a later time than that.`,
    ]
  if (Date.parse(restoredTo) > Date.parse(state.now))
    return ['--restored-to has to be at least a minute ago.']
  const isQuiet = served === 0
  return [
    ...(connections > 0 && !isQuiet
      ? [
          `A Worker uses this database: catalogue_app has ${amount(connections, 'connection')}. Is it the restored one? If so, set the Worker's DATABASE_URL back, or suspend every tenant and wait a minute.`,
        ]
      : []),
    ...(later.length > 0 && !keepsWrites
      ? [
          `The database changed after ${restoredTo}: ${later.map(({ host, at }) => `${host} at ${at}`).join(', ')}. So it is not the restored one, or clients have written to it since. For the second case there is --keep-later-writes.`,
        ]
      : []),
    ...(keepsWrites && !isQuiet
      ? [`--keep-later-writes requires that every tenant has been suspended for a minute.`]
      : []),
  ]
}

if (import.meta.main) process.exitCode = await recoverCommand.run(process.argv.slice(2), { ...here, ask })

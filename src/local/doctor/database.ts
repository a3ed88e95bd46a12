/** The database itself: reached with the right role, migrated, on time, and with secrets that the Worker can read. */
import type pg from 'pg'
import { secretKeys } from '../../env.ts'
import { keyIdOf } from '../../resources/webhooks/subscriptions/secrets.ts'
import { reasonOf } from '../cli/command.ts'
import { changedCollations, pendingMigrations } from '../migrate.ts'
import { heldByKeys } from '../secret-keys.ts'
import { amount, duration, type Finding, fail, ok, warn } from './configuration.ts'

/** Whether every migration of this tree was applied to it, unchanged, and the functions of this tree last. */
export async function migrationFindings(client: pg.ClientBase): Promise<Finding[]> {
  try {
    const pending = await pendingMigrations(client)
    if (pending.length === 0) return [ok('migrations', 'all that are here, and the functions')]
    const next = 'npm run migrate -- --database-url URL, before the Worker is deployed'
    return [fail('migrations', `${pending.length} are to be applied: ${pending.join(', ')}`, next)]
  } catch (error) {
    return [
      fail(
        'migrations',
        reasonOf(error),
        'Take the commit that the database was migrated with, or a newer one.',
      ),
    ]
  }
}

/** Whether the indexes of titles were built with the collations that the server has now. */
export async function collationFindings(client: pg.ClientBase): Promise<Finding[]> {
  const languages = await changedCollations(client)
  if (languages.length === 0) return [ok('collations', 'those that lists by title were indexed with')]
  const next = 'npm run migrate -- --database-url URL builds their indexes again while the service runs.'
  return [
    fail('collations', `other versions for ${languages.join(', ')}, so lists by title may skip rows`, next),
  ]
}

/** Seconds by which the clocks may differ without a warning. Tokens are accepted with a difference of 5 s. */
const clocks = { warn: 1, fail: 5 }

/** How far the database's clock is from this machine's, the way there and back allowed for. */
export async function clockFindings(client: pg.ClientBase, now = Date.now): Promise<Finding[]> {
  const before = now()
  const { rows } = await client.query<{ ms: number }>(
    'select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms',
  )
  const after = now()
  const difference = ((rows[0]?.ms ?? Number.NaN) - (before + after) / 2) / 1000
  const certain = Math.max(0, Math.abs(difference) - (after - before) / 2000)
  const seen = `the database's is ${Math.abs(difference).toFixed(2)} s ${difference < 0 ? 'behind' : 'ahead of'} this machine's`
  const next = 'See which of both is wrong: timedatectl here, select now() there.'
  if (certain >= clocks.fail) return [fail('clock', seen, next)]
  return [certain >= clocks.warn ? warn('clock', seen, next) : ok('clock', seen)]
}

/** Whether the keys decrypt every stored secret of webhooks. `given` is the value of WEBHOOK_SECRET_KEY. */
export async function secretFindings(client: pg.ClientBase, given: string | undefined): Promise<Finding[]> {
  const check = 'secret key'
  const held = await heldByKeys(client)
  const stored = held.reduce((sum, { secrets }) => sum + secrets, 0)
  if (!given?.trim()) {
    const ids = held.map(({ keyId }) => keyId ?? 'unnamed').join(', ')
    const seen = `WEBHOOK_SECRET_KEY is not given here; ${amount(stored, 'secret')}${ids && ` of ${ids}`}`
    return stored === 0
      ? [ok(check, seen)]
      : [warn(check, seen, 'Set it to what the Worker has, and run again.')]
  }
  const keys = secretKeys.safeParse(given.trim())
  if (!keys.success) {
    const next = 'openssl rand -base64 32 makes one; several are separated by commas, the newest first.'
    return [
      fail(check, 'WEBHOOK_SECRET_KEY is no keys of 32 bytes as base64: the Worker would not start', next),
    ]
  }
  const known = await Promise.all(keys.data.map(keyIdOf))
  const findings = held.flatMap(({ keyId, secrets }) => {
    if (keyId === null) {
      const seen = `${amount(secrets, 'secret')} of before keys had ids`
      return [warn(check, seen, 'npm run keys -- reencrypt names their key.')]
    }
    if (known.includes(keyId)) return []
    const seen = `${amount(secrets, 'secret')} of the key ${keyId}, which is not among ${known.join(', ')}`
    return [
      fail(check, seen, `Give the Worker the key ${keyId} too; where it is lost, these need rotate_secret.`),
    ]
  })
  return findings.length > 0 ? findings : [ok(check, `${amount(stored, 'secret')}, of ${known.join(', ')}`)]
}

/** Waiting, failed and stuck work. Of all active tenants, a finding names the worst. */

type Age = { readonly host: string; readonly seconds: number }

/** Tenants that something waits for, the longest first. */
type Look = {
  readonly check: string
  readonly sql: string
  /** Seconds from which it is a warning, and from which it is a failure. */
  readonly warnAfter: number
  readonly failAfter: number
  readonly what: string
  readonly none: string
  readonly next: string
}

const sinceOldest = (from: string) => `
  select t.host, greatest(0, extract(epoch from now() - oldest.since))::float8 as seconds
    from tenants t cross join lateral (${from}) as oldest
   where t.status = 'ACTIVE' and oldest.since is not null order by seconds desc, t.host`

/** While queues and cron work, an event waits for seconds, and for a minute where a message was lost. */
const looks: readonly Look[] = [
  {
    check: 'waiting events',
    sql: sinceOldest(`select e.occurred_at as since from events e
      where e.tenant_id = t.id and e.fanned_out_at is null order by e.sequence limit 1`),
    warnAfter: 120,
    failAfter: 600,
    what: 'the oldest event has waited for its deliveries',
    none: 'none waits for long',
    next: 'Find cron_failed and consumer_failed in the log. Is the cron there, and are the queues made?',
  },
  {
    check: 'boundaries',
    sql: sinceOldest(`select d.at as since from sale_offer_boundaries b
      cross join lateral boundaries_after(b.tenant_id, b.recorded_at, b.recorded_topic, b.recorded_offer, now(), 1) d where b.tenant_id = t.id`),
    warnAfter: 120,
    failAfter: 900,
    what: 'an offer began or ended without an event',
    none: 'none that began or ended is untold for long',
    next: 'Find cron_failed with the operation boundaries in the log. Is the cron there?',
  },
  {
    // One that waits for its turn behind a failing one may be overdue for longer.
    check: 'waiting deliveries',
    sql: sinceOldest(`select min(first.next_attempt_at) as since from webhook_subscriptions s cross join lateral (
        select d.next_attempt_at from webhook_deliveries d
         where d.tenant_id = t.id and d.subscription_id = s.id and d.status = 'PENDING' and d.next_attempt_at <= now()
         order by d.next_attempt_at limit 1) as first
      where s.tenant_id = t.id and s.status = 'ACTIVE' and s.topic is not null and s.callback_url is not null`),
    warnAfter: 600,
    failAfter: 7200,
    what: 'the most overdue delivery was due',
    none: 'none is overdue for long',
    next: 'Find consumer_failed in the log; the delivery log of the subscription says why its attempts fail.',
  },
  {
    check: 'locales',
    sql: sinceOldest(
      'select min(c.due_at) as since from locale_changes c where c.tenant_id = t.id and c.due_at <= now()',
    ),
    warnAfter: 300,
    failAfter: 3600,
    what: 'a change of a locale has been due',
    none: 'no change of a locale is stuck',
    next: 'npm run tenant -- show TENANT says how far it is; find locale_change_failed in the log.',
  },
  {
    check: 'collections',
    sql: sinceOldest(`select min(r.leased_until) as since from collection_rebuilds r
      where r.tenant_id = t.id and r.leased_until <= now()`),
    warnAfter: 300,
    failAfter: 3600,
    what: 'products were to be sorted by changed rules',
    none: 'none whose products are still to be sorted hangs',
    next: 'Find rebuild_failed in the log; the cron continues it every minute.',
  },
]

/** How long what waits has waited. `client` is connected as the owner, past row security. */
export async function waitingFindings(client: pg.ClientBase): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const look of looks) {
    const { rows } = await client.query<Age>(look.sql)
    findings.push(judged(look, rows))
  }
  return findings
}

function judged(look: Look, ages: readonly Age[]): Finding {
  const [worst] = ages
  if (!worst || worst.seconds < look.warnAfter) {
    const under = worst ? `, ${worst.host} for ${duration(worst.seconds)}` : ''
    return ok(look.check, `${look.none}${under}`)
  }
  const late = ages.filter(({ seconds }) => seconds >= look.warnAfter).length
  const seen = `${look.what} for ${duration(worst.seconds)}: ${worst.host}${late > 1 ? `, and ${amount(late - 1, 'other tenant')}` : ''}`
  return worst.seconds >= look.failAfter
    ? fail(look.check, seen, look.next)
    : warn(look.check, seen, look.next)
}

type Count = { readonly host: string; readonly count: number }

/** Deliveries that FAILED since yesterday, and subscriptions that were disabled because of failures. */
export async function givenUpFindings(client: pg.ClientBase): Promise<Finding[]> {
  const failed = await client.query<Count>(`
    select t.host, count(*)::int as count from webhook_deliveries d join tenants t on t.id = d.tenant_id
     where d.status = 'FAILED' and d.completed_at > now() - interval '1 day' group by t.host order by count desc, t.host`)
  const disabled = await client.query<Count>(`
    select t.host, count(*)::int as count from webhook_subscriptions s join tenants t on t.id = s.tenant_id
     where s.status = 'DISABLED' group by t.host order by count desc, t.host`)
  return [
    counted('given up', failed.rows, 'delivery failed', 'deliveries failed', {
      none: 'no delivery in a day',
      next: 'Find delivery_given_up in the log; the subscriber can retry or replay it.',
    }),
    counted('disabled', disabled.rows, 'subscription is disabled', 'subscriptions are disabled', {
      none: 'no subscription',
      next: 'Inform the subscriber: status ACTIVE resumes it, and replay sends what it missed.',
    }),
  ]
}

function counted(
  check: string,
  rows: readonly Count[],
  one: string,
  several: string,
  { none, next }: { readonly none: string; readonly next: string },
): Finding {
  const [worst] = rows
  if (!worst) return ok(check, none)
  const total = rows.reduce((sum, { count }) => sum + count, 0)
  const most =
    rows.length > 1 ? `${worst.count} of ${worst.host}, ${amount(rows.length, 'tenant')} in all` : worst.host
  return warn(check, `${total} ${total === 1 ? one : several}: ${most}`, next)
}

/** Waiting, failed and stuck work. Of all active tenants, a finding names the worst. */
import type pg from 'pg'
import { amount, duration, type Finding, fail, ok, warn } from './finding.ts'

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

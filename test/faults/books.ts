import { owner } from '../support/ledger.ts'
import type { Shop } from '../support/shop.ts'

type Event = {
  readonly id: string
  readonly sequence: number
  readonly topic: string
  readonly resource: string
  readonly version: number
  readonly isFannedOut: boolean
  /** The written rows of the change, as one text. */
  readonly written: string
}

export type Delivery = {
  readonly id: string
  readonly eventId: string
  readonly subscriptionId: string
  readonly sequence: number
  readonly resource: string
  readonly version: number
  readonly status: 'PENDING' | 'DELIVERED' | 'FAILED'
  readonly subscriptionStatus: string
  readonly payloadVersion: string
  readonly locale: string
  readonly attempts: number
  /** Every attempt's number and beginning, in milliseconds. */
  readonly log: readonly { readonly number: number; readonly at: number; readonly error: string | null }[]
}

export type Books = {
  readonly events: readonly Event[]
  readonly deliveries: readonly Delivery[]
  /** Events and subscriptions that belong together, by topic and by who was first, as the tables say it. */
  readonly due: readonly {
    readonly eventId: string
    readonly subscriptionId: string
    readonly status: string
  }[]
}

/** The database's rows of a tenant's events and deliveries, read past every policy. */
export async function booksOf({ tenant }: Shop): Promise<Books> {
  return owner(async (client) => {
    const all = async <Row>(query: string) => (await client.query(query, [tenant.id])).rows as Row[]
    return {
      events: await all<Event>(`
        select id, sequence::float8, topic, resource_id as resource, resource_version as version,
               fanned_out_at is not null as "isFannedOut",
               coalesce((select string_agg(c ->> 'after', ' ') from jsonb_array_elements(changes) c), '') as written
          from events where tenant_id = $1 order by sequence`),
      deliveries: await all<Delivery>(`
        select d.id, event_id as "eventId", subscription_id as "subscriptionId", event_sequence::float8 as sequence,
               resource_id as resource, resource_version as version, d.status, s.status as "subscriptionStatus",
               d.payload_version as "payloadVersion", d.locale, attempts,
               coalesce((select jsonb_agg(jsonb_build_object('number', number, 'error', error,
                                          'at', extract(epoch from started_at) * 1000) order by number)
                           from webhook_attempts a where a.tenant_id = $1 and a.delivery_id = d.id), '[]') as log
          from webhook_deliveries d join webhook_subscriptions s on s.tenant_id = $1 and s.id = d.subscription_id
         where d.tenant_id = $1 order by event_sequence`),
      due: await all<Books['due'][number]>(`
        select e.id as "eventId", s.id as "subscriptionId", s.status
          from webhook_subscriptions s join events e on e.tenant_id = $1 and e.occurred_at > s.created_at
         where s.tenant_id = $1 and e.topic like replace(s.topic, '*', '%')`),
    }
  })
}

/** The number of events, deliveries, bulk operations and rebuilds of prices that are still waiting. */
export async function pending({ tenant }: Shop): Promise<number> {
  return owner(async (client) => {
    const { rows } = await client.query<{ left: number }>(
      `select (select count(*) from events where tenant_id = $1 and fanned_out_at is null)::int
            + (select count(*) from webhook_deliveries d join webhook_subscriptions s on s.tenant_id = $1 and s.id = d.subscription_id
                where d.tenant_id = $1 and d.status = 'PENDING' and s.status = 'ACTIVE')::int
            + (select count(*) from price_rebuilds where tenant_id = $1)::int
            + (select count(*) from bulk_operations where tenant_id = $1 and finished_at is null)::int
            + (${untold('true')})::int as left`,
      [tenant.id],
    )
    return rows[0]!.left
  })
}

/** How many boundaries up to a moment are no events. */
export async function untoldAt({ tenant }: Shop, now: number): Promise<number> {
  return owner(async (client) => {
    const { rows } = await client.query<{ left: number }>(`select (${untold('b.at <= $2')})::int as left`, [
      tenant.id,
      new Date(now).toISOString(),
    ])
    return rows[0]!.left
  })
}

/** Starts and ends of recorded terms, under a condition, without an event. */
function untold(condition: string): string {
  return `select count(*) from sale_offer_terms t
    cross join lateral (values (t.valid_until, 'sale_offer/ended'), (t.valid_from, 'sale_offer/started')) as b(at, topic)
    where t.tenant_id = $1 and t.status = 'ACTIVE' and b.at > t.known_from and b.at <= t.known_until and ${condition}
      and not exists (select from events e where e.tenant_id = $1 and e.resource_id = t.sale_offer_id and e.topic = b.topic
                       and e.effective_at = b.at)`
}

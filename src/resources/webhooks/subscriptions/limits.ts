/** How many subscriptions there may be: counted under a lock of the tenant's, so that no two writers both take the last place. */
import { sql } from 'drizzle-orm'
import type { Tenant } from '../../../core/context.ts'
import { type Statement, statement } from '../../../db/client.ts'
import { webhookProblems } from './problems.ts'

const limit = 'limit'
const hostLimit = 'host_limit'

/** Lets one writer of the tenant's count at a time; what was committed before it is counted. */
export const lockCount: Statement = statement(
  sql`select pg_advisory_xact_lock(hashtextextended('webhook_subscriptions:' || current_tenant(), 0))`,
)

type Limits = Tenant['limits']

/** Refuses the batch when a new subscription would be one too many. */
export function demandRoom({ webhookSubscriptions }: Limits): Statement {
  return statement(sql`select reject('PC409', ${limit}) where ${webhookSubscriptions}::int <=
  (select count(*) from webhook_subscriptions where tenant_id = current_tenant())`)
}

/** Refuses the batch when a host would get one too many, beside those of `id` itself. */
export function roomAtHost(
  { webhookSubscriptionsPerHost }: Limits,
  host: string | null,
  id: string,
): Statement[] {
  if (host === null) return []
  return [
    statement(sql`select reject('PC409', ${hostLimit}) where ${webhookSubscriptionsPerHost}::int <=
    (select count(*) from webhook_subscriptions
      where tenant_id = current_tenant() and callback_host = ${host} and id <> ${id}::uuid)`),
  ]
}

/** What the refusals of both mean. */
export function limitRefusals(
  { webhookSubscriptions, webhookSubscriptionsPerHost }: Limits,
  host: string | null,
): Readonly<Record<string, Error>> {
  const all = { maximum: webhookSubscriptions }
  const atHost = { host: host ?? '', maximum: webhookSubscriptionsPerHost }
  return {
    [limit]: webhookProblems.limit(all, { violations: [webhookProblems.limit.at('', all)] }),
    [hostLimit]: webhookProblems.host_limit(atHost, {
      violations: [webhookProblems.host_limit.at('callbackUrl', atHost)],
    }),
  }
}

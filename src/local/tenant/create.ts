import type pg from 'pg'
import { uuidv7 } from 'uuidv7'
import { currentVersion } from '../../versions/index.ts'
import { Failure } from '../cli/command.ts'
import type { CreateValues } from './options.ts'
import { findTenant, type StoredTenant, takenHosts, transaction } from './stored.ts'

/** Makes a tenant. @throws Failure where a host is another's */
export async function createTenant(
  client: pg.ClientBase,
  values: Omit<CreateValues, 'jwks' | 'database-url' | 'json'> & {
    readonly issuer: string
    readonly jwks?: object | undefined
  },
): Promise<StoredTenant> {
  const [host = '', ...others] = values.host
  const id = uuidv7()
  const taken = await takenHosts(client, values.host, null)
  if (taken.length > 0) throw new Failure(taken.join('\n'))
  await transaction(client, id, async () => {
    await client.query(
      `insert into tenants (id, host, name, locales, default_api_version, issuer, audience, jwks, jwks_uri, algorithms, token_profile)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
      [
        id,
        host,
        values.name ?? host,
        values.locale,
        values['default-version'] ?? currentVersion,
        values.issuer,
        values.audience ?? `https://${host}/api`,
        values.jwks ? JSON.stringify(values.jwks) : null,
        values['jwks-uri'] ?? null,
        values.algorithm ?? ['ES256'],
        values.profile ?? 'rfc9068',
      ],
    )
    await client.query(
      `update tenants set webhook_subscriptions_limit = coalesce($2, webhook_subscriptions_limit),
                          webhook_host_limit = coalesce($3, webhook_host_limit),
                          prior_price_days = coalesce($4, prior_price_days),
                          time_zone = coalesce($5, time_zone),
                          image_hosts = coalesce($6, image_hosts) where id = $1`,
      [
        id,
        values.subscriptions ?? null,
        values['subscriptions-per-host'] ?? null,
        values['prior-price-days'] ?? null,
        values['time-zone'] ?? null,
        values['image-host'] ?? null,
      ],
    )
    await client.query('insert into tenant_hosts (tenant_id, host) select $1, unnest($2::text[])', [
      id,
      others,
    ])
    await client.query('insert into tenant_clock (tenant_id) values ($1)', [id])
  })
  return findTenant(client, id)
}

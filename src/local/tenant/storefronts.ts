/** Storefront hosts of a tenant, and their publishable keys. */
import { createHash, randomBytes } from 'node:crypto'
import type pg from 'pg'
import { Failure } from '../cli/command.ts'
import { demandNotRemoving, findTenant, type StoredTenant } from './stored.ts'

/** Seconds for which shared caches store a response, unless the operator chooses others. */
const usualMaxAge = 60

/** The maximum number of keys of a host: the one that shops use, and those that replace it. */
const maximumKeys = 5

/** The hash of a key, as the Worker computes it. */
const digestOf = (key: string) => createHash('sha256').update(key).digest('hex')

/** Creates a storefront host, or another key of an existing one. The key is returned only here. @throws Failure */
export async function addStorefront(
  client: pg.ClientBase,
  tenant: StoredTenant,
  host: string,
  maxAge: number | undefined,
): Promise<{ tenant: StoredTenant; key: string }> {
  demandNotRemoving(tenant)
  const key = `pk_${randomBytes(24).toString('base64url')}`
  const { rowCount } = await client.query(
    `insert into tenant_hosts as h (tenant_id, host, storefront)
     values ($1, $2, jsonb_build_object('keys', jsonb_build_array($3::text), 'maxAge', coalesce($4::int, ${usualMaxAge})))
     on conflict (host) do update
       set storefront = jsonb_build_object('keys', (h.storefront -> 'keys') || to_jsonb($3::text),
                                           'maxAge', coalesce($4::int, (h.storefront ->> 'maxAge')::int))
     where h.tenant_id = $1 and jsonb_array_length(h.storefront -> 'keys') < ${maximumKeys}`,
    [tenant.id, host, digestOf(key), maxAge],
  )
  if (rowCount === 0)
    throw new Failure(
      `${host} is a host of another tenant, one of the tenant's own hosts, or a storefront host with ${maximumKeys} keys.`,
    )
  return { tenant: await findTenant(client, tenant.id), key }
}

/** Revokes a key of a storefront host, or removes the host with all of its keys. @throws Failure */
export async function revokeStorefront(
  client: pg.ClientBase,
  tenant: StoredTenant,
  host: string,
  key: string | undefined,
): Promise<StoredTenant> {
  const digest = key === undefined ? null : digestOf(key)
  const { rowCount } =
    digest === null
      ? await client.query(
          'delete from tenant_hosts where tenant_id = $1 and host = $2 and storefront is not null',
          [tenant.id, host],
        )
      : await client.query(
          `update tenant_hosts set storefront = jsonb_set(storefront, '{keys}', (storefront -> 'keys') - $3::text)
            where tenant_id = $1 and host = $2 and storefront -> 'keys' ? $3`,
          [tenant.id, host, digest],
        )
  if (rowCount === 0)
    throw new Failure(
      `${host} is no storefront host of ${tenant.host}${key === undefined ? '' : ' with this key'}. All of them: npm run tenant -- show ${tenant.host}`,
    )
  return findTenant(client, tenant.id)
}

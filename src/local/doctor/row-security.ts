/** Row security: in the catalogue of Postgres, and in the rows that the Worker's role can read. */
import type pg from 'pg'
import { amount, type Finding, fail, orOk } from './finding.ts'

type Table = {
  readonly name: string
  readonly isOn: boolean
  readonly isForced: boolean
  /** The conditions of its policies. */
  readonly policies: readonly string[]
}

/** The only table whose row security is not forced. Its owner is a role without a login (migrations/0001_schema.sql). */
const notForced = 'product_search'
/** Tables of a tenant that the Worker's role has no right on. */
const settings = ['tenant_hosts', 'revoked_tokens']
const policy = '(tenant_id = current_tenant())'

const tables = `
  select c.relname as name, c.relrowsecurity as "isOn", c.relforcerowsecurity as "isForced",
         array(select pg_get_expr(p.polqual, p.polrelid) from pg_policy p where p.polrelid = c.oid and p.polpermissive
               union all
               select pg_get_expr(p.polwithcheck, p.polrelid) from pg_policy p where p.polrelid = c.oid and p.polpermissive) as policies
    from pg_class c
   where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
     and exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped)
     and c.relname <> all ($1)
   order by 1`

/** Whether every table of a tenant is behind its policy. `client` is connected as the owner. */
export async function policyFindings(client: pg.ClientBase): Promise<Finding[]> {
  const { rows } = await client.query<Table>(tables, [settings])
  const faults = rows.flatMap(({ name, isOn, isForced, policies }) => {
    const enable = `alter table ${name} enable row level security;`
    const force = `alter table ${name} force row level security;`
    const replace = `Drop the policies of ${name}, and: create policy tenant on ${name} using ${policy} with check ${policy};`
    if (!isOn) return [fail('row security', `it is off for ${name}`, enable)]
    if (!isForced && name !== notForced) return [fail('row security', `it is not forced for ${name}`, force)]
    if (policies.length === 2 && policies.every((each) => each === policy)) return []
    const has = policies.length === 0 ? 'no policy' : `other policies: ${policies.join(', ')}`
    return [fail('row security', `${name} has ${has}`, replace)]
  })
  return orOk('row security', faults, `${amount(rows.length, 'table')} behind it, by the tenant of each row`)
}

/** Of how many tenants is looked whether one sees another's rows. */
const mostTenants = 20

/**
 * The rows that the Worker's role sees: none without a tenant, and as one tenant none of another's. `worker` is connected as that role, in
 * a transaction; `owner` lists the tenants and tables.
 */
export async function outsideFindings(worker: pg.ClientBase, owner: pg.ClientBase): Promise<Finding[]> {
  const { rows: found } = await owner.query<Table>(tables, [settings])
  const { rows: tenants } = await owner.query<{ id: string; host: string }>(
    'select id, host from tenants order by created_at desc, id limit $1',
    [mostTenants],
  )
  const { rows: readable } = await worker.query<{ name: string }>(
    `select name from unnest($1::text[]) as name where has_table_privilege(name, 'select')`,
    [found.map(({ name }) => name)],
  )
  const names = readable.map(({ name }) => name)
  const findings: Finding[] = []
  const next = 'Stop the Worker, and correct the policies of the tables: it can read every tenant.'
  const without = await visible(worker, names, null)
  if (without.length > 0)
    findings.push(
      fail('seen from outside', `without a tenant rows of ${without.join(', ')} are visible`, next),
    )
  for (const { id, host } of tenants) {
    const others = await visible(worker, names, id)
    if (others.length === 0) continue
    findings.push(fail('seen from outside', `${host} sees others' rows of ${others.join(', ')}`, next))
    break
  }
  const seen = `nothing of ${amount(names.length, 'table')} without a tenant, nothing of others as ${amount(tenants.length, 'tenant')}`
  return orOk('seen from outside', findings, seen)
}

/** Tables of which the Worker's role sees a row that is not the tenant's. */
async function visible(
  worker: pg.ClientBase,
  names: readonly string[],
  tenant: string | null,
): Promise<string[]> {
  if (names.length === 0) return []
  await worker.query(`select set_config('app.tenant', $1, true)`, [tenant ?? ''])
  const each = names.map(
    (name) =>
      `select '${name}' as name where exists (select from "${name}"${tenant === null ? '' : ' where tenant_id <> $1'})`,
  )
  const { rows } = await worker.query<{ name: string }>(
    each.join(' union all '),
    tenant === null ? [] : [tenant],
  )
  return rows.map(({ name }) => name)
}

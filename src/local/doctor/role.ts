/** Rights of the Worker's role: exactly those that the service needs. */
import type pg from 'pg'
import { type Check, fail, type Problem } from '../cli/checks.ts'
import { amount } from '../cli/output.ts'
import { orOk } from './configuration.ts'

const role = 'catalogue_app'

/** Functions of the schema that are the owner's alone. */
export const ownersFunctions = [
  'protect',
  'refresh_all_parts',
  'keep_changed_titles',
  'keep_titles',
  'remove_titles',
  'titles_of',
  'settings_of',
  'expect_boundary',
]

/** Tables that the Worker reads, and the database alone writes. */
const readAlone = ['sale_offer_terms', 'tenant_epochs', 'titles']

/** Tables that the Worker sees only through functions. */
const behindFunctions = [
  'tenants',
  'tenant_hosts',
  'revoked_tokens',
  'schema_migrations',
  'title_collations',
  'product_search',
]

type Owner = {
  /** Connected as the owner, past row security. */
  readonly owner: pg.ClientBase
}

const login = 'npm run migrate -- --database-url URL --app-password PASSWORD'

/** The checks of the Worker's role, and of row security. */
export const roleChecks: readonly Check<Owner>[] = [
  { name: 'role', advice: login, run: ({ owner }) => attributeProblems(owner) },
  {
    name: 'rights',
    advice: 'npm run migrate grants what is missing.',
    run: async ({ owner }) =>
      orOk(
        [...(await rightProblems(owner)), ...(await temporaryProblems(owner))],
        'it may do what the service asks, and no more',
      ),
  },
  {
    name: 'definers',
    advice: 'alter function … set search_path = pg_catalog, public, pg_temp;',
    run: ({ owner }) => definerProblems(owner),
  },
  {
    name: 'row security',
    advice: 'Apply the migrations again to an empty database, and compare its policies.',
    run: ({ owner }) => policyProblems(owner),
  },
]

type Attributes = {
  readonly logsIn: boolean
  /** Attributes that it must not have, as ALTER ROLE names them. */
  readonly powers: readonly string[]
  readonly memberOf: readonly string[]
  readonly owned: number
}

const attributes = `
  select r.rolcanlogin as "logsIn",
         array_remove(array[case when r.rolsuper then 'SUPERUSER' end, case when r.rolbypassrls then 'BYPASSRLS' end,
           case when r.rolcreaterole then 'CREATEROLE' end, case when r.rolcreatedb then 'CREATEDB' end,
           case when r.rolreplication then 'REPLICATION' end], null) as powers,
         array(select m.roleid::regrole::text from pg_auth_members m where m.member = r.oid order by 1) as "memberOf",
         (select count(*)::int from pg_shdepend d
           where d.refclassid = 'pg_authid'::regclass and d.refobjid = r.oid and d.deptype = 'o') as owned
    from pg_roles r where r.rolname = $1`

async function attributeProblems(client: pg.ClientBase) {
  const { rows } = await client.query<Attributes>(attributes, [role])
  const [found] = rows
  if (!found) return [fail(`there is no role ${role}`)]
  const { logsIn, powers, memberOf, owned } = found
  const problems = [
    ...powers.map((power) => fail(`${role} has ${power}`, `alter role ${role} no${power};`)),
    ...memberOf.map((other) => fail(`${role} has the rights of ${other}`, `revoke ${other} from ${role};`)),
  ]
  if (owned > 0) {
    const next = `reassign owned by ${role} to current_user; in each database that it owns something in.`
    problems.push(fail(`${role} owns ${owned} objects: row security is no wall for an owner`, next))
  }
  if (!logsIn) problems.push(fail(`${role} cannot log in`))
  return orOk(problems, `${role} logs in, owns nothing, and is under row security`)
}

type Right = { readonly what: string; readonly right: string; readonly is: boolean; readonly must: boolean }

/** Each right that the role must have and has not, or has and must not have. */
const rights = `
  -- Materialized, so that a toast table is never asked for the rights of a sequence.
  with sequences as materialized (select oid from pg_class where relnamespace = 'public'::regnamespace and relkind = 'S')
  select what, "right", "is", must from (
    select 'schema public' as what, 'usage' as "right", has_schema_privilege($1, 'public', 'usage') as "is", true as must
    union all
    select 'schema public', 'create', has_schema_privilege($1, 'public', 'create'), false
    union all
    select p.oid::regprocedure::text, 'execute', has_function_privilege($1, p.oid, 'execute'), p.proname <> all ($2)
      from pg_proc p
     where p.pronamespace = 'public'::regnamespace and p.prorettype <> 'trigger'::regtype
       and (p.proname <> all ($2) or p.proname = 'settings_of')
       and not exists (select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')
    union all
    select c.oid::regclass::text, r.name, has_table_privilege($1, c.oid, r.name), case
             when c.relname = any ($4) then r.name = 'select'
             when c.relforcerowsecurity then true
             when c.relname = 'resource_kinds' then r.name = 'select'
             else false end
      from pg_class c cross join unnest(array['select', 'insert', 'update', 'delete']) as r (name)
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
       and (c.relforcerowsecurity or c.relname = 'resource_kinds' or c.relname = any ($3))
    union all
    select s.oid::regclass::text, 'usage', has_sequence_privilege($1, s.oid, 'usage'), true from sequences s
  ) as r where "is" <> must order by must desc, what, "right"`

async function rightProblems(client: pg.ClientBase): Promise<Problem[]> {
  const { rows } = await client.query<Right>(rights, [role, ownersFunctions, behindFunctions, readAlone])
  const grouped = Map.groupBy(rows, ({ what, must }) => `${must ? 'lacks' : 'has'} ${what}`)
  return [...grouped.values()].flatMap((some) => {
    const [first] = some
    if (!first) return []
    const names = some.map(({ right }) => right).join(', ')
    const on = first.what.includes('(') ? `function ${first.what}` : first.what
    if (first.must) return [fail(`${role} lacks ${names} on ${on}`, `grant ${names} on ${on} to ${role};`)]
    const seen = `${role} has ${names} on ${on}, and needs functions alone`
    return [fail(seen, `revoke ${names} on ${on} from ${role};`)]
  })
}

/** Whether the role may create temporary tables, which Postgres searches first in a function that does not list pg_temp. */
async function temporaryProblems(client: pg.ClientBase): Promise<Problem[]> {
  const { rows } = await client.query<{ database: string }>(
    `select format('%I', current_database()) as database where has_database_privilege($1, current_database(), 'temporary')`,
    [role],
  )
  return rows.map(({ database }) => {
    const next = `As the database's owner: revoke temporary on database ${database} from public, ${role};`
    return fail(`${role} may create temporary tables in ${database}`, next)
  })
}

/** Functions that run with their owner's rights and do not search temporary tables last. */
async function definerProblems(client: pg.ClientBase) {
  const { rows } = await client.query<{ definer: string; isSafe: boolean }>(
    `select p.oid::regprocedure::text as definer,
            exists (select from unnest(p.proconfig) as setting where setting ~ '^search_path=([^,]+, *)*pg_temp$') as "isSafe"
       from pg_proc p
      where p.prosecdef and p.pronamespace = 'public'::regnamespace
        and not exists (select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')
      order by 1`,
  )
  const problems = rows.flatMap(({ definer, isSafe }) => {
    const next = `alter function ${definer} set search_path = pg_catalog, public, pg_temp;`
    return isSafe ? [] : [fail(`${definer} runs as its owner and does not search pg_temp last`, next)]
  })
  return orOk(problems, `${amount(rows.length, 'function')} of the owner search pg_temp last`)
}

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

async function policyProblems(client: pg.ClientBase) {
  const { rows } = await client.query<Table>(tables, [settings])
  const problems = rows.flatMap(({ name, isOn, isForced, policies }) => {
    if (!isOn) return [fail(`it is off for ${name}`, `alter table ${name} enable row level security;`)]
    if (!isForced && name !== notForced)
      return [fail(`it is not forced for ${name}`, `alter table ${name} force row level security;`)]
    if (policies.length === 2 && policies.every((each) => each === policy)) return []
    const has = policies.length === 0 ? 'no policy' : `other policies: ${policies.join(', ')}`
    const next = `Drop the policies of ${name}, and: create policy tenant on ${name} using ${policy} with check ${policy};`
    return [fail(`${name} has ${has}`, next)]
  })
  return orOk(problems, `${amount(rows.length, 'table')} behind it, by the tenant of each row`)
}

/** The number of tenants for which the check looks for rows of others. */
const mostTenants = 20

/**
 * The rows that the Worker's role sees: none without a tenant, and as one tenant none of another's. `worker` is connected as that role, in
 * a transaction; `owner` lists the tenants and tables.
 */
export async function visibleRows(worker: pg.ClientBase, owner: pg.ClientBase) {
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
  const problems: Problem[] = []
  const next = 'Stop the Worker, and correct the policies of the tables: it can read every tenant.'
  const without = await visible(worker, names, null)
  if (without.length > 0)
    problems.push(fail(`without a tenant rows of ${without.join(', ')} are visible`, next))
  for (const { id, host } of tenants) {
    const others = await visible(worker, names, id)
    if (others.length === 0) continue
    problems.push(fail(`${host} sees others' rows of ${others.join(', ')}`, next))
    break
  }
  const seen = `nothing of ${amount(names.length, 'table')} without a tenant, nothing of others as ${amount(tenants.length, 'tenant')}`
  return orOk(problems, seen)
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

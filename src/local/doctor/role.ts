/** Rights of the Worker's role: exactly those that the service needs. */
import type pg from 'pg'
import { amount, type Finding, fail, orOk } from './finding.ts'

const role = 'catalogue_app'

/** Functions of the schema that are the owner's alone. */
export const ownersFunctions = [
  'protect',
  'refresh_all_parts',
  'settings_of',
  'record_changed_terms',
  'expect_boundary',
]

/** Tables that the Worker reads, and the database alone writes. */
const readAlone = ['sale_offer_terms']

/** Tables that the Worker sees only through functions. */
const behindFunctions = ['tenants', 'tenant_hosts', 'revoked_tokens', 'schema_migrations', 'product_search']

/** The attributes and rights of the Worker's role. `client` is connected as the owner. */
export async function roleFindings(client: pg.ClientBase): Promise<Finding[]> {
  const { rows } = await client.query<Attributes>(attributes, [role])
  const [found] = rows
  if (!found) {
    const next = 'npm run migrate -- --database-url URL --app-password PASSWORD'
    return [fail('role', `there is no role ${role}`, next)]
  }
  return [
    ...orOk('role', attributeFindings(found), `${role} logs in, owns nothing, and is under row security`),
    ...orOk(
      'rights',
      [...(await rightFindings(client)), ...(await temporaryFindings(client))],
      'it may do what the service asks, and no more',
    ),
    ...(await definerFindings(client)),
  ]
}

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

function attributeFindings({ logsIn, powers, memberOf, owned }: Attributes): Finding[] {
  const findings = powers.map((power) =>
    fail('role', `${role} has ${power}`, `alter role ${role} no${power};`),
  )
  for (const other of memberOf)
    findings.push(fail('role', `${role} has the rights of ${other}`, `revoke ${other} from ${role};`))
  if (owned > 0) {
    const next = `reassign owned by ${role} to current_user; in each database that it owns something in.`
    findings.push(fail('role', `${role} owns ${owned} objects: row security is no wall for an owner`, next))
  }
  if (!logsIn) {
    const next = 'npm run migrate -- --database-url URL --app-password PASSWORD'
    findings.push(fail('role', `${role} cannot log in`, next))
  }
  return findings
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

async function rightFindings(client: pg.ClientBase): Promise<Finding[]> {
  const { rows } = await client.query<Right>(rights, [role, ownersFunctions, behindFunctions, readAlone])
  const grouped = Map.groupBy(rows, ({ what, must }) => `${must ? 'lacks' : 'has'} ${what}`)
  return [...grouped.values()].flatMap((some) => {
    const [first] = some
    if (!first) return []
    const names = some.map(({ right }) => right).join(', ')
    const on = first.what.includes('(') ? `function ${first.what}` : first.what
    return first.must
      ? [fail('rights', `${role} lacks ${names} on ${on}`, `grant ${names} on ${on} to ${role};`)]
      : [
          fail(
            'rights',
            `${role} has ${names} on ${on}, and needs functions alone`,
            `revoke ${names} on ${on} from ${role};`,
          ),
        ]
  })
}

/** Whether the role may create temporary tables, which Postgres searches first in a function that does not list pg_temp. */
async function temporaryFindings(client: pg.ClientBase): Promise<Finding[]> {
  const { rows } = await client.query<{ database: string }>(
    `select format('%I', current_database()) as database where has_database_privilege($1, current_database(), 'temporary')`,
    [role],
  )
  return rows.map(({ database }) => {
    const next = `As the database's owner: revoke temporary on database ${database} from public, ${role};`
    return fail('rights', `${role} may create temporary tables in ${database}`, next)
  })
}

/** Functions that run with their owner's rights and do not search temporary tables last. */
async function definerFindings(client: pg.ClientBase): Promise<Finding[]> {
  const { rows } = await client.query<{ definer: string; isSafe: boolean }>(
    `select p.oid::regprocedure::text as definer,
            exists (select from unnest(p.proconfig) as setting where setting ~ '^search_path=([^,]+, *)*pg_temp$') as "isSafe"
       from pg_proc p
      where p.prosecdef and p.pronamespace = 'public'::regnamespace
        and not exists (select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')
      order by 1`,
  )
  const findings = rows.flatMap(({ definer, isSafe }) => {
    const next = `alter function ${definer} set search_path = pg_catalog, public, pg_temp;`
    return isSafe
      ? []
      : [fail('definers', `${definer} runs as its owner and does not search pg_temp last`, next)]
  })
  return orOk('definers', findings, `${amount(rows.length, 'function')} of the owner search pg_temp last`)
}

import { beforeAll, describe, expect, inject, test } from 'vitest'
import { connected } from '../support/database.ts'
import { owner } from '../support/ledger.ts'
import { openShop, type Shop } from '../support/shop.ts'

/**
 * Tables with tenants' settings. tenant_by_host() reads them before the tenant is identified, so no policy could
 * let it see them; the Worker's role has no right to them at all.
 */
const settings = ['revoked_tokens', 'tenant_hosts']

/**
 * The one table whose row security is not forced: full text and trigrams get no index under a policy. It belongs to a role
 * of its own, and the Worker's role reaches it through two functions alone.
 */
const unforced = ['product_search']

let shop: Shop
beforeAll(async () => {
  shop = await openShop()
  await shop.create('/api/products', { title: 'Shirt' })
})

/** The one text column of what the owner is shown. */
function asked(query: string, ...values: unknown[]): Promise<string[]> {
  return owner(async (client) => {
    const { rows } = await client.query({ text: query, values, rowMode: 'array' })
    return rows.map(([text]) => String(text))
  })
}

/** Runs a query as the Worker's role. */
async function asWorker(query: string, tenant?: string): Promise<unknown[][]> {
  return connected(inject('appUrl'), async (client) => {
    if (tenant) await client.query("select set_config('app.tenant', $1, false)", [tenant])
    return (await client.query({ text: query, rowMode: 'array' })).rows
  })
}

/** The tables of the schema that have a tenant_id, and are not settings. */
const tenantTables = `
  select c.oid, c.relname from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id'
   where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and c.relname <> all ($1)`

test('every table of tenants except searches has row security, enabled and forced, by one policy', async () => {
  expect((await asked(`select relname from (${tenantTables}) t`, settings)).length).toBeGreaterThan(10)
  const wrong = await asked(
    `with t as (${tenantTables})
     select t.relname from t join pg_class c on c.oid = t.oid
      where not c.relrowsecurity or c.relforcerowsecurity = (t.relname = any ($2))
         or 1 <> (select count(*) from pg_policy p where p.polrelid = t.oid)
         or not exists (select from pg_policy p where p.polrelid = t.oid and p.polname = 'tenant' and p.polcmd = '*'
              and p.polpermissive and p.polroles = '{0}'
              and pg_get_expr(p.polqual, p.polrelid) = '(tenant_id = current_tenant())'
              and pg_get_expr(p.polwithcheck, p.polrelid) = '(tenant_id = current_tenant())')`,
    settings,
    unforced,
  )
  expect(wrong).toEqual([])
})

test('every tenant_id is mandatory', async () => {
  expect(
    await asked(`select attrelid::regclass from pg_attribute a join pg_class c on c.oid = a.attrelid
      where attname = 'tenant_id' and c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not attnotnull`),
  ).toEqual([])
})

/** A host is one tenant's, of all. */
test('every primary key and unique index of a table of tenants but that of hosts leads with tenant_id', async () => {
  const wrong = await asked(
    `with t as (${tenantTables})
     select i.indexrelid::regclass from t join pg_index i on i.indrelid = t.oid
       left join pg_attribute a on a.attrelid = t.oid and a.attnum = i.indkey[0]
      where i.indisunique and a.attname is distinct from 'tenant_id'`,
    [],
  )
  expect(wrong).toEqual(['tenant_hosts_host'])
})

test('every foreign key between tables of tenants leads with tenant_id on both sides', async () => {
  const wrong = await asked(
    `with t as (${tenantTables})
     select format('%s of %s', k.conname, k.conrelid::regclass)
       from pg_constraint k join t on t.oid = k.conrelid join t as far on far.oid = k.confrelid
       join pg_attribute a on a.attrelid = k.conrelid and a.attnum = k.conkey[1]
       join pg_attribute b on b.attrelid = k.confrelid and b.attnum = k.confkey[1]
      where k.contype = 'f' and (a.attname <> 'tenant_id' or b.attname <> 'tenant_id')`,
    [],
  )
  expect(wrong).toEqual([])
})

test('the foreign keys that leave the tables of tenants go to tenants by tenant_id, or to the list of kinds', async () => {
  const wrong = await asked(
    `with t as (${tenantTables})
     select format('%s of %s', k.conname, k.conrelid::regclass) from pg_constraint k join t on t.oid = k.conrelid
       join pg_attribute a on a.attrelid = k.conrelid and a.attnum = k.conkey[1]
      where k.contype = 'f' and k.confrelid not in (select oid from t) and k.confrelid <> 'resource_kinds'::regclass
        and not (k.confrelid = 'tenants'::regclass and a.attname = 'tenant_id' and cardinality(k.conkey) = 1)`,
    [],
  )
  expect(wrong).toEqual([])
})

test("the Worker's role owns nothing, belongs to no role and cannot pass row security", async () => {
  expect(
    await asked(`select rolname from pg_roles where rolname = 'catalogue_app'
      and not rolsuper and not rolbypassrls and not rolcreaterole and not rolcreatedb and not rolreplication`),
  ).toEqual(['catalogue_app'])
  expect(
    await asked(`select 'a role' from pg_auth_members where member = 'catalogue_app'::regrole
      union all select c.relname from pg_class c where relowner = 'catalogue_app'::regrole
      union all select p.proname from pg_proc p where proowner = 'catalogue_app'::regrole
      union all select n.nspname from pg_namespace n where nspowner = 'catalogue_app'::regrole
      union all select t.typname from pg_type t where typowner = 'catalogue_app'::regrole
      union all select d.datname from pg_database d where datdba = 'catalogue_app'::regrole`),
  ).toEqual([])
})

test("the Worker's role has no right to the tenants' settings, and creates nothing", async () => {
  for (const table of ['tenants', ...settings]) {
    await expect(asWorker(`select 1 from ${table}`), table).rejects.toMatchObject({ code: '42501' })
    await expect(asWorker(`delete from ${table}`), table).rejects.toMatchObject({ code: '42501' })
  }
  await expect(asWorker('create table own (id int)')).rejects.toMatchObject({ code: '42501' })
  await expect(asWorker('truncate products')).rejects.toMatchObject({ code: '42501' })
  await expect(asWorker('alter table products disable row level security')).rejects.toMatchObject({
    code: '42501',
  })
  await expect(asWorker("insert into resource_kinds values ('tenants', 999)")).rejects.toMatchObject({
    code: '42501',
  })
})

test('the table of searches belongs to a role that owns nothing else, cannot log in and does not pass row security', async () => {
  expect(
    await asked(`select rolname from pg_roles where rolname = 'catalogue_search' and not rolcanlogin
      and not rolsuper and not rolbypassrls and not rolcreaterole and not rolcreatedb and not rolreplication`),
  ).toEqual(['catalogue_search'])
  expect(
    await asked(`select relname::text from pg_class where relowner = 'catalogue_search'::regrole and relkind in ('r', 'p', 'v', 'm')
      union all select proname::text from pg_proc where proowner = 'catalogue_search'::regrole order by 1`),
  ).toEqual([
    'has_matches',
    'index_products',
    'product_search',
    'rank_matches',
    'search_products',
    'suggest_words',
    'understand_search',
    'unindex_locale',
    'words_with_part',
  ])
  expect(
    await asked(`select format('%s on %s', privilege_type, table_name) from information_schema.role_table_grants
      where grantee = 'catalogue_search' and table_name <> 'product_search'`),
  ).toEqual(['SELECT on variants'])
})

test("the Worker's role reads and writes searches through their functions, and only as the tenant of the session", async () => {
  for (const statement of [
    'select 1 from product_search',
    'select product_id from product_search',
    'delete from product_search',
    "update product_search set words = ''",
    'insert into product_search select * from product_search',
    'truncate product_search',
    'set role catalogue_search',
  ]) {
    await expect(asWorker(statement, shop.tenant.id), statement).rejects.toMatchObject({ code: '42501' })
  }
  const other = await openShop()
  const search = `select product_id::text from search_products('en-US', 'english', '[{"text": "shirt", "exact": "shirt"}]')`
  const [product] = await asked('select id from products where tenant_id = $1', shop.tenant.id)
  expect(await asWorker(search, shop.tenant.id)).toEqual([[product]])
  expect(await asWorker(search, other.tenant.id)).toEqual([])
  expect(await asWorker(search)).toEqual([])
  const index = `select index_products('[{"product_id": "${product}", "locale": "en-US", "config": "simple", "title": "x",
    "description": "", "lexemes": "", "words": ""}]')`
  await expect(asWorker(index, other.tenant.id)).rejects.toMatchObject({ code: '23503' })
  await expect(asWorker(index)).rejects.toMatchObject({ code: '23502' })
})

describe('each table', () => {
  test('shows no row without a tenant or as another, and all of the own', async () => {
    const tables = await asked(`select relname from (${tenantTables}) t order by 1`, settings)
    const other = await openShop()
    for (const table of tables) {
      const readable = await asked(
        `select relname from pg_class where oid = $1::regclass and has_table_privilege('catalogue_app', oid, 'select')`,
        table,
      )
      if (readable.length === 0) continue
      const foreign = `select count(*)::int from ${table} where tenant_id <> '${other.tenant.id}'`
      expect(await asWorker(`select count(*)::int from ${table}`), table).toEqual([[0]])
      expect(await asWorker(foreign, other.tenant.id), table).toEqual([[0]])
      const own = await asked(`select count(*) from ${table} where tenant_id = $1`, shop.tenant.id)
      expect(await asWorker(`select count(*)::text from ${table}`, shop.tenant.id), table).toEqual([own])
    }
  })

  test('takes no row for another tenant, and gives none away', async () => {
    const other = await openShop()
    const { id } = shop.tenant
    await expect(
      asWorker(`insert into tenant_totals values ('${id}', 'x', 1)`, other.tenant.id),
    ).rejects.toMatchObject({ code: '42501' })
    await expect(asWorker(`update products set tenant_id = '${other.tenant.id}'`, id)).rejects.toMatchObject({
      code: '42501',
    })
    await asWorker('update products set title = title', other.tenant.id)
    await expect(
      asWorker("insert into tenant_totals values (current_tenant(), 'x', 1)"),
    ).rejects.toMatchObject({
      code: expect.stringMatching(/^(42501|23502)$/),
    })
  })

  test('is out of reach of lock_rows() and apply_write() of another tenant', async () => {
    const other = await openShop()
    const [product] = await asked('select id from products where tenant_id = $1', shop.tenant.id)
    const lock = `select lock_rows('[{"kind": "products", "id": "${product}", "version": null}]')`
    await expect(asWorker(lock, other.tenant.id)).rejects.toMatchObject({ code: 'PC404' })
    await expect(asWorker(lock)).rejects.toMatchObject({ code: 'PC404' })
    const write = `select apply_write('', '0', '{"changes": [], "envelope": {}, "totals": {}}')`
    await expect(asWorker(write)).rejects.toMatchObject({
      message: expect.stringContaining('no clock'),
    })
  })
})

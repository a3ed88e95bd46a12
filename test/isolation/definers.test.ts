/** SQL that runs as the Worker's role must not become the owner of the tables by functions that run with the owner's rights. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { migrate } from '../../src/local/migrate.ts'
import { connected, databaseUrls, useOwnDatabase } from '../support/database.ts'
import { openShop, type Shop } from '../support/shop.ts'

let drop: () => Promise<void>
let shop: Shop
beforeAll(async () => {
  drop = await useOwnDatabase()
  shop = await openShop()
  await shop.create('/api/products', { title: 'Shirt' })
})
afterAll(() => drop())

type Ask = Parameters<typeof connected>[1]
const asOwner = (ask: Ask) => connected(databaseUrls().ownerUrl, ask)

/** Runs statements as the Worker's role, for a tenant, and rolls them back: no other test sees a table that this role owns. */
const asWorker = (ask: Ask) =>
  connected(databaseUrls().appUrl, async (client) => {
    await client.query('begin')
    await client.query("select set_config('app.tenant', $1, true)", [shop.tenant.id])
    await ask(client)
    await client.query('rollback')
  })

/** Runs something while the Worker's role may create temporary tables, as it may in a copy that pg_dump made of the database. */
async function withTemporary(run: () => Promise<void>): Promise<void> {
  const { pathname } = new URL(databaseUrls().ownerUrl)
  const database = pathname.slice(1)
  await asOwner((client) => client.query(`grant temporary on database ${database} to public, catalogue_app`))
  try {
    await run()
  } finally {
    await asOwner((client) =>
      client.query(`revoke temporary on database ${database} from public, catalogue_app`),
    )
  }
}

test('every function that runs with the rights of its owner searches temporary tables last', async () => {
  const { rows } = (await asOwner((client) =>
    client.query(
      `select proname, proconfig from pg_proc where pronamespace = 'public'::regnamespace and prosecdef order by 1`,
    ),
  )) as { rows: { proname: string; proconfig: string[] | null }[] }
  expect(rows.map(({ proname }) => proname)).toEqual(
    expect.arrayContaining(['finish_locale_change', 'tenant_by_host', 'record_terms']),
  )
  const paths = rows.map(({ proname, proconfig }) => [
    proname,
    proconfig?.find((setting) => setting.startsWith('search_path=')),
  ])
  expect(paths).toEqual(rows.map(({ proname }) => [proname, 'search_path=pg_catalog, public, pg_temp']))
})

test('every scan over tenants fails for an owner subject to row security', async () => {
  const { rows } = (await asOwner((client) =>
    client.query(
      `select proname, coalesce('row_security=off' = any(proconfig), false) as fails from pg_proc
        where pronamespace = 'public'::regnamespace and prosecdef and proretset and prorettype = 'uuid'::regtype order by 1`,
    ),
  )) as { rows: { proname: string; fails: boolean }[] }
  expect(rows.map(({ proname }) => proname)).toContain('tenants_rebuilding')
  expect(rows.filter(({ fails }) => !fails)).toEqual([])
})

test("the Worker's role may not create a temporary table", async () => {
  const created = asWorker((client) => client.query('create temp table locale_changes (tenant_id uuid)'))
  await expect(created).rejects.toMatchObject({ code: '42501' })
})

test('migrating again revokes the right from a copy that has lost the revocation', async () => {
  await withTemporary(async () => {
    const create = () => asWorker((client) => client.query('create temp table copy (id int)'))
    await create()
    await migrate({ ownerUrl: databaseUrls().ownerUrl, appPassword: null })
    await expect(create()).rejects.toMatchObject({ code: '42501' })
  })
})

test('a trigger on a temporary table of the same name does not run as the owner', async () => {
  await withTemporary(async () => {
    await asWorker(async (client) => {
      await client.query(`
        create temp table locale_changes as
          select current_tenant() as tenant_id, 'fr-FR'::text as locale, 1 as version, now() as pass_began_at, now() as settles_at, 'ADD'::text as action;
        create temp table witnesses (name text);
        grant all on witnesses, locale_changes to public;
        create function pg_temp.witness() returns trigger language plpgsql as $$
        begin
          insert into pg_temp.witnesses values (current_user);
          return old;
        end $$;
        create trigger witness before delete on locale_changes for each row execute function pg_temp.witness();`)
      const { rows } = await client.query("select finish_locale_change('fr-FR', 1) as finished")
      expect(rows).toEqual([{ finished: false }])
      expect((await client.query('select name from pg_temp.witnesses')).rows).toEqual([])
      expect((await client.query('select locale from pg_temp.locale_changes')).rows).toHaveLength(1)
    })
  })
})

test('a temporary table of the same name does not replace the table of searches', async () => {
  await withTemporary(async () => {
    await asWorker(async (client) => {
      await client.query(
        'create temp table product_search (tenant_id uuid, product_id uuid, locale text, vector tsvector, words text)',
      )
      const { rows } = await client.query(
        `select * from search_products('en-US', 'english', '[{"text": "shirt", "exact": "shirt"}]')`,
      )
      expect(rows).toHaveLength(1)
    })
  })
})

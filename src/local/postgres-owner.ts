import pg from 'pg'

/** The role that owns the local database, and its password. */
const owner = 'catalogue_owner'

/**
 * Makes the role that owns the local database, with the rights of Neon's owner and no more: it makes roles and databases,
 * sees past row security and ends sessions, and is no superuser. What a superuser migrated before there was such a role
 * becomes its own. Takes a superuser's connection string and answers the owner's.
 */
export async function ensureOwner(superuserUrl: string): Promise<string> {
  const url = new URL(superuserUrl)
  const client = new pg.Client({ connectionString: superuserUrl })
  await client.connect()
  try {
    const { rowCount } = await client.query('select from pg_roles where rolname = $1', [owner])
    if (rowCount === 0) {
      await client.query(`begin;
        create role ${owner} login password '${owner}' nosuperuser createrole createdb bypassrls in role pg_signal_backend;
        alter database ${client.escapeIdentifier(url.pathname.slice(1))} owner to ${owner};
        ${handOver};
        commit`)
    }
  } finally {
    await client.end()
  }
  return ownerOf(superuserUrl)
}

/** The owner's connection string of a local database. */
export function ownerOf(databaseUrl: string): string {
  const url = new URL(databaseUrl)
  url.username = owner
  url.password = owner
  return url.href
}

/** Gives away the superuser's tables and functions in the schema, those of extensions apart, and the service's roles. */
const handOver = `do $$
  declare
    own record;
  begin
    for own in
      select format('alter table %s owner to ${owner}', c.oid::regclass) as command from pg_class c
       where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v', 'm', 'S') and c.relowner = 'postgres'::regrole
         and not exists (select from pg_depend d where d.objid = c.oid and d.deptype in ('a', 'i') and d.refobjsubid > 0)
         and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
      union all
      select format('alter routine %s owner to ${owner}', p.oid::regprocedure) from pg_proc p
       where p.pronamespace = 'public'::regnamespace and p.proowner = 'postgres'::regrole
         and not exists (select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')
      union all
      select format('grant %I to ${owner} with admin option', rolname) from pg_roles where rolname like 'catalogue\\_%' and rolname <> '${owner}'
    loop
      execute own.command;
    end loop;
  end
$$`

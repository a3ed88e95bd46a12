import pg from 'pg'
import { inject } from 'vitest'
import type { Shop } from './shop.ts'

const tables = ['products', 'product_options', 'option_values', 'variants', 'categories', 'sale_offers']

/** What must hold of a tenant's rows after any history of writes: each query selects the faults, one text a row. */
const rules: Readonly<Record<string, string>> = {
  'sequences are 1, 2, 3 … up to the clock': `
    select format('%s events, sequences %s to %s, clock at %s', count(e.*), min(e.sequence), max(e.sequence), c.sequence)
      from tenant_clock c left join events e using (tenant_id) where c.tenant_id = $1 group by c.sequence
    having count(e.*) <> c.sequence or coalesce(max(e.sequence), 0) <> c.sequence`,
  'times ascend with the sequence': `
    select format('sequence %s', sequence) from (
      select sequence, occurred_at, lag(occurred_at) over (order by sequence) as before from events where tenant_id = $1
    ) e where occurred_at <= before`,
  'versions of a resource are 1, 2, 3 …': `
    select format('%s %s at sequence %s has version %s, not %s', kind, resource_id, sequence, resource_version, n) from (
      select *, row_number() over (partition by kind, resource_id order by sequence) as n from events where tenant_id = $1
    ) e where resource_version <> n`,
  'no handle or batch made an event twice': `
    select format('%s %s version %s', kind, resource_id, resource_version) from events where tenant_id = $1
     group by kind, resource_id, resource_version having count(*) > 1`,
  'options stand at 0, 1, 2 …': gapless('product_options', 'product_id'),
  'values stand at 0, 1, 2 …': gapless('option_values', 'option_id'),
  'active variants stand at 0, 1, 2 …': gapless('variants', 'product_id', "and status = 'ACTIVE'"),
  'categories stand at 0, 1, 2 …': gapless('categories', 'parent_id'),
  'the category tree has no cycle, and levels count the ancestors': `
    with recursive down(id, depth) as (
      select id, 0 from categories where tenant_id = $1 and parent_id is null
      union all
      select c.id, down.depth + 1 from down join categories c on c.tenant_id = $1 and c.parent_id = down.id
    )
    select format('category %s has level %s, is at depth %s', c.id, c.level, coalesce(down.depth::text, 'none: a cycle'))
      from categories c left join down using (id) where c.tenant_id = $1 and c.level is distinct from down.depth`,
  'active variants alone hold their values': `
    select format('variant %s', v.id) from variants v where tenant_id = $1 and
      array(select option_value_id from variant_option_values l where l.tenant_id = $1 and l.variant_id = v.id order by 1)
        <> case when status = 'ACTIVE' then array(select unnest(option_value_ids) order by 1) else '{}' end`,
  'totals count the rows': `
    select format('%s: total %s, rows %s', r.name, coalesce(t.total, 0), counted) from (
      select 'products' as name, count(*) as counted from products where tenant_id = $1 and status <> 'ARCHIVED'
      union all select 'option_values', count(*) from option_values where tenant_id = $1
      union all select 'categories', count(*) from categories where tenant_id = $1
    ) r left join tenant_totals t on t.tenant_id = $1 and t.name = r.name where coalesce(t.total, 0) <> counted`,
  'keys are complete': `
    select format('key %s has no stamps', key) from idempotency_keys where tenant_id = $1 and stamps is null`,
  ...Object.fromEntries(
    tables.map((table) => [
      `${table} are stamped by their last event`,
      `select format('%s version %s of %s, last event: version %s of %s', r.id, r.version, r.updated_at, e.version, e.at)
         from ${table} r left join (
           select resource_id, max(resource_version) as version, max(occurred_at) as at from events
            where tenant_id = $1 and kind = '${table}' group by resource_id
         ) e on e.resource_id = r.id
        where r.tenant_id = $1 and (r.version is distinct from e.version or r.updated_at is distinct from e.at)`,
    ]),
  ),
}

function gapless(table: string, parent: string, condition = ''): string {
  return `select format('%s under %s is at %s, not %s', id, ${parent}, position, n) from (
    select *, row_number() over (partition by ${parent} order by position, id) - 1 as n
      from ${table} where tenant_id = $1 ${condition}) t where position <> n`
}

/** The faults in a shop's books, each with the rule that it breaks; empty when every change has its event, version and place. */
export async function faultsIn(shop: Shop): Promise<string[]> {
  return owner(async (client) => {
    const faults: string[] = []
    for (const [rule, query] of Object.entries(rules)) {
      const { rows } = await client.query<{ format: string }>(query, [shop.tenant.id])
      faults.push(...rows.map(({ format }) => `${rule}: ${format}`))
    }
    return faults
  })
}

export type Recorded = { sequence: number; topic: string; id: string; version: number; changes: unknown }

/** A shop's events in their order. */
export async function eventsOf(shop: Shop): Promise<Recorded[]> {
  return owner(async (client) => {
    const { rows } = await client.query<Recorded>(
      `select sequence::int, topic, resource_id as id, resource_version as version, changes
         from events where tenant_id = $1 order by sequence`,
      [shop.tenant.id],
    )
    return rows
  })
}

/** Runs queries as the database's owner, whom row security does not bind. */
export async function owner<Result>(ask: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client({ connectionString: inject('ownerUrl') })
  await client.connect()
  try {
    return await ask(client)
  } finally {
    await client.end()
  }
}

import { sql } from 'drizzle-orm'
import type pg from 'pg'
import { stateOf } from '../core/state.ts'
import { uuidArray } from '../db/sql.ts'
import { baseProductsQuery } from '../resources/products/read.ts'
import { product } from '../resources/products/schema.ts'
import { indexSteps } from '../resources/products/search.ts'
import { command, flag, runHere } from './cli/command.ts'
import { databaseUrl, tenantName, transaction, withDatabase } from './cli/database.ts'
import { unindexedProducts, wrongTotals, wrongVariants } from './doctor/counts.ts'
import { addTitles } from './migrate.ts'
import { transactionSession } from './transfer/restore.ts'
import { enterTenant, type MovingTenant } from './transfer/tables.ts'

/** How many totals, variants and products were repaired. */
export type Recounted = { readonly totals: number; readonly variants: number; readonly products: number }

/** Products that are indexed together. */
const mostProducts = 200

/**
 * Sets a tenant's totals and counts to what its rows say, and indexes the products that the search index lacks. `client` is connected
 * as the owner, and has entered the tenant.
 */
export async function recountTenant(client: pg.Client, tenant: MovingTenant): Promise<Recounted> {
  return transaction(client, async () => {
    // Rows before the clock, as every write locks them.
    const variants = await recountVariants(client, tenant.id)
    const products = await indexMissing(client, tenant)
    // Every write moves the clock in front of the totals: no write changes them meanwhile. Cached answers are of the clock before.
    await client.query(`select announce_price_changes(clock_before) from move_clock('[]')`)
    const totals = await client.query(
      `insert into tenant_totals as t (tenant_id, name, total)
       select tenant_id, name, counted from (${wrongTotals}) as wrong
       on conflict (tenant_id, name) do update set total = excluded.total`,
      [[tenant.id]],
    )
    return { totals: totals.rowCount ?? 0, variants, products }
  })
}

async function recountVariants(client: pg.Client, tenantId: string): Promise<number> {
  const wrong = await client.query<{ id: string }>(
    `select id from variants where tenant_id = $2 and id in (select id from (${wrongVariants}) as wrong) order by id for no key update`,
    [[tenantId], tenantId],
  )
  const count = (table: string) => `(select count(*) from ${table} o
    where o.tenant_id = v.tenant_id and o.variant_id = v.id and o.status <> 'ARCHIVED')`
  // Another statement, which sees the offers of writes that the lock waited for.
  await client.query(
    `update variants v set sale_offer_count = ${count('sale_offers')}, purchase_offer_count = ${count('purchase_offers')}
      where tenant_id = $1 and id = any($2)`,
    [tenantId, wrong.rows.map(({ id }) => id)],
  )
  return wrong.rows.length
}

async function indexMissing(client: pg.Client, tenant: MovingTenant): Promise<number> {
  const session = transactionSession(client)
  const { rows } = await client.query<{ id: string }>(
    `select id from products where tenant_id = $2 and id in (select id from (${unindexedProducts}) as missing) order by id for no key update`,
    [[tenant.id], tenant.id],
  )
  for (let from = 0; from < rows.length; from += mostProducts) {
    const ids = rows.slice(from, from + mostProducts).map(({ id }) => id)
    const { outlines } = await session.read({
      outlines: baseProductsQuery(sql`select unnest(${uuidArray(ids)})`),
    })
    const states = outlines.map((each) => ({ id: each.id, state: stateOf(product, each) }))
    await session.apply({ beforeClock: indexSteps(states, tenant) })
  }
  return rows.length
}

/** `npm run recount`. */
export const recountCommand = command({
  name: 'recount',
  summary:
    'Repairs the faults that "npm run doctor" reports of totals, offer counts, search and stored parts.',
  examples: ['npm run recount -- --tenant acme'],
  options: {
    tenant: tenantName,
    'database-url': databaseUrl,
    json: flag('prints the result as JSON'),
  },
  notes: [
    'The command first builds the stored parts of products and categories again, 200 products per transaction. Then one transaction counts totals and the offers of each variant, and indexes products that the search index lacks. Writes of the tenant wait for this transaction; reads do not. It records no events.',
  ],
  async run({ tenant: name, 'database-url': url, json }, { print }) {
    await withDatabase(url, async (client) => {
      const tenant = await enterTenant(client, name)
      // For rows that were inserted by SQL, Postgres may have no statistics. Its plans for small tables then take minutes.
      await client.query(
        'analyze products, product_options, option_values, variants, categories, category_parts',
      )
      await client.query('call refresh_all_parts($1)', [tenant.id])
      await addTitles(client, tenant.id)
      const { totals, variants, products } = await recountTenant(client, tenant)
      print(
        json
          ? JSON.stringify({ tenant: tenant.host, totals, variants, products })
          : `${tenant.host}: repaired ${totals} totals, the offer counts of ${variants} variants, and the search index of ${products} products. All stored parts are built again.`,
      )
    })
    return 0
  },
})

if (import.meta.main) await runHere(recountCommand)

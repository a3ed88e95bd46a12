/** The stored parts of products and categories (migrations/functions/52_product_parts.sql): whether they are what the rows say. */
import type pg from 'pg'
import { amount, type Finding, fail, ok } from './finding.ts'

/** How many products and categories of each tenant are compared, those that changed last. */
const compared = 200

/** Compares stored parts with rows, tenant by tenant. */
export async function storedPartsFindings(client: pg.ClientBase): Promise<Finding[]> {
  const check = 'stored parts'
  const tenants = await client.query<{ id: string; host: string }>(
    'select id, host from tenants order by host',
  )
  let products = 0
  for (const { id, host } of tenants.rows) {
    await client.query(`select set_config('app.tenant', $1, true)`, [id])
    const { rows } = await client.query<{ outdated: number; products: number }>(
      `with compared as (
         select array(select id from products where tenant_id = $1 order by updated_at desc limit $2) as products,
                array(select id from categories where tenant_id = $1 order by updated_at desc limit $2) as categories
       )
       select cardinality(products) as products, (select count(*)::int from outdated_parts(products, categories)) as outdated
         from compared`,
      [id, compared],
    )
    const [{ outdated, products: found } = { outdated: 0, products: 0 }] = rows
    if (outdated > 0) {
      const seen = `of ${host}, ${amount(outdated, 'stored row')} of products or categories is not what the rows say`
      return [fail(check, seen, `npm run recount -- --tenant ${host}`)]
    }
    products += found
  }
  return [ok(check, `those of ${amount(products, 'product')} are what the rows say`)]
}

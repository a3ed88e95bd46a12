/** The bytes that a product takes on disk, by table, of products that were written through the API. `npm run bench:storage -- --help` */

import { commandOptions } from '../support/command-options.ts'
import { templates, vacuumed, write } from '../support/fill.ts'
import { host, withService } from './measured.ts'
import { table } from './service/report.ts'

const options = commandOptions('bench:storage', {
  products: { type: 'string', default: '1000' },
  help: { type: 'boolean', default: false },
})
if (options.help) {
  console.log(`Measures the storage of products, against a throwaway Postgres.

  npm run bench:storage -- [--products 1000]

  --products NUMBER  products of five variants with two prices each, in two languages and two of 200 categories; a multiple of ${templates}

Prints the bytes of each product by table, after VACUUM: rows, TOAST and indexes.`)
  process.exit(0)
}
const products = Number(options.products)

await withService('storage', async ({ owner, tenant, call }) => {
  const filled = { id: tenant, host }
  await write({ call: (_, method, path, body) => call(method, path, body), tenant: filled, products })
  const { rows: names } = await owner.query<{ name: string }>(
    `select relname as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`,
  )
  await vacuumed(
    owner,
    names.map(({ name }) => name),
  )
  const { rows } = await owner.query<{
    name: string
    rows: string
    toast: string
    indexes: string
    each: string
  }>(
    `select relname as name, pg_relation_size(oid)::text as rows, coalesce(pg_total_relation_size(nullif(reltoastrelid, 0)), 0)::text as toast,
            pg_indexes_size(oid)::text as indexes,
            (select string_agg(x.indexrelid::regclass || ' ' || round(pg_relation_size(x.indexrelid)::numeric / $1), ', '
                    order by pg_relation_size(x.indexrelid) desc) from pg_index x where x.indrelid = c.oid) as each
       from pg_class c where relkind = 'r' and relnamespace = 'public'::regnamespace and pg_total_relation_size(oid) > 100 * $1::int
      order by pg_total_relation_size(oid) desc`,
    [products],
  )
  const bytesOf = (values: readonly string[]) => values.reduce((sum, value) => sum + Number(value), 0)
  const line = (name: string, parts: readonly string[]) => [
    name,
    ...[bytesOf(parts), ...parts.map(Number)].map((bytes) => (bytes / products).toFixed(0)),
  ]
  const all = (key: 'rows' | 'toast' | 'indexes') => String(bytesOf(rows.map((row) => row[key])))
  console.log(
    table([
      ['bytes of a product', 'sum', 'rows', 'TOAST', 'indexes'],
      ...rows.map((row) => line(row.name, [row.rows, row.toast, row.indexes])),
      line('all', [all('rows'), all('toast'), all('indexes')]),
    ]),
  )
  for (const { name, each } of rows) console.log(`${name}: ${each}`)
})

import { command, flag, runHere } from './cli/command.ts'
import { databaseUrl, tenantName, withDatabase } from './cli/database.ts'
import { enterTenant } from './moving/tenant.ts'
import { recountTenant } from './recount/recount.ts'

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

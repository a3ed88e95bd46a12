import { parseArgs } from 'node:util'
import pg from 'pg'
import { demandDirect } from './migrate.ts'
import { Refused } from './moving/file.ts'
import { enterTenant } from './moving/tenant.ts'
import { ownerUrlFrom } from './owner-url.ts'
import { recountTenant } from './recount/recount.ts'

const help = `Repairs what "npm run doctor" finds wrong in its checks totals, offer counts, search and stored parts.

  npm run recount -- --tenant acme

  --tenant NAME        the tenant: its host, the first label of it, or its id (required)
  --database-url URL   the owner's direct connection string (default: DATABASE_URL, then the Postgres of "npm start")
  --json               prints the outcome as JSON
  --help               this text

It first builds the stored parts of products and categories again, 200 products in each transaction. Then one transaction sets totals
to the number of their rows, sets counts of offers to the offers of each variant, and indexes products that the search index lacks.
The tenant's writes wait meanwhile; its reads do not. No event is recorded.
Exit code: 0 done; 1 failed, or a mistake in the command.`

const options = {
  tenant: { type: 'string' },
  'database-url': { type: 'string' },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const

async function main(): Promise<void> {
  const { values } = parseArgs({ options })
  if (values.help) return console.log(help)
  if (!values.tenant) throw new Refused('Name the tenant: --tenant acme')
  const connectionString = await ownerUrlFrom(values['database-url'])
  demandDirect(connectionString)
  const client = new pg.Client({ connectionString })
  client.on('error', () => {})
  await client.connect()
  try {
    const tenant = await enterTenant(client, values.tenant)
    // Rows that came by SQL may be unknown to the planner's statistics, and its plans for small tables take minutes.
    await client.query(
      'analyze products, product_options, option_values, variants, categories, category_parts',
    )
    await client.query('call refresh_all_parts($1)', [tenant.id])
    const { totals, variants, products } = await recountTenant(client, tenant)
    if (values.json) console.log(JSON.stringify({ tenant: tenant.host, totals, variants, products }))
    else
      console.log(
        `${tenant.host}: ${totals} totals and the offer counts of ${variants} variants were wrong, and ${products} products were not in the search index. All are repaired, and the stored parts are built again.`,
      )
  } finally {
    await client.end()
  }
}

main().catch((error: Error) => {
  console.error(`${error.message}\nSee: npm run recount -- --help`)
  process.exitCode = 1
})

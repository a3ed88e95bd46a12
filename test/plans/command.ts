/** `npm run test:plans`: times lists of a large tenant that are ordered or searched, and prints the indexes that Postgres reads. */
import { demoTenants, ensureTenant } from '../../src/local/local-tenants.ts'
import { appUrl } from '../../src/local/migrate.ts'
import { allScopes } from '../../src/resources/index.ts'
import { startService } from '../replay/service.ts'
import { commandOptions } from '../support/command-options.ts'
import { fill, vacuumed } from '../support/fill.ts'
import { explained, logPlans, nodesOf, rowsRead } from '../support/plans.ts'
import { sentBy } from '../support/sent.ts'

const values = commandOptions('test:plans', {
  help: { type: 'boolean' },
  products: { type: 'string', default: '50000' },
})
if (values.help) {
  console.log(`npm run test:plans -- [--products 50000]

Fills a tenant with products in English, French and German, and times its lists: 20 requests each, uncached.
  --products  the number of products, a multiple of 200
Prints the median and the slowest request, the part of the database, and the rows that Postgres reads of each index.
Exit code 0: printed; 2: wrong usage.`)
  process.exit(0)
}

const service = await startService()
const { owner } = service
const ownerUrl = `postgresql://${owner.user}:${owner.password}@${owner.host}:${owner.port}/${owner.database}`
const scope = allScopes.join(' ')
const uncached = { 'cache-control': 'no-cache' }

async function openTenant(): Promise<{ id: string; host: string }> {
  const id = crypto.randomUUID()
  const host = `${id.replaceAll('-', '')}.test`
  const addresses = { issuer: `https://login.${host}/`, audience: `https://${host}/api` }
  await ensureTenant(owner, { ...demoTenants[0]!, id, host, ...addresses }, { keys: [...service.keys] })
  return { id, host }
}

try {
  await logPlans(Object.assign(new URL(ownerUrl), { username: 'postgres', password: 'postgres' }).href)
  const [tenant, scratch] = [await openTenant(), await openTenant()]
  const send = async (host: string, method: string, path: string, body?: unknown, headers = {}) => {
    const authorization = `Bearer ${await service.token(host, { scope })}`
    const content = body === undefined ? {} : { body: JSON.stringify(body) }
    const sent = {
      ...{ method, path, ...content },
      headers: { authorization, 'content-type': 'application/ld+json', ...headers },
    }
    const received = await service.send(host, sent)
    if (received.status >= 300) throw new Error(`${method} ${path}: ${received.status} ${received.text}`)
    return received
  }
  await fill({
    ...{ owner, tenant, scratch, products: Number(values.products), variants: 2 },
    call: async (host, method, path, body) => JSON.parse((await send(host, method, path, body)).text),
    onProgress: (done) => process.stderr.write(`\r${done} products`),
  })
  process.stderr.write('\n')
  await owner.query(
    `update products set translations = translations || jsonb_build_object('de-DE',
    jsonb_build_object('title', 'Über ' || (translations #>> '{en-US,title}'))) where tenant_id = $1`,
    [tenant.id],
  )
  await vacuumed(owner, ['products', 'titles'])

  async function measure(name: string, path: string, locale: string): Promise<void> {
    const headers = { ...uncached, 'service-locale': locale }
    const times: { whole: number; database: number }[] = []
    for (let request = 0; request < 20; request += 1) {
      const start = performance.now()
      const received = await send(tenant.host, 'GET', path, undefined, headers)
      const timing = received.headers.find(([header]) => header === 'server-timing')?.[1] ?? ''
      times.push({ whole: performance.now() - start, database: Number(/db;dur=([\d.]+)/.exec(timing)?.[1]) })
    }
    const batches = await sentBy(() => send(tenant.host, 'GET', path, undefined, headers))
    const plans = await explained(appUrl(ownerUrl, 'replay'), batches.at(-1) ?? [])
    const read = new Map<string, number>()
    for (const node of plans.flatMap(({ plan }) => nodesOf(plan))) {
      const index =
        node['Index Name'] ?? (node['Node Type'] === 'Seq Scan' ? `scan of ${node['Relation Name']}` : null)
      if (index && rowsRead(node) > 0) read.set(index, (read.get(index) ?? 0) + rowsRead(node))
    }
    const median = (pick: 'whole' | 'database') =>
      times.map((time) => time[pick]).toSorted((a, b) => a - b)[10]
    const slowest = Math.max(...times.map(({ whole }) => whole))
    const figures = [median('whole'), slowest, median('database')].map((figure) => figure?.toFixed(1))
    console.log(`${name}: median ${figures[0]} ms, slowest ${figures[1]} ms, database ${figures[2]} ms`)
    console.log(`  ${[...read].map(([index, rows]) => `${index} ${rows}`).join(', ')}`)
  }

  /** The link that follows a number of pages of 100. */
  async function deepPage(locale: string): Promise<string> {
    let path = '/api/products?order[title]=asc&itemsPerPage=100&properties[]=title'
    for (let page = 0; page < Number(values.products) / 200; page += 1)
      path = JSON.parse((await send(tenant.host, 'GET', path, undefined, { 'service-locale': locale })).text)
        .view.next
    return path.replace('itemsPerPage=100', 'itemsPerPage=30').replace('&properties%5B%5D=title', '')
  }

  for (const [name, locale] of [
    ['German', 'de-DE'],
    ['Spanish, without a translation', 'es-ES'],
  ] as const) {
    await measure(`order[title], ${name}, first page`, '/api/products?order[title]=asc', locale)
    await measure(`order[title], ${name}, the page in the middle by cursor`, await deepPage(locale), locale)
  }
  const {
    member: [product],
  } = JSON.parse((await send(tenant.host, 'GET', '/api/products')).text)
  const word = product.title.split(' ')[1]
  const searches = {
    word: word,
    title: product.title,
    SKU: product.variants[0].sku,
    'beginning of a SKU': product.variants[0].sku.slice(0, -4),
  }
  for (const [name, q] of Object.entries({
    ...searches,
    'word of every eighth product': 'lamp',
    'misspelt word': 'lanp',
    'no match': 'zzzzqqqq',
  }))
    await measure(`q, ${name} (${q})`, `/api/products?q=${encodeURIComponent(q)}`, 'en-US')
} finally {
  await service.close()
}
process.exit(0)

/** The runbook “A tenant floods the service”: it finds the tenant and its client, suspends the tenant and re-admits it. */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tenantCommand } from '../../src/local/tenant/command.ts'
import { analyse } from '../support/analytics.ts'
import { databaseUrls } from '../support/database.ts'
import { owner } from '../support/ledger.ts'
import { runbook } from '../support/runbooks.ts'
import { openShop } from '../support/shop.ts'

const root = join(import.meta.dirname, '../..')
const { text, blocks } = runbook('A tenant floods the service')

async function tenant(action: string, host: string) {
  expect(text).toContain(`npm run tenant -- ${action} acme`)
  const surroundings = { print() {}, printError() {}, env: {}, ask: async () => null }
  const args = [action, host, '--database-url', databaseUrls().ownerUrl]
  expect(await tenantCommand.run(args, surroundings)).toBe(0)
}

test('a flooding tenant and its client are found, the suspended tenant costs no statement, and it is served again', async () => {
  const points: AnalyticsEngineDataPoint[] = []
  const METRICS = { writeDataPoint: (point: AnalyticsEngineDataPoint) => void points.push(point) }
  const flooding = await openShop({ bindings: { METRICS } })
  const quiet = await openShop({ bindings: { METRICS } })
  const noisy = await flooding.token({ client: 'importer' })
  await quiet.create('/api/products', { title: 'Calm' })
  for (let n = 0; n < 20; n += 1)
    await flooding.post('/api/products', { body: { title: `P ${n}` }, token: noisy, status: 201 })

  const [, pipe = ''] = /\$\((sed [^)]+)\)/.exec(blocks[0] ?? '') ?? []
  const query = execFileSync('sh', ['-c', pipe], { cwd: root, encoding: 'utf8' })
  // Sampling: one point of a thousand is stored.
  const [found] = await analyse(points, [query], 1000)
  expect(found).toMatchObject([{ tenant: flooding.tenant.id }])

  const writers = (blocks[1] ?? '').replace('<id>', flooding.tenant.id)
  const { rows } = await owner((client) => client.query(writers))
  expect(rows).toEqual([{ client: 'importer', count: '20' }])

  await tenant('suspend', flooding.host)
  flooding.restart()
  await flooding.get('/api/products', { status: 503 })
  points.length = 0
  for (let n = 0; n < 5; n += 1) await flooding.get('/api/products', { status: 503 })
  expect(points.map(({ doubles = [] }) => doubles[1])).toEqual([0, 0, 0, 0, 0])

  await tenant('resume', flooding.host)
  flooding.restart()
  await flooding.get('/api/products', { status: 200 })
})

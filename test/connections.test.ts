/** The page about connections counts what wrangler.toml and the code allow. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { unstable_readConfig } from 'wrangler'
import { jobs } from '../src/background/jobs.ts'
import { tenantsAtOnce } from '../src/background/queue.ts'

const page = readFileSync(join(import.meta.dirname, '../.github/docs/operations.md'), 'utf8')

/** The limit of the platform for an invocation. */
const ofAnInvocation = 6
/** The cron finds the tenants of all jobs concurrently. */
const ofTheCron = Object.keys(jobs).length

type Consumer = { queue: string; max_concurrency: number; max_batch_size: number }

test('each row of the table, and their sum, equals the deployed configuration', () => {
  const { queues } = unstable_readConfig({ config: 'wrangler.toml', env: 'production' })
  const consumers: readonly Consumer[] = queues.consumers ?? []
  expect(consumers).toHaveLength(1)
  const rows = consumers.map(({ queue, max_concurrency, max_batch_size }) => {
    const each = Math.max(max_batch_size, tenantsAtOnce)
    expect(each, queue).toBeLessThanOrEqual(ofAnInvocation)
    return { queue, atOnce: max_concurrency, each }
  })
  for (const { queue, atOnce, each } of rows)
    expect(page).toContain(`| \`${queue}\` | ${atOnce} | ${each} | ${atOnce * each} |`)
  const sum = rows.reduce((before, { atOnce, each }) => before + atOnce * each, ofTheCron)
  expect(page).toContain(`housekeeping | 1 | ${ofTheCron} | ${ofTheCron} |`)
  expect(page).toContain(`| all background work | | | ${sum} |`)
})

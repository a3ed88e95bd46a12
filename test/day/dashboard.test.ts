/** Each query of the Grafana dashboard returns data from the hour that `npm run test:day -- --record` recorded. */
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freePort } from '../../src/local/network.ts'

const monitoring = join(import.meta.dirname, '../../.github/monitoring')
const recording = join(import.meta.dirname, 'hour.txt')
const directory = mkdtempSync(join(tmpdir(), 'prometheus-'))
const dashboard: { panels: { title: string; targets: { expr: string }[] }[] } = JSON.parse(
  readFileSync(join(monitoring, 'dashboard.json'), 'utf8'),
)
const queries = dashboard.panels.flatMap(({ title, targets }) =>
  targets.map(({ expr }) => [title, expr] as const),
)

// .ci/run installs Debian's package. Only other machines may lack it.
const isMissing = !process.env.CI && spawnSync('prometheus', ['--version']).status !== 0
let server: ReturnType<typeof spawn> | undefined
let address = ''

beforeAll(async () => {
  if (isMissing) return
  execFileSync('promtool', ['tsdb', 'create-blocks-from', 'openmetrics', recording, join(directory, 'data')])
  writeFileSync(join(directory, 'prometheus.yml'), `rule_files: ['${join(monitoring, 'alerts.yml')}']\n`)
  address = `127.0.0.1:${await freePort()}`
  const options = [
    `--config.file=${directory}/prometheus.yml`,
    `--storage.tsdb.path=${directory}/data`,
    '--storage.tsdb.retention.time=100y',
    `--web.listen-address=${address}`,
  ]
  server = spawn('prometheus', options, { stdio: 'ignore' })
  const isReady = () =>
    fetch(`http://${address}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    )
  for (let left = 300; left > 0 && !(await isReady()); left -= 1) await sleep(100)
})

afterAll(async () => {
  const ended = server && new Promise((done) => server?.once('exit', done))
  server?.kill()
  await ended
  rmSync(directory, { recursive: true, force: true })
})

test.skipIf(isMissing).each(queries)('%s: %s', async (_, query) => {
  const times = [...readFileSync(recording, 'utf8').matchAll(/^catalogue_\S+ \S+ (\d+)$/gm)].map(([, time]) =>
    Number(time),
  )
  const range = { start: String(Math.min(...times)), end: String(Math.max(...times)), step: '60' }
  const response = await fetch(
    `http://${address}/api/v1/query_range?${new URLSearchParams({ query, ...range })}`,
  )
  const body: { status: string; data: { result: { values: [number, string][] }[] } } = await response.json()
  expect(body.status).toBe('success')
  expect(body.data.result.flatMap(({ values }) => values).some(([, value]) => Number(value) > 0)).toBe(true)
})

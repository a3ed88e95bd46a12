/** `npx wrangler dev` as a Workers developer runs it: it needs nothing else, says what fails, and leaves nothing running. */
import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { delimiter, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { localSettingsHelp } from '../../src/env.ts'
import { openClient } from '../../src/local/cli/http.ts'
import { freePort, isTaken } from '../../src/local/network.ts'
import { runningPostgres } from '../../src/local/postgres.ts'
import { endProcessesOf, processesOf, until } from '../support/processes.ts'

const root = join(import.meta.dirname, '../..')
const directory = join(root, 'test/artefacts/wrangler-dev')
const devVars = join(root, '.dev.vars')
/** The PATH of the machine, whose own Node may be too old for this project. */
const machinePath = (process.env.PATH ?? '')
  .split(delimiter)
  .filter((folder) => !folder.includes('node_modules'))
  .join(delimiter)
const remaining = () => processesOf(directory)
let port: number
const started: ChildProcess[] = []

beforeAll(async () => {
  rmSync(directory, { recursive: true, force: true })
  mkdirSync(directory, { recursive: true })
  port = await freePort()
})

afterEach(async () => {
  for (const child of started.splice(0)) child.kill('SIGKILL')
  await endProcessesOf(directory)
}, 60_000)

afterAll(() => {
  rmSync(directory, { recursive: true, force: true })
})

type Command = { readonly child: ChildProcess; readonly ended: Promise<number | null>; output: string }

function run(command: string, parameters: readonly string[], environment: NodeJS.ProcessEnv = {}): Command {
  const { npm_lifecycle_event: _, ...inherited } = process.env
  const child = spawn(command, parameters, {
    cwd: root,
    env: {
      ...inherited,
      PATH: machinePath,
      DATA_DIRECTORY: directory,
      XDG_CONFIG_HOME: `${directory}/config`,
      WRANGLER_SEND_METRICS: 'false',
      CLOUDFLARE_CF_FETCH_ENABLED: 'false',
      NO_COLOR: '1',
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  started.push(child)
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve))
  const running: Command = { child, ended, output: '' }
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      running.output += text
    })
  }
  return running
}

async function printed(command: Command, text: string): Promise<void> {
  await until(
    () => command.output.includes(text) || command.child.exitCode !== null,
    () => command.output,
    200,
  )
  expect(command.output).toContain(text)
}

const wranglerDev = () => ['wrangler', 'dev', `--port=${port}`, `--persist-to=${directory}/state`]

async function token(): Promise<string> {
  const script = join(root, 'src/local/token.ts')
  const command = run(process.execPath, [script, '--tenant', 'acme'])
  expect(await command.ended, command.output).toBe(0)
  return command.output.trim()
}

/** Calls what runs once a minute, such as the cron, every two seconds instead. */
function twoSecondMinutes(): NodeJS.ProcessEnv {
  const file = join(directory, 'two-second-minutes.mjs')
  writeFileSync(
    file,
    `const { setInterval } = globalThis
globalThis.setInterval = (run, delay, ...args) => setInterval(run, delay === 60_000 ? 2_000 : delay, ...args)
`,
  )
  return { NODE_OPTIONS: `--import=${pathToFileURL(file).href}` }
}

/**
 * Makes an event look as if the queue had lost it. Only the cron finds such an event: nothing else asks for them. `write` sends a write,
 * after which the cron queries the database.
 */
async function isSentByTheCron(write: () => Promise<unknown>): Promise<void> {
  const database = new pg.Client({ connectionString: (await runningPostgres(`${directory}/postgres`))! })
  await database.connect()
  try {
    const { rows } = await database.query(
      'update events set fanned_out_at = null where sequence = 1 returning tenant_id',
    )
    expect(rows.length).toBeGreaterThan(0)
    await write()
    const waiting = () => database.query('select from events where sequence = 1 and fanned_out_at is null')
    await expect.poll(async () => (await waiting()).rowCount, { timeout: 75_000, interval: 500 }).toBe(0)
  } finally {
    await database.end()
  }
}

test('npx wrangler dev with the Node of the machine serves the demo catalogue, and ends with all that it started', async () => {
  const service = run('npx', wranglerDev(), twoSecondMinutes())
  await printed(service, 'Ready on')
  expect(service.output).toContain('rows in the catalogue of globex')
  const client = openClient({ port, host: 'localhost', token: await token() })
  expect(await client.read('/api/products?itemsPerPage=1')).toMatchObject({ totalItems: 13 })
  const products = await client.list<{ media: { url: string }[] }>('/api/products')
  const picture = new URL(products.flatMap(({ media }) => media)[0]!.url)
  expect(picture.port).toBe(`${port}`)
  for (const path of ['/ready', '/docs', '/admin', picture.pathname]) {
    expect((await fetch(`http://localhost:${port}${path}`)).status, path).toBe(200)
  }
  await isSentByTheCron(() => client.write('POST', '/api/categories', { title: 'Lamps' }))
  client.close()
  expect(service.output).not.toContain('server.unexpected')

  service.child.kill('SIGTERM')
  await service.ended
  await until(() => remaining().length === 0, remaining, 20)
  expect(await isTaken(port)).toBe(false)
  expect(existsSync(devVars) && readFileSync(devVars, 'utf8').includes('NEON_FETCH_ENDPOINT')).toBe(false)
}, 300_000)

test('wrangler dev with an unusable node first on the PATH starts, and what it started ends when it is killed', async () => {
  const unusable = join(directory, 'bin')
  mkdirSync(unusable, { recursive: true })
  writeFileSync(join(unusable, 'node'), '#!/bin/sh\necho "this Node is too old" >&2\nexit 1\n')
  chmodSync(join(unusable, 'node'), 0o755)
  const launcher = join(fileURLToPath(import.meta.resolve('wrangler')), '../../bin/wrangler.js')
  const service = run(process.execPath, [launcher, ...wranglerDev().slice(1)], {
    PATH: `${unusable}${delimiter}${machinePath}`,
  })
  await printed(service, 'Ready on')
  expect((await fetch(`http://localhost:${port}/ready`)).status).toBe(200)

  const other = run('npx', wranglerDev())
  expect(await other.ended).toBe(1)
  expect(other.output).toContain(`Port ${port} is taken. Is "npm start" or "wrangler dev" already running?`)
  expect((await fetch(`http://localhost:${port}/ready`)).status).toBe(200)

  service.child.kill('SIGKILL')
  await until(() => remaining().length === 0, remaining, 20)
  expect(await isTaken(port)).toBe(false)
}, 120_000)

test('wrangler dev whose database cannot start answers 503 with the command that helps, and prints the same', async () => {
  const nothing = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => nothing.once('listening', resolve))
  const address = nothing.address()
  nothing.close()
  const closed = typeof address === 'object' ? address?.port : null
  const service = run('npx', wranglerDev(), {
    DATABASE_URL: `postgresql://owner:secret@127.0.0.1:${closed}/x`,
  })
  await printed(service, 'Ready on')
  expect(service.output).toContain(localSettingsHelp)
  expect(service.output).toContain(`ECONNREFUSED 127.0.0.1:${closed}`)
  for (const path of ['/api/products', '/ready', '/admin']) {
    const response = await fetch(`http://localhost:${port}${path}`)
    expect(response.status).toBe(503)
    expect(await response.json()).toMatchObject({
      slug: 'server.invalid_settings',
      detail: localSettingsHelp,
    })
  }
  expect(service.output).not.toContain('owner:secret')
  service.child.kill('SIGTERM')
  await service.ended
  await until(() => remaining().length === 0, remaining, 20)
}, 120_000)

/** `npm start` as a person runs it: what it prints can be used, and when it is stopped nothing is left. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { get } from 'node:http'
import { createServer } from 'node:net'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { openClient } from '../../src/local/cli/http.ts'
import { freePort, isTaken } from '../../src/local/network.ts'
import { endProcessesOf, processesOf, until } from '../support/processes.ts'

const root = join(import.meta.dirname, '../..')
/** The same at each run: a Postgres that cannot enter the project keeps a copy of its binaries for each folder. */
const directory = join(root, 'test/artefacts/start')
const hasIpv6 = Object.values(networkInterfaces()).some((all) =>
  all?.some(({ address }) => address === '::1'),
)
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

type Command = {
  readonly child: ChildProcess
  /** Resolves with its exit code, or 128 and the number of its signal. */
  readonly ended: Promise<number>
  out: string
  err: string
}

function npm(...parameters: string[]): Command {
  const child = spawn('npm', ['--silent', ...parameters], {
    cwd: root,
    env: { ...process.env, DATA_DIRECTORY: directory },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  started.push(child)
  const ended = new Promise<number>((resolve) =>
    child.once('exit', (code, signal) => resolve(code ?? (signal === 'SIGTERM' ? 143 : 130))),
  )
  const command: Command = { child, ended, out: '', err: '' }
  child.stdout.setEncoding('utf8').on('data', (text) => {
    command.out += text
  })
  child.stderr.setEncoding('utf8').on('data', (text) => {
    command.err += text
  })
  return command
}

async function printed(command: Command, text: string): Promise<void> {
  let over = false
  command.ended.then(() => {
    over = true
  })
  await until(
    () => over || command.out.includes(text),
    () => command,
  )
  if (!command.out.includes(text)) throw new Error(`it ended: ${command.out}${command.err}`)
}

const leftOver = () => processesOf(directory)

/** Only steps that ended well, perhaps the last lines of a start, and the stop. */
const quiet = /^(?:✔ .+\n| {2}.+\n)*(?:\nReady in [\s\S]*the data stays\.\n\n)?\nStopping …\n$/

test('the printed commands of a start work where only localhost resolves', async () => {
  const service = npm('start', '--', '--fresh', '--port', `${port}`)
  await printed(service, 'Ctrl-C stops everything')
  const links = [...service.out.matchAll(/http:\/\/[^\s']+/g)].map(([link]) => new URL(link))
  const own = links.filter(({ hostname }) => hostname === 'localhost')
  expect(links.filter((link) => !own.includes(link)).map(({ host }) => host)).toEqual([
    `globex.localhost:${port}`,
  ])
  for (const { origin, pathname } of own.filter(({ pathname }) => /^\/(?:admin|docs)$/.test(pathname))) {
    const page = await fetch(origin + pathname)
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
  }

  const tokenOf = async (tenant: string) => {
    const command = npm('run', 'token', '--', '--tenant', tenant)
    expect(await command.ended, command.err).toBe(0)
    return command.out.trim()
  }
  const [, address = '', tenant = ''] =
    /curl '(\S+)' -H "Authorization: Bearer \$\(.*npm run -s token -- --tenant (\w+)\)"/.exec(service.out) ??
    []
  const token = await tokenOf(tenant)
  for (const name of ['localhost', '127.0.0.1']) {
    const answer = await fetch(address.replace('localhost', name), {
      headers: { authorization: `Bearer ${token}` },
    })
    const body = (await answer.json()) as { totalItems: number; member: { media: { url: string }[] }[] }
    expect([answer.status, body.totalItems]).toEqual([200, 1])
    const picture = await fetch(body.member.flatMap(({ media }) => media)[0]!.url)
    expect([picture.status, picture.headers.get('content-type')]).toEqual([
      200,
      expect.stringMatching(/^image\//),
    ])
  }
  expect(service.out.match(/eyJ[\w-]+\.eyJ/g), 'the token is printed once').toHaveLength(1)

  // Some programs ask `localhost` and its subdomains over IPv6 alone.
  if (hasIpv6) {
    for (const host of ['localhost', 'acme.localhost', 'globex.localhost']) {
      const status = await new Promise((resolve, reject) => {
        const asked = { host: '::1', port, path: '/health', headers: { host: `${host}:${port}` } }
        get(asked, (answer) => resolve(answer.resume().statusCode)).on('error', reject)
      })
      expect(status, host).toBe(200)
    }
  }

  const made = npm('run', 'tenant', '--', 'create', '--host', 'shop.localhost', '--locale', 'en-US')
  expect(await made.ended, made.err).toBe(0)
  const shop = openClient({ port, host: 'shop.localhost', token: await tokenOf('shop') })
  expect(await shop.list('/api/products')).toEqual([])
  shop.close()
  const elsewhere = openClient({ port, host: 'shop.localhost', token: await tokenOf('acme') })
  expect((await elsewhere.send('GET', '/api/products')).status).toBe(401)
  elsewhere.close()
  // A line of the log says why. On a loaded machine the log also has lines about slow requests.
  const refusal = () => service.err.split('\n').find((line) => line.includes('"token_refused"'))
  await until(
    () => refusal() !== undefined && service.err.endsWith('}\n'),
    () => service.err,
  )
  expect(JSON.parse(refusal() ?? '')).toMatchObject({ event: 'token_refused', check: 'issuer' })
  service.err = ''

  const tools = await fetch(`http://localhost:${port}/mcp`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'list_categories' },
    }),
  })
  expect(tools.status).toBe(200)
  expect(await tools.json()).toMatchObject({ result: { structuredContent: { page: 1, totalItems: 18 } } })

  const globex = openClient({ port, host: 'globex.localhost', token: await tokenOf('globex') })
  expect(await globex.read('/api/products?itemsPerPage=1')).toMatchObject({ totalItems: 12 })
  globex.close()

  const second = npm('start')
  expect(await second.ended).toBe(1)
  expect(second.err).toMatch(
    new RegExp(`The service at http://localhost:${port} \\(process \\d+\\) uses ${directory}`),
  )

  const watcher = npm('run', 'webhooks', '--', '--tenant', 'acme', '--topic', 'product/*')
  await printed(watcher, 'Subscribed to product/*')
  const file = join(directory, 'products.csv')
  writeFileSync(file, 'Handle,Title,Variant SKU,Variant Price\nrain-jacket,Rain jacket,RAIN-1,49.90\n')
  const given = ['--tenant', 'acme', '--channel', 'web', '--currency', 'EUR']
  const loading = npm('run', 'import', '--', file, ...given)
  expect(await loading.ended, loading.out + loading.err).toBe(0)
  await printed(watcher, ' product/created  ✔ signature holds')
  expect(watcher.out).toContain('Rain jacket')
  watcher.child.kill('SIGTERM')
  expect(await watcher.ended, watcher.out + watcher.err).toBe(0)

  service.child.kill('SIGTERM')
  expect(await service.ended).toBe(0)
  expect(service.err).toBe('')
  expect(service.out.slice(service.out.indexOf('the data stays.'))).toBe('the data stays.\n\n\nStopping …\n')
  // The processes that the Worker started are ending.
  await until(() => leftOver().length === 0, leftOver, 5)
  expect(await isTaken(port)).toBe(false)
}, 240_000)

test.each([
  ['when it has just begun', '', 'SIGTERM', 0],
  ['while the Worker is built', 'Database bridge ready', 'SIGINT', 900],
] as const)(
  'a start that is stopped %s ends in one line, and leaves nothing',
  async (_, text, signal, pause) => {
    const service = npm('start', '--', '--port', `${port}`)
    await printed(service, text)
    await sleep(pause)
    service.child.kill(signal)
    const code = await service.ended
    // Before the command itself has begun, npm ends by the signal.
    if (service.out === '') expect([0, 130, 143]).toContain(code)
    else expect([code, service.out]).toEqual([0, expect.stringMatching(quiet)])
    expect(service.err).toBe('')
    // Where npm ended by the signal, the command notices that its parent is gone.
    await until(() => leftOver().length === 0, leftOver, 20)
  },
  90_000,
)

test('a start on a taken port takes the next one, and an npm that is killed takes everything with it', async () => {
  const other = createServer().listen(port, '127.0.0.1')
  const service = npm('start', '--', '--port', `${port}`)
  await printed(service, 'Worker ready')
  const [, next] = /Port \d+ is taken\. The port of this service is (\d+)\./.exec(service.out) ?? []
  expect((await fetch(`http://127.0.0.1:${next}/health`)).status).toBe(200)
  expect(Number(next)).toBeGreaterThan(port)
  service.child.kill('SIGKILL')
  await until(() => leftOver().length === 0, leftOver, 20)
  expect(await isTaken(Number(next))).toBe(false)
  other.close()
}, 90_000)

/** `npm run deploy -- --gradual`, with a stand-in for wrangler: it records its arguments, stores the traffic, and fails on demand. */
import { appendFileSync, cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { deployCommand, program } from '../../src/local/deploy.ts'

const directory = mkdtempSync(join(tmpdir(), 'gradual-'))
afterAll(() => rmSync(directory, { recursive: true }))
cpSync(join(import.meta.dirname, '../../wrangler.toml'), join(directory, 'wrangler.toml'))

const file = (name: string) => join(directory, name)
const standIn = file('wrangler.cjs')
/** A failing call has its effect, too: a connection may break after the platform has acted. */
writeFileSync(
  standIn,
  `const { appendFileSync, mkdirSync, readFileSync, writeFileSync } = require('node:fs')
const words = process.argv.slice(2)
const line = words.join(' ')
appendFileSync('calls', 'wrangler ' + line + '\\n')
if (words[0] === 'deployments') console.log(readFileSync('served', 'utf8'))
if (words.includes('--outdir')) {
  mkdirSync('dist/worker', { recursive: true })
  writeFileSync('dist/worker/worker.js', 'export default {}')
}
const write = (entry) => appendFileSync(process.env.WRANGLER_OUTPUT_FILE_PATH, JSON.stringify(entry) + '\\n')
if (words.includes('--outdir')) write({ type: 'wrangler-session' })
const config = readFileSync(line.includes('--config') ? words.at(-1) : 'wrangler.toml', 'utf8')
if (words.includes('--outdir') && new RegExp(readFileSync('refused', 'utf8')).test(config)) {
  write({ type: 'command-failed', version: 1, code: 10089, message: 'You need to enable Analytics Engine.' })
  process.exit(1)
}
if (line.startsWith('versions upload')) write({ type: 'version-upload', version_id: 'new' })
if (line.startsWith('versions deploy')) {
  const versions = words.filter((word) => word.includes('@')).map((word) => /(.+)@(.+)%/.exec(word))
  writeFileSync('served', JSON.stringify({ versions: versions.map(([, id, share]) => ({ version_id: id, percentage: Number(share) })) }))
}
process.exit(new RegExp(readFileSync('failing', 'utf8')).test(line) ? 1 : 0)
`,
)

type Traffic = Readonly<Record<string, number>>

const args = ['--env', 'staging', '--gradual', '--pause', '0']
const target = ['--url', 'https://acme.example.net', '--token', 'T']
const unchecked = ['--unclean', '--without-checks', '--without-migrations']
/** The calls before the upload. */
const before = [
  'wrangler whoami --json',
  'npm run --silent build',
  'wrangler deployments status --json --env staging',
]
const upload = 'wrangler versions upload --env staging --outdir dist/worker'
const serve = (...traffic: string[]) => `wrangler versions deploy ${traffic.join(' ')} --env staging --yes`
const verification =
  'npm run --silent verify -- --url https://acme.example.net --worker-version product-catalogue-staging=new'
const steps = [
  serve('old@100%', 'new@0%'),
  verification,
  serve('old@90%', 'new@10%'),
  verification,
  serve('old@50%', 'new@50%'),
  verification,
  serve('new@100%'),
]
const triggers = 'wrangler triggers deploy --env staging'

/** Runs the command. Calls of wrangler that match `failing` fail, and so does the given verification, counted from 1. */
async function deploy(
  more: readonly string[] = target,
  {
    failing = 'nothing',
    refused = 'no such binding',
    failingVerification = 0,
    served = { old: 100 } as Traffic,
    onVerify = () => {},
  } = {},
) {
  const versions = Object.entries(served).map(([id, percentage]) => ({ version_id: id, percentage }))
  writeFileSync(file('served'), JSON.stringify({ versions }))
  writeFileSync(file('failing'), failing)
  writeFileSync(file('refused'), refused)
  writeFileSync(file('calls'), '')
  const messages: string[] = []
  let verifications = 0
  const code = await deployCommand.run([...args, ...unchecked, ...more], {
    print: (text) => messages.push(text),
    printError: (text) => messages.push(text),
    env: {},
    directory,
    async program(command, words, ...rest) {
      if (command !== 'npm') return program(process.execPath, [standIn, ...words.slice(2)], ...rest)
      appendFileSync(file('calls'), `npm ${words.join(' ')}\n`)
      if (words.includes('verify')) {
        verifications += 1
        onVerify()
        if (verifications === failingVerification) throw new Error('a check failed')
      }
      return ''
    },
  })
  const traffic: { versions: { version_id: string; percentage: number }[] } = JSON.parse(
    readFileSync(file('served'), 'utf8'),
  )
  return {
    code,
    messages: messages.join('\n'),
    calls: readFileSync(file('calls'), 'utf8').replaceAll(`${directory}/`, '').trim().split('\n'),
    traffic: Object.fromEntries(
      traffic.versions.map(({ version_id: id, percentage }) => [id, percentage]),
    ) as Traffic,
  }
}

test('verifies the new version before it gets 10, 50 and 100 % of the requests, then deploys the triggers', async () => {
  const { code, calls, traffic, messages } = await deploy()
  expect(calls).toEqual([...before, upload, ...steps, triggers])
  expect([code, traffic]).toEqual([0, { new: 100 }])
  expect(messages).toContain('✔ 50 % of the requests are served by new')
})

test.each([
  ...[0, 2, 4, 6].map((step) => [steps[step] ?? '', { failing: steps[step]?.slice(9) ?? '' }, step] as const),
  ...[1, 2, 3].map((failingVerification, index) => {
    return [`verification ${failingVerification}`, { failingVerification }, 2 * index + 1] as const
  }),
])('moves all requests back to the old version if this fails: %s', async (_, fault, step) => {
  const { code, calls, traffic, messages } = await deploy(target, fault)
  expect(calls).toEqual([...before, upload, ...steps.slice(0, step + 1), serve('old@100%')])
  expect([code, traffic]).toEqual([1, { old: 100 }])
  expect(messages).toContain('old serves all requests again. Migrations stay.')
})

test('a stopped deployment moves all requests back', async () => {
  let isFirst = true
  const { code, calls, traffic, messages } = await deploy(target, {
    onVerify: () => void (isFirst ? (isFirst = false) : process.emit('SIGTERM')),
  })
  expect(calls).toEqual([...before, upload, ...steps.slice(0, 4), serve('old@100%')])
  expect([code, traffic]).toEqual([1, { old: 100 }])
  expect(messages).toContain('Stopped.\nold serves all requests again.')
  expect(process.listenerCount('SIGTERM')).toBe(0)
})

test('a failed upload, such as one without the required secrets, moves no request', async () => {
  const { code, calls, traffic } = await deploy(target, { failing: 'versions upload' })
  expect(calls).toEqual([...before, upload])
  expect([code, traffic]).toEqual([1, { old: 100 }])
})

test('sends the version without METRICS if the account has no Analytics Engine, and says how to enable it', async () => {
  const { code, calls, traffic, messages } = await deploy(target, { refused: 'analytics_engine_datasets' })
  const reduced = `${upload} --config wrangler.without-metrics.toml`
  expect(calls).toEqual([...before, upload, reduced, ...steps, triggers])
  expect([code, traffic]).toEqual([0, { new: 100 }])
  expect(messages).toContain('This account has no Analytics Engine: the Worker is sent without METRICS')
  expect(messages).toContain('Enable it in the dashboard')
  expect(existsSync(file('wrangler.without-metrics.toml'))).toBe(false)
  // The other settings stay: the Worker is refused again if the second file lacks them.
  const other = await deploy(target, { refused: 'env.staging.placement' })
  expect(other.calls).toEqual([...before, upload, reduced])
  expect(other.traffic).toEqual({ old: 100 })
})

test('prints the command that moves the requests back if moving them back fails', async () => {
  const { code, messages } = await deploy(target, { failing: 'new@50%|deploy old@100% --env' })
  expect(code).toBe(1)
  expect(messages).toContain('Run: npx wrangler versions deploy old@100% --env staging --yes')
})

test('failed triggers leave the new version, and the command that deploys them is printed', async () => {
  const { code, traffic, messages } = await deploy(target, { failing: 'triggers deploy' })
  expect([code, traffic]).toEqual([1, { new: 100 }])
  expect(messages).toContain('Run: npx wrangler triggers deploy --env staging')
})

test('changes nothing while two versions share the requests, or before a first deployment', async () => {
  const shared = await deploy(target, { served: { a: 90, b: 10 } })
  expect(shared).toMatchObject({ code: 1, calls: before, traffic: { a: 90, b: 10 } })
  expect(shared.messages).toContain('Versions share the requests: a@90%, b@10%.')
  const first = await deploy(target, { failing: 'deployments status' })
  expect(first).toMatchObject({ code: 1, calls: before })
  expect(first.messages).toContain('Deploy the first version without --gradual.')
})

test('a dry run prints the commands and runs none of them', async () => {
  const { code, calls, messages } = await deploy(['--dry-run'])
  expect(code).toBe(0)
  expect(calls).toEqual(['wrangler deploy --env staging --outdir dist/worker --dry-run --metafile'])
  const printed = messages.split('\n').filter((line) => line.startsWith('Would run: '))
  const named = [...before.slice(2), upload, ...steps, triggers].map((line) =>
    line
      .replaceAll('old@', 'OLD@')
      .replaceAll('new@', 'NEW@')
      .replace('=new', '=NEW')
      .replace(/https:\S+/, 'URL'),
  )
  expect(printed.map((line) => line.replace('Would run: ', ''))).toEqual(named)
})

test('without a host and a token, which verify the version, it does nothing', async () => {
  const { code, messages } = await deploy(['--url', 'https://acme.example.net'])
  expect([code, messages]).toEqual([2, expect.stringContaining('--gradual needs --url and --token')])
})

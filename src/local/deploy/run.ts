/** `npm run deploy`: each step only when the one before it has succeeded. */
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { configurationFindings } from '../doctor/configuration.ts'
import { connected, reading } from '../doctor/connection.ts'
import { reasonOf } from '../doctor/finding.ts'
import { demandDirect, migrate, pendingMigrations } from '../migrate.ts'
import { type Arguments, help, readArguments } from './arguments.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url).href)
type Environment = Readonly<Record<string, string | undefined>>

/** Runs the command, and gives its exit code. */
export async function run(args: readonly string[], env: Environment): Promise<0 | 1 | 2> {
  let asked: Arguments
  try {
    asked = readArguments(args, env)
  } catch (error) {
    console.error(`${reasonOf(error)}\nSee: npm run deploy -- --help`)
    return 2
  }
  if (asked.help) {
    console.log(help)
    return 0
  }
  try {
    await deploy(asked)
    return 0
  } catch (error) {
    console.error(reasonOf(error))
    return 1
  }
}

async function deploy(asked: Arguments): Promise<void> {
  await demandCleanTree(asked)
  demandConfiguration(asked)
  if (!asked['without-checks']) {
    for (const check of ['lint', 'types']) await program('npm', ['run', '--silent', check])
    console.log('✔ lint and types')
  }
  // Built before anything is changed: what cannot be built is not migrated for.
  if (!asked['dry-run']) await program('npm', ['run', '--silent', 'build'])
  await migrations(asked)
  await send(asked)
  if (asked['dry-run']) console.log('Nothing was sent or changed.')
  else await verify(asked)
}

/** What is deployed can be found again by its commit. */
async function demandCleanTree(asked: Arguments): Promise<void> {
  const changes = await output('git', ['status', '--porcelain']).catch(() => null)
  if (changes === '') return
  const told =
    changes === null
      ? 'This is no git work tree: nobody could tell later what was deployed.'
      : `The tree has changes that nobody has committed:\n${changes}`
  if (asked['dry-run'] || asked.unclean) console.log(told)
  else throw new Error(`${told}\nCommit them, or deploy with --unclean.`)
}

/** What `npm run doctor` says of wrangler.toml: failures stop the deployment. */
function demandConfiguration({ ownerUrl }: Arguments): void {
  const findings = configurationFindings(resolve(root, 'wrangler.toml'), ownerUrl)
  const lines = findings.flatMap(({ check, state, seen, next }) =>
    state === 'ok' ? [] : [`${state} ${check}: ${seen}. ${next}`],
  )
  if (findings.some(({ state }) => state === 'fail')) throw new Error(lines.join('\n'))
  for (const line of lines) console.log(line)
  console.log('✔ production in wrangler.toml')
}

/** Applies the migrations; in a dry run only tells which. */
async function migrations({ ownerUrl, 'dry-run': isDry }: Arguments): Promise<void> {
  if (ownerUrl === null) return console.log('The database is left as it is: no --database-url.')
  demandDirect(ownerUrl)
  if (!isDry) {
    await migrate({ ownerUrl, appPassword: null, onProgress: (name) => console.log(`✔ ${name}`) })
    return console.log('✔ migrations')
  }
  const pending = await connected(ownerUrl, (client) => reading(client, () => pendingMigrations(client)))
  console.log(
    pending.length === 0 ? 'No migration would be applied.' : `Would be applied: ${pending.join(', ')}`,
  )
}

/** Sends the Worker and its files, or lets wrangler tell what it would send. */
async function send({ outdir, 'dry-run': isDry }: Arguments): Promise<void> {
  const wrangler = fileURLToPath(import.meta.resolve('wrangler'))
  const dry = isDry ? ['--dry-run', '--metafile'] : []
  await program(process.execPath, [
    ...['--no-warnings', wrangler, 'deploy', '--env', 'production'],
    ...['--outdir', outdir, ...dry],
  ])
  const code = readFileSync(resolve(root, outdir, 'worker.js'))
  const sent = await promisify(gzip)(code)
  const kB = (bytes: number) => `${(bytes / 1000).toFixed(0)} kB`
  console.log(`worker.js: ${kB(code.length)}, ${kB(sent.length)} compressed`)
}

async function verify({ url, token }: Arguments): Promise<void> {
  if (url !== undefined && token !== undefined) {
    return program('npm', ['run', '--silent', 'verify', '--', '--url', url, '--token', token])
  }
  console.log(`The Worker is sent. See whether it serves:
  npm run doctor -- --database-url … --worker-url … --url ${url ?? 'https://acme.example.com'}`)
}

/** Runs a program to its end, with its output as it comes. @throws Error where it fails */
function program(command: string, args: readonly string[]): Promise<void> {
  const child = spawn(command, args, { cwd: root, stdio: 'inherit' })
  return new Promise((done, reject) => {
    child.on('error', reject)
    child.on('close', (code, signal) => {
      if (code === 0) done()
      else reject(new Error(`${[command, ...args].slice(0, 4).join(' ')} ended with ${signal ?? code}.`))
    })
  })
}

/** What a program prints. */
function output(command: string, args: readonly string[]): Promise<string> {
  const child = spawn(command, args, { cwd: root, stdio: ['ignore', 'pipe', 'ignore'] })
  let text = ''
  child.stdout.on('data', (chunk) => {
    text += chunk
  })
  return new Promise((done, reject) => {
    child.on('error', reject)
    child.on('close', (code) =>
      code === 0 ? done(text.trimEnd()) : reject(new Error(`${command} ended with ${code}`)),
    )
  })
}

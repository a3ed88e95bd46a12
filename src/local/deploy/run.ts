/** `npm run deploy`: each step only when the one before it has succeeded. */
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { configurationFindings } from '../doctor/configuration.ts'
import { connected, reading } from '../doctor/connection.ts'
import { reasonOf } from '../doctor/finding.ts'
import { demandDirect, migrate, pendingMigrations } from '../migrate.ts'
import { type Arguments, help, readArguments } from './arguments.ts'
import type { Program } from './program.ts'
import { uncommitted } from './tree.ts'

/** What the command is surrounded by. */
export type Surroundings = {
  readonly print: (text: string) => void
  readonly tell: (text: string) => void
  readonly env: Readonly<Record<string, string | undefined>>
  readonly program: Program
  /** The work tree that is deployed. */
  readonly directory: string
}

/** Runs the command, and gives its exit code. */
export async function run(args: readonly string[], around: Surroundings): Promise<0 | 1 | 2> {
  const { print, tell, env } = around
  let asked: Arguments
  try {
    asked = readArguments(args, env)
  } catch (error) {
    tell(`${reasonOf(error)}\nSee: npm run deploy -- --help`)
    return 2
  }
  if (asked.help) {
    print(help)
    return 0
  }
  try {
    await deploy(asked, around)
    return 0
  } catch (error) {
    tell(reasonOf(error))
    return 1
  }
}

async function deploy(asked: Arguments, around: Surroundings): Promise<void> {
  const { print, program, directory } = around
  if (asked.ownerUrl !== null) demandDirect(asked.ownerUrl)
  print(`${planOf(asked).join(', then ')}.`)
  await demandCleanTree(asked, around)
  demandConfiguration(asked, around)
  if (!asked['without-checks']) {
    for (const check of ['lint', 'types']) await program('npm', ['run', '--silent', check], directory)
    print('✔ lint and types')
  }
  // Built before anything is changed: what cannot be built is not migrated for.
  if (!asked['dry-run']) await program('npm', ['run', '--silent', 'build'], directory)
  await bringDatabase(asked, around)
  await send(asked, around)
  if (asked['dry-run']) print('Nothing was sent or changed.')
  else await verify(asked, around)
}

/** What will run, before any of it does: some of it is silent for a minute. */
function planOf(asked: Arguments): string[] {
  const isDry = asked['dry-run']
  const verifies = !isDry && asked.url !== undefined && asked.token !== undefined
  return [
    'Looks at the work tree and wrangler.toml',
    ...(asked['without-checks']
      ? []
      : ['runs lint and types, a minute or two (--without-checks leaves them out)']),
    ...(isDry ? [] : ['builds']),
    ...(asked.ownerUrl === null ? [] : [isDry ? 'reads which migrations are missing' : 'migrates']),
    isDry ? 'has wrangler tell what it would send' : 'sends the Worker',
    ...(verifies ? ['verifies the service'] : []),
  ]
}

/** What is deployed can be found again by its commit. */
async function demandCleanTree(asked: Arguments, { print, directory }: Surroundings): Promise<void> {
  const told = await uncommitted(directory)
  if (told === null) return
  if (!asked['dry-run'] && !asked.unclean) throw new Error(`${told}\nCommit them, or deploy with --unclean.`)
  print(told)
}

/** What `npm run doctor` says of wrangler.toml: failures stop the deployment. */
function demandConfiguration({ ownerUrl }: Arguments, { print, directory }: Surroundings): void {
  const findings = configurationFindings(join(directory, 'wrangler.toml'), ownerUrl)
  const lines = findings.flatMap(({ check, state, seen, next }) =>
    state === 'ok' ? [] : [`${state} ${check}: ${seen}. ${next}`],
  )
  if (findings.some(({ state }) => state === 'fail')) throw new Error(lines.join('\n'))
  for (const line of lines) print(line)
  print('✔ production in wrangler.toml')
}

/** Applies the migrations; in a dry run only tells which. */
async function bringDatabase(
  { ownerUrl, 'dry-run': isDry, 'without-migrations': without }: Arguments,
  { print }: Surroundings,
): Promise<void> {
  if (ownerUrl === null) {
    const isUnasked = isDry && !without
    return print(
      isUnasked
        ? 'Which migrations would be applied is told with --database-url URL.'
        : 'The database is left as it is.',
    )
  }
  if (!isDry) {
    await migrate({ ownerUrl, appPassword: null, onProgress: (name) => print(`✔ ${name}`) })
    return print('✔ migrations')
  }
  const pending = await connected(ownerUrl, (client) => reading(client, () => pendingMigrations(client)))
  print(pending.length === 0 ? 'No migration would be applied.' : `Would be applied: ${pending.join(', ')}`)
}

/** Sends the Worker and its files, or lets wrangler tell what it would send. */
async function send(
  { outdir, 'dry-run': isDry }: Arguments,
  { print, program, directory }: Surroundings,
): Promise<void> {
  const wrangler = fileURLToPath(import.meta.resolve('wrangler'))
  const dry = isDry ? ['--dry-run', '--metafile'] : []
  const args = ['deploy', '--env', 'production', '--outdir', outdir, ...dry]
  await program(process.execPath, ['--no-warnings', wrangler, ...args], directory)
  const code = readFileSync(resolve(directory, outdir, 'worker.js'))
  const sent = await promisify(gzip)(code)
  const kB = (bytes: number) => `${(bytes / 1000).toFixed(0)} kB`
  print(`worker.js: ${kB(code.length)}, ${kB(sent.length)} compressed`)
}

async function verify({ url, token }: Arguments, { print, program, directory }: Surroundings): Promise<void> {
  if (url !== undefined && token !== undefined) {
    const words = ['run', '--silent', 'verify', '--', '--url', url]
    return program('npm', words, directory, { ACCESS_TOKEN: token })
  }
  print(`The Worker is sent. See whether it serves:
  npm run doctor -- --database-url … --worker-url … --url ${url ?? 'https://acme.example.com'}`)
}

/** `npm run deploy`. Each step runs only after the previous one succeeded. */
import { execFile, type StdioOptions, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import {
  command,
  Failure,
  flag,
  here,
  httpUrl,
  option,
  type Surroundings,
  text,
  type ValuesOf,
  wholeNumber,
} from './cli/command.ts'
import { connected, connectionString, demandDirect, reading } from './cli/database.ts'
import { configurationResults, environment, readConfiguration } from './doctor/configuration.ts'
import { type GradualDeployment, moveRequests, servedVersion, uploadedVersion } from './gradual.ts'
import { migrate, pendingMigrations } from './migrate.ts'
import { upload, type Wrangler } from './upload.ts'

/**
 * Runs a program in a folder to its end, and prints its output as it arrives, or returns it. `variables` are added to its environment.
 * @throws Failure if it fails
 */
type Program = (
  command: string,
  args: readonly string[],
  directory: string,
  variables?: Readonly<Record<string, string>>,
  output?: 'stdout' | 'stderr' | 'returned',
) => Promise<string>

export const program: Program = (command, args, directory, variables = {}, output = 'stdout') => {
  const env = { ...process.env, ...variables }
  const out = { stdout: 'inherit', stderr: 2, returned: 'pipe' } as const
  const stdio: StdioOptions = ['inherit', out[output], 'inherit']
  const child = spawn(command, args, { cwd: directory, stdio, env })
  let text = ''
  child.stdout?.setEncoding('utf8').on('data', (part) => {
    text += part
  })
  return new Promise((done, reject) => {
    child.on('error', reject)
    child.on('close', (code, signal) => {
      if (code === 0) done(text)
      else reject(new Failure(`${[command, ...args].slice(0, 4).join(' ')} ended with ${signal ?? code}.`))
    })
  })
}

const wrangler = fileURLToPath(import.meta.resolve('wrangler'))

const wranglerOf =
  ({ program, directory }: DeploySurroundings): Wrangler =>
  (args, variables, output) =>
    program(process.execPath, ['--no-warnings', wrangler, ...args], directory, variables, output)

type DeploySurroundings = Surroundings & {
  readonly program: Program
  /** The work tree to deploy. */
  readonly directory: string
}

const options = {
  env: environment,
  'database-url': option(
    'URL',
    "the owner's direct connection string, for the migrations",
    connectionString.optional(),
    'DIRECT_DATABASE_URL',
  ),
  'without-migrations': flag('leaves the database unchanged'),
  'dry-run': flag(
    'sends and changes nothing, and needs no account: prints the missing migrations, and what would be sent with its size',
  ),
  gradual: flag(
    'gives the new version 10, 50 and 100 % of the requests, runs "npm run verify" against it before each step, and moves all requests back after a failure',
  ),
  pause: option(
    'SECONDS',
    'between two steps of --gradual, in which to read the log (default: 60)',
    wholeNumber(0, 86_400).default(60),
  ),
  url: option('URL', 'the host of a tenant, where the service answers afterwards', httpUrl.optional()),
  token: option(
    'TOKEN',
    'an access token of this tenant, with which "npm run verify" checks the service (default: the variable ACCESS_TOKEN, which neither npm nor ps shows)',
    text.optional(),
    'ACCESS_TOKEN',
  ),
  unclean: flag('deploys a work tree with uncommitted changes'),
  'without-checks': flag('skips lint and types'),
  json: flag(
    'prints one JSON object about the deployment, or about the dry run; everything else goes to the error output',
  ),
  outdir: option(
    'DIR',
    'the folder for the sent files and their source map (default: dist/worker)',
    text.default('dist/worker'),
  ),
}

/** `npm run deploy`. */
export const deployCommand = command<typeof options, DeploySurroundings>({
  name: 'deploy',
  summary:
    'Deploys to Cloudflare: runs checks, builds, migrates the database, sends the Worker, and verifies the service.',
  examples: [
    'npm run deploy -- --database-url URL --url https://acme.example.com',
    'npm run deploy -- --env staging --gradual --database-url URL --url https://acme.example.net',
    'npm run deploy -- --dry-run',
  ],
  options,
  notes: [
    'It migrates the database before it sends the Worker. The previous Worker works with the new migrations.',
  ],
  faults: (given, typed) => [
    ...('token' in typed && !('url' in typed) ? ['--token needs --url, the host of its tenant.'] : []),
    ...('gradual' in given && !('dry-run' in given) && !('url' in given && 'token' in given)
      ? ['--gradual needs --url and --token (or ACCESS_TOKEN), to verify the new version.']
      : []),
    ...('pause' in given && !('gradual' in given) ? ['--pause needs --gradual.'] : []),
    ...('database-url' in given || 'without-migrations' in given || 'dry-run' in given
      ? []
      : ['Give --database-url or DIRECT_DATABASE_URL, or --without-migrations.']),
  ],
  async run({ 'without-migrations': isWithoutMigrations, 'database-url': url, ...values }, surroundings) {
    const ownerUrl = isWithoutMigrations ? null : (url ?? null)
    const { print, printError, program } = surroundings
    const quiet: DeploySurroundings = {
      ...surroundings,
      print: printError,
      program: (command, args, directory, variables, output = 'stderr') =>
        program(command, args, directory, variables, output),
    }
    const done = await deploy(
      { ...values, 'without-migrations': isWithoutMigrations, ownerUrl },
      values.json ? quiet : surroundings,
    )
    if (values.json) print(JSON.stringify(done))
    return 0
  },
})

type Arguments = Omit<ValuesOf<typeof options>, 'database-url'> & { readonly ownerUrl: string | null }

/** The result as `--json` prints it. A dry run contains what would be done. */
type Deployment = {
  readonly dryRun: boolean
  /** The applied migrations; null if the database was not read. */
  readonly migrations: readonly string[] | null
  readonly worker: { readonly bytes: number; readonly compressedBytes: number }
  readonly verified: boolean
}

async function deploy(values: Arguments, surroundings: DeploySurroundings): Promise<Deployment> {
  const { print, program, directory } = surroundings
  if (values.ownerUrl !== null) demandDirect(values.ownerUrl)
  print(`${planOf(values).join(', then ')}.`)
  await demandCleanTree(values, surroundings)
  await demandConfiguration(values, surroundings)
  if (!values['dry-run']) await demandLogin(surroundings)
  if (!values['without-checks']) {
    for (const check of ['lint', 'types']) await program('npm', ['run', '--silent', check], directory)
    print('✔ lint and types')
  }
  // A failed build must not leave a migrated database.
  if (!values['dry-run']) await program('npm', ['run', '--silent', 'build'], directory)
  const gradual = values.gradual ? gradualDeployment(values, surroundings) : null
  const old = gradual && (await servedVersion(gradual))
  const migrations = await bringDatabase(values, surroundings)
  if (gradual && old !== null) await moveRequests(gradual, old, await uploadedVersion(gradual))
  const worker = await send(values, surroundings)
  const dryRun = values['dry-run']
  if (dryRun)
    print(`Nothing was sent or changed. A deployment needs the login of wrangler, the secrets DATABASE_URL and WEBHOOK_SECRET_KEY
("npx wrangler secret put"), and routes: .github/docs/operations.md, "Production".`)
  const verified = !dryRun && (values.gradual || (await verify(values, surroundings)))
  return { dryRun, migrations, worker, verified }
}

/** The steps, printed before the first one: some steps print nothing for a minute. */
function planOf(values: Arguments): string[] {
  const isDry = values['dry-run']
  const verifies = !isDry && !values.gradual && values.url !== undefined && values.token !== undefined
  return [
    `Checks the work tree${isDry ? '' : ', the login of wrangler'} and wrangler.toml`,
    ...(values['without-checks']
      ? []
      : ['runs lint and types, a minute or two (--without-checks leaves them out)']),
    ...(isDry ? [] : ['builds']),
    ...(values.ownerUrl === null ? [] : [isDry ? 'reads which migrations are missing' : 'migrates']),
    isDry ? 'prints what wrangler would send' : values.gradual ? 'sends a version' : 'sends the Worker',
    ...(values.gradual
      ? [isDry ? 'prints the steps' : 'verifies it and gives it 10, 50 and 100 % of the requests']
      : []),
    ...(verifies ? ['verifies the service'] : []),
  ]
}

/** Deployed code must be found again by its commit. */
async function demandCleanTree(values: Arguments, { print, directory }: DeploySurroundings): Promise<void> {
  const fault = await treeFault(directory)
  if (fault === null) return
  if (!values['dry-run'] && !values.unclean)
    throw new Failure(`${fault}\nCommit them, or deploy with --unclean.`)
  print(fault)
}

/** The reason why the files of a folder are not those of a commit. Null if they are. */
export async function treeFault(directory: string): Promise<string | null> {
  try {
    const { stdout } = await promisify(execFile)('git', ['status', '--porcelain'], { cwd: directory })
    return stdout === '' ? null : `The work tree has uncommitted changes:\n${stdout.trimEnd()}`
  } catch {
    return 'This is not a git work tree, so no commit has the deployed code.'
  }
}

/** Checks wrangler.toml as `npm run doctor` does. Failures stop the deployment. */
async function demandConfiguration({ env, ownerUrl }: Arguments, { print, directory }: DeploySurroundings) {
  const findings = await configurationResults(join(directory, 'wrangler.toml'), env, ownerUrl)
  const lines = findings.flatMap(({ check, state, seen, next }) =>
    state === 'ok' ? [] : [`${state} ${check}: ${seen}. ${next}`],
  )
  if (findings.some(({ state }) => state === 'fail')) throw new Failure(lines.join('\n'))
  for (const line of lines) print(line)
  print(`${lines.length === 0 ? '✔' : '!'} ${env} in wrangler.toml`)
}

/** Without a login, the database would be migrated and no Worker sent. `--json` makes wrangler fail without one. */
async function demandLogin(surroundings: DeploySurroundings): Promise<void> {
  await wranglerOf(surroundings)(['whoami', '--json']).catch(() => {
    throw new Failure(
      'wrangler has no login at Cloudflare, or cannot reach it. Run "npx wrangler login", or set CLOUDFLARE_API_TOKEN. Nothing was changed.',
    )
  })
}

/** Applies the missing migrations, and returns their names. A dry run only prints them. */
async function bringDatabase(
  { ownerUrl, 'dry-run': isDry, 'without-migrations': without }: Arguments,
  { print }: DeploySurroundings,
): Promise<string[] | null> {
  if (ownerUrl === null) {
    print(
      isDry && !without
        ? 'With --database-url URL, it prints the missing migrations.'
        : 'The database is left unchanged.',
    )
    return null
  }
  if (!isDry) {
    const names = await migrate({ ownerUrl, appPassword: null, onProgress: (name) => print(`✔ ${name}`) })
    print('✔ migrations')
    return names
  }
  const pending = await connected(ownerUrl, (client) => reading(client, () => pendingMigrations(client)))
  print(pending.length === 0 ? 'No migration would be applied.' : `Would be applied: ${pending.join(', ')}`)
  return pending
}

/** Sends the Worker and its files if no version was sent, and returns its size. In a dry run, wrangler prints what it would send. */
async function send(
  { env, outdir, gradual, 'dry-run': isDry }: Arguments,
  surroundings: DeploySurroundings,
): Promise<Deployment['worker']> {
  const { print, directory } = surroundings
  const dry = isDry ? ['--dry-run', '--metafile'] : []
  const args = ['deploy', '--env', env, '--outdir', outdir, ...dry]
  if (isDry || !gradual) await upload(args, directory, wranglerOf(surroundings), print)
  const code = readFileSync(resolve(directory, outdir, 'worker.js'))
  const sent = await promisify(gzip)(code)
  const kB = (bytes: number) => `${(bytes / 1000).toFixed(0)} kB`
  print(`worker.js: ${kB(code.length)}, ${kB(sent.length)} compressed`)
  return { bytes: code.length, compressedBytes: sent.length }
}

/** A gradual deployment. A dry run prints its commands, with OLD and NEW for the ids of versions. */
function gradualDeployment(
  { env, outdir, pause, url = 'URL', token = '', 'dry-run': isDry }: Arguments,
  surroundings: DeploySurroundings,
): GradualDeployment {
  const { print, program, directory } = surroundings
  const { name } = readConfiguration(join(directory, 'wrangler.toml'), env)
  const verifying = (version: string) =>
    ['run', '--silent', 'verify', '--', '--url', url, '--worker-version', `${name}=${version}`] as const
  if (!isDry)
    return {
      ...{ env, outdir, pause, print },
      wrangler: wranglerOf(surroundings),
      upload: (args) => upload(args, directory, wranglerOf(surroundings), print),
      verify: (version) => program('npm', verifying(version), directory, { ACCESS_TOKEN: token }),
    }
  return {
    ...{ env, outdir, pause: 0, print: () => {} },
    async wrangler(args) {
      print(`Would run: wrangler ${args.join(' ')}`)
      return '{"versions":[{"version_id":"OLD","percentage":100}]}'
    },
    async upload(args) {
      print(`Would run: wrangler ${args.join(' ')}`)
      return [{ type: 'version-upload', version_id: 'NEW' }]
    },
    verify: async (version) => print(`Would run: npm ${verifying(version).join(' ')}`),
  }
}

async function verify(
  { url, token }: Arguments,
  { print, program, directory }: DeploySurroundings,
): Promise<boolean> {
  if (url !== undefined && token !== undefined) {
    const words = ['run', '--silent', 'verify', '--', '--url', url]
    await program('npm', words, directory, { ACCESS_TOKEN: token })
    return true
  }
  print(`The Worker is sent. To check the service:
  npm run doctor -- --database-url … --worker-url … --url ${url ?? 'https://acme.example.com'}`)
  return false
}

if (import.meta.main) {
  const directory = fileURLToPath(new URL('../..', import.meta.url).href)
  process.exitCode = await deployCommand.run(process.argv.slice(2), { ...here, program, directory })
}

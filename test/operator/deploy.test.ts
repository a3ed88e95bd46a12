/** The steps of `npm run deploy`, with programs that only record their calls; test/worker/deploy.test.ts runs the real ones. */
import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { deployCommand, treeFault } from '../../src/local/deploy.ts'
import { connected } from '../support/database.ts'

const server = inject('ownerUrl')
const name = `deploy_${randomUUID().slice(0, 8)}`
const ownerUrl = Object.assign(new URL(server), { pathname: name }).href
const directory = mkdtempSync(join(tmpdir(), 'deployed-'))
const git = (...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t.test', ...args], {
    cwd: directory,
    stdio: 'ignore',
  })

beforeAll(async () => {
  await connected(server, (client) => client.query(`create database ${name}`))
  cpSync(join(import.meta.dirname, '../../wrangler.toml'), join(directory, 'wrangler.toml'))
  writeFileSync(join(directory, '.gitignore'), 'dist\n')
  git('init', '-q')
  git('add', '.')
  git('commit', '-qm', 'all')
})

afterAll(async () => {
  await connected(server, (client) => client.query(`drop database ${name} with (force)`))
  rmSync(directory, { recursive: true })
})

/** How many migrations the database has had. */
const migrated = () =>
  connected(ownerUrl, async (client) => {
    const { rows } = await client.query(`select to_regclass('schema_migrations') is not null as exists`)
    if (!rows[0].exists) return 0
    return (await client.query('select from schema_migrations')).rowCount ?? 0
  })

/** Runs the command; a program whose words have `failing` among them fails. */
async function deploy(
  args: readonly string[],
  failing = 'nothing',
  env: Readonly<Record<string, string>> = {},
) {
  const said: string[] = []
  const printed: string[] = []
  const steps: string[] = []
  const code = await deployCommand.run(args, {
    print: (text) => said.push(text) && printed.push(text),
    printError: (text) => said.push(text),
    env: { DIRECT_DATABASE_URL: ownerUrl, ...env },
    directory,
    program: async (_, words, __, variables) => {
      const step = words
        .filter((word) => !word.startsWith('/') && !/^--(silent|no-warnings)$/.test(word))
        .join(' ')
      const suffix = variables?.ACCESS_TOKEN ? ` with ${JSON.stringify(variables)}` : ''
      steps.push(`${step}${suffix}, after ${(await migrated()) > 0 ? 'the' : 'no'} migrations`)
      if (words.includes(failing)) throw new Error(`${failing} failed`)
      mkdirSync(join(directory, 'dist/worker'), { recursive: true })
      writeFileSync(join(directory, 'dist/worker/worker.js'), 'export default {}')
      return ''
    },
  })
  return { code, said: said.join('\n'), printed, steps }
}

const whoami = 'whoami --json, after no migrations'

test('stops before the migrations if wrangler has no login, and names both ways to log in', async () => {
  const { code, said, steps } = await deploy([], 'whoami')
  expect([code, steps]).toEqual([1, [whoami]])
  expect(said).toContain('Run "npx wrangler login", or set CLOUDFLARE_API_TOKEN. Nothing was changed.')
})

test('what fails stops what comes after it, and nothing is migrated for what is not built', async () => {
  const lint = await deploy([], 'lint')
  expect(lint).toMatchObject({ code: 1, steps: [whoami, 'run lint, after no migrations'] })
  const build = await deploy(['--without-checks'], 'build')
  expect(build).toMatchObject({ code: 1, steps: [whoami, 'run build, after no migrations'] })
  expect(build.said).toContain('build failed')
})

test('a dry run prints the migrations, and applies none', async () => {
  const { code, said, steps } = await deploy(['--dry-run'])
  expect(code).toBe(0)
  expect(said.split('\n')[0]).toBe(
    'Checks the work tree and wrangler.toml, then runs lint and types, a minute or two (--without-checks leaves them out), then reads which migrations are missing, then prints what wrangler would send.',
  )
  expect(said).toContain('Would be applied: 0001_schema.sql, ')
  expect(said).toContain('! production in wrangler.toml')
  expect(said).toContain('the secrets DATABASE_URL and WEBHOOK_SECRET_KEY')
  expect(steps.at(-1)).toBe(
    'deploy --env production --outdir dist/worker --dry-run --metafile, after no migrations',
  )
})

test('with --json, a dry run prints one object with the migrations and the size of the Worker', async () => {
  const { code, printed } = await deploy(['--dry-run', '--json'])
  expect([code, printed.length]).toEqual([0, 1])
  expect(JSON.parse(printed[0] ?? '')).toEqual({
    dryRun: true,
    migrations: expect.arrayContaining(['0001_schema.sql', 'functions']),
    worker: { bytes: 17, compressedBytes: expect.any(Number) },
    verified: false,
  })
})

test('uncommitted changes are rejected without the option, and a dry run lists them', async () => {
  expect(await treeFault(directory)).toBeNull()
  writeFileSync(join(directory, 'new.txt'), 'x')
  try {
    const refused = await deploy([])
    expect(refused).toMatchObject({ code: 1, steps: [], said: expect.stringContaining('?? new.txt') })
    expect((await deploy(['--dry-run'])).said).toContain('?? new.txt')
    const unclean = await deploy(['--unclean', '--without-checks', '--without-migrations'])
    expect(unclean.steps).toEqual([
      whoami,
      'run build, after no migrations',
      'deploy --env production --outdir dist/worker, after no migrations',
    ])
  } finally {
    rmSync(join(directory, 'new.txt'))
  }
  expect(await treeFault(tmpdir())).toContain('not a git work tree')
})

test('a pooler’s string and a configuration that lacks something are refused before anything is done', async () => {
  const pooled = 'postgresql://owner:secret@ep-x-pooler.eu-central-1.aws.neon.tech/neondb'
  expect(await deploy(['--database-url', pooled])).toMatchObject({
    code: 1,
    steps: [],
    said: expect.stringContaining('-pooler'),
  })
  cpSync(join(directory, 'wrangler.toml'), join(directory, 'dist/kept.toml'))
  writeFileSync(join(directory, 'wrangler.toml'), 'name = "x"\n[env.production]\n')
  try {
    expect(await deploy(['--unclean'])).toMatchObject({
      code: 1,
      steps: [],
      said: expect.stringContaining('fail bindings: WORK is missing'),
    })
  } finally {
    cpSync(join(directory, 'dist/kept.toml'), join(directory, 'wrangler.toml'))
  }
})

test('checked, built, migrated, sent and verified, in that order', async () => {
  const { code, said, steps } = await deploy(['--url', 'https://acme.example.com', '--token', 'T'])
  expect(said).toContain('✔ 0001_schema.sql')
  expect(steps).toEqual([
    whoami,
    'run lint, after no migrations',
    'run types, after no migrations',
    'run build, after no migrations',
    'deploy --env production --outdir dist/worker, after the migrations',
    'run verify -- --url https://acme.example.com with {"ACCESS_TOKEN":"T"}, after the migrations',
  ])
  expect(code).toBe(0)
  const env = { ACCESS_TOKEN: 'E' }
  const withoutDoctor = await deploy(['--without-checks'], 'nothing', env)
  expect(withoutDoctor.said).toContain('npm run doctor -- --database-url')
  const given = await deploy(['--without-checks', '--url', 'https://acme.example.com'], 'nothing', env)
  expect(given.steps.at(-1)).toContain('with {"ACCESS_TOKEN":"E"}')
})

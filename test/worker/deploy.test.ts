/** The upload of `npm run deploy`, as wrangler describes it without sending it. */
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { afterAll, expect, inject, test } from 'vitest'
import { unstable_readConfig } from 'wrangler'
import { settingsOf } from '../../src/env.ts'
import { assetsDirectory } from '../../src/local/build.ts'

const root = fileURLToPath(new URL('../..', import.meta.url).href)
const directory = mkdtempSync(join(tmpdir(), 'deploy-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

const ownerUrl = inject('ownerUrl')

/** Runs the command, without an account of Cloudflare. */
function deploy(...args: string[]) {
  const script = join(root, 'src/local/deploy.ts')
  const env = { ...process.env, WRANGLER_SEND_METRICS: 'false', NO_COLOR: '1', XDG_CONFIG_HOME: directory }
  return promisify(execFile)(process.execPath, [script, ...args], { cwd: root, env })
}

test('a deployment to production is made without a warning', async () => {
  mkdirSync(assetsDirectory, { recursive: true })
  const { stdout, stderr } = await deploy(
    '--dry-run',
    '--without-checks',
    '--outdir',
    directory,
    '--database-url',
    ownerUrl,
  )
  expect(stderr).toBe('')
  expect(stdout).not.toMatch(/warning|error/i)
  expect(stdout).toContain('! production in wrangler.toml')
  expect(stdout).toContain('No migration would be applied.')
  expect(stdout).toMatch(
    /worker\.js: \d+ kB, \d+ kB compressed\nNothing was sent or changed\. A deployment needs [\s\S]+routes: .+\n$/,
  )
  expect(stdout).toContain('env.ENVIRONMENT ("production")')
  expect(stdout).toContain('env.PICTURES (catalogue-pictures)')
  expect(stdout).toContain('env.METRICS (catalogue_metrics)')
  expect(bundle().length).toBeGreaterThan(100_000)
}, 90_000)

test('a command that lacks something is refused before anything is done', async () => {
  const refused = (code: number, text: string, ...args: string[]) =>
    expect(deploy(...args)).rejects.toMatchObject({ code, stdout: '', stderr: expect.stringContaining(text) })
  await refused(2, 'DIRECT_DATABASE_URL')
  await refused(2, '--token needs --url', '--dry-run', '--token', 'x')
})

const bundle = () => readFileSync(join(directory, 'worker.js'))

test('the Worker stays small: an isolate reads all of it before it answers', () => {
  expect(gzipSync(bundle()).length).toBeLessThanOrEqual(421_000)
})

test('what was built before is not in the Worker again, nor what it never says', () => {
  const used = files()
  expect(used.filter((path) => path.includes('src/docs/'))).toEqual(['src/docs/published.ts'])
  // zod's messages in English, which its import brings.
  expect(used.filter((path) => path.includes('/locales/'))).toEqual(['node_modules/zod/v4/locales/en.js'])
  expect(used.filter((path) => path.includes('JsonSchema') || path.includes('cfWorkerProvider'))).toEqual([])
  expect(used.filter((path) => path.startsWith('src/local/'))).toEqual([])
  expect(used).toContain('src/http/pages.ts')
})

test('a change of any source of the Worker bundles it again in wrangler dev', () => {
  const { build } = unstable_readConfig({ config: 'wrangler.toml' })
  const watched = [build.watch_dir ?? []].flat()
  const isWatched = (file: string) => watched.some((each) => file === each || file.startsWith(`${each}/`))
  expect(files().filter((file) => file.startsWith('src/') && !isWatched(file))).toEqual([])
})

/** The source files of the bundle. */
function files(): string[] {
  const { outputs }: Metafile = JSON.parse(readFileSync(join(directory, 'bundle-meta.json'), 'utf8'))
  return Object.values(outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [path] : [])),
  )
}

type Metafile = {
  readonly outputs: Readonly<
    Record<string, { readonly inputs: Readonly<Record<string, { readonly bytesInOutput: number }>> }>
  >
}

const environment = (env?: string) => unstable_readConfig({ config: 'wrangler.toml', env })
const environments = ['production', 'staging']

test('production inherits the compatibility flags', () => {
  const { compatibility_flags: flags } = environment()
  expect(flags).toContain('queue_consumer_no_wait_for_wait_until')
  for (const env of environments) expect(environment(env).compatibility_flags).toEqual(flags)
})

test.each(environments)('%s has a limit of CPU', (env) => {
  expect(environment(env).limits).toEqual({ cpu_ms: 30_000 })
})

test.each(environments)('%s requires both secrets before it serves', (env) => {
  expect(environment(env).secrets).toEqual({ required: ['DATABASE_URL', 'WEBHOOK_SECRET_KEY'] })
})

test('staging is configured as production, under other names', () => {
  const settings = (env: string) => {
    const { name, targetEnvironment, ...config } = environment(env)
    return JSON.stringify(config)
      .replaceAll(/"namespace_id":"\d+"/g, '"namespace_id"')
      .replaceAll(/[-_]staging"/g, '"')
  }
  expect(settings('staging')).toBe(settings('production'))
})

test('production runs near its database, and with settings that the Worker accepts', () => {
  const { placement, vars } = environment('production')
  expect(placement).toBeDefined()
  const secrets = {
    DATABASE_URL: 'postgresql://app:secret@db.test/x',
    WEBHOOK_SECRET_KEY: btoa('k'.repeat(32)),
  }
  expect(settingsOf({ ...vars, ...secrets })).toMatchObject({
    ENVIRONMENT: 'production',
    CALLBACKS: 'public',
  })
})

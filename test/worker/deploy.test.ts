/** What `npm run deploy` would send, as wrangler tells it without sending. */
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, expect, test } from 'vitest'
import { unstable_readConfig } from 'wrangler'
import { settingsOf } from '../../src/env.ts'
import { assetsDirectory } from '../../src/local/assets.ts'

const root = fileURLToPath(new URL('../..', import.meta.url).href)
const directory = mkdtempSync(join(tmpdir(), 'deploy-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

test('a deployment to production is made without a warning', async () => {
  mkdirSync(assetsDirectory, { recursive: true })
  const wrangler = [fileURLToPath(import.meta.resolve('wrangler')), 'deploy', '--env', 'production']
  const { stdout, stderr } = await promisify(execFile)(
    process.execPath,
    ['--no-warnings', ...wrangler, '--dry-run', '--outdir', directory],
    {
      cwd: root,
      env: { ...process.env, WRANGLER_SEND_METRICS: 'false', NO_COLOR: '1', XDG_CONFIG_HOME: directory },
    },
  )
  expect(stderr).toBe('')
  expect(stdout).not.toMatch(/warning|error/i)
  expect(stdout).toContain('env.ENVIRONMENT ("production")')
  expect(readFileSync(join(directory, 'worker.js'), 'utf8').length).toBeGreaterThan(100_000)
}, 90_000)

test('production runs beside its database, and with settings that the Worker accepts', () => {
  const { placement, vars } = unstable_readConfig({ config: 'wrangler.toml', env: 'production' })
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

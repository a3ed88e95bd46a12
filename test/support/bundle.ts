import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { unstable_readConfig } from 'wrangler'

/** A Worker in one file, with the settings of its runtime. */
export type Bundle = {
  readonly directory: string
  /** The name of the file. */
  readonly script: string
  readonly compatibilityDate: string
  readonly compatibilityFlags: readonly string[]
  remove(): void
}

/** This project. */
export const root = fileURLToPath(new URL('../..', import.meta.url).href)

/** The service's Worker as `npm run deploy` would send it, of this tree or of another. @throws Error with what wrangler said */
export function bundleWorker(tree = root): Bundle {
  mkdirSync(join(tree, 'dist/assets'), { recursive: true })
  return bundled(tree, ['--env=production', `--config=${join(tree, 'wrangler.toml')}`], tree)
}

/** Another Worker, bundled as the service's is. @throws Error with what wrangler said */
export function bundleScript(main: string): Bundle {
  const directory = mkdtempSync(join(tmpdir(), 'catalogue-script-'))
  try {
    const { compatibilityDate, compatibilityFlags } = compatibilityOf(root)
    const config = join(directory, 'wrangler.json')
    writeFileSync(
      config,
      JSON.stringify({
        name: 'script',
        main,
        compatibility_date: compatibilityDate,
        compatibility_flags: compatibilityFlags,
      }),
    )
    return bundled(root, [`--config=${config}`], root)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

function bundled(cwd: string, asked: readonly string[], tree: string): Bundle {
  const directory = mkdtempSync(join(tmpdir(), 'catalogue-worker-'))
  const wrangler = fileURLToPath(import.meta.resolve('wrangler'))
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--no-warnings', wrangler, 'deploy', '--dry-run', `--outdir=${directory}`, ...asked],
    {
      cwd,
      env: { ...process.env, WRANGLER_SEND_METRICS: 'false', XDG_CONFIG_HOME: join(directory, 'config') },
      encoding: 'utf8',
    },
  )
  const remove = () => rmSync(directory, { recursive: true, force: true })
  if (status !== 0) {
    remove()
    throw new Error(`the Worker cannot be bundled: ${stdout}${stderr}`)
  }
  const script = readdirSync(directory).find((name) => name.endsWith('.js'))
  if (!script) throw new Error(`wrangler has made no script: ${stdout}${stderr}`)
  return { directory, script, ...compatibilityOf(tree), remove }
}

function compatibilityOf(tree: string): Pick<Bundle, 'compatibilityDate' | 'compatibilityFlags'> {
  const config = unstable_readConfig({ config: join(tree, 'wrangler.toml'), env: 'production' })
  if (!config.compatibility_date) throw new Error(`${tree}/wrangler.toml has no compatibility date`)
  return {
    compatibilityDate: config.compatibility_date,
    compatibilityFlags: config.compatibility_flags,
  }
}

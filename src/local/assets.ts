/** The files of the pages for people, made from `src/admin` and `src/reference` into `dist/assets`. */
import { createHash } from 'node:crypto'
import {
  cpSync,
  globSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url).href)
const directory = join(root, 'dist/assets')
const stamp = join(root, 'dist/assets.stamp')

/** Whether the files are those that the sources and the lock file make. */
export function areAssetsCurrent(): boolean {
  try {
    return readFileSync(stamp, 'utf8') === fingerprint() && statSync(directory).isDirectory()
  } catch {
    return false
  }
}

/** Builds the files beside the old ones and puts them in their place when all are there. */
export async function buildAssets(): Promise<void> {
  const made = fingerprint()
  const unfinished = join(root, `dist/.assets-${process.pid}`)
  rmSync(unfinished, { recursive: true, force: true })
  try {
    reference(join(unfinished, 'docs'))
    await admin(join(unfinished, 'admin'))
    rmSync(directory, { recursive: true, force: true })
    renameSync(unfinished, directory)
    writeFileSync(stamp, made)
  } finally {
    rmSync(unfinished, { recursive: true, force: true })
  }
}

/** Content, not times: a checkout touches every file. */
function fingerprint(): string {
  const hash = createHash('sha256')
  const sources = globSync('src/{admin,reference}/**/*', { cwd: root }).filter((each) =>
    statSync(join(root, each)).isFile(),
  )
  for (const each of [...sources.toSorted(), 'package-lock.json', 'src/local/assets.ts']) {
    hash.update(`${each}\0`).update(readFileSync(join(root, each)))
  }
  return hash.digest('hex')
}

/** The reference is drawn by Scalar, whose browser bundle needs no building. */
function reference(to: string): void {
  mkdirSync(to, { recursive: true })
  cpSync(join(root, 'src/reference'), to, { recursive: true })
  const bundle = fileURLToPath(import.meta.resolve('@scalar/api-reference')).replace(
    /dist\/.*$/,
    'dist/browser/standalone.js',
  )
  const script = readFileSync(bundle, 'utf8').replace(/\n\/\/# sourceMappingURL=.*\s*$/, '\n')
  writeFileSync(join(to, 'scalar.js'), script)
}

async function admin(to: string): Promise<void> {
  const { build } = await import('vite')
  const configFile = join(root, 'src/admin/vite.config.ts')
  await build({ configFile, logLevel: 'error', build: { outDir: to, emptyOutDir: true } })
}

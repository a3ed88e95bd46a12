/** The files of the pages for people, made from `src/admin` and `src/reference` into `dist/assets`. */
import { createHash } from 'node:crypto'
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url).href)
/** Where the Worker's files lie. */
export const assetsDirectory = join(root, 'dist/assets')
const stamp = join(root, 'dist/assets.stamp')

/** Whether the files are those that the sources and the lock file make. */
export function areAssetsCurrent(): boolean {
  try {
    return readFileSync(stamp, 'utf8') === fingerprint() && statSync(assetsDirectory).isDirectory()
  } catch {
    return false
  }
}

/** Builds the files elsewhere and takes them over when all are there: pages last, then what is left of before goes. */
export async function buildAssets(): Promise<void> {
  const made = fingerprint()
  const unfinished = join(root, `dist/.assets-${process.pid}`)
  const clean = () => rmSync(unfinished, { recursive: true, force: true })
  clean()
  process.once('exit', clean)
  try {
    reference(join(unfinished, 'docs'))
    await admin(join(unfinished, 'admin'))
    takeOver(unfinished)
    writeFileSync(stamp, made)
  } finally {
    clean()
    process.off('exit', clean)
  }
}

/** In place, because `wrangler dev` watches the folder and would lose sight of another one of its name. */
function takeOver(unfinished: string): void {
  const files = globSync('*/*', { cwd: unfinished })
  const isPage = (each: string) => each.endsWith('.html')
  for (const each of [...files.filter((each) => !isPage(each)), ...files.filter(isPage)]) {
    cpSync(join(unfinished, each), join(assetsDirectory, each))
  }
  for (const each of globSync('*/*', { cwd: assetsDirectory })) {
    // Pictures of the demo are drawn beside the pages, for as long as the folder lives.
    if (!files.includes(each) && !each.includes('/demo-')) rmSync(join(assetsDirectory, each))
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
  // What the libraries are built for, whatever calls this.
  process.env.NODE_ENV = 'production'
  const { build } = await import('vite')
  const configFile = join(root, 'src/admin/vite.config.ts')
  await build({ configFile, logLevel: 'error', build: { outDir: to, emptyOutDir: true } })
}

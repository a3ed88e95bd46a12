/** The Worker's files in `dist/assets`: the web pages, and the published documents. */
import { createHash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runInNewContext } from 'node:vm'
import { command, flag, runHere } from './cli/command.ts'
import { step } from './cli/output.ts'
import { provideServices } from './wrangler.ts'

const root = fileURLToPath(new URL('../..', import.meta.url).href)
const assetsIn = (tree: string) => join(tree, 'dist/assets')
/** Where the Worker's files lie. */
export const assetsDirectory = assetsIn(root)

/** Files that are built together. */
export type Assets = {
  readonly name: string
  /** Their folders in `dist/assets`. */
  readonly folders: readonly string[]
  /** Their sources, in addition to the lock file and this file. */
  readonly sources: readonly string[]
  readonly make: (to: string) => Promise<void>
}

/** `/docs` and `/admin`. */
export const pages: Assets = {
  name: 'Pages',
  folders: ['docs', 'admin'],
  sources: ['src/{admin,reference}/**/*'],
  async make(to) {
    reference(join(to, 'docs'))
    await admin(join(to, 'admin'))
  },
}

/** OpenAPI, Hydra and contexts of every version, and the messages of problems. Loaded when they are made, since that is half of the service. */
export const documents: Assets = {
  name: 'Documents',
  folders: ['published', 'messages'],
  sources: [
    'src/{core,db,docs,resources,versions}/**/*.{ts,md,ndjson}',
    'src/local/{published,schema-files}.ts',
    'src/messages/*.json',
    'migrations/**/*.sql',
  ],
  make: async (to) => (await import('./published.ts')).writeDocuments(to),
}

/** `/docs/guides` and `/llms.txt`. */
export const guides: Assets = {
  name: 'Guides',
  folders: ['guides'],
  sources: ['src/guides/*', 'src/local/guides/*', 'src/resources/prices/*.ts'],
  make: async (to) => (await import('./guides/site.ts')).writeGuides(join(to, 'guides')),
}

/** All files of the Worker. */
export const everything: readonly Assets[] = [documents, guides, pages]

/** Whether the files of a tree are those that its sources and its lock file make. */
export function areCurrent(assets: Assets, tree = root): boolean {
  try {
    return (
      readFileSync(stampOf(assets, tree), 'utf8') === fingerprint(assets, tree) &&
      assets.folders.every((each) => statSync(join(assetsIn(tree), each)).isDirectory())
    )
  } catch {
    return false
  }
}

/** Builds the files in another folder, copies them when all are built, pages last, and deletes files that are no longer built. */
export async function build(assets: Assets, tree = root): Promise<void> {
  const made = fingerprint(assets, tree)
  const unfinished = join(tree, `dist/.assets-${process.pid}`)
  const clean = () => rmSync(unfinished, { recursive: true, force: true })
  clean()
  process.once('exit', clean)
  try {
    await assets.make(unfinished)
    takeOver(unfinished, assetsIn(tree), assets)
    writeFileSync(stampOf(assets, tree), made)
  } finally {
    clean()
    process.off('exit', clean)
  }
}

const stampOf = ({ name }: Assets, tree: string) => join(tree, `dist/${name.toLowerCase()}.stamp`)

/**
 * In place, because `wrangler dev` watches the folder itself and not its name. Unchanged files are not written, so that a second
 * `wrangler dev` sees no change.
 */
function takeOver(unfinished: string, directory: string, { folders }: Assets): void {
  const files = globSync('*/*', { cwd: unfinished })
  const isPage = (each: string) => each.endsWith('.html')
  for (const each of [...files.filter((each) => !isPage(each)), ...files.filter(isPage)]) {
    if (!isSame(join(unfinished, each), join(directory, each))) {
      cpSync(join(unfinished, each), join(directory, each))
    }
  }
  for (const each of folders.flatMap((folder) => globSync(`${folder}/*`, { cwd: directory }))) {
    // `npm start` copies the pictures of the demo into the same folder.
    if (!files.includes(each) && !each.includes('/demo-')) rmSync(join(directory, each), { force: true })
  }
}

function isSame(made: string, known: string): boolean {
  return existsSync(known) && readFileSync(known).equals(readFileSync(made))
}

/** Content, not times: a checkout touches every file. */
function fingerprint({ sources }: Assets, tree: string): string {
  const hash = createHash('sha256')
  const files = globSync(sources, { cwd: tree }).filter((each) => statSync(join(tree, each)).isFile())
  for (const each of [...files.toSorted(), 'package-lock.json', 'src/local/build.ts']) {
    hash.update(`${each}\0`).update(readFileSync(join(tree, each)))
  }
  return hash.digest('hex')
}

/** The reference is drawn by Scalar, whose browser bundle needs no building. */
function reference(to: string): void {
  mkdirSync(to, { recursive: true })
  cpSync(join(root, 'src/reference'), to, { recursive: true })
  writeFileSync(join(to, 'scalar.js'), scalarBundle())
}

/**
 * The bundle that Scalar's plugin for Fastify contains as a text in its module. Scalar's own package has it as a file,
 * but depends on 250 packages that the bundle contains already. The text is not JSON, so the language itself evaluates it.
 */
function scalarBundle(): string {
  const plugin = readFileSync(fileURLToPath(import.meta.resolve('@scalar/fastify-api-reference')), 'utf8')
  const literal = /^var standalone_default = (".*");$/m.exec(plugin)?.[1]
  if (literal === undefined) throw new Error('@scalar/fastify-api-reference holds no bundle where it was')
  return String(runInNewContext(literal)).replace(/\n\/\/# sourceMappingURL=.*\s*$/, '\n')
}

async function admin(to: string): Promise<void> {
  // The libraries build for production, also if a test calls this.
  process.env.NODE_ENV = 'production'
  const { build } = await import('vite')
  const configFile = join(root, 'src/admin/vite.config.ts')
  await build({ configFile, logLevel: 'error', build: { outDir: to, emptyOutDir: true } })
}

/** `npm run build`. */
export const buildCommand = command({
  name: 'build',
  summary:
    'Builds the static files of the Worker into dist/assets: the pages /docs and /admin, the guides, and the published documents (OpenAPI, Hydra, contexts) of all versions.',
  examples: ['npm run build'],
  options: {
    force: flag('builds all files, also if nothing changed'),
    documents: flag('builds only the published documents and the guides'),
  },
  async run({ force, documents: isOnlyDocuments }) {
    // The exit removes unfinished files.
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1))
    await provideServices(assetsDirectory)
    for (const assets of isOnlyDocuments ? [documents, guides] : everything) {
      if (force || !areCurrent(assets)) await step(assets.name, () => build(assets))
    }
    return 0
  },
})

if (import.meta.main) await runHere(buildCommand)

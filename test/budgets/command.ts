/** `npm run budgets`: counts lines, files and casts, and compares them with the limits. */
import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { commandOptions } from '../support/command-options.ts'
import { limits } from './limits.ts'

const root = join(import.meta.dirname, '../..')

const values = commandOptions('budgets', { help: { type: 'boolean' }, list: { type: 'boolean' } })
if (values.help) {
  console.log(`npm run budgets [-- --list]

Compares the sizes of the Worker, its SQL, the local commands, the admin, the tests and the documents with the limits in test/budgets/limits.ts.
  --list  prints each cast with its place
Exit code 0: within all limits; 1: above one.`)
  process.exit(0)
}

type File = { readonly path: string; readonly lines: readonly string[] }

const read = (path: string): File => ({
  path,
  lines: readFileSync(join(root, path), 'utf8').replace(/\n$/, '').split('\n'),
})
const worker = globSync('src/**/*.ts', { cwd: root })
  .filter((path) => !/^src\/(?:admin|local|client|reference)\/|\.test\.ts$|node_modules/.test(path))
  .map(read)
const sql = globSync('migrations/**/*.sql', { cwd: root }).map(read)
const local = globSync('src/local/**/*.{ts,cjs}', { cwd: root })
  .filter((path) => !path.endsWith('.test.ts'))
  .map(read)

const admin = globSync('src/admin/**/*.{ts,tsx,cjs,html}', { cwd: root }).map(read)
const tests = globSync(['test/**/*.ts', 'src/**/*.test.ts'], { cwd: root })
  .filter((path) => !/^test\/artefacts|node_modules/.test(path))
  .map(read)
const documents = ['README.md', ...globSync('.github/**/*.md', { cwd: root })]
  .filter((path) => !/(?:CHANGELOG|docs\/(?:commands|limits|log-events|variables))\.md$/.test(path))
  .map(read)
const countWords = (files: readonly File[]) =>
  files.reduce((sum, { lines }) => sum + lines.join(' ').split(/\s+/).filter(Boolean).length, 0)

type Hit = { readonly place: string; readonly text: string }

function hitsIn(files: readonly File[], find: (line: string) => readonly string[]): Hit[] {
  return files.flatMap(({ path, lines }) =>
    lines.flatMap((line, index) => find(line).map((text) => ({ place: `${path}:${index + 1}`, text }))),
  )
}

/** Assertions of TypeScript. `as const`, renamed imports, mapped types and SQL aliases are none. */
const castPattern = /\bas (?:unknown as )?(?!const\b|of\b)[A-Z][\w.<>[\]]*|(?<!function )\bstatement<\w+/g
const isNoCode =
  /^\s*(?:\*|\/\/|\/\*|--)|\bimport\b|^export \{|\[\w+ in .* as |\bsql`|^\s+(?:type )?\w+ as \w+,$/
const casts = hitsIn(worker, (line) =>
  isNoCode.test(line) ? [] : (line.replaceAll(/'[^']*'|"[^"]*"|`[^`]*`/g, "''").match(castPattern) ?? []),
)

/** The floor of a file in its folder: one above the highest file of the folder that it imports. */
function floorOf(file: File, folder: readonly File[]): number {
  const imported = file.lines.flatMap((line) => / from '(\.[^']+)'$/.exec(line)?.[1] ?? [])
  const paths = imported.map((path) => join(dirname(file.path), path))
  const below = folder.filter(({ path }) => paths.includes(path))
  return 1 + Math.max(0, ...below.map((each) => floorOf(each, folder)))
}
const products = worker.filter(({ path }) => path.startsWith('src/resources/products/'))

const count = (files: readonly File[]) => files.reduce((sum, { lines }) => sum + lines.length, 0)
const counts = {
  workerLines: count(worker),
  workerFiles: worker.length,
  sqlLines: count(sql),
  sqlFiles: sql.length,
  casts: casts.length,
  localLines: count(local),
  localFiles: local.length,
  adminLines: count(admin),
  adminFiles: admin.length,
  testLines: count(tests),
  documentWords: countWords(documents),
  floorsOfProducts: Math.max(...products.map((file) => floorOf(file, products))),
}

if (values.list) for (const { place, text } of casts) console.log(`${place}: ${text}`)
let failed = false
for (const [name, value] of Object.entries(counts)) {
  const limit = limits[name as keyof typeof counts]
  if (value > limit) failed = true
  console.log(`${value > limit ? '✗' : '✓'} ${name}: ${value} of at most ${limit}`)
}
if (failed)
  console.log(
    'Above a limit: shorten the code, or raise the limit in test/budgets/limits.ts and say why in the commit.',
  )
process.exit(failed ? 1 : 0)

/** A copy of the tree to which a resource can be added, and the commands that check it there. */
import { execFile } from 'node:child_process'
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { inject } from 'vitest'

const root = join(import.meta.dirname, '../..')
const parts = ['src/**/*', 'test/**/*', 'migrations/**/*', 'package.json', 'tsconfig.json', 'wrangler.toml']
const generated = ['node_modules', 'dist', 'artefacts']
const generatedTypes = 'src/client/types/'

/** Whether a command ended with 0, and what it printed. */
type Outcome = { readonly passed: boolean; readonly output: string }

type FileChange = 'new' | 'gone' | readonly string[]

export type Tree = {
  /** The text of a file; undefined if it does not exist. */
  readonly read: (file: string) => string | undefined
  /** Writes a file; undefined removes it. */
  readonly write: (file: string, text: string | undefined) => void
  /** The files that differ from the tree that was copied, changed ones with the lines that were added. */
  readonly difference: () => Readonly<Record<string, FileChange>>
  /** Checks the types of the service's resources; those of everything else are the same as in the tree. */
  readonly types: () => Promise<Outcome>
  /** Runs test files; with `names` only the tests whose names match it. */
  readonly tests: (files: readonly string[], names?: string) => Promise<Outcome>
  /** Runs the tests whose names match, and returns the message of each that fails, by the line that names it. */
  readonly failures: (files: readonly string[], names: string) => Promise<Readonly<Record<string, string>>>
  readonly remove: () => void
}

/** The tests of the tree itself run at the same time. */
const patience = '--testTimeout=60000'

/** Copies the tree into a temporary folder; what npm installed is shared. */
export function copyTree(): Tree {
  const directory = mkdtempSync(join(tmpdir(), 'product-catalogue-tree-'))
  for (const file of filesIn(root)) {
    mkdirSync(dirname(join(directory, file)), { recursive: true })
    cpSync(join(root, file), join(directory, file))
  }
  for (const modules of ['node_modules', 'src/client/node_modules'])
    if (existsSync(join(root, modules))) symlinkSync(join(root, modules), join(directory, modules))
  const read = (file: string) => textOf(join(directory, file))
  const run = (program: string, ...asked: readonly string[]) =>
    outcomeOf(directory, [join(root, 'node_modules', program), ...asked])
  const vitest = (...asked: readonly string[]) =>
    run(
      'vitest/vitest.mjs',
      ...['run', '--config', 'test/vitest.config.ts', '--maxWorkers=1', patience],
      ...asked,
    )
  return {
    read,
    write(file, text) {
      const path = join(directory, file)
      mkdirSync(dirname(path), { recursive: true })
      if (text === undefined) rmSync(path)
      else writeFileSync(path, text)
    },
    difference() {
      const files = [...new Set([...filesIn(root), ...filesIn(directory)])].toSorted()
      const differences = files.map((file) => [file, changeOf(textOf(join(root, file)), read(file))] as const)
      return Object.fromEntries(differences.flatMap(([file, change]) => (change ? [[file, change]] : [])))
    },
    types() {
      const only = {
        extends: './tsconfig.json',
        include: ['src/resources'],
        exclude: ['src/resources/**/*.test.ts'],
        files: [],
      }
      writeFileSync(join(directory, 'tsconfig.resources.json'), JSON.stringify(only))
      return run('typescript/bin/tsc', '--noEmit', '-p', 'tsconfig.resources.json')
    },
    tests: (files, names) =>
      vitest('--reporter=default', ...(names === undefined ? [] : ['-t', names]), ...files),
    async failures(files, names) {
      const { output } = await vitest('--reporter=default', '-t', names, ...files)
      const [, ...failed] = output.split(/^ FAIL {2}/m)
      return Object.fromEntries(failed.map((text) => [text.slice(0, text.indexOf('\n')), text]))
    },
    remove: () => rmSync(directory, { recursive: true, force: true }),
  }
}

function changeOf(before: string | undefined, after: string | undefined): FileChange | null {
  if (before === after) return null
  if (before === undefined) return 'new'
  if (after === undefined) return 'gone'
  const known = new Set(before.split('\n'))
  return after.split('\n').filter((line) => !known.has(line))
}

function filesIn(directory: string): string[] {
  return globSync(parts, {
    cwd: directory,
    withFileTypes: true,
    exclude: ({ name }) => generated.includes(name),
  })
    .filter((each) => each.isFile())
    .map((each) => relative(directory, join(each.parentPath, each.name)))
    .filter((file) => !file.startsWith(generatedTypes))
}

function textOf(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined
}

/** Runs a program in Node. Tests that it runs make a database of their own on the server of this run. */
function outcomeOf(cwd: string, program: readonly string[]): Promise<Outcome> {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(?:VITEST|CI$)/.test(name))
  const env = { ...Object.fromEntries(inherited), NO_COLOR: '1', TEST_DATABASE_URL: inject('ownerUrl') }
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      program,
      { cwd, env, timeout: 240_000, maxBuffer: 64 * 2 ** 20 },
      (error, stdout, stderr) => resolve({ passed: error === null, output: `${stdout}${stderr}` }),
    )
  })
}

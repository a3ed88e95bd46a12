/** Breaks the pure modules on purpose and counts the breaks that their tests notice. */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { commandOptions } from '../support/command-options.ts'
import { pure } from './modules.ts'

const here = fileURLToPath(new URL('.', import.meta.url).href)
const root = join(here, '../..')
const all = pure.flatMap((each) => each.modules)

const options = commandOptions('test:mutation', {
  only: { type: 'string' },
  help: { type: 'boolean', default: false },
})

if (options.help) {
  console.log(`Changes one operator, literal or condition at a time and runs the tests of its module: at least 90 % of the changes must
turn a test red.

  npm run test:mutation
  npm run test:mutation -- --only src/core/money.ts

  --only PATHS   these modules alone, separated by commas: ${all.join(', ')}

Installs Stryker into test/mutation at its first use. Prints each change that no test noticed, then a table of scores.
Exits with 1 below 90 %.`)
  process.exit(0)
}

const chosen = options.only?.split(',')
const unknown = chosen?.filter((each) => !all.includes(each)) ?? []
if (unknown.length > 0) {
  console.error(`Not a pure module: ${unknown.join(', ')}. --help lists them.`)
  process.exit(2)
}

const run = (command: string, args: readonly string[], cwd: string) =>
  spawnSync(command, args, { cwd, stdio: 'inherit' }).status ?? 1

if (!existsSync(join(here, 'node_modules/@stryker-mutator/core'))) {
  const status = run('npm', ['ci', '--loglevel=error'], here)
  if (status !== 0) process.exit(status)
}
const stryker = join(here, 'node_modules/@stryker-mutator/core/bin/stryker.js')
const mutate = chosen ? ['--mutate', chosen.join(',')] : []
process.exit(run(process.execPath, [stryker, 'run', join(here, 'stryker.config.mjs'), ...mutate], root))

/** The page of commands is their help. `npm test -- commands -u` writes it again. */
import { spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { buildCommand } from '../src/local/build.ts'
import type { Command } from '../src/local/cli/command.ts'
import { deployCommand } from '../src/local/deploy.ts'
import { startCommand } from '../src/local/dev.ts'
import { doctorCommand } from '../src/local/doctor/command.ts'
import { importCommand } from '../src/local/import/command.ts'
import { migrateCommand } from '../src/local/migrate.ts'
import { recountCommand } from '../src/local/recount.ts'
import { recoverCommand } from '../src/local/recover.ts'
import { keysCommand } from '../src/local/secret-keys.ts'
import { tenantCommand } from '../src/local/tenant/command.ts'
import { tokenCommand } from '../src/local/token.ts'
import { exportCommand } from '../src/local/transfer/export.ts'
import { restoreCommand } from '../src/local/transfer/restore.ts'
import { verifyCommand } from '../src/local/verify/command.ts'
import { webhooksCommand } from '../src/local/webhooks.ts'

type Described = Pick<Command, 'name' | 'help'> & { readonly parts?: readonly Described[] }

const commands: readonly (readonly [topic: string, ...Described[]])[] = [
  ['A local service', startCommand, tokenCommand, importCommand, webhooksCommand],
  [
    'Operations',
    migrateCommand,
    deployCommand,
    doctorCommand,
    verifyCommand,
    recoverCommand,
    recountCommand,
    buildCommand,
  ],
  ['Tenants and catalogues', tenantCommand, exportCommand, restoreCommand, keysCommand],
]

function section({ name, help, parts = [] }: Described): string {
  const title = name === 'start' ? 'npm start' : `npm run ${name.replace(' ', ' -- ')}`
  return [`### ${title}\n\n\`\`\`\n${help}\n\`\`\``, ...parts.map(section)].join('\n\n')
}

test('the page of commands has the help of every command', async () => {
  const text = commands.map(([topic, ...described]) =>
    [`## ${topic}`, ...described.map(section)].join('\n\n'),
  )
  const introduction =
    'Each command prints its help with `--help`, and all faults of its arguments at once. This page is generated from the commands.\n`npm ci` installs what they need; only `npm start` and `npm test` do this themselves.\nCommands for tests, measurements and the typed client are in [contributing](../CONTRIBUTING.md).'
  await expect(`# Commands\n\n${introduction}\n\n${text.join('\n\n')}\n`).toMatchFileSnapshot(
    '../.github/docs/commands.md',
  )
})

test('every command of src/local in package.json is on the page', () => {
  const { scripts } = JSON.parse(readFileSync(join(import.meta.dirname, '../package.json'), 'utf8'))
  const names = Object.entries<string>(scripts).flatMap(([name, line]) =>
    line.startsWith('exec node -r ./src/local/install.cjs ') && name !== 'dev' ? [name] : [],
  )
  const described = commands.flatMap(([, ...some]) => some.map(({ name }) => name))
  expect(described.toSorted()).toEqual(names.toSorted())
})

test('every subcommand and option that a document gives to a command exists', () => {
  const root = join(import.meta.dirname, '..')
  const pages = ['README.md', ...globSync('.github/**/*.md', { cwd: root })].filter(
    (file) => !/CHANGELOG|docs\/commands/.test(file),
  )
  const all = commands.flatMap(([, ...some]) => some)
  let count = 0
  const unknown = pages.flatMap((file) => {
    const lines = readFileSync(join(root, file), 'utf8').matchAll(/npm run (?:-s )?(\w+) -- ([^`\n]+)/g)
    return [...lines].flatMap(([line, name, rest = '']) => {
      const command = all.find((each) => each.name === name)
      if (!command) return []
      count += 1
      const used = command.parts?.find((part) => part.name === `${name} ${rest.split(' ')[0]}`)
      if (command.parts && !used) return [`${file}: ${line}`]
      const { help } = used ?? command
      const options = rest.match(/(?<= |^)--[a-z][\w-]*/g) ?? []
      return options.some((option) => !new RegExp(`${option}(?![\\w-])`).test(help))
        ? [`${file}: ${line}`]
        : []
    })
  })
  expect(unknown).toEqual([])
  expect(count).toBeGreaterThan(25)
})

test('every command of test in package.json exits with 2 for an unknown option', () => {
  const root = join(import.meta.dirname, '..')
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const commands = Object.entries<string>(scripts).flatMap(([name, line]) => {
    const file = /^exec node (test\/\S+\.ts)$/.exec(line)?.[1]
    return file && name !== 'bench' ? [[name, readFileSync(join(root, file), 'utf8')] as const] : []
  })
  expect(commands.length).toBeGreaterThan(10)
  for (const [name, text] of commands) expect(text).toContain(`commandOptions('${name}', `)
  const words = [join(root, 'test/budgets/words.ts'), '--wrong']
  const { status, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8' })
  expect([status, stderr]).toEqual([2, expect.stringContaining('See: npm run words -- --help')])
})

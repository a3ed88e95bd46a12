import { expect, test } from 'vitest'
import * as z from 'zod'
import { command, commands, Failure, flag, option, port, repeated, text, UsageError } from './command.ts'
import { progressBar, table } from './output.ts'

const made = command({
  name: 'shop open',
  summary: 'Opens a shop.',
  examples: ['npm run shop -- open FILE --tenant acme'],
  argument: { name: 'FILE', missing: 'The file is required.' },
  options: {
    tenant: option('NAME', 'the tenant', text),
    port: option('NUMBER', 'the port', port.default(8787), 'SHOP_PORT'),
    tag: repeated('TAG', `${'a long description '.repeat(8)}of a tag`, z.array(text).default([])),
    json: flag('prints the result as JSON'),
  },
  notes: ['A note.'],
  faults: (given) => ('json' in given && !('tag' in given) ? ['--json needs --tag.'] : []),
  async run({ argument, ...values }, { print }) {
    if (argument === 'missing') throw new UsageError('There is no file missing.')
    if (argument === 'broken') throw new Failure('It failed.')
    if (argument === 'defect') throw new TypeError('undefined is not a function')
    print(JSON.stringify({ argument, ...values }))
    return argument === 'half' ? 1 : 0
  },
})

async function run(args: readonly string[], env: Record<string, string> = {}, tried = made) {
  const [out, err]: [string[], string[]] = [[], []]
  const surroundings = {
    print: (line: string) => out.push(line),
    printError: (line: string) => err.push(line),
    env,
  }
  return { code: await tried.run(args, surroundings), out: out.join('\n'), err: err.join('\n') }
}

test('values are parsed, with defaults and environment variables; an option has precedence', async () => {
  const args = ['a.csv', '--tenant', 'acme', '--tag', 'x', '--tag=y', '--json']
  const values = { argument: 'a.csv', tenant: 'acme', tag: ['x', 'y'], json: true }
  expect(JSON.parse((await run(args)).out)).toEqual({ ...values, port: 8787 })
  expect(JSON.parse((await run(args, { SHOP_PORT: '99' })).out)).toEqual({ ...values, port: 99 })
  expect(JSON.parse((await run([...args, '--port', '1'], { SHOP_PORT: '99' })).out)).toMatchObject({
    port: 1,
  })
})

test('all faults are printed at once, and the command ends with 2', async () => {
  expect(await run(['--port', 'x', '--color', '--json', '--tenant'])).toEqual({
    code: 2,
    out: '',
    err: [
      '--color is not an option of npm run shop open.',
      'The file is required.',
      '--tenant takes a value.',
      '--port is a number from 1 to 65535.',
      '--json needs --tag.',
      'See: npm run shop -- open --help',
    ].join('\n'),
  })
  expect((await run(['a', 'b', '--tenant', 'acme', '--json=yes', '--tag', 'x'])).err).toBe(
    '"b" is one argument too many.\n--json takes no value.\nSee: npm run shop -- open --help',
  )
  expect((await run(['a', '--tenant', 'acme'], { SHOP_PORT: '0' })).err).toContain(
    'SHOP_PORT is a number from 1 to 65535.',
  )
})

test('a failure ends with 1 and its message, a defect also with its stack', async () => {
  const given = ['--tenant', 'acme']
  expect(await run(['half', ...given])).toMatchObject({ code: 1, err: '' })
  expect(await run(['broken', ...given])).toEqual({ code: 1, out: '', err: 'It failed.' })
  expect(await run(['missing', ...given])).toMatchObject({
    code: 2,
    err: 'There is no file missing.\nSee: npm run shop -- open --help',
  })
  expect((await run(['defect', ...given])).err).toMatch(/TypeError: undefined is not a function\n +at /)
})

test('the help lists every option within 120 columns', async () => {
  const { code, out, err } = await run(['--help', '--port', 'x'])
  expect({ code, err }).toEqual({ code: 0, err: '' })
  expect(out).toMatch(
    /^Opens a shop\.\n\n {2}npm run shop -- open FILE --tenant acme\n\n {2}--tenant NAME +the tenant \(required\)\n/,
  )
  expect(out).toContain('--port NUMBER  the port (default: the variable SHOP_PORT)\n')
  expect(out).toContain('of a tag (may be repeated)\n')
  expect(out).toMatch(/A note\.\n\nExit code: 0 done, 1 failed, 2 wrong usage\.$/)
  expect(Math.max(...out.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(120)
})

test('a command of subcommands lists them, and rejects others', async () => {
  const shop = commands({ name: 'shop', summary: 'Shops.', parts: [made] })
  expect((await run(['--help'], {}, shop)).out).toContain('\n  open  Opens a shop.\n')
  expect(await run([], {}, shop)).toMatchObject({
    code: 2,
    err: expect.stringContaining('open.\nSee: npm run'),
  })
  expect(await run(['close'], {}, shop)).toMatchObject({
    code: 2,
    err: 'There is no subcommand "close": open.\nSee: npm run shop -- --help',
  })
  expect((await run(['open', 'half', '--tenant', 'acme'], {}, shop)).code).toBe(1)
})

test('without a terminal, progress is one line for each tenth and each subject', () => {
  const lines: string[] = []
  const write = (line: string) => lines.push(line) > 0
  const progress = progressBar({ isTTY: false, write } as unknown as NodeJS.WriteStream)
  progress.start(200)
  for (const done of [10, 19, 100, 240]) progress.show('rows', done)
  progress.stop()
  expect(lines).toEqual(['  0 %  rows\n', ' 50 %  rows\n', '100 %  rows\n'])
})

test('a table aligns texts at their beginning and numbers at their end', () => {
  expect(
    table([
      ['kind', 'rows'],
      ['products', 7],
    ]),
  ).toBe('kind      rows\nproducts     7')
})

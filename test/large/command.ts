/** Makes the largest legal things, of every kind; one of them again; or measures memory. */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { commandOptions } from '../support/command-options.ts'
import { alphabetNames } from './alphabets.ts'
import { kinds } from './kinds.ts'

const root = fileURLToPath(new URL('../..', import.meta.url).href)

const options = commandOptions('test:large', {
  seed: { type: 'string', default: '1' },
  rounds: { type: 'string', default: '3' },
  kind: { type: 'string' },
  alphabet: { type: 'string' },
  full: { type: 'string' },
  share: { type: 'string' },
  short: { type: 'boolean', default: false },
  shrink: { type: 'string', default: '120' },
  memory: { type: 'boolean', default: false },
  heap: { type: 'string', default: '128' },
  help: { type: 'boolean', default: false },
})

if (options.help) {
  console.log(`Writes the largest legal thing of every kind, and reads, lists, changes, sends, delivers and deletes it.

  npm run test:large -- [--seed 1] [--rounds 3]
  npm run test:large -- --kind 'whole product' --alphabet controls [--full 'title,media[].url'] [--share 0.5]
  npm run test:large -- --memory [--heap 128]

  --seed NUMBER     the random choices: alphabets, and from the second round on which parts are large and which small
  --rounds NUMBER   how often each kind is made; in the first round everything about it is as large as it may be
  --kind NAME       that kind alone: ${Object.keys(kinds).join(', ')}
  --alphabet NAME   in those letters alone: ${alphabetNames.join(', ')}
  --full PATHS      only these properties are as large as they may be
  --share NUMBER    of what the limits allow, from 0 to 1
  --short           fewer requests for each, and no kinds that npm test makes as large
  --shrink SECONDS  for how long the case of a fault is made smaller, the first three of each
  --memory          reads six of the largest things at once, in Node and in workerd, and prints the memory that it takes
  --heap MEGABYTES  the limit of workerd's V8 heap: above it, workerd ends. 0 is no limit, and shows uncollected memory

Prints each fault with its request and the smallest case that shows it, then what cost most. Exits with 1 when there are any.`)
  process.exit(0)
}

const whole = (text: string) => /^\d{1,9}$/.test(text)
const share = options.share === undefined ? undefined : Number(options.share)
const wrong = [
  ...[options.seed, options.rounds, options.shrink, options.heap].filter((each) => !whole(each)),
  ...(share === undefined || (share > 0 && share <= 1) ? [] : [options.share]),
]
if (wrong.length > 0) {
  console.error(`${wrong.join(', ')} is no number of its kind: npm run test:large -- --help`)
  process.exit(2)
}

const asked = {
  seed: Number(options.seed),
  // One case runs once.
  rounds: options.kind === undefined || options.alphabet === undefined ? Number(options.rounds) : 1,
  thorough: !options.short,
  shrinks: Number(options.shrink) * 1000,
  kind: options.kind,
  alphabet: options.alphabet,
  full: options.full?.split(','),
  share,
}

const program = options.memory
  ? [join(root, 'test/large/memory.ts')]
  : [
      join(root, 'node_modules/vitest/vitest.mjs'),
      'run',
      '--config',
      'test/vitest.config.ts',
      '--project=long',
      'test/large/large.test.ts',
    ]
const env = {
  ...process.env,
  LARGE: JSON.stringify(asked),
  // miniflare hands it to workerd.
  ...(options.memory &&
    options.heap !== '0' && { MINIFLARE_WORKERD_V8_FLAGS: `--max-heap-size=${options.heap}` }),
}
const child = spawn(process.execPath, program, { cwd: root, env, stdio: ['ignore', 'inherit', 'inherit'] })
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => child.kill(signal))
child.on('close', (code) => process.exit(code ?? 1))

/** Compares prices, and lists by price, of random catalogues with brute force. */
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { commandOptions } from '../support/command-options.ts'

const options = commandOptions('test:prices', {
  comparisons: { type: 'string', default: '100000' },
  seed: { type: 'string', default: '1' },
  help: { type: 'boolean', default: false },
})

if (options.help) {
  console.log(`Compares prices, and lists by price, of random catalogues with brute force by the rules of the guide.

  npm run test:prices -- [--comparisons 100000] [--seed 1]

  --comparisons NUMBER  how many results of requests, and prices of a variant in a market at a moment
  --seed NUMBER         the seed of the first catalogue; each next one has the next seed

Prints the request of the first difference, with the seed of its catalogue. Exits with 1 if there is one.`)
  process.exit(0)
}

for (const given of [options.comparisons, options.seed]) {
  if (!/^[1-9]\d{0,8}$/.test(given)) {
    console.error(`${given} is no number of comparisons, and no seed: npm run test:prices -- --help`)
    process.exit(2)
  }
}

const child = spawn(
  process.execPath,
  ['node_modules/vitest/vitest.mjs', 'run', '--config', 'test/vitest.config.ts', 'test/prices/comparisons'],
  {
    cwd: fileURLToPath(new URL('../..', import.meta.url).href),
    env: { ...process.env, COMPARISONS: options.comparisons, SEED: options.seed, PROGRESS: 'on' },
    stdio: ['ignore', 'inherit', 'inherit'],
  },
)
child.on('close', (code) => process.exit(code ?? 1))

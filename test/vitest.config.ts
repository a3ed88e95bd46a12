import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const root = fileURLToPath(new URL('..', import.meta.url).href)
const files = globSync(['src/**/*.test.ts', 'test/**/*.test.ts'], {
  cwd: root,
  exclude: ['**/node_modules/**', 'test/artefacts/**'],
})

/** Folders whose tests start processes, or intercept the service's database. */
const ofTheirOwn = /^(?:src\/local\/|test\/(?:faults|large|pages|sample-resource|worker)\/)/
/**
 * How a test changes what everything in its process shares; the driver of Postgres keeps one endpoint for all. Spies are taken
 * back by Vitest after each file.
 */
const changesItsProcess =
  /\bvi\.(?:mock|stub|use|set)|\bglobalThis\b|neonConfig|NEON_FETCH_ENDPOINT|tightBridge|openFortress|useOwnDatabase/

/** Tests with commands of their own, `npm run test:large` and `test:faults`; CI runs them after the rest. */
const ofACommand = /^test\/(?:large|faults\/histories)/

/** Tests that start whole services again and again: CI and `npm run check` run these too, `npm test` does not. */
const slow =
  /^(?:test\/(?:worker|sample-resource)\/|test\/operator\/worker-before|src\/local\/(?:postgres|install|moving\/corrupted)\.test)/

/** A browser takes as much of a machine as a quarter of all other tests: `npm run test:pages`, which CI runs as well. */
const isInBrowser = (file: string) => /^inBrowser\(/m.test(readFileSync(`${root}${file}`, 'utf8'))

const isAlone = (file: string) =>
  ofTheirOwn.test(file) || changesItsProcess.test(readFileSync(`${root}${file}`, 'utf8'))

const daily = files.filter((file) => !ofACommand.test(file) && !isInBrowser(file))

const fast = daily.filter((file) => !slow.test(file))

/** In tests each row of each statement is parsed by its columns, and stored JSON by its schema. */
const resolve = {
  alias: [{ find: /^.*\/row-types\.ts$/, replacement: `${root}test/support/checked-rows.ts` }],
}

const project = {
  root,
  setupFiles: 'test/support/described-statements.ts',
  pool: 'forks',
  testTimeout: 60_000,
  hookTimeout: 180_000,
  expect: { poll: { timeout: 10_000 } },
} as const

export default defineConfig({
  root,
  test: {
    globalSetup: ['test/support/services.ts', 'test/pages/worker.ts'],
    // One more than the cores of a small machine: a test waits for its database half of the time. A fourth makes none faster.
    maxWorkers: 3,
    // Lines of the service's log: thousands of requests are refused on purpose. A test that asks for them has them from elsewhere.
    onConsoleLog: (text) => !/^\{"event":"\w+","level":/.test(text),
    projects: [
      { resolve, test: { ...project, name: 'slow', include: daily.filter((file) => slow.test(file)) } },
      { resolve, test: { ...project, name: 'alone', include: fast.filter(isAlone) } },
      // A worker loads the service once for all of these: that takes two seconds of CPU, longer than most of them. They come
      // last, so that the two workers end together.
      {
        resolve,
        test: {
          ...project,
          name: 'together',
          isolate: false,
          include: fast.filter((file) => !isAlone(file)),
        },
      },
      { resolve, test: { ...project, name: 'pages', include: files.filter(isInBrowser) } },
      { resolve, test: { ...project, name: 'long', include: files.filter((file) => ofACommand.test(file)) } },
    ],
    reporters: process.env.CI
      ? ['default', ['json', { outputFile: 'test/artefacts/results.json' }]]
      : ['default'],
  },
})

import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const root = fileURLToPath(new URL('..', import.meta.url).href)
const files = globSync(['src/**/*.test.ts', 'test/**/*.test.ts'], {
  cwd: root,
  exclude: ['**/node_modules/**', 'test/artefacts/**'],
})

/** Folders whose tests start processes, or intercept the service's database; but for files of these that only calculate. */
const ofTheirOwn =
  /^(?:src\/local\/(?!build|cli\/|dev-vars|import\/(?!command)|network|token|worker-process)|test\/(?:faults\/(?!broken)|(?:day|examples|guides|large|sample-resource|worker)\/))/
/**
 * How a test changes what everything in its process shares; the driver of Postgres keeps one endpoint for all. Spies, stubs and
 * clocks are reset after each file.
 */
const changesItsProcess =
  /\bvi\.mock|neonConfig|NEON_FETCH_ENDPOINT(?!: inject\('bridgeEndpoint'\))|tightBridge|openFortress|useOwnDatabase|startPostgres/

/** Tests with commands of their own, `npm run test:large` and `test:faults`, of which CI runs the shortest. */
const ofACommand = /^test\/(?:large|faults\/histories)/

/**
 * Tests that start whole services again and again, write the largest resources, lose races or read every document: CI and
 * `npm run check` run these too, `npm test` does not.
 */
const slow =
  /^(?:test\/(?:worker|guides|sample-resource|races|faults|bounds|sight)\/|test\/(?:path-length|operator\/(?:worker-before|upgrade|region)|isolation\/both-sides|webhooks\/large)|test\/catalogue\/(?:large-pages|costly-refusals|whole-documents)|test\/documents\/(?:json-ld|walk|alcaeus|in-full|kept|generated-clients)|src\/local\/(?:postgres|install|transfer\/|secret-keys|import\/command|demo|verify\/)|src\/resources\/events\/bounds|src\/background\/bulk)/

/** A browser takes as much of a machine as a third of all other tests: `npm run test:pages`, which CI runs as well. */
const isInBrowser = (file: string) =>
  /^(?:inBrowser|onDesktop)\(/m.test(readFileSync(`${root}${file}`, 'utf8'))

const isAlone = (file: string) =>
  ofTheirOwn.test(file) || changesItsProcess.test(readFileSync(`${root}${file}`, 'utf8'))

const daily = files.filter((file) => !ofACommand.test(file) && !isInBrowser(file))

const chosen = (isSlow: boolean, alone: boolean) =>
  daily.filter((file) => slow.test(file) === isSlow && isAlone(file) === alone)

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
      { resolve, test: { ...project, name: 'slow-alone', include: chosen(true, true) } },
      { resolve, test: { ...project, name: 'alone', include: chosen(false, true) } },
      // A worker loads the service once for all of these: that takes two seconds of CPU, longer than most of them. They come
      // last, so that the two workers end together.
      { resolve, test: { ...project, name: 'slow-together', isolate: false, include: chosen(true, false) } },
      { resolve, test: { ...project, name: 'together', isolate: false, include: chosen(false, false) } },
      { resolve, test: { ...project, name: 'pages', include: files.filter(isInBrowser) } },
      { resolve, test: { ...project, name: 'long', include: files.filter((file) => ofACommand.test(file)) } },
    ],
    reporters: process.env.CI
      ? ['default', ['json', { outputFile: process.env.RESULTS ?? 'test/artefacts/results.json' }]]
      : ['default'],
  },
})

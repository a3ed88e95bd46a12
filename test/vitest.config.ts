import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const root = fileURLToPath(new URL('..', import.meta.url).href)
const files = globSync(['src/**/*.test.ts', 'test/**/*.test.ts'], {
  cwd: root,
  exclude: ['**/node_modules/**', 'test/artefacts/**'],
})

/** Folders whose tests start processes, or stand between the service and its database. */
const ofTheirOwn = /^(?:src\/local\/|test\/(?:faults|large|pages|sample-resource|worker)\/)/
/**
 * How a test changes what everything in its process shares; the driver of Postgres keeps one endpoint for all. Spies are taken
 * back by Vitest after each file.
 */
const changesItsProcess =
  /\bvi\.(?:mock|stub|use|set)|\bglobalThis\b|neonConfig|NEON_FETCH_ENDPOINT|tightBridge|openFortress|useOwnDatabase/

const isAlone = (file: string) =>
  ofTheirOwn.test(file) || changesItsProcess.test(readFileSync(`${root}${file}`, 'utf8'))

const project = { root, pool: 'forks', testTimeout: 20_000, hookTimeout: 60_000 } as const

export default defineConfig({
  root,
  test: {
    globalSetup: ['test/support/services.ts'],
    // A third makes statements of large tests run into their five seconds.
    maxWorkers: 2,
    // Lines of the service's log: thousands of requests are refused on purpose. A test that asks for them has them from elsewhere.
    onConsoleLog: (text) => !/^\{"event":"\w+","level":/.test(text),
    projects: [
      { test: { ...project, name: 'alone', include: files.filter(isAlone) } },
      // A worker loads the service once for all of these: that takes two seconds of CPU, longer than most of them. They come
      // last, so that the two workers end together.
      {
        test: {
          ...project,
          name: 'together',
          isolate: false,
          include: files.filter((file) => !isAlone(file)),
        },
      },
    ],
    reporters: process.env.CI
      ? ['default', ['json', { outputFile: 'test/artefacts/results.json' }]]
      : ['default'],
  },
})

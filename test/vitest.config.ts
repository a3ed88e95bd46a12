import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  root: fileURLToPath(new URL('..', import.meta.url).href),
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    globalSetup: ['test/support/services.ts'],
    pool: 'forks',
    // A third makes statements of large tests run into their five seconds.
    maxWorkers: 2,
    testTimeout: 20_000,
    hookTimeout: 30_000,
    // Lines of the service's log: thousands of requests are refused on purpose. A test that asks for them has them from elsewhere.
    onConsoleLog: (text) => !/^\{"event":"\w+","level":/.test(text),
    reporters: process.env.CI
      ? ['default', ['json', { outputFile: 'test/artefacts/results.json' }]]
      : ['default'],
  },
})

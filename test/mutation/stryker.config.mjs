import { pure } from './modules.ts'

export default {
  mutate: pure.flatMap((each) => each.modules),
  testRunner: 'vitest',
  plugins: ['@stryker-mutator/vitest-runner'],
  vitest: { configFile: 'test/mutation/vitest.config.ts' },
  // TypeScript 7 has no API by which Stryker could rewrite a tsconfig, and nothing here needs one rewritten.
  tsconfigFile: 'none',
  ignorePatterns: ['.data', '.wrangler', 'dist', 'test/artefacts', 'src/client', 'src/admin'],
  tempDirName: 'test/artefacts/mutants',
  reporters: ['clear-text', 'progress'],
  clearTextReporter: { reportTests: false, logTests: false },
  coverageAnalysis: 'perTest',
  thresholds: { high: 95, low: 90, break: 90 },
  concurrency: 2,
}

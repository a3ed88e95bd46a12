import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { pure } from './modules.ts'

/** The tests of the pure modules alone: they need no database. */
export default defineConfig({
  root: fileURLToPath(new URL('../..', import.meta.url).href),
  test: { include: pure.map((each) => each.test), pool: 'threads' },
})

import { afterAll, expect, inject, vi } from 'vitest'
import { mismatchedStatements } from './checked-rows.ts'

/** After each test file: the statements that ran have the columns that they declare, and nothing is stubbed for the next file. */
afterAll(async () => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
  vi.unstubAllEnvs()
  expect(await mismatchedStatements(inject('appUrl'))).toEqual([])
})

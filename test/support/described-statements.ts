import { afterAll, expect, inject } from 'vitest'
import { mismatchedStatements } from './checked-rows.ts'

/** After each test file: the statements that ran have the columns that they declare. */
afterAll(async () => {
  expect(await mismatchedStatements(inject('appUrl'))).toEqual([])
})

/**
 * Tests that were written for a defect stay. `defects.json` lists each with the commit that fixed its defect. A new fix adds its
 * tests there. The entry of a deleted test moves to `removed`, with the reason.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import * as z from 'zod'

const commit = z.string().regex(/^[0-9a-f]{8}$/)
const listed = z.array(z.string().includes(' > ')).min(1)
const { defects, removed } = z
  .strictObject({
    defects: z.array(z.strictObject({ commit, defect: z.string().min(10), tests: listed })),
    removed: z.array(z.strictObject({ commit, tests: listed, why: z.string().min(20) })),
  })
  .parse(JSON.parse(readFileSync(join(import.meta.dirname, 'defects.json'), 'utf8')))

const sourceOf = (path: string) => readFileSync(join(import.meta.dirname, '..', path), 'utf8')

test.each(defects)('$commit, $defect', ({ tests }) => {
  const missing = tests.filter((each) => {
    const [path = '', title = ''] = each.split(' > ', 2)
    const source = sourceOf(path)
    return !['"', "'", '`'].some((quote) => source.includes(`${quote}${title}${quote}`))
  })
  expect(missing).toEqual([])
})

test('a removed test is not listed as present', () => {
  const gone = new Set(removed.flatMap(({ tests }) => tests))
  expect(defects.flatMap(({ tests }) => tests).filter((each) => gone.has(each))).toEqual([])
})

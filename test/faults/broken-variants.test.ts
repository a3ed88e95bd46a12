import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { brokenVariants } from './broken-variants.ts'

const root = join(import.meta.dirname, '../..')

test.each(Object.entries(brokenVariants))('the safeguard can be taken out: %s', (_, edits) => {
  for (const { file, from } of edits) expect(readFileSync(join(root, file), 'utf8')).toContain(from)
})

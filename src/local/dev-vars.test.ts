import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { hasOwnDatabase, removeDevVars, writeDevVars } from './dev-vars.ts'

const directory = mkdtempSync(join(tmpdir(), 'dev-vars-'))
const file = join(directory, '.dev.vars')
afterAll(() => rmSync(directory, { recursive: true, force: true }))

test('a block is replaced and removed, and the lines of the developer stay', () => {
  writeFileSync(file, "SLOW_REQUEST='5'")
  writeDevVars('1-1', { DATABASE_URL: 'first' }, file)
  writeDevVars('2-2', { DATABASE_URL: 'second' }, file)
  const text = readFileSync(file, 'utf8')
  expect(text).toMatch(/^SLOW_REQUEST='5'\n# .+ 2-2\nDATABASE_URL='second'\n$/)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(hasOwnDatabase(file)).toBe(false)

  removeDevVars('1-1', file)
  expect(readFileSync(file, 'utf8')).toBe(text)
  removeDevVars('2-2', file)
  expect(readFileSync(file, 'utf8')).toBe("SLOW_REQUEST='5'\n")
})

test('a file without lines of the developer is deleted', () => {
  rmSync(file, { force: true })
  writeDevVars('1-1', {}, file)
  removeDevVars('1-1', file)
  expect(existsSync(file)).toBe(false)
})

test('a DATABASE_URL of the developer is found', () => {
  writeFileSync(file, '# mine\nexport DATABASE_URL = "postgresql://owner@db.test/x"\n')
  expect(hasOwnDatabase(file)).toBe(true)
  writeFileSync(file, '# DATABASE_URL=old\n')
  expect(hasOwnDatabase(file)).toBe(false)
})

/** The page of logs lists the members of a line and the checks of a token. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const page = readFileSync(join(import.meta.dirname, '../../.github/docs/logs.md'), 'utf8')

/** The cells of a section's tables, row by row, without their heads. */
function rowsOf(section: string): string[][] {
  const text = page.split(`\n## ${section}\n`)[1]?.split('\n## ')[0] ?? ''
  const rows = text.split('\n').filter((line) => line.startsWith('| '))
  return rows.slice(2).map((row) => row.slice(2, -2).split(' | '))
}

test('every member that all lines have is listed', () => {
  expect(rowsOf('Members of every line').map(([name]) => name)).toEqual(
    ['event', 'level', 'tenant', 'requestId', 'operation', 'version', 'durationMs', 'statements']
      .concat('traceId', 'cause')
      .map((name) => `\`${name}\``),
  )
})

test('every check of a token is listed, and no other', () => {
  const file = (name: string) => readFileSync(join(import.meta.dirname, `../../src/${name}`), 'utf8')
  const [, type = ''] = /export type TokenCheck =\n((?: {2}\| '\w+'\n)+)/.exec(file('http/jwt.ts')) ?? []
  const checks = [...type.matchAll(/'(\w+)'/g)].map(([, check]) => check)
  const problems = [...file('core/problems/auth.ts').matchAll(/^ {2}(\w+): \{$/gm)].map(([, name]) => name)
  const documented = rowsOf('Checks of a token').flatMap(([names = '']) =>
    [...names.matchAll(/`(\w+)`/g)].map(([, name]) => name),
  )
  const silent = ['invalid_token', 'issuer_unavailable']
  expect(documented.toSorted()).toEqual(
    [...checks, ...problems.filter((each) => !silent.includes(String(each)))].toSorted(),
  )
})

/** `npm run words`: finds phrases that a reader has to decode, in code, comments, messages, titles of tests and documents. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { commandOptions } from '../support/command-options.ts'
import { phrases } from './phrases.ts'

const values = commandOptions('words', { help: { type: 'boolean' } })
if (values.help) {
  console.log(`npm run words

Prints each phrase of test/budgets/phrases.ts in src, migrations, test, README.md and .github, with its place and a plain
replacement.
Exit code 0: none; 1: at least one.`)
  process.exit(0)
}

const root = join(import.meta.dirname, '../..')
const patterns = [
  'README.md',
  '.github/**/*.md',
  'migrations/**/*.sql',
  '{src,test}/**/*.{ts,tsx,js,cjs,md,html}',
]
const paths = globSync(patterns, { cwd: root }).filter(
  (path) => !/node_modules|^src\/client\/dist|^test\/(?:artefacts|budgets|replay\/recording)\//.test(path),
)

let found = 0
for (const path of paths.toSorted()) {
  const lines = readFileSync(join(root, path), 'utf8').split('\n')
  for (const [index, line] of lines.entries()) {
    for (const [pattern, instead] of phrases) {
      const match = pattern.exec(line)
      if (match) {
        found++
        console.log(`${path}:${index + 1}: “${match[0].trim()}” → ${instead}`)
      }
    }
  }
}
const advice = 'name the noun, name the actor, use the technical verb.'
console.log(found === 0 ? 'No phrase found.' : `${found} phrases to rewrite: ${advice}`)
process.exit(found === 0 ? 0 : 1)

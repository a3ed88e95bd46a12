import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A section of .github/docs/operations.md: its text, and the contents of its code blocks. */
export function runbook(title: string): { readonly text: string; readonly blocks: readonly string[] } {
  const page = readFileSync(join(import.meta.dirname, '../../.github/docs/operations.md'), 'utf8')
  const [, text = ''] = page.split(`\n## ${title}\n`)
  const [section = ''] = text.split('\n## ')
  return { text: section, blocks: [...section.matchAll(/```\w+\n(.*?)```/gs)].map(([, code]) => code!) }
}

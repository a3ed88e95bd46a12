import { expect, test } from 'vitest'
import { ownLines } from './worker-process.ts'

const warning = (text: string) =>
  `\u001b[33m▲ \u001b[43;33m[WARNING]\u001b[0m \u001b[1m${text}\u001b[0m\n\n\n`
const error = (text: string) => `\u001b[31m✘ [ERROR]\u001b[0m ${text}\n\n`

/** The output for a text that arrives in pieces of so many characters. */
function written(text: string, size: number): string {
  let out = ''
  const take = ownLines((line) => {
    out += line
  })
  for (let at = 0; at < text.length; at += size) take(text.slice(at, at + size))
  return out
}

test.each([1, 7, 10_000])("of %i characters at a time the service's lines and errors are left", (size) => {
  const refused = '{"event":"token_refused","level":"warn","check":"expired"}'
  const failed = '{"event":"answer_failed","level":"error","cause":{"reason":"connection"}}'
  const text = [
    warning(
      'Scheduled Workers are not automatically triggered during local development.\n\n  To trigger:\n    curl x',
    ),
    warning(refused),
    error(failed),
    error('Build failed\n\n  src/worker.ts: expected ")"'),
    warning('something of wrangler'),
  ].join('')
  const left = `${refused}\n${failed}\n${error('Build failed\n\n  src/worker.ts: expected ")"')}`
  expect(written(text, size)).toBe(left)
})

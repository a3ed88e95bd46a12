import { createInterface } from 'node:readline/promises'
import { run } from './tenant/run.ts'

/** Asks on a terminal; null where there is none. */
async function ask(question: string): Promise<string | null> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return null
  const asking = createInterface({ input: process.stdin, output: process.stderr })
  try {
    return await asking.question(question)
  } finally {
    asking.close()
  }
}

process.exitCode = await run(process.argv.slice(2), {
  print: (text) => console.log(text),
  tell: (text) => console.error(text),
  ask,
})

import { createInterface } from 'node:readline/promises'
import { here } from './cli/command.ts'
import { tenantCommand } from './tenant/commands.ts'

/** Asks on a terminal. Returns null without one. */
async function ask(question: string): Promise<string | null> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return null
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  try {
    return await terminal.question(question)
  } finally {
    terminal.close()
  }
}

process.exitCode = await tenantCommand.run(process.argv.slice(2), { ...here, ask })

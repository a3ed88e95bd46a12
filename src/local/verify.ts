import { here } from './cli/command.ts'
import { verifyCommand } from './verify/run.ts'

const stopping = new AbortController()
let stopped = 0
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    if (stopped === 0) {
      stopped = Date.now()
      console.error('\nStopping, and removing the created resources. Press Ctrl-C again to leave them.')
      stopping.abort()
    } else if (Date.now() - stopped > 1000) {
      // npm passes on the same Ctrl-C within a second.
      process.exit(130)
    }
  })
}

process.exitCode = await verifyCommand.run(process.argv.slice(2), { ...here, signal: stopping.signal })

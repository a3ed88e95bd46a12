import { run } from './verify/run.ts'

const stopping = new AbortController()
let stopped = 0
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    if (stopped === 0) {
      stopped = Date.now()
      console.error('\nStopping: what was made is removed. Once more to leave it.')
      stopping.abort()
    } else if (Date.now() - stopped > 1000) {
      // Within a second it is npm, passing on the same Ctrl-C.
      process.exit(130)
    }
  })
}

process.exitCode = await run(process.argv.slice(2), {
  print: (text) => console.log(text),
  tell: (text) => console.error(text),
  env: process.env,
  signal: stopping.signal,
})

import { fileURLToPath } from 'node:url'
import { program } from './deploy/program.ts'
import { run } from './deploy/run.ts'

process.exitCode = await run(process.argv.slice(2), {
  print: (text) => console.log(text),
  tell: (text) => console.error(text),
  env: process.env,
  program,
  directory: fileURLToPath(new URL('../..', import.meta.url).href),
})

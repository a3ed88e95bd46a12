import { run } from './doctor/run.ts'

process.exitCode = await run(process.argv.slice(2), {
  print: (text) => console.log(text),
  tell: (text) => console.error(text),
  env: process.env,
})

/** `.dev.vars`, from which `wrangler dev` reads variables: lines of the developer, then a block that this project writes. */
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const devVarsFile = fileURLToPath(new URL('../../.dev.vars', import.meta.url).href)
const marker =
  '# Written by "npx wrangler dev" at each start. Put your own variables above this line. Services:'

/** Whether the developer's own lines name a database. */
export function hasOwnDatabase(file = devVarsFile): boolean {
  return /^\s*(?:export\s+)?DATABASE_URL\s*=/m.test(ownLines(file))
}

/** Replaces the block. `services` names the services that the variables lead to. */
export function writeDevVars(
  services: string,
  variables: Readonly<Record<string, string>>,
  file = devVarsFile,
): void {
  const lines = Object.entries(variables).map(([name, value]) => `${name}='${value}'\n`)
  write(file, `${ownLines(file)}${marker} ${services}\n${lines.join('')}`)
}

/** Removes the block if it leads to these services. */
export function removeDevVars(services: string, file = devVarsFile): void {
  if (!textOf(file).includes(`${marker} ${services}\n`)) return
  const own = ownLines(file)
  if (own === '') rmSync(file, { force: true })
  else write(file, own)
}

const textOf = (file: string) => (existsSync(file) ? readFileSync(file, 'utf8') : '')

function ownLines(file: string): string {
  const own = textOf(file).split(marker)[0] ?? ''
  return own === '' || own.endsWith('\n') ? own : `${own}\n`
}

/** Renamed, because wrangler may read the file at any moment. Secret, as the variables contain a password. */
function write(file: string, content: string): void {
  const unfinished = `${file}.${process.pid}`
  writeFileSync(unfinished, content, { mode: 0o600 })
  renameSync(unfinished, file)
}

import { spawn } from 'node:child_process'

/**
 * Runs a program in a folder to its end, with its output as it comes; `variables` are added to its environment.
 * @throws Error where it fails
 */
export type Program = (
  command: string,
  args: readonly string[],
  directory: string,
  variables?: Readonly<Record<string, string>>,
) => Promise<void>

export const program: Program = (command, args, directory, variables = {}) => {
  const env = { ...process.env, ...variables }
  const child = spawn(command, args, { cwd: directory, stdio: 'inherit', env })
  return new Promise((done, reject) => {
    child.on('error', reject)
    child.on('close', (code, signal) => {
      if (code === 0) done()
      else reject(new Error(`${[command, ...args].slice(0, 4).join(' ')} ended with ${signal ?? code}.`))
    })
  })
}

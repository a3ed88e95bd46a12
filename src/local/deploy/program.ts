import { spawn } from 'node:child_process'

/** Runs a program in a folder to its end, with its output as it comes. @throws Error where it fails */
export type Program = (command: string, args: readonly string[], directory: string) => Promise<void>

export const program: Program = (command, args, directory) => {
  const child = spawn(command, args, { cwd: directory, stdio: 'inherit' })
  return new Promise((done, reject) => {
    child.on('error', reject)
    child.on('close', (code, signal) => {
      if (code === 0) done()
      else reject(new Error(`${[command, ...args].slice(0, 4).join(' ')} ended with ${signal ?? code}.`))
    })
  })
}

import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

/** Why what is deployed from a folder could not be found again by its commit; null where it could. */
export async function uncommitted(directory: string): Promise<string | null> {
  try {
    const { stdout } = await promisify(execFile)('git', ['status', '--porcelain'], { cwd: directory })
    return stdout === '' ? null : `The tree has changes that nobody has committed:\n${stdout.trimEnd()}`
  } catch {
    return 'This is no git work tree: nobody could tell later what was deployed.'
  }
}

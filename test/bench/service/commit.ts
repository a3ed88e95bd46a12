import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from '../../support/bundle.ts'
import { UsageError } from './options.ts'

/** The tree of another commit, with its dependencies. */
export type Tree = { readonly directory: string; remove(): void }

/** The whole hash of a commit. @throws UsageError for an unknown name */
export function commitOf(name: string): string {
  try {
    return git('rev-parse', '--verify', '--quiet', `${name}^{commit}`).trim()
  } catch {
    throw new UsageError(`There is no commit ${name}.`)
  }
}

/** Checks a commit out into the temporary folder. */
export function checkOut(commit: string): Tree {
  const folder = mkdtempSync(join(tmpdir(), 'catalogue-commit-'))
  const directory = join(folder, 'tree')
  git('worktree', 'add', '--detach', directory, commit)
  const remove = () => {
    git('worktree', 'remove', '--force', directory)
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    if (dependenciesOf(directory) === dependenciesOf(root)) {
      symlinkSync(join(root, 'node_modules'), join(directory, 'node_modules'))
    } else {
      execFileSync('npm', ['ci', '--omit=dev', '--ignore-scripts', '--silent'], { cwd: directory })
    }
    return { directory, remove }
  } catch (error) {
    remove()
    throw error
  }
}

/** The inputs of a Worker's build. Versions are exact, so that the same text is the same packages. */
function dependenciesOf(tree: string): string {
  return JSON.stringify(JSON.parse(readFileSync(join(tree, 'package.json'), 'utf8')).dependencies)
}

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
}

/** Processes that a test has started, and waiting for what they do. */
import { globSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/** Processes whose command or environment names this folder, as `/proc/<id> <command>`. */
export function processesOf(directory: string): string[] {
  return globSync('/proc/[0-9]*').flatMap((place) => {
    try {
      const [command, environment] = ['cmdline', 'environ'].map((file) =>
        readFileSync(`${place}/${file}`, 'utf8'),
      )
      if (!`${command}${environment}`.includes(directory)) return []
      return [`${place} ${command!.replaceAll('\0', ' ')}`]
    } catch {
      // It has ended meanwhile, or belongs to another account.
      return []
    }
  })
}

/** Kills them, after they had fifteen seconds to end by themselves. */
export async function endProcessesOf(directory: string): Promise<void> {
  const remaining = () => processesOf(directory)
  await until(() => remaining().length === 0, remaining, 15).catch(() => undefined)
  for (const place of remaining()) process.kill(Number.parseInt(place.slice('/proc/'.length), 10), 'SIGKILL')
}

/** Waits for a condition. Throws an Error with the explanation when the time is over. */
export async function until(reached: () => boolean, explain: () => unknown, seconds = 90): Promise<void> {
  for (const end = Date.now() + seconds * 1000; Date.now() < end; await sleep(20)) if (reached()) return
  throw new Error(`it never came to be: ${JSON.stringify(explain())}`)
}

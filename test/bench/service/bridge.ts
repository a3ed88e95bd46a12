import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import * as z from 'zod'
import { type Clock, clockOf } from './processes.ts'

/** A bridge in a process of its own. */
export type BridgeProcess = {
  readonly endpoint: string
  readonly clock: Clock
  /** How many statements it has passed on to Postgres, without what begins and ends a transaction. */
  statements(): Promise<number>
  stop(): Promise<void>
}

const started = z.object({ endpoint: z.string() })
const counted = z.object({ statements: z.number() })

/** Starts a bridge in front of a server, which holds back each message to it by `delay` milliseconds. It ends with this process. */
export async function startBridgeProcess(
  server: string,
  connections: number,
  delay: number,
): Promise<BridgeProcess> {
  const script = fileURLToPath(import.meta.resolve('./bridge-process.ts'))
  const child = fork(script, [server, String(connections), String(delay)], { execArgv: ['--no-warnings'] })
  const { endpoint } = started.parse(await said(child))
  return {
    endpoint,
    clock: clockOf(child.pid ?? null),
    async statements() {
      child.send('count')
      return counted.parse(await said(child)).statements
    },
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const ended = once(child, 'exit')
      child.disconnect()
      await ended
    },
  }
}

function said(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const ended = () => reject(new Error('The bridge ended.'))
    child.once('exit', ended)
    child.once('message', (message) => {
      child.off('exit', ended)
      resolve(message)
    })
  })
}

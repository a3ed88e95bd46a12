import { mkdirSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { stripVTControlCharacters } from 'node:util'
import { assetsDirectory } from './build.ts'
import { openConnection } from './cli/http.ts'
import { dataDirectory } from './local-tenants.ts'
import { keepProcess } from './processes.ts'
import { servicesVariable } from './wrangler.ts'

/** The Worker in `wrangler dev`, with its queues, and its cron called once a minute. */
export type WorkerProcess = {
  readonly exited: Promise<number>
  running(): boolean
  stop(): Promise<void>
  /** Kills it at once, with whatever it was doing. */
  kill(): void
}

export type WorkerOptions = {
  readonly port: number
  /** Shows everything that it and wrangler say, not only the lines of the log and errors. */
  readonly verbose: boolean
  /** Variables in addition to those of wrangler.toml. */
  readonly variables: Readonly<Record<string, string>>
  /** Where it keeps what is its own; the developer's folder when absent. */
  readonly directory?: string
}

/** Starts `wrangler dev` on 127.0.0.1; resolves before it answers. */
export async function startWorker(options: WorkerOptions): Promise<WorkerProcess> {
  const { port, verbose, variables, directory = dataDirectory } = options
  mkdirSync(directory, { recursive: true })
  // wrangler does not start without the folder.
  mkdirSync(assetsDirectory, { recursive: true })
  const variablesFile = `${directory}/worker.env`
  const lines = Object.entries(variables).map(([name, value]) => `${name}='${value}'\n`)
  // A file, because the arguments of a process can be read by every account of the machine.
  writeFileSync(variablesFile, lines.join(''), { mode: 0o600 })

  let stopping = false
  const show = (text: string) => void process.stderr.write(text)
  const tellPlainly = verbose ? show : ownLines(show)
  const child = keepProcess(
    process.execPath,
    [
      '--no-warnings',
      fileURLToPath(import.meta.resolve('wrangler')),
      'dev',
      '--ip=127.0.0.1',
      `--port=${port}`,
      '--inspector-port=0',
      `--env-file=${variablesFile}`,
      `--persist-to=${directory}/wrangler`,
      `--log-level=${verbose ? 'log' : 'warn'}`,
      '--show-interactive-dev-session=false',
    ],
    {
      signal: 'TERM',
      cwd: fileURLToPath(new URL('../..', import.meta.url).href),
      env: {
        ...process.env,
        // Its custom build starts none.
        [servicesVariable]: 'external',
        WRANGLER_SEND_METRICS: 'false',
        CLOUDFLARE_CF_FETCH_ENABLED: 'false',
        // Its logs, registry and settings: nothing in the home folder is needed or written.
        XDG_CONFIG_HOME: `${directory}/wrangler/config`,
      },
      output: (text) => {
        // Interrupted in the middle of a build, the bundler prints the stacks of its threads.
        if (!stopping || verbose) tellPlainly(text)
      },
    },
  )
  const cron = setInterval(() => callCron(port), 60_000)
  child.exited.then(() => clearInterval(cron))
  const stop = () => {
    stopping = true
    return child.stop()
  }
  return { exited: child.exited, running: child.running, stop, kill: child.kill }
}

/** Waits until the Worker is ready and knows a host, then calls its cron a first time. Throws an Error after 60 s. */
export async function untilHealthy(worker: WorkerProcess, port: number, host: string): Promise<void> {
  const deadline = Date.now() + 60_000
  let last = 'no answer'
  while (worker.running() && Date.now() < deadline) {
    try {
      const ready = await statusOf(port, '/ready', host)
      const page = await statusOf(port, '/docs/catalogue.json', host)
      // With a database, the page of a suspended tenant is 503.
      if (ready === 200 && (page === 200 || page === 503)) return void callCron(port)
      last = `status ${ready} and ${page}`
    } catch {
      // Not listening yet.
    }
    await sleep(100)
  }
  throw new Error(`The Worker was not ready in a minute (${last}).`)
}

/** Calls the cron of a `wrangler dev`, which fires none. */
export async function callCron(port: number): Promise<void> {
  try {
    const status = await statusOf(port, '/cdn-cgi/local/scheduled?cron=*+*+*+*+*', '127.0.0.1')
    if (status !== 200) console.error(`The cron of the Worker failed (status ${status}).`)
  } catch {
    // The Worker is restarting or ending; the next minute will do.
  }
}

async function statusOf(port: number, path: string, host: string): Promise<number> {
  const connection = openConnection(new URL(`http://127.0.0.1:${port}`), 1)
  return (await connection.send('GET', path, { host }).finally(connection.close)).status
}

/**
 * Makes of what `wrangler dev` prints what a developer wants to see: the service's own lines as they are in production, one of JSON
 * each (`src/core/log.ts`), and wrangler's errors. Takes text in pieces, and writes whole lines.
 */
export function ownLines(write: (text: string) => void): (text: string) => void {
  let unfinished = ''
  let isPassedOver = false
  return (text) => {
    const lines = `${unfinished}${text}`.split('\n')
    unfinished = lines.pop() ?? ''
    for (const line of lines) {
      const plain = stripVTControlCharacters(line)
      const own = /\{"event":.*\}/.exec(plain)?.[0]
      if (own !== undefined) write(`${own}\n`)
      // Continuation lines of a message are indented or empty.
      if (/^\S/.test(plain)) isPassedOver = own !== undefined || plain.startsWith('▲ [WARNING]')
      if (!isPassedOver) write(`${line}\n`)
    }
  }
}

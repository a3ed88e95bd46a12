/** The services of this project that run. Each has a file with its address, which commands read. */
import { createHash } from 'node:crypto'
import { existsSync, globSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { ask, Failure, UsageError } from './cli/command.ts'
import { table } from './cli/output.ts'
import { dataDirectory } from './local-tenants.ts'
import { isAlive } from './postgres.ts'
import { isRunning, type Process, readProcess } from './wrangler.ts'

export type RunningService = Process & {
  readonly port: number
  /** Its data directory. */
  readonly directory: string
}

/** Not in a data directory, so that commands find the services of all of them. */
const folder = fileURLToPath(new URL('../../.data/services', import.meta.url).href)

/**
 * Writes the address of the service that this process starts. Returns a function that deletes it. @throws Failure if another process uses
 * the data directory
 */
export function announce(port: number, directory = dataDirectory, files = folder): () => void {
  const { pid } = process
  const service = { pid, startTime: readProcess(pid)?.startTime ?? '', port, directory }
  const file = `${files}/${createHash('sha256').update(directory).digest('hex').slice(0, 12)}.json`
  // Deletes the file of an ended process.
  runningServices(files)
  mkdirSync(files, { recursive: true })
  const unfinished = `${file}.${pid}`
  writeFileSync(unfinished, JSON.stringify(service))
  try {
    // Fails if another process has the file. Readers never see a part of it.
    linkSync(unfinished, file)
  } catch {
    const other: RunningService = JSON.parse(readFileSync(file, 'utf8'))
    throw new Failure(
      `The service at http://localhost:${other.port} (process ${other.pid}) uses ${directory}. Stop it, or start another one: DATA_DIRECTORY=/tmp/other npm start`,
    )
  } finally {
    rmSync(unfinished)
  }
  used = service
  return () => rmSync(file, { force: true })
}

/** The services that run, by port. Files of ended processes are deleted. */
export function runningServices(files = folder): RunningService[] {
  const found = globSync(`${files}/*.json`).flatMap((file): RunningService[] => {
    try {
      const service: RunningService = JSON.parse(readFileSync(file, 'utf8'))
      // Without /proc, the process id alone is compared.
      if (existsSync('/proc/self') ? isRunning(service) : isAlive(service.pid)) return [service]
    } catch {
      // It is deleted at this moment, or damaged.
    }
    rmSync(file, { force: true })
    return []
  })
  return found.toSorted((a, b) => a.port - b.port)
}

type Address = Pick<RunningService, 'port' | 'directory'>

/** The service that this process uses, so that it asks for it once. */
let used: Address | null = null

/**
 * The service that a command uses: that with the given port, that of DATA_DIRECTORY, or the only one. If no such service runs, the
 * address is the default. If several run, it asks which. @throws UsageError with their list, without a terminal
 */
export async function usedService(port?: number): Promise<Address> {
  used ??= await chosenService({ port, named: process.env.DATA_DIRECTORY, question: ask })
  return used
}

/** The data directory of that service, or the default. */
export const usedDirectory = (): string => used?.directory ?? dataDirectory

/** @throws UsageError as `usedService` does */
export async function chosenService({
  port,
  named,
  question,
  files = folder,
}: {
  readonly port: number | undefined
  readonly named: string | undefined
  readonly question: typeof ask
  readonly files?: string
}): Promise<Address> {
  const fitting = runningServices(files).filter(
    (service) =>
      (port === undefined || service.port === port) && (!named || service.directory === dataDirectory),
  )
  const [first, ...others] = fitting
  if (!first) return { port: port ?? 8787, directory: dataDirectory }
  if (others.length === 0) return first
  const rows = fitting.map((each) => [`http://localhost:${each.port}`, `DATA_DIRECTORY=${each.directory}`])
  const list = `${fitting.length} services run:\n  ${table(rows).replaceAll('\n', '\n  ')}`
  const answer = await question(`${list}\nPort of the service to use: `)
  const answered = fitting.find((each) => String(each.port) === answer?.trim())
  if (answered) return answered
  const next = 'Set DATA_DIRECTORY of the command, or give --port if it has this option.'
  throw new UsageError(`${list}\n${next}`)
}

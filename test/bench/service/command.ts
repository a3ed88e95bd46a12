/**
 * The cost of the service on this machine: the built Worker in workerd, next to a minimal one. `npm run bench -- --help`
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism, loadavg } from 'node:os'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Bundle, bundleScript, bundleWorker, root } from '../../support/bundle.ts'
import { startBridgeProcess } from './bridge.ts'
import { checkOut, commitOf } from './commit.ts'
import { type Catalogue, openCatalogue, openFloor, openServer, type Server } from './database.ts'
import { type Kind, kinds } from './kinds.ts'
import { type Figures, load, medianOf, type Target } from './load.ts'
import { help, type Options, readOptions, UsageError } from './options.ts'
import { comparison, mainTable, type Report, type Row, report } from './report.ts'
import { type Asked, ask } from './request.ts'
import { startWorkerd } from './workerd.ts'
import { type World, worldOf } from './world.ts'

/** A Worker that has a catalogue. */
type Service = Target & { readonly world: World }
/** The Worker without any. */
type Floor = Target & { put(path: string, body: string): Promise<void> }

async function main(args: string[]): Promise<void> {
  const options = readOptions(args)
  if (options === 'help') return void console.log(help)
  if (options === 'list') return void console.log(kinds.map(({ name }) => name).join('\n'))
  const asked = kinds.filter(
    ({ name }) => options.only.length === 0 || options.only.some((word) => name.startsWith(word)),
  )
  if (asked.length === 0) throw new UsageError('--only: no kind begins with this; --list prints them.')
  const earlier = options.compare === null ? null : readReport(options.compare)
  const against = options.against === null ? null : commitOf(options.against)

  const things = new AsyncDisposableStack()
  // Child processes end with this process in any case; this also deletes their files.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(signal, () => {
      things.disposeAsync().finally(() => process.exit(130))
    })
  try {
    const { measured, failed } = await measure(asked, against, options, things)
    progress('')
    mkdirSync(dirname(options.out), { recursive: true })
    writeFileSync(options.out, `${JSON.stringify(measured, null, 2)}\n`)
    print(measured, earlier, options)
    if (failed.length > 0) throw new Error(failed.join('\n'))
  } finally {
    await things.disposeAsync()
  }
}

async function measure(
  asked: readonly Kind[],
  against: string | null,
  options: Options,
  things: AsyncDisposableStack,
): Promise<{ readonly measured: Report; readonly failed: readonly string[] }> {
  const loadBefore = loadavg()[0] ?? 0
  progress('starting Postgres')
  const server = await openServer(options.keep)
  things.defer(server.stop)
  const service = await startService('own', root, server, options, things)
  // After a migration, which makes the role that the floor asks as.
  const floor = await startFloor(server, options, things)
  const other = against === null ? null : await startOther(against, server, options, things)

  const rows: Row[] = []
  const failed: string[] = []
  for (const [index, kind] of asked.entries()) {
    // The results of the others are printed in any case.
    const row = await measureKind(kind, service, floor, other, options).catch((error: Error) => {
      failed.push(`${kind.name}: ${error.message}`)
      return null
    })
    if (row) rows.push(row)
    progress(`${index + 1} of ${asked.length} kinds`)
  }
  const measured = {
    measuredAt: new Date().toISOString(),
    commit: commitOf('HEAD'),
    against,
    products: options.products,
    seconds: options.seconds,
    rounds: options.rounds,
    connections: options.connections,
    seed: options.seed,
    processors: availableParallelism(),
    loadBefore,
    rows,
  }
  return { measured, failed }
}

async function startOther(
  commit: string,
  server: Server,
  options: Options,
  things: AsyncDisposableStack,
): Promise<Service> {
  progress(`checking out ${commit.slice(0, 12)}`)
  const tree = checkOut(commit)
  things.defer(tree.remove)
  return startService(commit.slice(0, 12), tree.directory, server, options, things)
}

async function startService(
  name: string,
  tree: string,
  server: Server,
  options: Options,
  things: AsyncDisposableStack,
): Promise<Service> {
  progress(`building the Worker, ${name}`)
  const bundle = bundleWorker(tree)
  things.defer(bundle.remove)
  const { products, fresh, seed } = options
  const catalogue = await openCatalogue({
    server,
    name,
    tree,
    products,
    fresh,
    start: async (appUrl) => {
      const filling = new AsyncDisposableStack()
      const { port } = await startTarget(bundle, appUrl, server, options, filling)
      return { port, stop: () => filling.disposeAsync() }
    },
    onProgress: progress,
  })
  things.defer(() => closed(catalogue))
  const target = await startTarget(bundle, catalogue.appUrl, server, options, things)
  return { ...target, world: await worldOf(catalogue.owner, catalogue.tenant, catalogue.token, seed) }
}

async function closed({ tidy, owner }: Catalogue): Promise<void> {
  await tidy().finally(() => owner.end())
}

async function startFloor(server: Server, options: Options, things: AsyncDisposableStack): Promise<Floor> {
  progress('building the floor')
  const bundle = bundleScript(fileURLToPath(import.meta.resolve('./floor-worker.ts')))
  things.defer(bundle.remove)
  const { appUrl, put, stop } = await openFloor(server)
  things.defer(stop)
  return { ...(await startTarget(bundle, appUrl, server, options, things)), put }
}

async function startTarget(
  bundle: Bundle,
  appUrl: string,
  server: Server,
  { connections, delay }: Options,
  things: AsyncDisposableStack,
): Promise<Target> {
  const bridge = await startBridgeProcess(server.ownerUrl, 2 * connections, delay)
  things.defer(bridge.stop)
  const worker = await startWorkerd(bundle, {
    DATABASE_URL: appUrl,
    NEON_FETCH_ENDPOINT: bridge.endpoint,
    ENVIRONMENT: 'local',
    // One client asks for more than all others together.
    RATE_LIMITS: 'off',
  })
  things.defer(worker.stop)
  return {
    port: worker.port,
    bridge,
    clocks: { worker: worker.clock, bridge: bridge.clock, postgres: server.clock },
  }
}

/** How many runs, of a second at most, a kind is warmed by. */
const mostWarming = 6

/** A Worker with its requests, and the results of its runs. */
type Lane = { readonly target: Target; readonly requests: readonly Asked[]; rate: number; runs: Figures[] }

async function measureKind(
  kind: Kind,
  service: Service,
  floor: Floor,
  other: Service | null,
  options: Options,
): Promise<Row | null> {
  const own = await prepared(kind, service)
  const { requests, bodies } = own
  if (requests.length === 0) return null
  const lanes: Lane[] = [laneOf(service, requests)]
  if (!kind.isWrite) lanes.push(laneOf(floor, await floorRequests(floor, bodies)))
  const theirs = other === null ? null : await prepared(kind, other).catch(unlessRefused)
  if (other && theirs && theirs.requests.length > 0) lanes.push(laneOf(other, theirs.requests))
  const statusOf = (lane: Lane) => (lane.target === floor ? 200 : kind.status)

  const { seconds, rounds } = options
  const connections = kind.connections ?? options.connections
  const run = (lane: Lane, requestsWanted: number) => {
    const amount = Math.max(1, Math.round(requestsWanted / connections)) * connections
    return load(lane.target, lane.requests, { status: statusOf(lane), connections, amount })
  }
  // The first runs open connections and compile: they are dropped until one is hardly faster than the previous one.
  for (const lane of lanes) {
    lane.rate = (await run(lane, 2 * connections)).rate
    for (let runs = 0, before = 0; runs < mostWarming && lane.rate > 1.05 * before; runs += 1) {
      before = lane.rate
      lane.rate = (await run(lane, before * Math.min(seconds, 1))).rate
    }
  }
  for (let round = 1; round <= rounds; round += 1) {
    // The order alternates, so that no Worker is always the first after a pause.
    for (const lane of round % 2 === 1 ? lanes : lanes.toReversed()) {
      progress(`${kind.name}, round ${round} of ${rounds}`)
      const figures = await run(lane, lane.rate * seconds)
      lane.rate = figures.rate
      lane.runs.push(figures)
    }
  }
  const figuresOf = (target: Target | null) => {
    const lane = lanes.find((each) => each.target === target)
    return lane ? medianOf(lane.runs) : null
  }
  const bytes = bodies.reduce((sum, body) => sum + Buffer.byteLength(body), 0) / bodies.length
  return {
    name: kind.name,
    bytes: Math.round(bytes),
    service: medianOf(lanes[0]?.runs ?? []),
    floor: figuresOf(floor),
    against: figuresOf(other),
  }
}

const laneOf = (target: Target, requests: readonly Asked[]): Lane => ({ target, requests, rate: 0, runs: [] })

/** A request of a kind got an unexpected response. */
class Refused extends Error {}

/** Kinds that an older commit does not support are measured of this one alone. */
function unlessRefused(error: unknown): null {
  if (!(error instanceof Refused)) throw error
  progress(`not compared: ${error.message.slice(0, 200)}`)
  return null
}

/** The requests of a kind, with their expected responses. */
async function prepared(kind: Kind, { port, world }: Service) {
  const requests = await kind.requests(world, (asked) => ask(port, asked))
  const bodies: string[] = []
  for (const asked of requests) {
    const { status, text } = await ask(port, asked)
    if (status !== kind.status)
      throw new Refused(`${asked.method} ${asked.path} answered ${status}: ${text.slice(0, 500)}`)
    bodies.push(text)
    for (const follow of asked.followedBy ?? []) {
      const next = follow(text)
      const answer = await ask(port, next)
      if (answer.status !== kind.status)
        throw new Refused(
          `${next.method} ${next.path} answered ${answer.status}: ${answer.text.slice(0, 500)}`,
        )
    }
  }
  return { requests, bodies }
}

async function floorRequests({ put }: Floor, bodies: readonly string[]): Promise<Asked[]> {
  const requests = bodies.map(
    (_, index) => ({ method: 'GET', path: `/${index}`, headers: {} }) satisfies Asked,
  )
  for (const [index, body] of bodies.entries()) await put(`/${index}`, body)
  return requests
}

function print(measured: Report, earlier: Report | null, { out, compare }: Options): void {
  const { rows, against } = measured
  console.log(mainTable(rows))
  const others = rows.flatMap(({ name, service, against: before }) =>
    before ? [{ name, now: service, before, share: null }] : [],
  )
  if (against) console.log(`\nAgainst ${against.slice(0, 12)}:\n\n${comparison(others)}`)
  if (earlier) {
    const pairs = rows.flatMap(({ name, service, floor }) => {
      const before = earlier.rows.find((each) => each.name === name)
      if (!before) return []
      const share =
        floor && before.floor && service.rate / floor.rate / (before.service.rate / before.floor.rate)
      return [{ name, now: service, before: before.service, share }]
    })
    console.log(`\nCompared with ${compare}, ${earlier.commit.slice(0, 12)}:\n\n${comparison(pairs)}`)
  }
  console.log(
    `\n${measured.products} products, ${measured.connections} connections, ${measured.rounds} × ${measured.seconds} s; ${measured.processors} processors, load ${measured.loadBefore.toFixed(1)} before. ${out}`,
  )
}

function readReport(file: string): Report {
  try {
    return report.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch (error) {
    throw new UsageError(`--compare ${file}: ${error instanceof Error ? error.message : String(error)}`)
  }
}

/** One line that is written over where there is a terminal, else one for each. */
function progress(text: string): void {
  if (process.stderr.isTTY)
    process.stderr.write(`\r${text.slice(0, 78).padEnd(78)}${text === '' ? '\r' : ''}`)
  else if (text !== '') process.stderr.write(`${text}\n`)
}

try {
  await main(process.argv.slice(2))
} catch (error) {
  const isUsage = error instanceof UsageError
  const text = error instanceof Error ? error.message : String(error)
  console.error(isUsage ? `${text}\nSee: npm run bench -- --help` : `\n${text}`)
  process.exitCode = isUsage ? 2 : 1
}
// Resources that a failure left open do not delay the end.
process.exit()

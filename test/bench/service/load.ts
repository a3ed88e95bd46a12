import autocannon from 'autocannon'
import { quantile } from '../quantile.ts'
import type { BridgeProcess } from './bridge.ts'
import type { Clock } from './processes.ts'
import type { Asked } from './request.ts'

/** A Worker under measure, with the bridge and the database behind it. */
export type Target = {
  readonly port: number
  readonly bridge: BridgeProcess
  readonly clocks: Readonly<Record<Part, Clock>>
}

/** The processes whose CPU is measured separately. */
export const parts = ['worker', 'bridge', 'postgres'] as const
type Part = (typeof parts)[number]

/** The results of a run; milliseconds and counts are those of a request, with the requests that have to follow it. */
export type Figures = {
  readonly rate: number
  readonly p50: number
  readonly p99: number
  readonly statements: number
  /** Null if the machine does not report it. */
  readonly cpu: Readonly<Record<Part, number | null>>
}

/**
 * Sends so many requests over connections that each begin with another of them. Every request gets its response before the run ends, so
 * the counts belong to them. @throws Error for any unexpected response
 */
export async function load(
  { port, bridge, clocks }: Target,
  requests: readonly Asked[],
  { status, connections, amount }: { status: number; connections: number; amount: number },
): Promise<Figures> {
  const times: number[] = []
  const steps = 1 + (requests[0]?.followedBy?.length ?? 0)
  const begun = new Map<object, { steps: number; milliseconds: number }>()
  const wrong = new Map<number, number>()
  let end = 0
  let client = 0
  const before = await counted(bridge, clocks)
  const start = performance.now()
  const running = autocannon(
    {
      url: `http://127.0.0.1:${port}`,
      connections,
      amount: amount * steps,
      timeout: 60,
      sampleInt: 20,
      setupClient(each) {
        // Far from each other, so that no write changes the resource of the next one: races are not measured.
        const first = Math.floor((client * requests.length) / connections) % requests.length
        client += 1
        each.setRequests([...requests.slice(first), ...requests.slice(0, first)].flatMap(sent))
      },
    },
    () => {},
  )
  running.on('response', (client, answered, _bytes, milliseconds) => {
    end = performance.now()
    const so = begun.get(client) ?? { steps: 0, milliseconds: 0 }
    const now = { steps: so.steps + 1, milliseconds: so.milliseconds + milliseconds }
    if (now.steps === steps) times.push(now.milliseconds)
    begun.set(client, now.steps === steps ? { steps: 0, milliseconds: 0 } : now)
    if (answered !== status) wrong.set(answered, (wrong.get(answered) ?? 0) + 1)
  })
  const { errors } = await new Promise<autocannon.Result>((resolve, reject) => {
    running.on('done', resolve)
    running.on('error', reject)
  })
  const after = await counted(bridge, clocks)
  if (wrong.size > 0 || errors > 0) {
    const failures = [...wrong].map(([answered, times]) => `${times} × ${answered}`)
    throw new Error(
      `expected ${status}, got ${[...failures, ...(errors > 0 ? [`${errors} errors`] : [])].join(', ')}`,
    )
  }
  const spent = (part: Part) => {
    const [from, to] = [before.cpu[part], after.cpu[part]]
    return from === null || to === null ? null : ((to - from) * 1000) / times.length
  }
  return {
    rate: (times.length / (end - start)) * 1000,
    p50: quantile(times, 0.5),
    p99: quantile(times, 0.99),
    statements: (after.statements - before.statements) / times.length,
    cpu: { worker: spent('worker'), bridge: spent('bridge'), postgres: spent('postgres') },
  }
}

async function counted(bridge: BridgeProcess, clocks: Target['clocks']) {
  const cpu = { worker: clocks.worker(), bridge: clocks.bridge(), postgres: clocks.postgres() }
  return { statements: await bridge.statements(), cpu }
}

/** A request and those that follow it, as one connection sends them. */
function sent(asked: Asked): autocannon.Request[] {
  const { followedBy = [] } = asked
  let answered = ''
  return [
    {
      ...requestOf(asked),
      ...(followedBy.length > 0 && { onResponse: (_: number, text: string) => void (answered = text) }),
    },
    ...followedBy.map(
      (follow): autocannon.Request => ({
        setupRequest: (request) => ({ ...request, ...requestOf(follow(answered)) }),
      }),
    ),
  ]
}

/** One request; a body that differs each time is created when it is sent. */
function requestOf({ method, path, headers, body }: Asked): autocannon.Request {
  const plain = { method, path, headers: { ...headers } }
  if (typeof body !== 'function') return body === undefined ? plain : { ...plain, body }
  return { ...plain, setupRequest: (request) => ({ ...request, body: body() }) }
}

/** The median of each figure. */
export function medianOf(runs: readonly Figures[]): Figures {
  const of = (figure: (run: Figures) => number) => median(runs.map(figure))
  const spent = (part: Part) => {
    const all = runs.map(({ cpu }) => cpu[part]).filter((each) => each !== null)
    return all.length === 0 ? null : median(all)
  }
  return {
    rate: of(({ rate }) => rate),
    p50: of(({ p50 }) => p50),
    p99: of(({ p99 }) => p99),
    statements: of(({ statements }) => statements),
    cpu: { worker: spent('worker'), bridge: spent('bridge'), postgres: spent('postgres') },
  }
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = (sorted.length - 1) / 2
  return ((sorted[Math.floor(middle)] ?? 0) + (sorted[Math.ceil(middle)] ?? 0)) / 2
}

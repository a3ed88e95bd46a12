/** `npm run verify`: every check in turn, then what was made is removed, then the limit is exceeded. */
import { randomUUID } from 'node:crypto'
import { help, readArguments, UsageError } from './arguments.ts'
import type { Check, Surroundings } from './check.ts'
import { abortedWrite } from './checks/aborted-write.ts'
import { conflicts } from './checks/conflicts.ts'
import { entityTags } from './checks/entity-tags.ts'
import { pages } from './checks/pages.ts'
import { parallelReads } from './checks/parallel-reads.ts'
import { pastLimit } from './checks/past-limit.ts'
import { race } from './checks/race.ts'
import { replay } from './checks/replay.ts'
import { standing } from './checks/standing.ts'
import { unknownHost } from './checks/unknown-host.ts'
import { webhook } from './checks/webhook.ts'
import { told } from './demand.ts'
import { lacking } from './grants.ts'
import { NotTried, type Row, rowOf } from './outcome.ts'
import { showProgress } from './progress.ts'
import { removeMade } from './remove.ts'
import { countsOf, tableOf } from './table.ts'
import { openWire, type Wire } from './wire.ts'

/** One after the other, beside the webhook, which mostly waits. */
const turns: readonly Check[] = [
  standing,
  pages,
  unknownHost,
  entityTags,
  conflicts,
  replay,
  race,
  abortedWrite,
  parallelReads,
]
const checks: readonly Check[] = [...turns, webhook, pastLimit]

/** The row that tells how what was made is removed. */
const removal = 'what was made is removed'

/** What the command speaks to. */
export type Speaks = {
  /** The answer. */
  readonly print: (text: string) => void
  /** Everything else that is said. */
  readonly tell: (text: string) => void
  readonly env: Readonly<Record<string, string | undefined>>
  /** Aborted when the run is stopped. */
  readonly signal: AbortSignal
}

/** Runs the command, and gives its exit code. */
export async function run(args: readonly string[], { print, tell, env, signal }: Speaks): Promise<number> {
  try {
    const wanted = readArguments(
      args,
      checks.map(({ name }) => name),
      env,
    )
    if (!wanted) {
      print(help)
      return 0
    }
    const asked = checks.filter(({ name }) => wanted.only.length === 0 || wanted.only.includes(name))
    const receiver = asked.includes(webhook) ? wanted.receiver : null
    demandGrants(
      asked.filter((check) => check !== webhook || receiver),
      wanted.token,
    )
    const mark = `verify-${randomUUID().slice(0, 8)}`
    const made = new Set<string>()
    const wire = openWire({ ...wanted, signal, made: (path) => made.add(path) })
    try {
      const refusal = await refusalOf(wire)
      if (refusal !== null) {
        tell(refusal)
        return 1
      }
      const rows = await rowsOf(asked, { ...wanted, receiver, wire, mark, signal }, made)
      const counts = countsOf(rows)
      print(
        wanted.json
          ? JSON.stringify({ url: wanted.url.origin, mark, ...counts, checks: rows })
          : tableOf(rows),
      )
      return counts.failed > 0 ? 1 : signal.aborted ? 130 : 0
    } finally {
      wire.close()
    }
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    tell(`${error.message}\nSee: npm run verify -- --help`)
    return 2
  }
}

/** @throws UsageError where the token lacks something that a check needs */
function demandGrants(tried: readonly Check[], token: string): void {
  const scopes = new Set(tried.flatMap((check) => check.scopes))
  const lacks = lacking(token, [...scopes])
  if (lacks.length > 0) throw new UsageError(`The token lacks ${lacks.join(', ')}. Nothing was tried.`)
}

/** What to do about a token that is not taken. */
const next = `
Is the token of this very tenant, and not expired? The service's log has a line token_refused with that request id, whose
"check" says why: .github/logs.md, "Checks of a token". On this machine: npm run -s token -- --tenant NAME`

/** Why the checks cannot begin: nothing answers, or the token is not taken. */
async function refusalOf(wire: Wire): Promise<string | null> {
  try {
    const answer = await wire.ask('GET', '/api/versions')
    if (answer.status === 200) return null
    return `${wire.origin.host}: ${told(answer)}. Nothing was tried.${answer.status === 401 ? next : ''}`
  } catch (error) {
    if (error instanceof NotTried) return 'Stopped. Nothing was tried.'
    return `Nothing answers at ${wire.origin.origin}: ${error instanceof Error ? error.message || error.name : error}`
  }
}

async function rowsOf(
  asked: readonly Check[],
  around: Surroundings,
  made: ReadonlySet<string>,
): Promise<Row[]> {
  const progress = showProgress(asked.length + 1)
  const row = (name: string, ask: () => Promise<string>) => {
    progress.begin(name)
    return rowOf(name, ask)
  }
  const rowsFor = async (some: readonly Check[]) => {
    const rows: Row[] = []
    for (const { name, run } of some.filter((each) => asked.includes(each)))
      rows.push(await row(name, () => run(around)))
    return rows
  }
  const rows = (await Promise.all([rowsFor([webhook]), rowsFor(turns)])).toReversed().flat()
  if (asked.some(({ scopes }) => scopes.includes('products:write')))
    rows.push(await row(removal, () => removeMade({ ...around, wire: around.wire.unstoppable }, made)))
  rows.push(...(await rowsFor([pastLimit])))
  progress.stop()
  return rows
}

/** `npm run verify`: every check in turn, then what was made is removed, then the limit is exceeded. */
import { randomUUID } from 'node:crypto'
import * as z from 'zod'
import {
  command,
  Failure,
  flag,
  httpUrl,
  option,
  repeated,
  type Surroundings,
  text,
  UsageError,
  wholeNumber,
} from '../cli/command.ts'
import { progressBar } from '../cli/output.ts'
import type { Check, CheckSurroundings } from './check.ts'
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
import { removeMade } from './remove.ts'
import { countsOf, tableOf } from './table.ts'
import { isLoopback, openWire, type Wire } from './wire.ts'

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

type VerifySurroundings = Surroundings & {
  /** Aborted when the run is stopped. */
  readonly signal: AbortSignal
}

const checkNames = checks.map(({ name }) => name)

const checkName = text.refine(
  (name) => checkNames.includes(name),
  `is one of these checks: ${checkNames.join(', ')}`,
)

const options = {
  url: option(
    'URL',
    "the tenant's host, with its scheme and port",
    httpUrl
      .transform((value) => new URL(value))
      .refine(
        ({ username, pathname, search, hash }) => username === '' && pathname === '/' && search + hash === '',
        'ends with the host: https://acme.example.com',
      ),
  ),
  token: option(
    'TOKEN',
    'a bearer token of this tenant (default: the variable ACCESS_TOKEN, which neither npm nor ps shows)',
    text,
    'ACCESS_TOKEN',
  ),
  receiver: option(
    'URL',
    'a public URL that leads to --listen, such as that of a tunnel; checks webhooks of a service that cannot call this computer directly',
    httpUrl.transform((value) => new URL(value)).optional(),
  ),
  listen: option(
    'NUMBER',
    'the port on which webhooks are received (default: any free port)',
    wholeNumber(0, 65_535).default(0),
  ),
  only: repeated('CHECK', 'runs only this check, by its name in the table', z.array(checkName).default([])),
  'past-limit': flag('sends reads until the client is rejected, even if that takes hundreds'),
  json: flag('prints the results as JSON'),
}

/** `npm run verify`. */
export const verifyCommand = command<typeof options, VerifySurroundings>({
  name: 'verify',
  summary: 'Checks a running service over HTTP, and removes what it created for the checks.',
  examples: ['ACCESS_TOKEN=… npm run verify -- --url https://acme.example.com'],
  options,
  notes: [
    `The checks: ${checkNames.join(', ')}. Missing scopes of the token are reported before any check runs.`,
    'Titles, handles and tags of what it creates begin with "verify-". At the end, also after Ctrl-C, it archives the products and deletes the subscriptions. Events of the products stay in the feed, and other subscribers receive them.',
  ],
  exitCodes: '0 nothing failed, 1 a check failed, 130 stopped by Ctrl-C',
  faults: (given) =>
    'receiver' in given && !('listen' in given)
      ? ['--receiver needs --listen, the port that it leads to.']
      : [],
  async run({ url, token, receiver: tunnel, listen, only, json, ...values }, { print, signal }) {
    const selected = checks.filter(({ name }) => only.length === 0 || only.includes(name))
    const place = tunnel || isLoopback(url.hostname) ? { port: listen, url: tunnel ?? null } : null
    const receiver = selected.includes(webhook) ? place : null
    demandGrants(
      selected.filter((check) => check !== webhook || receiver),
      token,
    )
    const mark = `verify-${randomUUID().slice(0, 8)}`
    const made = new Set<string>()
    const wire = openWire({ url, token, signal, made: (path) => made.add(path) })
    try {
      const refusal = await refusalOf(wire)
      if (refusal !== null) throw new Failure(refusal)
      const surroundings = { receiver, wire, mark, signal, pastLimit: values['past-limit'] }
      const rows = await rowsOf(selected, surroundings, made)
      const counts = countsOf(rows)
      print(json ? JSON.stringify({ url: url.origin, mark, ...counts, checks: rows }) : tableOf(rows))
      return counts.failed > 0 ? 1 : signal.aborted ? 130 : 0
    } finally {
      wire.close()
    }
  },
})

/** @throws UsageError if the token lacks a scope or permission that a check needs */
function demandGrants(tried: readonly Check[], token: string): void {
  const scopes = new Set(tried.flatMap((check) => check.scopes))
  const lacks = lacking(token, [...scopes])
  if (lacks.length > 0) throw new UsageError(`The token lacks ${lacks.join(', ')}. Nothing was tried.`)
}

/** What to do about a rejected token. */
const next = `
Is the token of this very tenant, and not expired? The service's log has a line token_refused with that request id, whose
"check" says why: .github/docs/logs.md, "Checks of a token". On this machine: npm run -s token -- --tenant NAME`

/** Why the checks cannot begin: the service does not answer, or it rejects the token. */
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
  around: CheckSurroundings,
  made: ReadonlySet<string>,
): Promise<Row[]> {
  const progress = progressBar()
  progress.start(asked.length + 1)
  let begun = 0
  const row = (name: string, ask: () => Promise<string>) => {
    progress.show(name, begun)
    begun += 1
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

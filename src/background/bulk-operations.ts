/**
 * Performs bulk operations: the lines of their files, in the name of their submitters. A worker that has the lease performs some lines
 * at a time. The commit of a line also stores its result, and a line with a result is never performed again.
 */

import * as z from 'zod'
import { type Actor, type Tenant, tenantSettings } from '../core/context.ts'
import { withOrigins } from '../core/iri.ts'
import { isJsonArray, isJsonObject, type Json, member } from '../core/json.ts'
import { localeOf } from '../core/locale.ts'
import { SafeError } from '../core/log.ts'
import { englishMessages, localizedMessage, Problem } from '../core/problem.ts'
import { validationProblems } from '../core/problems/validation.ts'
import { traceOf } from '../core/trace.ts'
import { problemOfViolation, throwViolations } from '../core/violations.ts'
import type { Runtime, StoredCaller, StoredRequest, StoredResponse } from '../core/work.ts'
import { DatabaseError, type Session } from '../db/client.ts'
import { JointWriteRejected } from '../db/joint-session.ts'
import { type RowOf, type Statement, statement } from '../db/query.ts'
import { idColumn } from '../db/sql.ts'
import { insert, type WriteStep } from '../db/write-steps.ts'
import type { Bindings } from '../env.ts'
import { jsonIn } from '../http/body.ts'
import { dryRunOf } from '../http/dry-run.ts'
import { isRevoked } from '../http/jwt.ts'
import type { MessageReader } from '../http/messages.ts'
import { isOriginOf } from '../http/request.ts'
import type { PerformJointly } from '../http/subrequests.ts'
import { type BulkOperationParts, bulkOperationStatement } from '../resources/bulk-operations/read.ts'
import {
  endBulkOperation,
  type Leased,
  type LineResult,
  recordSteps,
  releaseStatement,
  requireLease,
  reserveStatement,
} from '../resources/bulk-operations/write.ts'
import { iriOfResource } from '../resources/events/topics.ts'
import { fanOut } from '../resources/webhooks/dispatch/fan-out.ts'
import { scheduleNearBoundaries } from '../resources/webhooks/dispatch/offer-boundaries.ts'
import { liveApiVersion } from '../versions/index.ts'

/** Lines that are performed together, and their characters. A commit holds the tenant's clock for some milliseconds for each. */
const linesAtOnce = 50
const charactersAtOnce = 500_000
/** Half of the time limit of a statement. After slower lines, half as many are performed together. */
const slowMs = 2500

/** Tenants after `after`, in order, with bulk operations, and without a worker that performs them. */
export function tenantsWithBulkOperations(after: string | null, limit: number): Statement<{ id: string }> {
  return statement(idColumn)`select tenants_with_bulk_operations(${after}::uuid, ${limit}) as id`
}

/** Performs lines of the tenant's oldest unfinished operation while it has time. Returns whether an operation may be left. */
export async function continueBulkOperations(
  runtime: Runtime,
  tenantId: string,
  hasTime: () => boolean,
): Promise<boolean> {
  const db = runtime.database.open(tenantId)
  const lease = crypto.randomUUID()
  const { reserved } = await db.write({ reserved: reserveStatement(lease) })
  const [operation] = reserved
  if (!operation) return false
  const worker: Worker = { runtime, db, id: operation.id, lease }
  let piece: Piece | null = null
  let state: State = 'continues'
  let most = linesAtOnce
  while (state === 'continues' && hasTime()) {
    const start = runtime.now().getTime()
    ;[state, piece] = await performNext(worker, piece, most)
    const isSlow = runtime.now().getTime() - start > slowMs
    most = isSlow ? Math.ceil(most / 2) : Math.min(most * 2, linesAtOnce)
  }
  await db.write({ released: releaseStatement({ id: operation.id, lease }) })
  if (db.followUp.hasSubscribers) await fanOut(runtime, tenantId)
  if (db.followUp.hasNearSchedule) await scheduleNearBoundaries(runtime, tenantId)
  return state !== 'waits'
}

/** Performs stored requests as those of a request are performed. */
export function storedPerformer(
  bindings: Bindings,
  performJointly: PerformJointly,
  messages: MessageReader,
): Runtime['perform'] {
  // Work after a response that is cut off is completed by a job.
  const executionContext = { waitUntil() {}, passThroughOnException() {}, props: {} }
  return ({ locale, origin, apiVersion, isDryRun, session, ...caller }, requests, options) => {
    const { tenant, now } = caller
    const url = new URL(origin)
    const dryRun = isDryRun ? dryRunOf(session) : null
    const variables = {
      ...caller,
      url,
      dryRun,
      session: dryRun?.session ?? session,
      lookupSession: session,
      operation: null,
      started: performance.now(),
      locale: localeOf(tenant.locales, locale),
      messagesIn: (name: string) => messages(name, bindings),
      apiVersion: liveApiVersion(apiVersion, now),
      isVersionRequested: true,
      isLenient: false,
      isMinimal: false,
      localeProblem: null,
      versionProblem: null,
      requiredScopes: [],
      ignoredProperties: new Set<string>(),
      backgroundWork: [],
      responseHeaders: new Headers(),
      responseBytes: 0,
    }
    const isAccepted = (other: URL) => isOriginOf(other, url, tenant.hosts, bindings)
    return withOrigins(isAccepted, () =>
      performJointly({ variables, bindings, executionContext }, requests, options),
    )
  }
}

type Worker = Leased & { readonly runtime: Runtime; readonly db: Session }

/** `waits`: another worker has the lease, or the tenant is suspended. */
type State = 'continues' | 'ended' | 'waits'

type Piece = RowOf<typeof pieceRow>
const pieceRow = { firstLine: z.number(), content: z.string() }

/** Performs the next lines of an operation, or ends it. Returns its state, and the piece of the file that was read last. */
async function performNext(
  worker: Worker,
  known: Piece | null,
  most: number,
): Promise<[State, Piece | null]> {
  const { runtime, db, id } = worker
  const { operations, settings, done } = await db.read({
    operations: bulkOperationStatement(id),
    settings: statement({ tenant: tenantSettings.nullable() })`select own_settings() as tenant`,
    // Lines after the processed ones that an interrupted worker has committed.
    done: statement({ line: z.number() })`
      select r.line from bulk_operations o join bulk_operation_results r on r.tenant_id = o.tenant_id and r.operation_id = o.id and r.line > o.processed
       where o.tenant_id = current_tenant() and o.id = ${id}::uuid`,
  })
  const [operation] = operations
  const tenant = settings[0]?.tenant
  if (!operation || operation.finishedAt !== null) return ['ended', known]
  if (!tenant || tenant.isSuspended) return ['waits', known]
  const caller = callerOf(operation, tenant, db, runtime.now())
  const end = async (...[status, failure]: ['FINISHED'] | ['FAILED', BulkOperationParts['failure']]) => {
    const locale = localeOf(tenant.locales, caller.locale)
    const writer = { ...caller, locale, db, idempotency: null, ifMatch: null }
    await endBulkOperation(writer, id, status, runtime.now(), failure)
    return ['ended', known] as [State, Piece | null]
  }
  const { processed, lines, stopsOnError, failed, actor } = operation
  if (stopsOnError && failed > 0) return end('FAILED', 'line_failed')
  if (processed >= lines) return end('FINISHED')
  if (actor.token && isRevoked(actor.token, tenant)) return end('FAILED', 'token_revoked')
  const piece = known && processed + 1 < endOf(known) ? known : await readPiece(worker, processed + 1)
  if (!piece) return end('FAILED', 'file_expired')
  const chunk = chunkOf(piece, operation, new Set(done.map(({ line }) => line)), most)
  const results = await resultsOf(worker, operation, caller, chunk.lines)
  const isRecorded = await db
    .apply({ beforeClock: recordSteps(worker, operation, chunk.last, results) })
    .then(() => true)
    .catch((error) => {
      if (error instanceof DatabaseError && error.subject === 'lease') return false
      throw error
    })
  return [isRecorded ? 'continues' : 'waits', piece]
}

function callerOf(operation: BulkOperationParts, tenant: Tenant, session: Session, now: Date): StoredCaller {
  const { actor: frozen, origin, locale, apiVersion, isStrict, isDryRun, requestId } = operation
  const { subject, client, person, scopes, permissions, token } = frozen
  const actor: Actor = {
    subject,
    client,
    person,
    scopes: new Set(scopes),
    permissions: new Set(permissions),
    ...(token && { token }),
  }
  const trace = traceOf(operation)
  return { tenant, actor, session, origin, locale, apiVersion, isStrict, isDryRun, requestId, trace, now }
}

const linesIn = ({ content }: Piece) => content.replace(/\n$/, '').split('\n')
const endOf = (piece: Piece) => piece.firstLine + linesIn(piece).length

async function readPiece({ db, id }: Worker, line: number): Promise<Piece | null> {
  const { pieces } = await db.read({
    pieces: statement(pieceRow)`
      select first_line as "firstLine", content from bulk_operation_pieces
       where tenant_id = current_tenant() and operation_id = ${id}::uuid and first_line <= ${line} order by first_line desc limit 1`,
  })
  const [piece] = pieces
  return piece && line < endOf(piece) ? piece : null
}

/** A line of a file: its request with the lines that it refers to, or its problem. */
type Line = { readonly line: number } & (
  | { readonly request: StoredRequest; readonly references: readonly number[] }
  | { readonly problem: Problem }
)

/** The next lines without a result, which are independent of each other, and the number of the last one. */
function chunkOf(
  piece: Piece,
  { processed, stopsOnError }: BulkOperationParts,
  done: ReadonlySet<number>,
  most: number,
) {
  const texts = linesIn(piece)
  const lines: Line[] = []
  const resources: string[] = []
  let characters = 0
  let last = processed
  for (const text of texts.slice(processed + 1 - piece.firstLine)) {
    const number = last + 1
    characters += text.length
    const isFirst = lines.length === 0
    if (lines.length === (stopsOnError ? 1 : most) || (!isFirst && characters > charactersAtOnce)) break
    if (text.trim() !== '' && !done.has(number)) {
      const line = parsedLine(number, text)
      if ('request' in line) {
        const resource = resourceOf(line)
        const refersToChunk = line.references.some((other) => other > processed && other < number)
        if (
          refersToChunk ||
          resources.some((other) => isWithin(resource, other) || isWithin(other, resource))
        )
          break
        resources.push(resource)
      }
      lines.push(line)
    }
    last = number
  }
  return { lines, last }
}

/** The path of the resource that a request changes, different for each new one; with `Idempotency-Key`, that comes first. */
function resourceOf({ line, request: { method, path, headers } }: Line & { request: StoredRequest }): string {
  const key = headers['idempotency-key']
  if (key !== undefined) return `#${key}`
  const [resource = ''] = path.split('?')
  if (resource.endsWith('/revert')) return resource.slice(0, -'/revert'.length)
  return method === 'POST' ? `${resource}/#${line}` : resource
}

/** Whether a path is that of a resource, or of a part of it. */
const isWithin = (path: string, resource: string) => path === resource || path.startsWith(`${resource}/`)

const methods = ['POST', 'PUT', 'PATCH', 'DELETE']
const members = ['method', 'path', 'body', 'idempotencyKey']

function parsedLine(line: number, text: string): Line {
  try {
    const json = jsonIn(new TextEncoder().encode(text))
    if (!isJsonObject(json)) throwViolations([validationProblems.type.at('', { expected: 'object' })])
    const request = requestIn(json)
    return { line, request, references: [...new Set(referencesIn(request))] }
  } catch (problem) {
    if (!(problem instanceof Problem)) throw problem
    return { line, problem }
  }
}

function requestIn(json: Json): StoredRequest {
  const value = (name: string) => (isJsonObject(json) ? member(json, name) : undefined)
  const [method, path, key] = [value('method'), value('path'), value('idempotencyKey')]
  const unknown = Object.keys(isJsonObject(json) ? json : {}).filter((name) => !members.includes(name))
  throwViolations([
    ...(typeof method === 'string' && methods.includes(method)
      ? []
      : [validationProblems.choice.at('method', { choices: methods.join(', ') })]),
    ...(typeof path === 'string' && path.startsWith('/api/')
      ? []
      : [validationProblems.pattern.at('path', { format: '/api/…' })]),
    ...(key === undefined || key === null || typeof key === 'string'
      ? []
      : [validationProblems.type.at('idempotencyKey', { expected: 'string' })]),
    ...unknown.map((name) => validationProblems.unknown_property.at(name, { name, hint: '' })),
  ])
  const body = value('body')
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
  return {
    method: String(method),
    path: String(path),
    ...(body !== undefined && { body }),
    headers: {
      ...(body !== undefined && { 'content-type': type }),
      ...(typeof key === 'string' && { 'idempotency-key': key }),
    },
  }
}

const segment = /(?<=\/)\$(\d{1,6})(?=[/?]|$)/g
const wholeReference = /^\$(\d{1,6})$/

/** Replaces the references to lines in a request: `$3` in an IRI by the id, `{"@id": "$3"}` by the IRI. */
function withReferences(request: StoredRequest, iriOf: (line: number) => string): StoredRequest {
  const inIri = (text: string) =>
    text.replace(segment, (_, line: string) => iriOf(Number(line)).split('/').at(-1) ?? '')
  const inValue = (value: Json, name: string | number): Json => {
    if (typeof value === 'string') {
      const line = name === '@id' ? wholeReference.exec(value)?.[1] : undefined
      if (line !== undefined) return iriOf(Number(line))
      return value.startsWith('/api/') ? inIri(value) : value
    }
    if (isJsonArray(value)) return value.map(inValue)
    if (!isJsonObject(value)) return value
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, inValue(each, key)]))
  }
  const { path, body } = request
  return { ...request, path: inIri(path), ...(body !== undefined && { body: inValue(body, '') }) }
}

function referencesIn(request: StoredRequest): number[] {
  const lines: number[] = []
  withReferences(request, (line) => {
    lines.push(line)
    return ''
  })
  return lines
}

/** Performs lines, and returns their results. */
async function resultsOf(
  worker: Worker,
  { isDryRun }: BulkOperationParts,
  caller: StoredCaller,
  lines: readonly Line[],
): Promise<readonly LineResult[]> {
  const resources = await readReferences(worker, lines)
  const entries = lines.map((line) => resolvedLine(line, resources, isDryRun))
  const requests = entries.flatMap((entry) => ('request' in entry ? [entry] : []))
  // Nothing is committed in a dry run, so its lines are recorded later.
  const changedInDryRun = new Set<number>()
  const perform = (sent: typeof requests) =>
    worker.runtime.perform(
      caller,
      sent.map(({ request }) => request),
      {
        stepsOf(works) {
          if (!isDryRun) return recordingSteps(worker, sent, works)
          for (const index of works.keys()) changedInDryRun.add(sent[index]?.line ?? 0)
          return []
        },
      },
    )
  const responses = new Map<number, LineResult>()
  if (requests.length > 0) {
    const received = await perform(requests)
    for (const [index, entry] of requests.entries()) {
      let response = received[index]
      requireStorage(response)
      if (requests.length > 1 && dependsOnOthers(response)) {
        changedInDryRun.delete(entry.line)
        ;[response] = await perform([entry])
      }
      requireStorage(response)
      const result = { ...resultOf(entry.line, response), is_unchanged: !changedInDryRun.has(entry.line) }
      // The resource that a dry run creates does not exist.
      responses.set(entry.line, isDryRun ? { ...result, resource: null } : result)
    }
  }
  return entries.flatMap((entry) => ('request' in entry ? (responses.get(entry.line) ?? []) : entry))
}

/** Problems of values alone, whatever the catalogue contains. */
const ofValues = /^validation\.(?!unknown_reference|failed)/

/** Whether a response may be another one after the other lines of the chunk, or without them. The line is then performed alone. */
function dependsOnOthers(response: StoredResponse | undefined): boolean {
  const { status } = response ?? { status: 500 }
  if (status >= 500 || [404, 409, 412, 413, 424].includes(status)) return true
  return status === 422 && !ofValues.test(String(slugOf(response)))
}

const slugOf = (response: StoredResponse | undefined) =>
  isJsonObject(response?.document) ? response.document.slug : undefined

/** The problems after which the operation continues later, whatever the line is. An array counts against the rate of the client. */
const pausing = /^(?:server\.storage_unavailable|concurrency\.tenant_busy|rate_limit\.exceeded)$/

/** @throws SafeError if the operation has to continue later */
function requireStorage(response: StoredResponse | undefined): void {
  const slug = slugOf(response)
  if (typeof slug === 'string' && pausing.test(slug)) throw new SafeError('BulkOperationPaused', slug)
}

/** Reads the resources of the lines that others refer to: null if a line has none. */
async function readReferences({ db, id }: Worker, lines: readonly Line[]) {
  const numbers = [...new Set(lines.flatMap((line) => ('references' in line ? line.references : [])))]
  if (numbers.length === 0) return new Map<number, RowOf<typeof referenceRow>>()
  const { rows } = await db.read({
    rows: statement(referenceRow)`
      select line, resource, problem is not null as "isFailed" from bulk_operation_results
       where tenant_id = current_tenant() and operation_id = ${id}::uuid and line = any(${`{${numbers.join()}}`}::int[])`,
  })
  return new Map(rows.map((row) => [row.line, row]))
}
const referenceRow = { line: z.number(), resource: z.string().nullable(), isFailed: z.boolean() }

/** A line whose references are replaced, or its result if it cannot be performed. */
function resolvedLine(
  line: Line,
  resources: ReadonlyMap<number, RowOf<typeof referenceRow>>,
  isDryRun: boolean,
): (Line & { readonly request: StoredRequest }) | LineResult {
  if ('problem' in line) return rejected(line.line, line.problem)
  const missing = line.references.find((number) => !resources.get(number)?.resource)
  if (missing === undefined) {
    const request = withReferences(line.request, (number) => resources.get(number)?.resource ?? '')
    return { ...line, request }
  }
  if (isDryRun && resources.get(missing)?.isFailed === false)
    return { line: line.line, status: 202, is_assumed: true, resource: null, problem: null }
  const help = `Line ${missing} has created no resource. Refer to an earlier line that creates one.`
  const violation = validationProblems.unknown_reference.at('', { iri: `$${missing}` }, help)
  return rejected(line.line, problemOfViolation(violation))
}

function rejected(line: number, { kind, values, extras }: Problem): LineResult {
  const [violation] = extras.violations ?? []
  const problem = {
    type: `/api/error-codes/${kind.code}`,
    title: kind.slug,
    status: kind.status,
    detail: violation
      ? `${violation.propertyPath || 'The line'}: ${violation.help ?? violation.problem.description}`
      : (extras.help ?? kind.description),
    code: kind.code,
    slug: kind.slug,
    message: localizedMessage(kind, englishMessages, values),
  }
  return { line, status: kind.status, is_assumed: false, resource: null, problem }
}

/** The members of problem documents that results show. */
const shownMembers =
  /^(?:type|title|status|detail|code|slug|message|violations|violationsTotal|currentVersion|missingPermissions)$/
const shownViolations = 10

function resultOf(line: number, response: StoredResponse | undefined): LineResult {
  const { status, document } = response ?? { status: 500, document: null }
  const object = isJsonObject(document) ? document : {}
  if (status < 400) {
    const iri = object['@id']
    const isItem = typeof iri === 'string' && object['@type'] !== 'Collection'
    // A revert is a part of the resource that it changes.
    const resource = isItem ? iri.replace(/\/revert$/, '') : null
    return { line, status, is_assumed: false, resource, problem: null }
  }
  const problem = Object.fromEntries(
    Object.entries(object)
      .filter(([name]) => shownMembers.test(name))
      .map(([name, value]) => [name, isJsonArray(value) ? value.slice(0, shownViolations) : value]),
  )
  return { line, status, is_assumed: false, resource: null, problem }
}

type Works = Parameters<NonNullable<Parameters<Runtime['perform']>[2]['stepsOf']>>[0]

const successOf: Readonly<Record<string, number>> = { POST: 201, DELETE: 204 }

const variantPatch = /^PATCH \/api\/products\/[^/]+\/variants\//

/** Whether two requests change one resource. Patches of variants may: they raise the version of their product once. */
function areDependent(requests: readonly { readonly request: StoredRequest }[], works: Works): boolean {
  const workOf = new Map<string, number>()
  const isVariantPatch = (work: number) => {
    const { method = '', path = '' } = requests[work]?.request ?? {}
    return variantPatch.test(`${method} ${path}`)
  }
  return [...works].some(([work, changes]) =>
    changes.some(({ kind, id }) => {
      const other = workOf.get(`${kind} ${id}`) ?? work
      workOf.set(`${kind} ${id}`, work)
      return other !== work && !(isVariantPatch(other) && isVariantPatch(work))
    }),
  )
}

/**
 * Steps of a commit that store which lines it contains. A second commit of a line fails by the key of the results.
 * @throws JointWriteRejected for lines that have to be performed one after the other
 */
function recordingSteps(
  worker: Worker,
  requests: readonly { readonly line: number; readonly request: StoredRequest }[],
  works: Works,
): WriteStep[] {
  if (areDependent(requests, works)) throw new JointWriteRejected()
  const rows = [...works].flatMap(([index, changes]) => {
    const entry = requests[index]
    if (!entry) return []
    const { line, request } = entry
    const change = changes.find(({ version }) => version === 1) ?? changes[0]
    return {
      operation_id: worker.id,
      line,
      status: successOf[request.method] ?? 200,
      is_assumed: false,
      resource: change ? iriOfResource(change.kind, change.id, change.ownerId ?? null) : null,
      problem: null,
    }
  })
  return [requireLease(worker), ...insert('bulk_operation_results', rows)]
}

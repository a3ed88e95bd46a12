import { type SQL, sql } from 'drizzle-orm'
import { uuidv7 } from 'uuidv7'
import * as z from 'zod'
import { ofFile } from '../../core/idempotency.ts'
import { instantOf } from '../../core/instant.ts'
import type { JsonObject } from '../../core/json.ts'
import { byteLimits } from '../../core/limits.ts'
import type { Answer, Context, Input, ItemInput, Upload } from '../../core/operation.ts'
import { type Plan, uncommitted, type Writer, withStamps } from '../../core/plan.ts'
import { httpProblems } from '../../core/problems/http.ts'
import { announcedParts } from '../../core/sizes.ts'
import { decodeUtf8 } from '../../core/strict-json.ts'
import { storedActor } from '../../core/trace.ts'
import { requireIfMatch, write } from '../../core/write.ts'
import { DatabaseError, type Session } from '../../db/client.ts'
import { type Statement, statement } from '../../db/query.ts'
import { idColumn } from '../../db/sql.ts'
import { insertRow, run, type WriteStep } from '../../db/write-steps.ts'
import { campaignProblems } from '../campaigns/problems.ts'
import { lastSequence } from '../events/event-sql.ts'
import { kinds } from '../events/topics.ts'
import { ownerArchived } from '../offers/document.ts'
import { bulkOperationProblems } from './problems.ts'
import {
  type BulkOperationParts,
  bulkOperationDocument,
  bulkOperationKind,
  bulkOperationStatement,
  eventDocumentOf,
} from './read.ts'
import {
  bulkOperationIri,
  type campaignEnd,
  type FrozenActor,
  type failures,
  maximumLines,
  maximumUnfinished,
  type onErrors,
  shownProblems,
} from './schema.ts'
import { bulkOperations } from './table.ts'

/** Bytes of a stored piece of a file. A longer line is a piece of its own. */
const pieceBytes = 256_000
/** Bytes of a line: the body of a request, and the members around it. */
const longestLine = byteLimits.body + 4096

type OptionsInput = Input<{
  params: 'id'
  query: { onError: z.ZodType<(typeof onErrors)[number]>; dryRun: z.ZodType<boolean> }
}>

type EndInput = Pick<Input<{ body: typeof campaignEnd }>, 'bodies'>

/** Creates a bulk operation from a file, which is stored in pieces while it arrives. */
export async function createBulkOperation(
  context: Context,
  { query, upload }: Omit<OptionsInput, 'params'>,
): Promise<Answer> {
  if (upload === null) throw httpProblems.body_required()
  return storeOperation(context, query, async (id) => {
    const file = await storeFile(context.db, id, upload)
    const { idempotency } = context
    return {
      lines: file.lines,
      bytes: upload.length,
      reverts: null,
      last: [run(file.last)],
      idempotency: idempotency && ofFile(idempotency, file.digest),
    }
  })
}

/** Creates a bulk operation that undoes the changes of another one, the latest first. Each line undoes those of one resource. */
export async function revertBulkOperation(
  context: Context,
  { params: { id: reverts }, query }: OptionsInput,
): Promise<Answer> {
  if (context.db.isDryRun) throw httpProblems.dry_run_unsupported()
  return storeOperation(context, query, async (id) => {
    const { found } = await context.db.read({ found: bulkOperationStatement(reverts) })
    const [operation] = found
    if (!operation) throw bulkOperationProblems.not_found({ id: reverts })
    if (operation.finishedAt === null) throw bulkOperationProblems.not_ended()
    return { ...(await storedLines(context, storeReverts(id, operation))), reverts }
  })
}

/** Stores lines that the database selects. */
async function storedLines(
  { db, idempotency }: Context,
  lines: ReturnType<typeof storeLines>,
): Promise<StoredLines> {
  const { stored } = await db.write({
    // Measured: 38,000 lines take 2 s, and the limit of other statements is 5 s.
    limit: statement(sql`select set_config('statement_timeout', '30s', true)`),
    stored: lines,
  })
  return { lines: 0, bytes: 0, ...stored[0], reverts: null, last: [], idempotency }
}

/** Creates a bulk operation that ends the sale offers of a campaign, and the campaign, at a moment. */
export async function endCampaign(
  context: Context,
  { params: { id: campaign }, query, bodies: [{ at = null } = {}] }: OptionsInput & EndInput,
): Promise<Answer> {
  if (context.db.isDryRun) throw httpProblems.dry_run_unsupported()
  const now = instantOf(context.now)
  const end = at === null || at < now ? now : at
  return storeOperation(context, query, async (id) => {
    const stored = await storedLines(context, storeEnds(id, campaign, now, end))
    // The campaign itself has a line.
    if (stored.lines === 0) throw campaignProblems.not_found({ id: campaign })
    return stored
  })
}

/**
 * Stores the lines that end the current offers of a campaign in pieces, and at last the campaign. An offer that would begin later, or
 * that is longer valid and cannot be changed because its variant is archived, is archived.
 */
function storeEnds(id: string, campaign: string, now: string, end: string) {
  return storeLines(
    id,
    sql`
    with offer as (
      select id, valid_from, valid_until, ${ownerArchived} as is_fixed from sale_offers
       where tenant_id = current_tenant() and campaign_id = ${campaign}::uuid and status <> 'ARCHIVED'
         and (valid_until is null or valid_until > ${now}::timestamptz)
    ), request as (
      select 1 as place, id, jsonb_build_object('path', '/api/sale_offers/' || id) ||
             case when valid_from >= ${end}::timestamptz or is_fixed then '{"method": "DELETE"}'
                  else jsonb_build_object('method', 'PATCH', 'body', jsonb_build_object('validUntil', ${end}::text)) end as line
        from offer
       where valid_from >= ${end}::timestamptz or coalesce(valid_until > ${end}::timestamptz, true)
          or (valid_until < ${end}::timestamptz and not is_fixed)
      union all
      select 2, id, jsonb_build_object('method', 'PATCH', 'path', '/api/campaigns/' || id, 'body', jsonb_build_object('validUntil', ${end}::text) ||
             case when document::jsonb ->> 'validFrom' >= ${end}::text then '{"validFrom": null}' else '{}' end::jsonb)
        from campaigns where tenant_id = current_tenant() and id = ${campaign}::uuid
    )
    select row_number() over (order by place, id) as n, line::text || E'\n' as content from request`,
  )
}

type StoredLines = Pick<BulkOperationParts, 'lines' | 'bytes' | 'reverts'> & {
  /** Steps that store the lines that are not stored yet. */
  readonly last: readonly WriteStep[]
  readonly idempotency: Context['idempotency']
}

/** Stores lines, and then the operation that performs them in the name of the caller. */
async function storeOperation(
  context: Context,
  query: OptionsInput['query'],
  storeLines: (id: string) => Promise<StoredLines>,
): Promise<Answer> {
  const { db, actor } = context
  const id = uuidv7()
  const tooMany = bulkOperationProblems.too_many({ limit: maximumUnfinished })
  const { last, idempotency, ...stored } = await storeLines(id).catch(async (error) => {
    await deletePieces(db, id)
    throw error instanceof DatabaseError && error.subject === 'unfinished' ? tooMany : error
  })
  const frozen: FrozenActor = {
    ...storedActor(context),
    scopes: [...context.access.scopes],
    permissions: [...actor.permissions],
    token: actor.token ?? null,
  }
  const row = {
    ...stored,
    id,
    status: 'QUEUED' as const,
    actor: frozen,
    requestId: context.requestId,
    origin: context.url.origin,
    apiVersion: context.apiVersion,
    locale: context.locale.requested,
    isStrict: context.strict,
    stopsOnError: query.onError === 'stop',
    isDryRun: query.dryRun,
    processed: 0,
    succeeded: 0,
    failed: 0,
    unchanged: 0,
    assumed: 0,
    problems: [],
    failure: null,
    startedAt: null,
    finishedAt: null,
  }
  const outcome = await write<BulkOperationParts>(
    { ...context, idempotency },
    'createBulkOperation',
    async () => ({
      guard: [],
      beforeClock: [
        run(requireFewUnfinished),
        ...last,
        ...insertRow(bulkOperations, { ...row, leasedUntil: '-infinity' }),
      ],
      changed: [{ kind: 'bulk_operations', id, version: 1, action: 'created', topic: null, changes: [] }],
      totals: {},
      result: { ...row, ...uncommitted },
      constraintProblems: { unfinished: tooMany },
    }),
  )
  // A write without a confirmation also finds its own key.
  if (outcome.result.id !== id) await deletePieces(db, id)
  db.followUp.hasBulkOperation = true
  const parts = withStamps(outcome.result, outcome.stamps)
  return {
    kind: 'item',
    document: bulkOperationDocument(parts, context),
    version: parts.version,
    location: bulkOperationIri(parts.id),
    replayed: outcome.replayed,
  }
}

/** The path of a revert by kind, before the id: `/api/products/{owner}/variants/`. */
const pathsByKind = Object.fromEntries(
  Object.values(kinds).map(({ name, shape }) => [name, `${shape.collection.replace(/\{\w+\}/, '{owner}')}/`]),
)

/**
 * Stores the lines that undo an operation in pieces: one for each changed resource, the last changed one first. Rows that were created with
 * their product are archived with it.
 */
function storeReverts(id: string, { requestId, createdAt, updatedAt }: BulkOperationParts) {
  // A worker completes the lines that it performs while the operation is cancelled.
  const lastCommit = new Date(Date.parse(updatedAt) + leaseMilliseconds).toISOString()
  return storeLines(
    id,
    sql`
    with source as materialized (
      select e.kind, e.resource_id, e.owner_id, e.sequence, e.id, e.topic,
             bool_or(e.topic = 'product/created') over (partition by coalesce(e.owner_id, e.resource_id)) as is_of_created
        from events e
       where e.tenant_id = current_tenant() and e.request_id = ${requestId} and e.effective_at is null
         and e.sequence > ${lastSequence(sql`<`, createdAt)} and e.sequence <= ${lastSequence(sql`<=`, lastCommit)}
         and (e.changes_size > 2 or e.topic like '%/created' or e.topic like '%/deleted')
    ), created as (
      select resource_id as id from source where topic = 'product/created'
    ), offer as (
      select o.id from created join sale_offers o on o.tenant_id = current_tenant() and o.product_id = created.id
      union all
      select o.id from created join purchase_offers o on o.tenant_id = current_tenant() and o.product_id = created.id
    ), resource as (
      -- The revert of a created product includes its parts. Postgres underestimates the rows, and would compare each with each in a join.
      select s.kind, s.resource_id, s.owner_id, max(s.sequence) as last, jsonb_agg(s.id order by s.sequence) as events
        from source s
       where not (s.is_of_created and s.owner_id is not null) and s.resource_id not in (select id from offer) group by 1, 2, 3
    )
    select row_number() over (order by last desc) as n, content
      from resource cross join lateral (
        select jsonb_build_object('method', 'POST', 'path', replace(path, '{owner}', coalesce(owner_id::text, '')) || resource_id || '/revert',
                                  'body', jsonb_build_object('event', events))::text || E'\n' as content
          from jsonb_each_text(${JSON.stringify(pathsByKind)}::jsonb) as each(kind, path) where each.kind = resource.kind) as each`,
  )
}

/** Stores lines in pieces. `lines` selects each line, with its end, as `content`, and its number as `n`. */
function storeLines(id: string, lines: SQL): Statement<{ lines: number; bytes: number }> {
  return statement({ lines: z.number(), bytes: z.number() })`
    with line as (
      select n, content, sum(octet_length(content)) over (order by n) as end_byte from (${lines}) as each
    ), stored as (
      insert into bulk_operation_pieces (tenant_id, operation_id, first_line, content)
      select current_tenant(), ${id}::uuid, min(n), string_agg(content, '' order by n) from line group by end_byte / ${pieceBytes}::int
    )
    select count(*)::int as lines, coalesce(max(end_byte), 0)::int as bytes from line`
}

/** Deletes the pieces of a file without an operation. Those that remain are deleted by their age. */
async function deletePieces(db: Session, id: string): Promise<void> {
  const pieces = statement(sql`
    delete from bulk_operation_pieces where tenant_id = current_tenant() and operation_id = ${id}::uuid`)
  await db.write({ pieces }).catch(() => undefined)
}

/** Stores the lines of a file in pieces, except the last one, which is stored with the operation. Returns their number, and a digest of the file. */
async function storeFile(db: Session, id: string, upload: Upload) {
  let [lines, digest, isBlank] = [0, '', true]
  let last: SQL | null = null
  const add = async (bytes: Uint8Array) => {
    if (last) await db.write({ limit: statement(requireFewUnfinished), piece: statement(last) })
    const text = textOf(bytes, lines)
    last = sql`insert into bulk_operation_pieces (tenant_id, operation_id, first_line, content)
      values (current_tenant(), ${id}::uuid, ${lines + 1}, ${text})`
    lines += text.split('\n').length - (text.endsWith('\n') ? 1 : 0)
    if (lines > maximumLines) throw bulkOperationProblems.too_many_lines({ limit: maximumLines })
    isBlank &&= text.trim() === ''
    digest = await digestOf(digest, bytes)
  }
  const tooLong = () => bulkOperationProblems.line_too_long({ line: lines + 1, limit: longestLine })
  // Begins with a line.
  let held = new Uint8Array()
  for await (const part of announcedParts(upload, cutOff)) {
    held = joined(held, part)
    while (held.length > pieceBytes) {
      const end = held.lastIndexOf(lineEnd, pieceBytes - 1) + 1 || held.indexOf(lineEnd) + 1
      if ((end || held.length) > longestLine) throw tooLong()
      if (end === 0) break
      await add(held.subarray(0, end))
      held = held.slice(end)
    }
  }
  if (held.length > longestLine) throw tooLong()
  if (held.length > 0) await add(held)
  if (isBlank || !last) throw httpProblems.body_required(undefined, { help: 'The file has no lines.' })
  return { lines, digest, last }
}

/** Aborts if the tenant has as many unfinished operations as it can have. */
const requireFewUnfinished = sql`select reject('PC409', 'unfinished') from bulk_operations
  where tenant_id = current_tenant() and finished_at is null having count(*) >= ${maximumUnfinished}`

const lineEnd = 0x0a

const cutOff = (arrived: number, length: number) =>
  bulkOperationProblems.cut_off(undefined, {
    help: `Content-Length announced ${length} bytes, and ${arrived} arrived. Send the complete file again.`,
  })

/** The text of whole lines, after `lines` earlier ones. */
function textOf(bytes: Uint8Array, lines: number): string {
  try {
    const text = decodeUtf8(bytes)
    // Postgres stores no U+0000. It is no JSON, and neither is U+0001.
    return (lines === 0 ? text.replace(/^\uFEFF/, '') : text).replaceAll('\0', '\u0001')
  } catch {
    const help = `A line after line ${lines} is not valid UTF-8. ${httpProblems.not_utf8.description}`
    throw httpProblems.not_utf8(undefined, { help })
  }
}

function joined(one: Uint8Array, other: Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(one.length + other.length)
  bytes.set(one)
  bytes.set(other, one.length)
  return bytes
}

/** The digest of a file after its next piece. Pieces depend only on the bytes of the file. */
async function digestOf(before: string, bytes: Uint8Array): Promise<string> {
  const all = joined(new TextEncoder().encode(before), bytes)
  return btoa(String.fromCharCode(...new Uint8Array(await crypto.subtle.digest('SHA-256', all))))
}

/** The plan that ends an operation. */
function endPlan(
  parts: BulkOperationParts,
  status: 'FINISHED' | 'CANCELLED' | 'FAILED',
  now: Date,
  failure: (typeof failures)[number] | null = null,
): Plan<null> {
  const finishedAt = now.toISOString().replace('Z', '000Z')
  const document = eventDocumentOf({ ...parts, status, failure, finishedAt })
  const { name, subject } = bulkOperationKind
  const { id, version } = parts
  return {
    guard: [{ kind: name, id, version }],
    beforeClock: [
      run(sql`update bulk_operations set status = ${status}, failure = ${failure}, finished_at = ${finishedAt}::timestamptz
        where tenant_id = current_tenant() and id = ${id}::uuid`),
    ],
    changed: [
      {
        kind: name,
        id,
        version: version + 1,
        action: 'updated',
        topic: `${subject}/finished`,
        document,
        changes: [],
      },
    ],
    totals: {},
    result: null,
  }
}

/** Ends an operation in the name of its submitter. */
export async function endBulkOperation(writer: Writer, id: string, ...end: End): Promise<void> {
  await write<null>(writer, 'endBulkOperation', async (read) => {
    const { found } = await read({ found: bulkOperationStatement(id) })
    const [parts] = found
    return parts && parts.finishedAt === null ? endPlan(parts, ...end) : { unchanged: null }
  })
}
type End = Parameters<typeof endPlan> extends [unknown, ...infer Rest] ? Rest : never

/** Cancels an operation. The changes of its performed lines remain. */
export async function cancelBulkOperation(context: Context, { params: { id } }: ItemInput): Promise<Answer> {
  const { replayed } = await write<null>(context, 'cancelBulkOperation', async (read) => {
    const { found } = await read({ found: bulkOperationStatement(id) })
    const [parts] = found
    if (!parts) throw bulkOperationProblems.not_found({ id })
    requireIfMatch(context, parts.version)
    if (parts.status === 'CANCELLED') return { unchanged: null }
    if (parts.finishedAt !== null) {
      const help = `The operation is ${parts.status}. Its changes remain.`
      throw bulkOperationProblems.ended(undefined, { help })
    }
    return endPlan(parts, 'CANCELLED', context.now)
  })
  return { kind: 'empty', replayed }
}

/** An operation that a worker performs, and the worker's lease. */
export type Leased = { readonly id: string; readonly lease: string }
const leaseMilliseconds = 60_000
const leaseTime = sql`${leaseMilliseconds}::int * interval '1 millisecond'`

/** Reserves the tenant's oldest unfinished operation for a worker, unless another one has it. */
export function reserveStatement(lease: string): Statement<{ id: string }> {
  return statement(idColumn)`
    update bulk_operations set lease = ${lease}::uuid, leased_until = now() + ${leaseTime}
     where tenant_id = current_tenant() and leased_until < now() and id = (
       select id from bulk_operations where tenant_id = current_tenant() and finished_at is null order by created_at, id limit 1)
    returning id`
}

/** Ends the lease of a worker, so that the next one does not wait. */
export function releaseStatement({ id, lease }: Leased): Statement {
  return statement(sql`update bulk_operations set lease = null, leased_until = now()
    where tenant_id = current_tenant() and id = ${id}::uuid and lease = ${lease}::uuid`)
}

/** Aborts a commit of a worker that has lost the lease, or whose lease ended after the operation. Its row stays locked until the commit. */
export function requireLease({ id, lease }: Leased): WriteStep {
  return run(sql`select reject('PC409', 'lease') where not exists (
    select from bulk_operations where tenant_id = current_tenant() and id = ${id}::uuid and lease = ${lease}::uuid
       and (finished_at is null or leased_until > now()) for no key update)`)
}

/** A result as its row is stored. */
export type LineResult = {
  readonly line: number
  readonly status: number
  readonly is_assumed: boolean
  /** Whether its request changed nothing, unless a commit has stored the result. */
  readonly is_unchanged?: boolean
  readonly resource: string | null
  readonly problem: JsonObject | null
}

/** Steps that store the results of lines, and the progress up to the line `last`. */
export function recordSteps(
  leased: Leased,
  { processed, problems }: BulkOperationParts,
  last: number,
  results: readonly LineResult[],
): WriteStep[] {
  const { id } = leased
  const rows = results.map((result) => ({
    ...result,
    // Postgres stores no U+0000 in JSON.
    problem: result.problem && JSON.stringify(result.problem).replaceAll('\\u0000', ''),
  }))
  const shown = rows
    .flatMap(({ line, status, problem }) =>
      problem === null ? [] : [{ line, status, problem: JSON.parse(problem) }],
    )
    .slice(0, shownProblems - problems.length)
  const unchanged = results.flatMap(({ line, is_unchanged, problem }) =>
    is_unchanged && !problem ? [line] : [],
  )
  const operation = sql`tenant_id = current_tenant() and operation_id = ${id}::uuid`
  return [
    requireLease(leased),
    run(sql`
      update bulk_operations o set unchanged = o.unchanged + (
          select count(*) from unnest(${`{${unchanged.join()}}`}::int[]) as each(line)
           where not exists (select from bulk_operation_results r where r.${operation} and r.line = each.line))
       where o.tenant_id = current_tenant() and o.id = ${id}::uuid`),
    run(sql`
      insert into bulk_operation_results as r (tenant_id, operation_id, line, status, is_assumed, resource, problem)
      select current_tenant(), ${id}::uuid, line, status, is_assumed, resource, problem
        from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as each(
               line int, status smallint, is_assumed boolean, resource text, problem text)
      on conflict (tenant_id, operation_id, line) do update
         set status = excluded.status, resource = coalesce(excluded.resource, r.resource)
       where excluded.status < 400`),
    run(sql`
      update bulk_operations o
         set status = case when finished_at is null then 'RUNNING' else status end, started_at = coalesce(started_at, now()),
             leased_until = now() + ${leaseTime}, processed = ${last}, succeeded = o.succeeded + n.succeeded, failed = o.failed + n.failed,
             assumed = o.assumed + n.assumed, problems = o.problems || ${JSON.stringify(shown)}::jsonb
        from (select count(*) filter (where problem is null and not is_assumed) as succeeded,
                     count(*) filter (where problem is not null) as failed, count(*) filter (where is_assumed) as assumed
                from bulk_operation_results where ${operation} and line > ${processed} and line <= ${last}) n
       where o.tenant_id = current_tenant() and o.id = ${id}::uuid`),
  ]
}

import { type SQL, sql } from 'drizzle-orm'
import * as z from 'zod'
import type { Members } from '../../core/document.ts'
import { json } from '../../core/json.ts'
import { type Kind, parseEventDocument } from '../../core/kind.ts'
import { listQuery } from '../../core/list-query.ts'
import type { Answer, Context, Input, ItemInput } from '../../core/operation.ts'
import { type Orders, pageParameters, planPage } from '../../core/paging.ts'
import { instantText, stampedRow, stamps } from '../../db/columns.ts'
import { columnsOf, type RowOf, type Statement, statement } from '../../db/query.ts'
import { parseStored } from '../../db/row-types.ts'
import { listing, listParameters, listRows } from '../shared/list.ts'
import { readItem } from '../shared/ordinary-operations.ts'
import { bulkOperationProblems } from './problems.ts'
import {
  bulkOperation,
  bulkOperationDays,
  bulkOperationIri,
  bulkOperationResult,
  failures,
  frozenActor,
  lineProblem,
  statuses,
} from './schema.ts'
import { bulkOperations } from './table.ts'

/** The row of a bulk operation, as plain JSON. */
export type BulkOperationParts = RowOf<typeof bulkOperationRow>
const bulkOperationRow = {
  ...columnsOf(z.string(), 'id', 'requestId', 'origin', 'apiVersion', 'locale'),
  ...columnsOf(z.boolean(), 'isStrict', 'stopsOnError', 'isDryRun'),
  ...columnsOf(z.number(), 'lines', 'bytes', 'processed', 'succeeded', 'failed', 'unchanged', 'assumed'),
  ...columnsOf(z.string().nullable(), 'reverts', 'startedAt', 'finishedAt'),
  status: z.enum(statuses),
  failure: z.enum(failures).nullable(),
  actor: frozenActor,
  problems: z.array(lineProblem).readonly(),
  ...stampedRow,
}

const bulkOperationColumns = sql`id, version, status, actor, request_id as "requestId", origin, api_version as "apiVersion", locale,
  is_strict as "isStrict", stops_on_error as "stopsOnError", is_dry_run as "isDryRun", lines, bytes, processed, succeeded, failed, unchanged, assumed,
  problems, failure, reverts, ${instantText(sql`started_at`)} as "startedAt", ${instantText(sql`finished_at`)} as "finishedAt",
  ${instantText(sql`created_at`)} as "createdAt", ${instantText(sql`updated_at`)} as "updatedAt"`

/** Selects a bulk operation. */
export function bulkOperationStatement(id: string): Statement<BulkOperationParts> {
  return statement(bulkOperationRow)`
    select ${bulkOperationColumns} from bulk_operations where tenant_id = current_tenant() and id = ${id}::uuid`
}

/** The parts that events store: no problems, because these may repeat data that a subscriber may not see. */
const eventParts = z.object(bulkOperationRow).omit({ ...stamps, actor: true, problems: true })
/** The parts that events of earlier Workers lack. */
const laterParts = { unchanged: 0, reverts: null }
const storedParts = eventParts.partial({ unchanged: true, reverts: true })

export const bulkOperationKind: Kind = {
  name: 'bulk_operations',
  subject: 'bulk_operation',
  noun: 'A bulk operation',
  shape: bulkOperation,
  document: (stored, context) =>
    documentOf({ ...laterParts, ...parseEventDocument(storedParts, stored, context), problems: null }),
}

/** The document that an event of a bulk operation stores. */
export function eventDocumentOf(parts: BulkOperationParts): string {
  return JSON.stringify(eventParts.parse(parts))
}

type Shown = Omit<BulkOperationParts, 'actor' | 'problems'> & {
  readonly problems: BulkOperationParts['problems'] | null
}

function documentOf(parts: Shown): Members {
  const { id, startedAt, finishedAt, lines, processed } = parts
  const end = finishedAt === null ? Date.now() : Date.parse(finishedAt)
  const seconds = startedAt === null ? 0 : Math.max(end - Date.parse(startedAt), 1) / 1000
  const rate = seconds === 0 || processed === 0 ? null : processed / seconds
  return {
    '@id': bulkOperationIri(id),
    '@type': bulkOperation.type,
    id,
    status: parts.status,
    failure: parts.failure,
    onError: parts.stopsOnError ? 'stop' : 'continue',
    dryRun: parts.isDryRun,
    apiVersion: parts.apiVersion,
    locale: parts.locale,
    reverts: parts.reverts && bulkOperationIri(parts.reverts),
    bytes: parts.bytes,
    lines,
    processed,
    succeeded: parts.succeeded,
    failed: parts.failed,
    unchanged: parts.unchanged,
    assumed: parts.assumed,
    linesPerSecond: rate === null ? null : Math.round(rate * 10) / 10,
    remainingSeconds: rate === null || finishedAt !== null ? null : Math.ceil((lines - processed) / rate),
    problems: parts.problems,
    results: `${bulkOperationIri(id)}/results`,
    startedAt,
    finishedAt,
    expiresAt:
      finishedAt === null
        ? null
        : new Date(Date.parse(finishedAt) + bulkOperationDays * 86_400_000)
            .toISOString()
            .replace('Z', '000Z'),
    version: parts.version,
    createdAt: parts.createdAt,
    updatedAt: parts.updatedAt,
  }
}

/** Whether the caller may read the problems of lines. They repeat values that the submitter could read. */
const seesProblems = ({ access }: Context, { actor }: Pick<BulkOperationParts, 'actor'>) =>
  access.scopes.length > 0 && new Set(actor.scopes).isSubsetOf(new Set(access.scopes))

/** The document of a bulk operation for a caller. */
export function bulkOperationDocument(parts: BulkOperationParts, context: Context): Members {
  return documentOf({ ...parts, problems: seesProblems(context, parts) ? parts.problems : null })
}

const list = listing(bulkOperations, { orders: ['createdAt', 'updatedAt', 'id'], equal: ['status'] })
export const bulkOperationListParameters = listParameters(list, { status: z.enum(statuses).optional() })

export function listBulkOperations(
  context: Context,
  { query }: Input<{ query: typeof bulkOperationListParameters }>,
): Promise<Answer> {
  return listRows(context, query, {
    row: bulkOperationRow,
    list,
    // They are deleted without a write, so their total is counted.
    conditions: [sql`true`],
    columns: bulkOperationColumns,
    bytes: sql`octet_length(problems::text)`,
    document: (parts) => bulkOperationDocument(parts, context),
  })
}

export function getBulkOperation(context: Context, { params: { id } }: ItemInput): Promise<Answer> {
  return readItem(
    context,
    bulkOperationStatement(id),
    (parts) => bulkOperationDocument(parts, context),
    () => bulkOperationProblems.not_found({ id }),
  )
}

const resultRow = {
  ...columnsOf(z.number(), 'line', 'status'),
  ...columnsOf(z.string().nullable(), 'resource', 'problem'),
  isAssumed: z.boolean(),
}

const orders: Orders = { line: { column: sql`r.line`, type: 'int' } }

export const resultListParameters = {
  ...pageParameters,
  failed: z
    .enum(['true', 'false'])
    .optional()
    .meta({ description: 'Only lines that were rejected, or only those that were not.' }),
}

const failedCondition = (failed: 'true' | 'false' | undefined): SQL =>
  failed === undefined
    ? sql``
    : failed === 'true'
      ? sql` and r.problem is not null`
      : sql` and r.problem is null`

/** Lists the results of the performed lines, in the order of the file. */
export async function listResults(
  context: Context,
  { params: { id }, query }: Input<{ params: 'id'; query: typeof resultListParameters }>,
): Promise<Answer> {
  const page = planPage(query, context.url, orders, [['line', 'asc']])
  const { operations, list } = await context.db.read({
    operations: bulkOperationStatement(id),
    list: listQuery(page, {
      row: resultRow,
      from: sql`from bulk_operation_results r where r.tenant_id = current_tenant() and r.operation_id = ${id}::uuid${failedCondition(query.failed)}`,
      columns: sql`r.line, r.status::int as status, r.is_assumed as "isAssumed", r.resource, r.problem`,
      bytes: sql`coalesce(octet_length(problem), 0)`,
      totalName: null,
    }),
  })
  const [operation] = operations
  if (!operation) throw bulkOperationProblems.not_found({ id })
  const isShown = seesProblems(context, operation)
  const members = list.rows.map(({ line, status, isAssumed, resource, problem }) => ({
    '@id': `${bulkOperationIri(id)}/results#${line}`,
    '@type': bulkOperationResult.type,
    line,
    status,
    assumed: isAssumed,
    resource,
    problem: problem !== null && isShown ? parseStored(json, problem) : null,
  }))
  return { kind: 'collection', members, ...list.paging, sequence: list.sequence }
}

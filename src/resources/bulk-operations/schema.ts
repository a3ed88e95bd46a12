import * as z from 'zod'
import { irisUnder } from '../../core/iri.ts'
import { json } from '../../core/json.ts'
import { readOnly, type Shape, writable } from '../../core/schema.ts'
import { instantInput, instantText, iriText, stamps } from '../shared/properties.ts'

/** The media type of a file of requests. */
export const linesType = 'application/x-ndjson'
export const maximumLines = 100_000
/** Unfinished operations of a tenant. */
export const maximumUnfinished = 10
/** Days for which the file is stored, and the results after the end. */
export const bulkOperationDays = 7
/** The problems that an operation shows. The results have all. */
export const shownProblems = 10

const path = '/api/bulk_operations'
export const bulkOperationIri = irisUnder(path)

export const statuses = ['QUEUED', 'RUNNING', 'FINISHED', 'CANCELLED', 'FAILED'] as const
export const onErrors = ['continue', 'stop'] as const
/** The reasons for which an operation is FAILED. */
export const failures = ['line_failed', 'token_revoked', 'file_expired'] as const

const status = z.int().min(100).max(599)
const problem = z.record(z.string(), z.unknown())

/** The grants of the submitter at the time of the request. `token` identifies the token, which can be revoked. */
export type FrozenActor = z.infer<typeof frozenActor>
export const frozenActor = z.object({
  subject: z.string(),
  client: z.string(),
  person: z.boolean(),
  traceparent: z.string().optional(),
  scopes: z.array(z.string()),
  permissions: z.array(z.string()),
  token: z.object({ id: z.string(), issuedAt: z.number() }).nullable(),
})

/** A problem of a line, as operations store it. */
export const lineProblem = z.object({
  line: z.number(),
  status: z.number(),
  problem: z.record(z.string(), json),
})

const moment = instantText.nullable()
const count = z.int().min(0)
const counted = (description: string, example: number) => readOnly(count, description, { example })

export const bulkOperation = {
  type: 'BulkOperation',
  description: 'A file of requests, which the service performs in order in the background.',
  collection: path,
  readWith: 'bulk_operations:read',
  properties: {
    status: readOnly(
      z.enum(statuses),
      '`FAILED`: `failure` has the reason, and later lines were not performed. In any status, the changes of earlier lines remain.',
      { example: 'RUNNING' },
    ),
    failure: readOnly(
      z.enum(failures).nullable(),
      'The reason of `FAILED`: a line failed with `onError=stop`, the token of the submitter was revoked, or the file was not performed before it was deleted.',
    ),
    onError: readOnly(z.enum(onErrors), 'Whether the operation stops at the first line that fails.'),
    dryRun: readOnly(z.boolean(), 'Whether lines are checked without changing anything.', { example: false }),
    apiVersion: readOnly(z.string(), 'The API version of the lines.', { example: '2026-10' }),
    locale: readOnly(z.string(), 'The locale of the lines.', { example: 'en-US' }),
    reverts: readOnly(
      iriText.nullable(),
      'The bulk operation whose changes this one undoes; null for a file.',
      {
        isLink: true,
        targetType: 'BulkOperation',
        example: null,
      },
    ),
    bytes: counted('The bytes of the file.', 48_213),
    lines: counted('The lines of the file.', 250),
    processed: counted('The lines before the next one.', 100),
    succeeded: counted('The lines whose status is 2xx.', 99),
    failed: counted('The lines that were rejected. They changed nothing.', 1),
    unchanged: counted('Of the lines whose status is 2xx, those that changed nothing.', 0),
    assumed: counted(
      'Of a dry run, the lines that could not be checked, because they refer to a line that has created nothing.',
      0,
    ),
    linesPerSecond: readOnly(z.number().nullable(), 'The rate since the start.', { example: 120 }),
    remainingSeconds: readOnly(z.int().nullable(), 'The estimated time until the end.', { example: 2 }),
    problems: readOnly(
      z.array(z.object({ line: z.int(), status, problem })).nullable(),
      `The first ${shownProblems} problems. Null for callers who lack a scope of the submitter, and in events.`,
      { example: [] },
    ),
    results: readOnly(iriText, 'The list of the results.', {
      isLink: true,
      targetType: 'BulkOperationResult',
    }),
    startedAt: readOnly(moment, 'When the first lines were performed.'),
    finishedAt: readOnly(moment, 'When it ended.'),
    expiresAt: readOnly(
      moment,
      `When it is deleted with its results: ${bulkOperationDays} days after its end.`,
    ),
    ...stamps(),
  },
} satisfies Shape

/** The body of `POST /api/campaigns/{id}/end`. */
export const campaignEnd = {
  type: 'CampaignEnd',
  description: 'The moment at which the sale offers of a campaign end.',
  collection: '/api/campaigns/{id}/end',
  readWith: null,
  properties: {
    at: writable(
      instantInput,
      'The first moment at which its offers no longer apply, UTC. Null, or a moment that has passed, is now.',
      {
        stored: false,
        writeOnly: true,
        example: '2026-12-24T00:00:00.000000Z',
      },
    ),
  },
} satisfies Shape

export const bulkOperationResult = {
  type: 'BulkOperationResult',
  description: 'The result of a line of a bulk operation.',
  collection: `${path}/{id}/results`,
  readWith: 'bulk_operations:read',
  properties: {
    line: readOnly(z.int().min(1), 'The number of the line, from 1.', { example: 1 }),
    status: readOnly(status, 'The status that the request would have had.', { example: 201 }),
    assumed: readOnly(z.boolean(), 'Whether a dry run could not check the line.', { example: false }),
    resource: readOnly(iriText.nullable(), 'The resource that the line created or changed.', {
      isLink: true,
      targetType: '*',
      example: '/api/products/01a22a60-11b0-7c5e-9d2f-4be1c07a5e20',
    }),
    problem: readOnly(
      problem.nullable(),
      'The problem of a rejected line. Null for callers who lack a scope of the submitter.',
      { example: null },
    ),
  },
} satisfies Shape

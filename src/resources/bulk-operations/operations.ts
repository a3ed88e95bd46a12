import * as z from 'zod'
import { byteLimits } from '../../core/limits.ts'
import { operation, type Resource, resourceOf } from '../../core/operation.ts'
import { campaignProblems } from '../campaigns/problems.ts'
import { operationsOf } from '../shared/ordinary-operations.ts'
import { bulkOperationProblems } from './problems.ts'
import {
  bulkOperationListParameters,
  getBulkOperation,
  listBulkOperations,
  listResults,
  resultListParameters,
} from './read.ts'
import {
  bulkOperationDays,
  bulkOperationResult,
  campaignEnd,
  linesType,
  maximumLines,
  maximumUnfinished,
  onErrors,
  bulkOperation as shape,
} from './schema.ts'
import { cancelBulkOperation, createBulkOperation, endCampaign, revertBulkOperation } from './write.ts'

const common = { shape, notFound: bulkOperationProblems.not_found }
const readScope = 'bulk_operations:read'
const writeScope = 'bulk_operations:write'

const { listOperation, getOperation, deleteOperation } = operationsOf({
  ...common,
  list: '/api/bulk_operations',
  item: '/api/bulk_operations/{id}',
  readScope,
  writeScope,
  // Its progress moves the tenant's clock only if a line changes the catalogue.
  isCacheable: false,
})

/** How the lines of an operation are performed. */
const options = {
  onError: z.enum(onErrors).default('continue').meta({
    description: '`stop` performs no further line after the first one that is rejected.',
  }),
  dryRun: z
    .enum(['true', 'false'])
    .default('false')
    .transform((text) => text === 'true')
    .meta({ description: '`true` checks each line against the catalogue and changes nothing.' }),
}

/** The operations that create a bulk operation. */
const submission = {
  ...common,
  method: 'POST',
  scope: writeScope,
  alsoTakes: 'Each line also requires the scopes of its own request.',
  answers: 'item',
  status: 202,
  alsoFails: [409],
  query: options,
} as const

export const resource: Resource = {
  shape,
  problems: Object.values(bulkOperationProblems),
  operations: [
    operation({
      ...submission,
      name: 'createBulkOperation',
      summary: 'Perform the requests of a file in the background',
      description: `Each line is JSON: \`method\`, \`path\`, \`body\`, \`idempotencyKey\`. The service performs at most ${maximumLines} lines in their order, in the version and locale of this request, with the scopes of its token. A line refers to the resource that line 3 created by \`{"@id": "$3"}\` in its body, or by \`$3\` instead of an id in its path or in an IRI of its body. A rejected line changes nothing and stops no other, unless \`onError=stop\`. Empty lines are skipped. A tenant has at most ${maximumUnfinished} unfinished operations. If the token is revoked, the operation stops. The file is stored for ${bulkOperationDays} days.`,
      path: shape.collection,
      upload: { types: [linesType], most: byteLimits.bulkOperation, exampleType: linesType },
      run: createBulkOperation,
    }),
    listOperation({
      name: 'listBulkOperations',
      summary: 'List bulk operations',
      query: bulkOperationListParameters,
      run: listBulkOperations,
    }),
    getOperation({
      name: 'getBulkOperation',
      summary: 'Read the progress of a bulk operation',
      run: getBulkOperation,
    }),
    deleteOperation({
      name: 'cancelBulkOperation',
      summary: 'Cancel a bulk operation; the changes of its performed lines remain',
      description:
        'A cancelled operation stays cancelled. One that has ended otherwise is 409 `bulk_operation.ended`.',
      emits: ['bulk_operation/finished'],
      run: cancelBulkOperation,
    }),
    operation({
      ...submission,
      name: 'revertBulkOperation',
      summary: 'Undo the changes of a bulk operation in the background',
      description:
        'Creates a bulk operation with one line for each resource that the operation changed, the last changed one first: `POST …/revert` with its events. What others changed later is rejected line by line, and stays. With `dryRun=true` it is a preview. An operation can be undone until it is deleted.',
      path: '/api/bulk_operations/{id}/revert',
      run: revertBulkOperation,
    }),
    operation({
      ...submission,
      name: 'endCampaign',
      summary: 'End the sale offers of a campaign at one moment, in the background',
      description:
        'Creates a bulk operation with a line for each offer of the campaign that has not ended. Each gets the moment as its `validUntil`; a later moment extends it. An offer that would begin at the moment or later is archived. An offer of an archived variant cannot be changed: it is archived if it would end later, otherwise it stays. The last line changes the `validUntil` of the campaign, and removes a `validFrom` at the moment or later. Prices that applied remain in the history. With `dryRun=true` it is a preview. `POST /api/bulk_operations/{id}/revert` undoes it.',
      path: '/api/campaigns/{id}/end',
      scope: 'sale_offers:write',
      notFound: campaignProblems.not_found,
      body: { mode: 'create', shape: campaignEnd },
      run: endCampaign,
    }),
  ],
}

export const results: Resource = resourceOf(
  operation({
    name: 'listBulkOperationResults',
    summary: 'List the results of the lines of a bulk operation',
    description: 'In the order of the lines. With `Accept: application/x-ndjson` all of them, one per line.',
    method: 'GET',
    path: '/api/bulk_operations/{id}/results',
    scope: readScope,
    shape: bulkOperationResult,
    answers: 'collection',
    notFound: bulkOperationProblems.not_found,
    query: resultListParameters,
    run: listResults,
  }),
)

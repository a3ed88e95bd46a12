import { operation, type Resource } from '../../core/operation.ts'
import { productProblems } from '../products/problems.ts'
import { auditTrailParameters, listAuditTrail } from './audit-trail.ts'
import { feedParameters, getEvent, listEvents } from './feed.ts'
import { eventProblems } from './problems.ts'
import { restoredCatalogue, event as shape } from './schema.ts'

const common = { shape, method: 'GET', notFound: eventProblems.not_found } as const

export const resource: Resource = {
  shape,
  problems: Object.values(eventProblems),
  operations: [
    operation({
      ...common,
      name: 'listEvents',
      summary: 'List every change, in order and without gaps',
      description:
        'Documents are stored for 90 days. Returns 410 `event.expired` if the first event after `after` is older. Events of resources that the caller may not read have no document and no changes, so the sequence has no gaps. A page may end early if events are large. Returns 409 `event.beyond_head` if `after` is above the last sequence, or in the gap before `catalogue/restored`.',
      path: '/api/events',
      scope: 'events:read',
      answers: 'collection',
      query: feedParameters,
      alsoFails: [409],
      run: listEvents,
    }),
    operation({
      ...common,
      name: 'getEvent',
      summary: 'Read an event',
      description: 'An event older than 90 days has `document: null`.',
      path: '/api/events/{id}',
      scope: 'events:read',
      answers: 'item',
      query: {},
      run: getEvent,
    }),
    operation({
      ...common,
      name: 'listAuditTrail',
      summary: 'List every write on a product, its options, values and variants',
      description: 'The rows are those of the events. A page may end early if they are large.',
      path: '/api/products/{id}/audit_trail',
      scope: 'audit_trail:read',
      notFound: productProblems.not_found,
      answers: 'collection',
      query: auditTrailParameters,
      run: listAuditTrail,
    }),
  ],
}

/** The document of `catalogue/restored`, which only events contain. */
export const catalogue: Resource = { shape: restoredCatalogue, problems: [], operations: [] }

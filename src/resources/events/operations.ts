import type { Resource } from '../../core/operation.ts'
import { productProblems } from '../products/index.ts'
import { auditTrailParameters, listAuditTrail } from './audit-trail.ts'
import { feedParameters, getEvent, listEvents } from './feed.ts'
import { eventProblems } from './problems.ts'
import { event as shape } from './schema.ts'

const common = { shape, method: 'GET', notFound: eventProblems.not_found } as const

export const resource: Resource = {
  shape,
  problems: Object.values(eventProblems),
  operations: [
    {
      ...common,
      name: 'listEvents',
      summary: 'Follow every change, in order and without gaps',
      path: '/api/events',
      scope: 'events:read',
      answers: 'collection',
      query: feedParameters,
      run: listEvents,
    },
    {
      ...common,
      name: 'getEvent',
      summary: 'Read an event',
      path: '/api/events/{id}',
      scope: 'events:read',
      answers: 'item',
      query: {},
      run: getEvent,
    },
    {
      ...common,
      name: 'listAuditTrail',
      summary: 'List every write on a product and on what it owns',
      path: '/api/products/{id}/audit_trail',
      scope: 'audit_trail:read',
      notFound: productProblems.not_found,
      answers: 'collection',
      query: auditTrailParameters,
      run: listAuditTrail,
    },
  ],
}

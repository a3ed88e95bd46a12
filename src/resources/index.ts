import type { Resource } from '../core/operation.ts'
import type { CataloguedProblem } from '../core/problem.ts'
import { coreProblems } from '../core/problems/index.ts'
import type { Property } from '../core/schema.ts'
import { readAndWriteScopes } from '../core/scopes.ts'
import { results as bulkOperationResults, resource as bulkOperations } from './bulk-operations/operations.ts'
import { catalogue } from './catalogue.ts'
import { syncComparison } from './events/differences.ts'
import { resource as events, catalogue as restoredCatalogue } from './events/operations.ts'
import { errorCodesOf } from './service/error-codes.ts'
import { resource as versions } from './service/versions.ts'
import {
  bodies as webhookBodies,
  resource as webhookDeliveries,
  previews as webhookPreviews,
  replays as webhookReplays,
  tests as webhookTests,
} from './webhooks/deliveries/operations.ts'
import { resource as webhookSubscriptions } from './webhooks/subscriptions/operations.ts'
import { resource as webhookTopics } from './webhooks/topics.ts'

const resourcesWithProblems: readonly Resource[] = [
  ...catalogue,
  restoredCatalogue,
  events,
  bulkOperations,
  bulkOperationResults,
  syncComparison,
  webhookTopics,
  webhookSubscriptions,
  // A replay creates the deliveries that the documented requests after it read.
  webhookReplays,
  webhookDeliveries,
  webhookBodies,
  webhookPreviews,
  webhookTests,
]

const problems: readonly CataloguedProblem[] = [
  ...coreProblems,
  ...resourcesWithProblems.flatMap((resource) => resource.problems),
]

/** Every resource of the service. Routes, documents and tests are derived from this list. */
export const resources: readonly Resource[] = [...resourcesWithProblems, errorCodesOf(problems), versions]

/** Every scope that a token can contain, in the order of the resources, then those that only show properties. */
export const allScopes = [
  ...new Set([
    ...readAndWriteScopes(resources.flatMap(({ operations }) => operations.map(({ scope }) => scope))),
    ...resources.flatMap(({ shape }) =>
      Object.values<Property>(shape.properties).flatMap(({ visibleWith }) => visibleWith ?? []),
    ),
  ]),
]

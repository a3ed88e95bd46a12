/**
 * The feed of all changes. A client reads the lists once, then follows the feed from their sequence without missing a
 * change.
 */

import { type SQL, sql } from 'drizzle-orm'
import * as z from 'zod'
import { totalOf, totalQuery } from '../../core/list-query.ts'
import type { Answer, Context, Input } from '../../core/operation.ts'
import {
  maximumItemsPerPage,
  pageParameters,
  standardItemsPerPage,
  wholeNumberText,
} from '../../core/paging.ts'
import { validationProblems } from '../../core/problems/validation.ts'
import { queryWith, type View } from '../../core/view.ts'
import { violation } from '../../core/violations.ts'
import { textArray } from '../../db/sql.ts'
import { marketKind } from '../markets/read.ts'
import { priceChangesKind } from '../prices/changes.ts'
import { embeddedVariantsInList, embeddedVariantsOnItem } from '../products/document.ts'
import { eventDocument, firstDocuments } from './document.ts'
import { oldest } from './event-sql.ts'
import { eventProblems, expired } from './problems.ts'
import { type EventsRead, eventsOf, eventsQueryFor } from './read-events.ts'
import { resourceForms, resourceIn, restoredTopic, topics, topicsMatching } from './topics.ts'

const maximumSequence = 999_999_999_999_999

/** A sequence in a query: a whole number from 0. */
export const sequenceParameter = wholeNumberText(0)
  .refine(
    (text) => Number(text) <= maximumSequence,
    violation(validationProblems.too_big.at('', { maximum: maximumSequence })),
  )
  .transform(Number)
  .meta({ type: 'integer', minimum: 0 })

const topicParameter = z.string().transform((pattern, check) => {
  const names = topicsMatching(pattern)
  if (names.length === 0) {
    const choices = [...topics.map(({ name }) => name), 'product/*', '*'].join(', ')
    check.addIssue({ code: 'custom', ...violation(validationProblems.choice.at('', { choices })) })
  }
  // Every follower needs it.
  return [...new Set([...names, restoredTopic])]
})

const resourceParameter = z.string().transform((text, check) => {
  const resource = resourceIn(text)
  if (!resource)
    check.addIssue({
      code: 'custom',
      ...violation(validationProblems.invalid_iri.at('', { expected: resourceForms })),
    })
  return resource
})

export const feedParameters = {
  after: sequenceParameter
    .optional()
    .meta({ description: 'Only events after this sequence; 0 starts with the first event.' }),
  itemsPerPage: pageParameters.itemsPerPage,
  topic: topicParameter.optional().meta({
    examples: ['product/updated'],
    description:
      'Only events of this topic, and `catalogue/restored`; `product/*` matches every topic of products, `*` every topic.',
  }),
  resource: resourceParameter
    .optional()
    .meta({ format: 'uri-reference', description: 'Only events of the resource with this IRI.' }),
}

type Query = { query: typeof feedParameters }

/**
 * Lists events after a sequence, oldest first. A page with large events contains fewer and links to the next page.
 * @throws 410 `event.expired` if the first requested event is so old that its document is deleted; 409
 * `event.beyond_head` if `after` is no sequence of this history: above the last one, or in the gap of an epoch
 */
export async function listEvents(context: Context, { query }: Input<Query>): Promise<Answer> {
  const { after = 0, itemsPerPage = standardItemsPerPage } = query
  const limit = Math.min(itemsPerPage, maximumItemsPerPage)
  const filtered = query.topic !== undefined || query.resource !== undefined
  const events = {
    sequences: sequences(query, after, limit + 1),
    most: limit,
    embeddedVariants: embeddedVariantsInList,
    now: context.now,
    ...(filtered ? { total: totalQuery(true, '', matches(query, after)) } : {}),
  }
  const { foundRows } = await context.db.read({ foundRows: eventsQueryFor(events) })
  const eventsRead = await eventsOf(foundRows, context.db.read)
  const { firstAt, sequence } = eventsRead
  const { epochs } = context.tenant
  const isInGap = epochs.some((epoch) => after > epoch.lastSequence && after < epoch.firstSequence - 1)
  if (after > sequence || isInGap)
    throw eventProblems.beyond_head({ after, sequence }, { members: { sequence } })
  if (firstAt !== null && firstAt < oldest(context.now)) throw expired(firstAt, oldest(context.now))
  const skipped = epochs.map(({ lastSequence, firstSequence }) =>
    after <= lastSequence ? firstSequence - 1 - lastSequence : 0,
  )
  const following = skipped.reduce((left, gap) => left - gap, sequence - after)
  const total = filtered ? totalOf(true, eventsRead.total ?? 0) : following
  return {
    kind: 'collection',
    members: firstDocuments(eventsRead, context),
    total: total ?? undefined,
    ...(limit > 0 ? { view: (count: number) => viewOf(context.url, eventsRead, count) } : {}),
    sequence,
  }
}

/** The links of a page that shows `count` events. */
function viewOf(url: URL, { rows, more }: EventsRead, count: number): View {
  const last = rows[count - 1]
  return last && (more || rows.length > count)
    ? { next: queryWith(url, { after: String(last.sequence) }) }
    : {}
}

/** Reads one event. Unlike the feed it also returns events with an expired document. */
export async function getEvent(
  context: Context,
  { params: { id } }: Input<{ params: 'id' }>,
): Promise<Answer> {
  const ids = sql`select sequence from events where tenant_id = current_tenant() and id = ${id}::uuid`
  const events = { sequences: ids, most: 1, embeddedVariants: embeddedVariantsOnItem, now: context.now }
  const { foundRows } = await context.db.read({ foundRows: eventsQueryFor(events) })
  const { rows, history, sequence } = await eventsOf(foundRows, context.db.read)
  const [row] = rows
  if (!row) throw eventProblems.not_found({ id })
  return { kind: 'item', document: eventDocument(row, context, history), version: null, sequence }
}

/**
 * Selects the sequences of a page. Each topic uses its own index range, so that rare topics are found among millions of
 * events.
 */
function sequences(query: Input<Query>['query'], after: number, limit: number): SQL {
  const { topic } = query
  const conditions = conditionsOf(query, after)
  if (topic === undefined)
    return sql`select sequence from events where ${conditions} order by sequence limit ${limit}`
  return sql`select each.sequence from unnest(${textArray(topic)}) as asked(topic) cross join lateral (
      select sequence from events where ${conditions} and topic = asked.topic order by sequence limit ${limit}
    ) each order by each.sequence limit ${limit}`
}

function matches(query: Input<Query>['query'], after: number): SQL {
  const topic = query.topic === undefined ? sql`true` : sql`topic = any(${textArray(query.topic)})`
  return sql`from events where ${conditionsOf(query, after)} and ${topic}`
}

/** Events of prices have the IRI of their market, too. */
const isOfKind = (kind: string): SQL =>
  kind === marketKind.name
    ? sql`kind = any(${textArray([kind, priceChangesKind.name])})`
    : sql`kind = ${kind}`

function conditionsOf({ resource }: Input<Query>['query'], after: number): SQL {
  return sql`tenant_id = current_tenant() and sequence > ${after}::bigint
    and ${resource ? sql`${isOfKind(resource.kind)} and resource_id = ${resource.id}::uuid` : sql`true`}`
}

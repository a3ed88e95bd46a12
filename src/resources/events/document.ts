import type { Access } from '../../core/access.ts'
import { bytesOf, Differences, type Members, sized, textOf, type Value } from '../../core/document.ts'
import { parsed } from '../../core/json.ts'
import { byteLimits } from '../../core/limits.ts'
import type { Locale } from '../../core/locale.ts'
import type { Context } from '../../core/operation.ts'
import type { Difference } from '../../core/patch.ts'
import type { Shape } from '../../core/schema.ts'
import { pathSegments } from '../../core/violations.ts'
import { bounds, type EventRow } from './event-sql.ts'
import type { History } from './product-history.ts'
import type { EventsRead } from './read-events.ts'
import { event as shape } from './schema.ts'
import { iriOfResource, type Kind, kinds } from './topics.ts'

/**
 * An event without the resource's document: what the audit trail shows. Who may not read the resource is told that
 * something happened, and neither what nor by whom.
 */
export function auditDocument(row: EventRow, { sight }: Pick<Context, 'sight'>): Members {
  const kind = kinds[row.kind]
  const { subject, client } = row.actor
  const isSeen = kind !== undefined && sight.sees(kind.shape)
  return {
    '@id': `${shape.collection}/${row.id}`,
    '@type': shape.type,
    id: row.id,
    sequence: row.sequence,
    topic: row.topic,
    resource: iriOfResource(row.kind, row.resourceId, row.ownerId),
    resourceVersion: row.version,
    occurredAt: row.occurredAt,
    effectiveAt: isSeen ? row.effectiveAt : null,
    // Nobody made a boundary's event.
    ...(isSeen && row.effectiveAt === null
      ? { actor: { subject, client }, apiVersion: row.apiVersion, requestId: row.requestId }
      : {}),
    changes:
      kind && accessOf(kind, row, sight).changes ? visibleDifferences(row.changes, kind.shape, sight) : [],
  }
}

/** An event with its resource's document; `history` tells what its product embedded at that sequence. */
export function eventDocument(row: EventRow, context: Context, history: History): Value {
  const document = resourceDocument(row, context.sight, context.locale, history)
  return { ...auditDocument(row, context), document: withinBudget(document, row) }
}

/**
 * The first of the events that were read, as many as one answer holds but at least one. Those of one product show the same
 * again and again, so that a page of them may be many times what was read for it: what has no room is not rendered.
 */
export function firstDocuments({ rows, history }: EventsRead, context: Context): Value[] {
  const documents: Value[] = []
  let remainingBytes: number = byteLimits.answer
  for (const row of rows) {
    const document = eventDocument(row, context, history)
    remainingBytes -= bytesOf(textOf(document))
    if (remainingBytes < 0 && documents.length > 0) break
    documents.push(document)
  }
  return documents
}

/** What of an event somebody sees. */
type EventAccess = { readonly document: boolean; readonly changes: boolean }

/** A draft is there only for those who see drafts: what it was, before it was published too. Too old to tell counts as one. */
function accessOf({ shape }: Kind, { document, changes }: EventRow, sight: Access): EventAccess {
  if (!sight.sees(shape)) return { document: false, changes: false }
  if (sight.seesDrafts(shape)) return { document: true, changes: true }
  const { status } = parsed<{ status?: string }>(document ?? '{}')
  const isPublished = status !== undefined && sight.seesStatus(shape, status)
  const wasDraft = changes.some(({ path, before }) => path === 'status' && !sight.seesStatus(shape, before))
  return { document: isPublished, changes: isPublished && !wasDraft }
}

/** Bytes that the document of an event may have: all but what its changes take, so that both are within one event's budget. */
function maxDocumentBytes({ changesSize }: EventRow): number {
  return byteLimits.event - changesSize - bounds.envelope
}

/** A document, written out once to be weighed; null where it is too large with links in place of what it embeds. */
function withinBudget(document: Value, row: EventRow): Value {
  if (document === null) return null
  const { fragment, bytes } = sized(document)
  return bytes <= maxDocumentBytes(row) ? fragment : null
}

/**
 * The resource as an event left it; null when it may not be seen, the event is too old, or of a kind that is not known any
 * more. What of it is hidden, and of what it embeds, the renderer leaves out.
 */
export function resourceDocument(row: EventRow, sight: Access, locale: Locale, history: History): Value {
  const kind = kinds[row.kind]
  if (!kind || row.document === null || !accessOf(kind, row, sight).document) return null
  const { version, createdAt, occurredAt, effectiveAt, changedAt } = row
  return kind.document(
    row.document,
    {
      version,
      createdAt,
      updatedAt: changedAt ?? occurredAt,
      at: effectiveAt ?? occurredAt,
      embedding: history.at(row.ownerId ?? row.resourceId, row.sequence),
      categories: row.categories ?? [],
      most: maxDocumentBytes(row),
    },
    locale,
    sight,
  )
}

/** The differences that may be seen: of a property that a scope guards, neither the old value nor the new. */
function visibleDifferences(differences: readonly Difference[], of: Shape, sight: Access): Value {
  const visible = differences.filter(({ path }) => sight.seesProperty(of, String(pathSegments(path)[0])))
  return new Differences(of.type, visible)
}

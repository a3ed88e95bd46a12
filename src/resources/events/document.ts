import * as z from 'zod'
import type { Access } from '../../core/access.ts'
import { Differences, type Members, sized, textOf, type Value } from '../../core/document.ts'
import { byteLimits } from '../../core/limits.ts'
import type { Locale } from '../../core/locale.ts'
import type { Context } from '../../core/operation.ts'
import type { Difference } from '../../core/patch.ts'
import type { Shape } from '../../core/schema.ts'
import { bytesOf } from '../../core/sizes.ts'
import { pathSegments } from '../../core/violations.ts'
import type { RowOf } from '../../db/query.ts'
import { parseStored } from '../../db/row-types.ts'
import { type auditRow, bounds, type EventRow } from './event-sql.ts'
import type { ProductHistory } from './product-history.ts'
import type { EventsRead } from './read-events.ts'
import { event as shape } from './schema.ts'
import { eventKinds, iriOfResource, type Kind } from './topics.ts'

/**
 * Renders an event without the resource's document, as the audit trail shows it.
 * A caller that may not read the resource sees that an event happened, without its changes or actor.
 */
export function auditDocument(row: AuditedEvent, { access }: Pick<Context, 'access'>): Members {
  const kind = eventKinds[row.kind]
  const { subject, client } = row.actor
  const isSeen = kind !== undefined && access.sees(kind.shape)
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
    // The event of a start or end time has no actor.
    ...(isSeen && row.effectiveAt === null
      ? {
          actor: { subject, client },
          apiVersion: row.apiVersion,
          requestId: row.requestId,
          locale: row.locale,
        }
      : {}),
    changes:
      kind && accessOf(kind, row, access).changes ? visibleDifferences(row.changes, kind.shape, access) : [],
  }
}

/**
 * Renders an event with its resource's document. `history` returns the parts that the product embedded at that
 * sequence.
 */
export function eventDocument(row: EventRow, context: Context, history: ProductHistory): Value {
  const document = resourceDocument(row, context.access, context.locale, history)
  return { ...auditDocument(row, context), document: withinLimit(document, row) }
}

/**
 * Renders the first events that fit one response, at least one.
 * Events of one product repeat the same parts, so a page can exceed its input many times. Events that do not fit are
 * not rendered.
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

/** An event whose document may not have been read. */
type AuditedEvent = RowOf<typeof auditRow> & Partial<Pick<EventRow, 'document'>>

/** The parts of an event that a caller may see. */
type EventAccess = { readonly document: boolean; readonly changes: boolean }

const hasStatus = z.object({ status: z.string().optional() })

/**
 * Decides access to an event. Only callers that see drafts see a draft, including the values from before its
 * publication.
 * An event without a stored document counts as a draft.
 */
function accessOf({ shape }: Kind, { document, changes }: AuditedEvent, access: Access): EventAccess {
  if (!access.sees(shape)) return { document: false, changes: false }
  if (access.seesDrafts(shape)) return { document: true, changes: true }
  const { status } = parseStored(hasStatus, document ?? '{}')
  const isPublished = status !== undefined && access.seesStatus(shape, status)
  const wasDraft = changes.some(({ path, before }) => path === 'status' && !access.seesStatus(shape, before))
  return { document: isPublished, changes: isPublished && !wasDraft }
}

/** Byte limit of the event's document: the limit of the event minus its changes. */
function maxDocumentBytes({ changesSize }: EventRow): number {
  return byteLimits.event - changesSize - bounds.envelope
}

/** Returns null if the document is too large even with links instead of embedded resources. */
function withinLimit(document: Value, row: EventRow): Value {
  if (document === null) return null
  return sized(document).bytes <= maxDocumentBytes(row) ? document : null
}

/**
 * Renders the resource as it was after an event.
 * Returns null without access, for an expired document, and for an unknown kind. The renderer omits hidden properties,
 * also of embedded resources.
 */
export function resourceDocument(
  row: EventRow,
  access: Access,
  locale: Locale,
  history: ProductHistory,
): Value {
  const kind = eventKinds[row.kind]
  if (!kind || row.document === null || !accessOf(kind, row, access).document) return null
  const { version, createdAt, occurredAt, effectiveAt, changedAt } = row
  return kind.document(
    row.document,
    {
      version,
      createdAt,
      updatedAt: changedAt ?? occurredAt,
      at: effectiveAt ?? occurredAt,
      embedding: history.embeddingAt(row.ownerId ?? row.resourceId, row.lastSequence),
      categories: row.categories ?? [],
      maxBytes: maxDocumentBytes(row),
    },
    locale,
    access,
  )
}

/** The visible differences. For a property that requires a scope, both the old and the new value are hidden. */
function visibleDifferences(differences: readonly Difference[], of: Shape, access: Access): Value {
  const visible = differences.filter(({ path }) => access.seesProperty(of, String(pathSegments(path)[0])))
  return new Differences(of.type, visible)
}

import { type Members, PropertyPath, type Value } from '../../core/document.ts'
import type { Locale } from '../../core/locale.ts'
import type { Context } from '../../core/operation.ts'
import type { Change } from '../../core/patch.ts'
import type { Shape } from '../../core/property.ts'
import type { Sight } from '../../core/sight.ts'
import { pathSegments } from '../../core/violations.ts'
import type { History } from './history.ts'
import { type Kind, kinds } from './kinds.ts'
import { event as shape } from './schema.ts'
import type { EventRow } from './store.ts'

/**
 * An event without the resource's document: what the audit trail shows. Who may not read the resource is told that
 * something happened, and not what.
 */
export function auditDocument(row: EventRow, { sight }: Pick<Context, 'sight'>): Members {
  const kind = kinds[row.kind]
  return {
    '@id': `${shape.collection}/${row.id}`,
    '@type': shape.type,
    id: row.id,
    sequence: row.sequence,
    topic: row.topic,
    resource: kind ? kind.iri(row.resourceId, row.ownerId) : `/api/${row.kind}/${row.resourceId}`,
    resourceVersion: row.version,
    occurredAt: row.occurredAt,
    actor: { subject: row.actor.subject, client: row.actor.client },
    apiVersion: row.apiVersion,
    requestId: row.requestId,
    changes: kind && seenOf(kind, row, sight).changes ? visibleChanges(row.changes, kind.shape, sight) : [],
  }
}

/** An event with its resource's document; `history` tells what its product embedded at that sequence. */
export function eventDocument(row: EventRow, context: Context, history: History): Value {
  return {
    ...auditDocument(row, context),
    document: resourceDocument(row, context.sight, context.locale, history),
  }
}

/** What of an event somebody sees. */
type Seen = { readonly document: boolean; readonly changes: boolean }

/** A draft is there only for those who see drafts: what it was, before it was published too. Too old to tell counts as one. */
function seenOf({ shape }: Kind, { document, changes }: EventRow, sight: Sight): Seen {
  if (!sight.sees(shape)) return { document: false, changes: false }
  if (sight.seesDrafts(shape)) return { document: true, changes: true }
  const { status } = JSON.parse(document ?? '{}') as { status?: string }
  const isPublished = status !== undefined && sight.seesStatus(shape, status)
  const wasDraft = changes.some(({ path, before }) => path === 'status' && !sight.seesStatus(shape, before))
  return { document: isPublished, changes: isPublished && !wasDraft }
}

/**
 * The resource as an event left it; null when it may not be seen, the event is too old, or of a kind that is not known any
 * more. What of it is hidden, and of what it embeds, the renderer leaves out.
 */
export function resourceDocument(row: EventRow, sight: Sight, locale: Locale, history: History): Value {
  const kind = kinds[row.kind]
  if (!kind || row.document === null || !seenOf(kind, row, sight).document) return null
  const { version, createdAt, occurredAt } = row
  return kind.document(
    row.document,
    {
      version,
      createdAt,
      updatedAt: occurredAt,
      moment: history(row.ownerId ?? row.resourceId, row.sequence),
      categories: row.categories ?? [],
    },
    locale,
    sight,
  )
}

/** Changes of what may be seen: of a property that a scope guards, neither the old value nor the new. */
function visibleChanges(changes: readonly Change[], of: Shape, sight: Sight): Value[] {
  return changes
    .filter(({ path }) => sight.seesProperty(of, String(pathSegments(path)[0])))
    .map(({ path, before, after }) => ({ path: new PropertyPath(of.type, path), before, after }))
}

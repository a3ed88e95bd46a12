import { type Members, PropertyPath, type Value } from '../../core/document.ts'
import type { Locale } from '../../core/locale.ts'
import type { Context } from '../../core/operation.ts'
import type { Change } from '../../core/patch.ts'
import type { Shape } from '../../core/property.ts'
import { pathSegments } from '../../core/violations.ts'
import type { History } from './history.ts'
import { type Kind, kinds, type Seen } from './kinds.ts'
import { event as shape } from './schema.ts'
import type { EventRow } from './store.ts'

/** An event without the resource's document: what the audit trail shows. */
export function auditDocument(row: EventRow, context: Context): Members {
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
    changes:
      kind && isSeen(kind, row, context, 'changes') ? visibleChanges(row.changes, kind.shape, context) : [],
  }
}

/** An event with its resource's document; `history` tells what its product embedded at that sequence. */
export function eventDocument(row: EventRow, context: Context, history: History): Value {
  const kind = kinds[row.kind]
  const isShown = !kind || isSeen(kind, row, context, 'document')
  return {
    ...auditDocument(row, context),
    document: isShown ? resourceDocument(row, context.locale, history) : null,
  }
}

function isSeen(kind: Kind, row: EventRow, context: Context, part: keyof Seen): boolean {
  return kind.seen === undefined || kind.seen(row, (scope) => context.may(scope))[part]
}

/** The resource as an event left it; null when the event is too old, or of a kind that is not known any more. */
export function resourceDocument(row: EventRow, locale: Locale, history: History): Value {
  const kind = kinds[row.kind]
  if (!kind || row.document === null) return null
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
  )
}

/** Changes of what the caller may see: of a property that a scope guards, neither the old value nor the new. */
function visibleChanges(changes: readonly Change[], { type, properties }: Shape, context: Context): Value[] {
  return changes
    .filter(({ path }) => {
      const [name] = pathSegments(path)
      const scope = Object.hasOwn(properties, name!) ? properties[name!]!.visibleWith : null
      return scope === null || context.may(scope)
    })
    .map(({ path, before, after }) => ({ path: new PropertyPath(type, path), before, after }))
}

import { type SQL, sql } from 'drizzle-orm'
import type { Context } from '../../core/operation.ts'
import type { Changed } from '../../core/write.ts'
import { uuids } from '../../db/rows.ts'
import { differencesWithCustomFields } from '../content/custom-fields/index.ts'
import { categoryIri } from './iri.ts'
import type { NewCategory } from './new-category.ts'
import type { Node } from './tree.ts'

/** The event of a new category; its document is the settled row. */
export function createdEvent(context: Context, { links, state }: NewCategory): Changed {
  const { id, parentId, children = [] } = links
  const after = {
    ...state.values,
    ...state.translations[context.locale.asked],
    parent: parentId ? categoryIri(parentId) : null,
    ...(children.length > 0 ? { children: children.map(categoryIri) } : {}),
  }
  return {
    kind: 'categories',
    id,
    version: 1,
    action: 'created',
    topic: 'category/created',
    document: '',
    changes: differencesWithCustomFields({}, after),
  }
}

/** The event of a category that another's `children` has moved; its document is the settled row. */
export function movedEvent(node: Node, parentId: string | null): Changed {
  return {
    kind: 'categories',
    id: node.id,
    version: node.version + 1,
    action: 'updated',
    topic: 'category/updated',
    document: '',
    changes: [
      {
        path: 'parent',
        before: node.parentId && categoryIri(node.parentId),
        after: parentId && categoryIri(parentId),
      },
    ],
  }
}

/** A subquery of the ids that events tell of. */
export function changedIds(events: readonly Changed[]): SQL {
  return sql`select unnest(${uuids(events.map((each) => each.id))})`
}

import type { Json } from '../../../core/json.ts'
import type { Answer, Context } from '../../../core/operation.ts'
import { stamped } from '../../../core/stamped.ts'
import { render, type State, standardText } from '../../../core/state.ts'
import type { Written } from '../../../core/write.ts'
import type { Rules } from './conditions.ts'
import { type CollectionParts, collectionDocument } from './document.ts'
import { collectionIri } from './iri.ts'
import { collection as shape } from './schema.ts'

/** The row of a collection, but for what commit() stamps. */
export function rowOf(context: Context, id: string, state: State) {
  const { locales } = context.tenant
  const { externalId, handle, type } = state.values
  return {
    id,
    externalId: (externalId as string | null | undefined) ?? null,
    handle: String(handle),
    type: String(type),
    title: standardText(state, 'title', locales) ?? '',
    rules: rulesOf(state),
    document: render(shape, { iri: collectionIri(id), id }, state, locales),
    translations: state.translations,
  }
}

/** The rules in a state; null where products are chosen one by one. */
export function rulesOf(state: State): Rules | null {
  return (state.values.rules as Rules | null | undefined) ?? null
}

/** The answer to a write: the collection as it left it. */
export function writtenAnswer(
  context: Context,
  { result, stamps, replayed }: Written<Json>,
): Answer & { kind: 'item' } {
  return { ...itemAnswer(context, stamped(result as unknown as CollectionParts, stamps)), replayed }
}

export function itemAnswer(context: Context, parts: CollectionParts): Answer & { kind: 'item' } {
  return { kind: 'item', document: collectionDocument(parts, context.locale), version: parts.version }
}

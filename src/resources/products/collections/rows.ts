import type { Answer, Context } from '../../../core/operation.ts'
import { stamped } from '../../../core/stamped.ts'
import { render, type State, standardText } from '../../../core/state.ts'
import type { Written } from '../../../core/write.ts'
import { type CollectionParts, collectionDocument } from './document.ts'
import { collectionIri } from './iri.ts'
import { collection as shape } from './schema.ts'

/** The row of a collection, but for what commit() stamps. */
export function rowOf(context: Context, id: string, state: State<typeof shape>) {
  const { locales } = context.tenant
  const { externalId, handle, type, rules } = state.values
  return {
    id,
    externalId,
    // Written or derived, and never cleared.
    handle: handle ?? '',
    type,
    title: standardText(state, 'title', locales) ?? '',
    rules,
    document: render(shape, { iri: collectionIri(id), id }, state, locales),
    translations: state.translations,
  }
}

/** The answer to a write: the collection as it left it. */
export function writtenAnswer(
  context: Context,
  { result, stamps, replayed }: Written<CollectionParts>,
): Answer & { kind: 'item' } {
  return { ...itemAnswer(context, stamped(result, stamps)), replayed }
}

export function itemAnswer(context: Context, parts: CollectionParts): Answer & { kind: 'item' } {
  return { kind: 'item', document: collectionDocument(parts, context.locale), version: parts.version }
}

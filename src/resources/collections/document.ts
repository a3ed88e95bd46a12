import * as z from 'zod'
import { documentInLocale, type Value } from '../../core/document.ts'
import { type Kind, parseEventDocument } from '../../core/kind.ts'
import type { Locale } from '../../core/locale.ts'
import type { Context } from '../../core/operation.ts'
import type { WriteOutcome } from '../../core/plan.ts'
import { defaultText, render, type State } from '../../core/state.ts'
import { stampedRow, stamps, translationsRow } from '../../db/columns.ts'
import type { RowOf } from '../../db/query.ts'
import { writtenItem } from '../shared/ordinary-operations.ts'
import { collection, collectionIri, collection as shape } from './schema.ts'

/** The data that a collection's document is rendered from. Plain JSON. */
export type CollectionParts = RowOf<typeof collectionRow>
export const collectionRow = {
  id: z.string(),
  document: z.string(),
  translations: translationsRow.nullable(),
  productsCount: z.number(),
  rebuilding: z.boolean(),
  ...stampedRow,
}

const eventCollection = z.object(collectionRow).omit(stamps)

export function collectionDocument(parts: CollectionParts, locale: Locale): Value {
  const { productsCount, rebuilding, version, createdAt, updatedAt } = parts
  return {
    ...documentInLocale(parts, collection, locale),
    productsCount,
    rebuilding,
    version,
    createdAt,
    updatedAt,
  }
}

/** The row of a collection, without the columns that the write sets. */
export function rowOf(context: Context, id: string, state: State<typeof shape>) {
  const { locales } = context.tenant
  const { externalId, handle, type, rules } = state.values
  return {
    id,
    externalId,
    // Sent or derived, and never cleared.
    handle: handle ?? '',
    type,
    title: defaultText(state, 'title', locales) ?? '',
    rules,
    document: render(shape, { iri: collectionIri(id), id }, state, locales),
    translations: state.translations,
  }
}

/** The response to a write: the collection after the write. */
export function writtenAnswer({ locale }: Context, outcome: WriteOutcome<CollectionParts>) {
  return writtenItem(outcome, (parts) => collectionDocument(parts, locale))
}

export const collectionKind: Kind = {
  name: 'collections',
  subject: 'collection',
  noun: 'A collection of products',
  shape: collection,
  document: (eventDocument, context, locale) =>
    collectionDocument(parseEventDocument(eventCollection, eventDocument, context), locale),
}

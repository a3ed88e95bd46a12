import { budgets } from '../../../core/budgets.ts'
import { Fragment, type Members, type Value, weighed } from '../../../core/document.ts'
import { type JsonObject, parsed } from '../../../core/json.ts'
import type { Locale } from '../../../core/locale.ts'
import { type EmbeddedMetaobject, embeddedDocument } from '../metaobjects/index.ts'
import { metaobjectIri } from '../metaobjects/iri.ts'
import { type CustomField, metaobjectIdsIn } from './entries.ts'

/**
 * A row's document with the metaobjects that its custom fields refer to. Where there are none, its text is not looked into. Those
 * that are not published are left out for every reader, so that a product reads the same whoever asks.
 */
export function withMetaobjects(
  document: Fragment | Members,
  rows: readonly EmbeddedMetaobject[] | null | undefined,
  locale: Locale,
): Value {
  if (!rows || rows.length === 0) return document
  const members: Members =
    document instanceof Fragment ? { ...parsed<JsonObject>(document.text), ...document.members } : document
  const shown = shownMetaobjects(rows, locale)
  const fields = keptCustomFields(members.fields).map((entry) => ({
    ...entry,
    metaobject: metaobjectIdsIn(entry).flatMap((id) => shown(id) ?? []),
  }))
  return { ...members, fields }
}

/** A document's custom fields are those of its state. */
function keptCustomFields(fields: Value | undefined): readonly CustomField[] {
  return (fields ?? []) as readonly CustomField[]
}

/** What stands for a metaobject each time that it is referred to: it itself as long as there is room, then its IRI. */
function shownMetaobjects(
  rows: readonly EmbeddedMetaobject[],
  locale: Locale,
): (id: string) => Value | undefined {
  const known = new Map(rows.map((each) => [each.id, weighed(embeddedDocument(each, locale))]))
  let left: number = budgets.embedded
  return (id) => {
    const found = known.get(id)
    if (!found) return undefined
    left -= found.bytes
    return left < 0 ? metaobjectIri(id) : found.fragment
  }
}

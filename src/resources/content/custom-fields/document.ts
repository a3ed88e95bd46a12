import { budgets } from '../../../core/budgets.ts'
import { Fragment, type Members, type Value, weighed } from '../../../core/document.ts'
import type { JsonObject } from '../../../core/json.ts'
import type { Locale } from '../../../core/locale.ts'
import { type EmbeddedMetaobject, embeddedDocument } from '../metaobjects/index.ts'
import { metaobjectIri } from '../metaobjects/iri.ts'
import { entriesOf, metaobjectIdsIn } from './entries.ts'

/**
 * A row's document with the metaobjects that its fields refer to. Where there are none, its text is not looked into. Those
 * that are not published are left out for every reader, so that a product reads the same whoever asks.
 */
export function withMetaobjects(
  document: Value,
  rows: readonly EmbeddedMetaobject[] | null | undefined,
  locale: Locale,
): Value {
  if (!rows || rows.length === 0) return document
  const members: Members =
    document instanceof Fragment
      ? { ...(JSON.parse(document.text) as JsonObject), ...document.members }
      : (document as Members)
  const shown = shownMetaobjects(rows, locale)
  const fields = entriesOf(members.fields as JsonObject | undefined).map((entry) => ({
    ...entry,
    metaobject: metaobjectIdsIn(entry).flatMap((id) => shown(id) ?? []),
  }))
  return { ...members, fields }
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

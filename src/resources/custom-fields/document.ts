import { Fragment, type Members, type Value } from '../../core/document.ts'
import type { JsonObject } from '../../core/json.ts'
import type { Locale } from '../../core/locale.ts'
import { type EmbeddedMetaobject, embeddedDocument } from '../metaobjects/index.ts'
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
  const known = new Map(rows.map((each) => [each.id, each]))
  const fields = entriesOf(members.fields as JsonObject | undefined).map((entry) => ({
    ...entry,
    metaobject: metaobjectIdsIn(entry).flatMap((id) => {
      const row = known.get(id)
      return row ? [embeddedDocument(row, locale)] : []
    }),
  }))
  return { ...members, fields }
}

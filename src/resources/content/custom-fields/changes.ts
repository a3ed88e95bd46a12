import { isJsonObject, type Json } from '../../../core/json.ts'
import { type Change, changesBetween, sameJson } from '../../../core/patch.ts'
import { entriesOf, type FieldEntry } from './entries.ts'

/**
 * The differences between two views of a resource, its fields told by key: at `fields.size` the value, at
 * `fields.size.type` a type that has changed, at `fields` the keys where only their order has.
 */
export function changesWithFields(before: Json, after: Json): Change[] {
  const [was, is] = [fieldsIn(before), fieldsIn(after)]
  const types = is.flatMap(({ key, type }): Change[] => {
    const old = was.find((each) => each.key === key)?.type ?? type
    const path = key.includes('.') ? `fields["${key}"].type` : `fields.${key}.type`
    return old === type ? [] : [{ path, before: old, after: type }]
  })
  const [order, newOrder] = [was.map(({ key }) => key), is.map(({ key }) => key)]
  const moved = !sameJson(order, newOrder) && sameJson(order.toSorted(), newOrder.toSorted())
  return [
    ...changesBetween(keyed(before, was), keyed(after, is)),
    ...types,
    ...(moved ? [{ path: 'fields', before: order, after: newOrder }] : []),
  ]
}

function fieldsIn(view: Json): readonly FieldEntry[] {
  return isJsonObject(view) ? entriesOf(view.fields) : []
}

function keyed(view: Json, entries: readonly FieldEntry[]): Json {
  const fields = Object.fromEntries(entries.map(({ key, value }) => [key, value]))
  return isJsonObject(view) ? { ...view, fields } : view
}
